package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"
)

// settings is the configuration file: commands by the name of an event.
type settings struct {
	Hooks map[string][]string `json:"hooks"`
}

func readSettings(path string) (settings, error) {
	var s settings
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

// payload is what a hook reads from its standard input.
type payload struct {
	Client    string    `json:"client"`
	Version   string    `json:"version"`
	Event     string    `json:"event"`
	Session   string    `json:"session"`
	Directory string    `json:"directory"`
	Text      string    `json:"text,omitempty"` // of a prompt
	Tool      *toolCall `json:"tool,omitempty"`
}

type toolCall struct {
	Name    string `json:"name"` // write or shell
	File    string `json:"file,omitempty"`
	Command string `json:"command,omitempty"`
}

// answer is what a hook may write to its standard output. Nothing is an answer too.
type answer struct {
	Context string `json:"context"` // for the model to read
	Refuse  string `json:"refuse"`  // of a tool: why it must not run
}

// hookTime is how long a hook may take before the client goes on without it.
const hookTime = 5 * time.Second

// hooks runs the commands of an event one after another and joins their answers. A hook that fails, is
// late or writes nonsense has said nothing.
func (s *session) hooks(p payload) answer {
	p.Client, p.Version, p.Session, p.Directory = "echo", version, s.id, s.directory
	data, err := json.Marshal(p)
	if err != nil {
		return answer{}
	}
	var all answer
	for _, command := range s.settings.Hooks[p.Event] {
		ctx, cancel := context.WithTimeout(context.Background(), hookTime)
		cmd := shell(ctx, command)
		cmd.Dir = s.directory
		cmd.Stdin = bytes.NewReader(data)
		cmd.Stderr = os.Stderr
		cmd.WaitDelay = time.Second
		cmd.Env = append(os.Environ(), "ECHO_PID="+strconv.Itoa(os.Getpid()), "ECHO_INBOX="+s.inbox.path)
		out, err := cmd.Output()
		cancel()
		var a answer
		if err != nil || len(out) == 0 || json.Unmarshal(out, &a) != nil {
			continue
		}
		all.Context += a.Context
		if all.Refuse == "" {
			all.Refuse = a.Refuse
		}
	}
	return all
}

func shell(ctx context.Context, command string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.CommandContext(ctx, "cmd", "/c", command)
	}
	return exec.CommandContext(ctx, "sh", "-c", command)
}

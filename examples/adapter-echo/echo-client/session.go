package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// session is one conversation.
type session struct {
	id, directory string
	settings      settings
	inbox         *inbox
}

func (s *session) start() {
	fmt.Println("session", s.id)
	s.read(s.hooks(payload{Event: "start"}))
}

func (s *session) end() { s.hooks(payload{Event: "end"}) }

// read prints what reaches the model beside the prompt.
func (s *session) read(a answer) {
	for line := range strings.Lines(a.Context) {
		fmt.Println("context|", strings.TrimRight(line, "\n"))
	}
}

func (s *session) step(line string) error {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch name {
	case "":
	case "prompt":
		s.prompt(rest)
	case "write":
		file, text, _ := strings.Cut(rest, " ")
		s.tool(toolCall{Name: "write", File: file}, func() error {
			return os.WriteFile(s.path(file), []byte(text+"\n"), 0o600)
		})
	case "shell":
		s.tool(toolCall{Name: "shell", Command: rest}, func() error {
			cmd := shell(context.Background(), rest)
			cmd.Dir = s.directory
			out, err := cmd.CombinedOutput()
			fmt.Print(string(out))
			return err
		})
	case "stop":
		s.hooks(payload{Event: "stop"})
	case "listen":
		return s.listen(rest)
	default:
		return fmt.Errorf("no step %q; there are prompt, write, shell, stop and listen", name)
	}
	fmt.Println("done", name)
	return nil
}

func (s *session) path(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(s.directory, file)
}

func (s *session) prompt(text string) {
	a := s.hooks(payload{Event: "prompt", Text: text})
	for line := range strings.Lines(text) {
		fmt.Println("prompt|", strings.TrimRight(line, "\n"))
	}
	s.read(a)
}

// tool asks the hooks, runs the tool unless one refuses, and lets the model read what they add to the
// result.
func (s *session) tool(call toolCall, run func() error) {
	if a := s.hooks(payload{Event: "tool", Tool: &call}); a.Refuse != "" {
		fmt.Println("refused:", a.Refuse)
		return
	}
	if err := run(); err != nil {
		fmt.Println("failed:", err)
		return
	}
	fmt.Println("ran", call.Name)
	s.read(s.hooks(payload{Event: "result", Tool: &call}))
}

func (s *session) listen(seconds string) error {
	n, err := strconv.Atoi(seconds)
	if err != nil {
		return fmt.Errorf("listen %s: %w", seconds, err)
	}
	select {
	case m := <-s.inbox.messages:
		s.prompt(m.Text)
		fmt.Println("done listen")
	case <-time.After(time.Duration(n) * time.Second):
		fmt.Println("nothing came")
	}
	return nil
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	"github.com/acc-control-plane/acc/tools/realclient"
)

// stage is one machine: a home with the client's configuration and an installed acc, a project, a peer
// that has taken part in its room, and a model.
type stage struct {
	client  client
	path    string // of the client's executable
	version string

	root, home, project, data, temp, record string
	acc                                     string // directory of acc's executables

	model *realclient.Model
	peer  core.Owner

	mu      sync.Mutex
	asked   []realclient.Prompt // what the model was sent, in order
	open    bool                // the client's session was open when the model was first asked
	failure error
}

// runLimit is how long the client may take for one prompt.
const runLimit = 3 * time.Minute

const (
	free, held = "free.txt", "held.txt" // new files of the project
	firstTurn  = "certify: work"
	secondTurn = "certify: look again"
	reader     = "reader"
)

// outsideTemp is not the system's temporary directory: Codex leaves tools out of a home that lies there.
const outsideTemp = "/var/tmp"

func newStage(ctx context.Context, c client, path, bin string) (*stage, error) {
	root, err := os.MkdirTemp(outsideTemp, "acc-certify-")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	s := &stage{client: c, path: path, root: root, acc: bin}
	for dir, name := range map[*string]string{&s.home: "home", &s.project: "project", &s.data: "data", &s.temp: "temp", &s.record: "record"} {
		*dir = filepath.Join(root, name)
		if err := os.MkdirAll(*dir, 0o700); err != nil {
			return nil, err
		}
	}
	if out, err := exec.CommandContext(ctx, "git", "-c", "init.defaultBranch=main", "init", "-q", s.project).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git init: %w: %s", err, out)
	}
	if s.model, err = realclient.StartModel(s.script); err != nil {
		return nil, err
	}
	return s, s.prepare(ctx)
}

func (s *stage) close() {
	s.model.Close()
	_ = os.RemoveAll(s.root)
}

// prepare installs acc as a person would, puts a recorder before its hook, and lets the peer in.
func (s *stage) prepare(ctx context.Context) error {
	out, err := s.run(ctx, s.path, "--version")
	if err != nil {
		return err
	}
	if s.version = regexp.MustCompile(`\d+\.\d+\.\d+\S*`).FindString(out); s.version == "" {
		return fmt.Errorf("%s --version says no version: %q", s.path, out)
	}
	if _, err := s.run(ctx, filepath.Join(s.acc, "acc"), "install", "--adapter", s.client.adapterID); err != nil {
		return err
	}
	hook := filepath.Join(s.data, "acc", "runtime", "bin", "acc-hook")
	if err := os.Rename(hook, hook+".real"); err != nil {
		return err
	}
	if err := os.WriteFile(hook, []byte(fmt.Sprintf(recorder, s.record, hook)), 0o700); err != nil {
		return err
	}
	if err := s.client.prepare(s); err != nil {
		return err
	}
	return s.enterPeer(ctx)
}

// recorder keeps what a hook was given and what it answered, and changes nothing of either.
const recorder = `#!/bin/sh
n=%s/$(date +%%s%%N)-$$
cat >"$n.in"
%s.real "$@" <"$n.in" >"$n.out"
code=$?
echo $code >"$n.code"
cat "$n.out"
exit $code
`

// enterPeer opens the peer's session and claims what the client must not write.
func (s *stage) enterPeer(ctx context.Context) error {
	r, err := s.room(ctx)
	if err != nil {
		return err
	}
	s.peer = r.Core.NewOwner()
	if _, err := r.Core.OpenSession(ctx, core.OpenSession{
		SessionID: s.peer.SessionID, Generation: s.peer.Generation, ParticipantID: "peer", ParticipantOf: protocol.Agent, Harness: "certify",
		CheckoutRoot: s.project, PID: os.Getpid(), Enforcement: protocol.Guarded, Lifecycle: protocol.Managed, Cadence: protocol.HookCadence,
	}); err != nil {
		return err
	}
	_, err = r.Core.Claim(ctx, s.peer, core.ClaimRequest{
		Resource: "file:" + held, Mode: protocol.Exclusive, Enforcement: protocol.Guarded, Reason: "certifying",
	})
	return err
}

func (s *stage) room(ctx context.Context) (*room.Room, error) {
	return room.Enter(ctx, room.Request{Dir: s.project, Env: func(name string) string {
		if name == "ACC_DATA_HOME" {
			return s.data
		}
		return ""
	}})
}

// session finds the client's newest session in the room.
func (s *stage) session(ctx context.Context) (core.SessionStatus, bool, error) {
	r, err := s.room(ctx)
	if err != nil {
		return core.SessionStatus{}, false, err
	}
	status, err := r.Core.Status(ctx, core.StatusQuery{All: true})
	if err != nil {
		return core.SessionStatus{}, false, err
	}
	for _, one := range status.Sessions {
		if one.Harness == s.client.adapterID {
			return one, true, nil
		}
	}
	return core.SessionStatus{}, false, nil
}

// tell sends the client's participant a question whose body is the given word.
func (s *stage) tell(ctx context.Context, word string) error {
	session, found, err := s.session(ctx)
	if err != nil || !found {
		return errors.Join(errors.New("the client has no session in the room"), err)
	}
	r, err := s.room(ctx)
	if err != nil {
		return err
	}
	_, err = r.Core.Send(ctx, s.peer, core.SendRequest{
		To: []string{session.ParticipantID}, MessageKind: protocol.Question, Subject: "certifying", Body: word,
	})
	return err
}

// Words that nothing but the peer's messages holds.
const (
	midTurnWord  = "the-word-sent-in-the-middle-of-a-turn"
	nextTurnWord = "the-word-sent-between-two-turns"
)

// script is the model: it writes the free file, then tries the held one in two ways. While it is first
// asked, the peer sends it something.
func (s *stage) script(p realclient.Prompt) []realclient.Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, p)
	if len(s.asked) == 1 {
		ctx, cancel := context.WithTimeout(context.Background(), runLimit)
		defer cancel()
		session, found, err := s.session(ctx)
		s.open = found && session.EndReason == ""
		s.failure = errors.Join(err, s.tell(ctx, midTurnWord))
	}
	if !strings.Contains(p.Newest, firstTurn) {
		return nil
	}
	return []realclient.Step{
		s.client.write(filepath.Join(s.project, free), "written by the model"),
		s.client.write(filepath.Join(s.project, held), "written by the model"),
		s.client.shell("echo 'written by the model' > " + held),
	}
}

// turn runs the client for one prompt and gives what the model was sent during it.
func (s *stage) turn(ctx context.Context, prompt string, again bool) ([]realclient.Prompt, error) {
	s.mu.Lock()
	first := len(s.asked)
	s.mu.Unlock()
	out, err := s.run(ctx, s.path, s.client.args(prompt, again)...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err = errors.Join(err, s.failure); err != nil {
		return nil, err
	}
	if len(s.asked) == first {
		return nil, fmt.Errorf("the client did not ask the model; it printed:\n%s", out)
	}
	return slices.Clone(s.asked[first:]), nil
}

// run runs a program as the user of the stage, in the project.
func (s *stage) run(ctx context.Context, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = s.project
	cmd.Env = append([]string{
		"HOME=" + s.home, "PATH=" + filepath.Dir(s.path) + ":" + s.acc + ":" + os.Getenv("PATH"), "TERM=dumb", "LANG=C.UTF-8", "SHELL=/bin/sh",
		"ACC_DATA_HOME=" + s.data, "ACC_PARTICIPANT=" + reader,
	}, s.client.env(s)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(path), strings.Join(args, " "), err, out.String())
	}
	return out.String(), nil
}

// hookCall is one recorded call of acc-hook.
type hookCall struct {
	Stdin    json.RawMessage `json:"stdin"`
	Stdout   string          `json:"stdout"`
	ExitCode int             `json:"exitCode"`
}

// tool is the name of the tool that a call is about.
func (c hookCall) tool() string {
	var p struct {
		Tool string `json:"tool_name"`
	}
	_ = json.Unmarshal(c.Stdin, &p)
	return p.Tool
}

// calls gives the recorded calls of an event, oldest first.
func (s *stage) calls(event string) ([]hookCall, error) {
	paths, err := filepath.Glob(filepath.Join(s.record, "*.in"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var found []hookCall
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var name struct {
			Event string `json:"hook_event_name"`
		}
		if json.Unmarshal(data, &name) != nil || name.Event != event {
			continue
		}
		stem := strings.TrimSuffix(path, ".in")
		out, err := os.ReadFile(stem + ".out")
		if err != nil {
			return nil, err
		}
		code, err := os.ReadFile(stem + ".code")
		if err != nil {
			continue // it was ended before it could say
		}
		call := hookCall{Stdin: data, Stdout: string(out)}
		if _, err := fmt.Sscan(string(code), &call.ExitCode); err != nil {
			return nil, err
		}
		found = append(found, call)
	}
	return found, nil
}

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
	hookrunner "github.com/acc-control-plane/acc/hook-runner"
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

	mode    string                                    // how the client is driven here
	probing func(realclient.Prompt) []realclient.Step // instead of the script, where hooks are probed
	keep    bool                                      // root, when it is over
	number  int                                       // of the runs of a matrix

	mu      sync.Mutex
	asked   []realclient.Prompt // what the model was sent, in order
	told    bool                // the peer has sent something in the middle of a turn
	open    bool                // the client's session was open then
	before  core.Owner          // its owner pair then
	failure error
}

// runLimit is how long the client may take for one prompt.
const runLimit = 3 * time.Minute

// reader is the participant that the client's environment names.
const reader = "reader"

// outsideTemp is not the system's temporary directory: Codex leaves tools out of a home that lies there.
const outsideTemp = "/var/tmp"

func newStage(ctx context.Context, c client, mode, path, bin string) (*stage, error) {
	root, err := os.MkdirTemp(outsideTemp, "acc-certify-")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	s := &stage{client: c, mode: mode, path: path, root: root, acc: bin}
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
	if s.keep {
		fmt.Println("kept", s.root)
		return
	}
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
	instead := fmt.Sprintf(recorder, s.record, hook)
	if s.mode == matrixMode {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		instead = fmt.Sprintf(prober, self, s.record)
	}
	if err := os.WriteFile(hook, []byte(instead), 0o700); err != nil {
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

// prober answers as the matrix says, see probe.go.
const prober = `#!/bin/sh
exec '%s' probe '%s'
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

// ownerOf gives the owner pair that the hooks of a conversation have on file.
func (s *stage) ownerOf(ctx context.Context, conversation string) (owner core.Owner, found bool, err error) {
	r, err := s.room(ctx)
	if err != nil {
		return core.Owner{}, false, err
	}
	return hookrunner.OwnerOf(ctx, r, s.client.adapterID, conversation)
}

// openSessions gives the ids of the client's sessions that have not ended and whose client lives, as far as
// the room knows.
func (s *stage) openSessions(ctx context.Context) ([]string, error) {
	r, err := s.room(ctx)
	if err != nil {
		return nil, err
	}
	status, err := r.Core.Status(ctx, core.StatusQuery{})
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, one := range status.Sessions {
		if one.Harness == s.client.adapterID && one.Presence != protocol.Offline {
			ids = append(ids, one.SessionID)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// closed says whether the room holds that a session ended.
func (s *stage) closed(ctx context.Context, owner core.Owner) (bool, error) {
	r, err := s.room(ctx)
	if err != nil {
		return false, err
	}
	_, _, err = r.Core.Alive(ctx, owner)
	if protocol.ReasonOf(err) == protocol.ReasonSessionClosed {
		return true, nil
	}
	return false, err
}

// heard is when a session last gave a sign of life.
func (s *stage) heard(ctx context.Context, owner core.Owner) (time.Time, error) {
	r, err := s.room(ctx)
	if err != nil {
		return time.Time{}, err
	}
	status, err := r.Core.Status(ctx, core.StatusQuery{})
	for _, one := range status.Sessions {
		if one.SessionID == owner.SessionID {
			return one.HeartbeatAt, err
		}
	}
	return time.Time{}, errors.Join(errors.New("the session is not in the room"), err)
}

// tell sends the participant of a conversation a question whose body is the given word.
func (s *stage) tell(ctx context.Context, conversation, word string) error {
	owner, found, err := s.ownerOf(ctx, conversation)
	if err != nil || !found {
		return errors.Join(errors.New("the client's conversation has no session"), err)
	}
	r, err := s.room(ctx)
	if err != nil {
		return err
	}
	status, err := r.Core.Status(ctx, core.StatusQuery{All: true})
	if err != nil {
		return err
	}
	at := slices.IndexFunc(status.Sessions, func(one core.SessionStatus) bool { return one.SessionID == owner.SessionID })
	if at < 0 {
		at = slices.IndexFunc(status.Sessions, func(one core.SessionStatus) bool { return one.Harness == s.client.adapterID })
	}
	if at < 0 {
		return errors.New("the client's participant is not in the room")
	}
	_, err = r.Core.Send(ctx, s.peer, core.SendRequest{
		To: []string{status.Sessions[at].ParticipantID}, MessageKind: protocol.Question, Subject: "certifying", Body: word,
	})
	return err
}

// environment is that of the stage's user.
func (s *stage) environment(term string) []string {
	return append([]string{
		"HOME=" + s.home, "PATH=" + filepath.Dir(s.path) + ":" + s.acc + ":" + os.Getenv("PATH"), "TERM=" + term, "LANG=C.UTF-8", "SHELL=/bin/sh",
		"ACC_DATA_HOME=" + s.data, "ACC_PARTICIPANT=" + reader,
	}, s.client.env(s)...)
}

// run runs a program as the user of the stage, in the project.
func (s *stage) run(ctx context.Context, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = s.project, s.environment("dumb")
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

// facts are the members of a payload that checks look at.
type facts struct {
	Conversation string `json:"session_id"`
	Tool         string `json:"tool_name"`
	Agent        string `json:"agent_id"`
	Source       string `json:"source"`
	Reason       string `json:"reason"`
}

func (c hookCall) facts() (f facts) {
	_ = json.Unmarshal(c.Stdin, &f) // what is not there is empty
	return f
}

// tool is the name of the tool that a call is about.
func (c hookCall) tool() string { return c.facts().Tool }

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
		if json.Unmarshal(data, &name) != nil || event == "" || name.Event != event {
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

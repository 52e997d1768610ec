package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/nativeworkspace"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// TestMain makes the test binary answer as the executable.
func TestMain(m *testing.M) {
	if os.Getenv("ACC_TEST_INDICATOR") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// stand is a room with a hooked conversation of a client, and somebody who writes to it.
type stand struct {
	*testing.T
	home  datahome.Home
	room  *room.Room
	owner core.Owner
	peer  core.Owner
}

func newStand(t *testing.T) *stand {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stand{T: t, home: datahome.Home{Root: filepath.Join(root, "data")}}
	project := filepath.Join(root, "project")
	s.must(os.Mkdir(project, 0o700))
	env := func(name string) string { return map[string]string{datahome.Variable: s.home.Root}[name] }
	saved, _, err := nativeworkspace.Establish(t.Context(), s.home, env, nativeworkspace.Session{AdapterID: "claude_code", NativeID: "native"}, project, true)
	s.must(err)
	s.room, err = room.At(t.Context(), s.home, saved.Workspace)
	s.must(err)
	open := func(name string, lifecycle protocol.Lifecycle) core.Owner {
		session, err := s.room.Core.OpenSession(t.Context(), core.OpenSession{ParticipantID: name, ParticipantOf: protocol.Agent, Harness: "claude_code", Enforcement: protocol.Advisory, Lifecycle: lifecycle, Cadence: protocol.HookCadence})
		s.must(err)
		return core.Owner{SessionID: session.SessionID, Generation: session.Generation}
	}
	s.owner, s.peer = open("ana", protocol.Managed), open("ben", protocol.Manual)
	bindings := filepath.Join(s.room.Dir, "bindings")
	s.must(os.MkdirAll(bindings, 0o700))
	name := protocol.RoomRef("claude_code", "native")[len(protocol.RoomScheme):][:32] + ".json"
	s.must(os.WriteFile(filepath.Join(bindings, name), fmt.Appendf(nil, `{"schemaVersion":1,"adapterId":"claude_code","harnessSessionId":"native","accSessionId":%q,"generation":%q}`,
		s.owner.SessionID, s.owner.Generation), 0o600))
	return s
}

func (s *stand) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// run runs the executable and gives what it printed.
func (s *stand) run(stdin string, args ...string) (out string, code int) {
	s.Helper()
	exe, err := os.Executable()
	s.must(err)
	cmd := exec.CommandContext(s.Context(), exe, args...)
	cmd.Env = append(os.Environ(), "ACC_TEST_INDICATOR=1", datahome.Variable+"="+s.home.Root)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	return stdout.String(), cmd.ProcessState.ExitCode()
}

// shows wants one line and exit code 0.
func (s *stand) shows(want, stdin string, args ...string) {
	s.Helper()
	if out, code := s.run(stdin, append([]string{"--adapter", "claude_code"}, args...)...); out != want+"\n" || code != 0 {
		s.Errorf("%q, exit %d, want %q", out, code, want)
	}
}

func (s *stand) tree() map[string]string {
	all := map[string]string{}
	_ = filepath.WalkDir(s.home.Root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(path)
			info, _ := d.Info()
			all[path] = info.ModTime().String() + string(data)
		}
		return err
	})
	return all
}

func TestWhatIsShown(t *testing.T) {
	s := newStand(t)
	before := s.tree()
	s.shows("ACC ● · turn", "", "--native-session", "native")
	s.shows("ACC ● · turn", `{"session_id":"native","model":{"id":"x"}}`)
	s.shows("ACC ● · turn", `{"conversation_id":"native"}`)
	for _, stdin := range []string{"", "{", `{"session_id":7}`, `{"session_id":"another"}`} {
		s.shows("ACC !", stdin)
	}
	out, _ := s.run("", "--adapter=claude_code", "--native-session=native", "--json")
	want := fmt.Sprintf(`{"schemaVersion":1,"display":"ACC ● · turn","sessionId":%q,"participantId":"ana","presence":"online","reach":"turn","leaseCurrent":false,"unread":0,"atLeast":false,"failed":null,"problem":null}`+"\n", s.owner.SessionID)
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, s.tree()); diff != "" {
		t.Errorf("a status line changed something:\n%s", diff)
	}

	for range 2 {
		_, err := s.room.Core.Send(t.Context(), s.peer, core.SendRequest{To: []string{"ana"}, MessageKind: protocol.Note, Subject: "s", Body: "b"})
		s.must(err)
	}
	s.shows("ACC ● · turn · 2 unread", "", "--native-session", "native")
	s.must(livefiles.NewLedger(s.home, s.room.Dir).RecordAttempt(s.owner.SessionID, protocol.GenerationRef(s.owner.Generation),
		livefiles.Attempt{At: time.Now(), Event: "SessionStart", Reason: "client_session_embedded", Policy: protocol.LiveAll}))
	if out, _ := s.run("", "--adapter", "claude_code", "--native-session", "native", "--details"); !strings.Contains(out, "\nnot wakeable because: client_session_embedded\n") || strings.Contains(out, s.owner.Generation) {
		t.Errorf("%q", out)
	}
	s.must(s.room.Store.Ephemeral().PutBinding(t.Context(), protocol.DeliveryBinding{
		SessionID: s.owner.SessionID, Generation: s.owner.Generation, AdapterID: "claude_code", ClientVersion: "2.1.0", AvailableModes: []protocol.DeliveryMode{protocol.LivePush},
		LivePolicy: protocol.LiveAll, OpaqueEndpointRef: "secret-endpoint", LeaseUntil: time.Now().Add(time.Minute).UTC().Truncate(time.Millisecond),
	}))
	s.shows("ACC ● · 2 unread", "", "--native-session", "native")
	if out, _ := s.run("", "--adapter", "claude_code", "--native-session", "native", "--json"); !strings.Contains(out, `"leaseCurrent":true`) || strings.Contains(out, "secret") {
		t.Errorf("%q", out)
	}
	_, err := s.room.Core.CloseSession(t.Context(), s.owner, "exit")
	s.must(err)
	s.shows("ACC !", "", "--native-session", "native")
}

func TestLines(t *testing.T) {
	for want, v := range map[string]view{
		"ACC ●":               {Presence: protocol.Online, Reach: wake},
		"ACC ● · inbox":       {Presence: protocol.Online, Reach: inbox},
		"ACC …":               {Presence: protocol.Online, Reach: turn, Starting: true, Failed: "x"},
		"ACC ! · turn":        {Presence: protocol.Online, Reach: turn, Failed: "x"},
		"ACC ● · 100+ unread": {Presence: protocol.Stale, Reach: wake, Unread: 100, AtLeast: true, Failed: "an old one"},
		"ACC !":               {Problem: "x"},
	} {
		if got := v.line(); got != want {
			t.Errorf("%+v: %q, want %q", v, got, want)
		}
	}
	if got := (view{Problem: "a\x1b[31m\nb"}).details(); got != "ACC !\nproblem: a [31m b\n" {
		t.Errorf("%q", got)
	}
}

func TestWrongArguments(t *testing.T) {
	s := newStand(t)
	for _, args := range [][]string{{}, {"--adapter"}, {"--adapter", "a b"}, {"--adapter", "codex", "x"}, {"--adapter", "codex", "--json", "--details"}, {"--adapter", "codex", "--json=1"}, {"--adapter", "codex", "--native-session"}} {
		if out, code := s.run("", args...); code != int(protocol.Usage) || out != "" {
			t.Errorf("%q: %q, exit %d", args, out, code)
		}
	}
}

// TestHelpAndVersion need no client, and fit a screen.
func TestHelpAndVersion(t *testing.T) {
	s := newStand(t)
	for _, arg := range []string{"--help", "-h"} {
		if out, code := s.run("", arg); code != 0 || !strings.HasPrefix(out, usage) || !strings.Contains(out, "--native-session ID  ") || strings.Count(out, "\n") > 24 {
			t.Errorf("%s: %q, exit %d", arg, out, code)
		}
	}
	for _, arg := range []string{"--version", "-v", "-V"} {
		if out, code := s.run("", arg); code != 0 || out != "acc-indicator 0.0.0-devel\n" {
			t.Errorf("%s: %q, exit %d", arg, out, code)
		}
	}
}

// TestAClientThatSaysNothingForEver does not keep its status line waiting: nobody closes the pipe, and the
// executable ends all the same.
func TestAClientThatSaysNothingForEver(t *testing.T) {
	s := newStand(t)
	from, to, err := os.Pipe()
	s.must(err)
	defer to.Close()
	defer from.Close()
	exe, err := os.Executable()
	s.must(err)
	cmd := exec.CommandContext(t.Context(), exe, "--adapter", "claude_code")
	cmd.Env = append(os.Environ(), "ACC_TEST_INDICATOR=1", datahome.Variable+"="+s.home.Root)
	cmd.Stdin = from
	if out, err := cmd.Output(); err != nil || string(out) != "ACC !\n" {
		t.Errorf("%q, %v", out, err)
	}
}

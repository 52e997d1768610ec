package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// remote is a file system that says it is another one than it is.
type remote struct {
	vfs.OS
	network bool
	err     error
}

func (r remote) Open(base, dir string) (vfs.Dir, error) {
	d, err := r.OS.Open(base, dir)
	return remoteDir{d, r}, err
}

type remoteDir struct {
	vfs.Dir
	is remote
}

func (d remoteDir) Kind() (string, bool, error) { return "nfs4", d.is.network, d.is.err }

func TestFileSystem(t *testing.T) {
	p := newPatient(t)
	p.talk(1)
	p.fs = remote{network: true}
	if got := lines(p.examine(false), subjectHome); len(got) != 1 || got[0] != "fail "+p.home.Acc()+" lies on a network file system (nfs4), where neither locks nor flushes can be relied on -> set ACC_DATA_HOME to a local directory" {
		t.Errorf("%q", got)
	}
	p.fs = remote{err: errors.New("no idea")}
	if got := lines(p.examine(false), subjectHome); len(got) != 1 || !strings.HasPrefix(got[0], "warn "+p.home.Acc()+", on a file system of unknown type: no idea -> ") {
		t.Errorf("%q", got)
	}
}

// TestModesBelow: a key that others can read is a fault wherever it lies.
func TestModesBelow(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes")
	}
	p := newPatient(t)
	r := p.talk(1)
	p.must(os.Chmod(p.home.Workspaces(), 0o750))
	p.must(os.Mkdir(filepath.Join(r.Dir, "bindings"), 0o700))
	key := filepath.Join(r.Dir, "bindings", "x.shown.json")
	p.must(os.WriteFile(key, nil, 0o600))
	p.must(os.Chmod(key, 0o644))
	got := p.examine(false)
	p.expect(lines(got, subjectModes), "fail "+p.home.Workspaces()+" has mode 0750, so others may look into it -> chmod 700 '"+p.home.Workspaces()+"'",
		"fail "+key+" has mode 0644, so others may look into it -> chmod 600 '"+key+"'")
	p.must(os.Remove(key))
	p.must(os.Symlink(r.Dir, key))
	p.must(os.Chmod(p.home.Workspaces(), 0o700))
	p.expect(lines(p.examine(false), subjectModes), "fail "+key+" is a symbolic link, which acc does not follow -> replace it by what it points to")
	p.must(os.Remove(key))
	if got := lines(p.examine(false), subjectModes); len(got) != 1 || !strings.HasSuffix(got[0], " files and directories of the room are for this user alone") {
		t.Errorf("%q", got)
	}
	// What was written in the room is in the journal.
	segments, err := filepath.Glob(filepath.Join(r.Dir, "journal", "*"))
	p.must(err)
	p.must(os.Chmod(segments[0], 0o644))
	p.expect(lines(p.examine(false), subjectModes), "fail "+segments[0]+" has mode 0644, so others may look into it -> chmod 600 '"+segments[0]+"'")
	// One command mends many.
	p.must(filepath.WalkDir(r.Dir, func(path string, _ fs.DirEntry, err error) error { return errors.Join(err, os.Chmod(path, 0o755)) }))
	if got := lines(p.examine(false), subjectModes); len(got) != MaxPaths+1 || !strings.HasSuffix(got[MaxPaths], " more -> chmod -R go= '"+r.Dir+"'") {
		t.Errorf("%q", got)
	}
}

// TestLockOwner: who writes and does not end is named.
func TestLockOwner(t *testing.T) {
	p := newPatient(t)
	r := p.talk(1)
	p.expect(lines(p.examine(false), subjectLock), "ok nobody holds the writer lock")
	held, free, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := r.Store.Update(t.Context(), func(core.Tx) error {
			close(held)
			<-free
			return nil
		})
		done <- err
	}()
	<-held
	got := p.examine(false)
	close(free)
	p.must(<-done)
	want := fmt.Sprintf("pid %d (", os.Getpid())
	if text := lines(got, subjectLock); len(text) != 1 || !strings.HasPrefix(text[0], "warn the writer lock is held by "+want) || !strings.HasPrefix(got.LockOwner, want) {
		t.Errorf("%q, %q", text, got.LockOwner)
	}
}

// TestOldMail: what nobody reads for a day is worth a word.
func TestOldMail(t *testing.T) {
	p := newPatient(t)
	p.talk(2)
	p.later = 25 * time.Hour
	got := p.examine(false)
	b := got.Backlog
	if len(b) != 1 || b[0].ParticipantID != "ben" || b[0].Queued != 2 || b[0].OldestID == "" || b[0].OldestAt.IsZero() {
		t.Fatalf("%+v", b)
	}
	at := slices.IndexFunc(got.Findings, func(f Finding) bool { return strings.HasPrefix(f.Text, "ben: 2 unread") })
	if f := got.Findings[at]; f.Level != Warn || !f.At.Equal(b[0].OldestAt) || !strings.HasPrefix(f.Remedy, "acc thread "+b[0].OldestID) {
		t.Errorf("%+v", f)
	}
}

// TestClock: an examination in the past finds times in the future.
func TestClock(t *testing.T) {
	p := newPatient(t)
	r := p.talk(1)
	if got := lines(p.examine(false), subjectClock); len(got) != 1 || !strings.HasPrefix(got[0], "ok the times of the last ") {
		t.Errorf("%q", got)
	}
	p.later = -time.Hour
	if got := lines(p.examine(false), subjectClock); len(got) != 2 || !strings.Contains(got[0], "warn ana gave a sign of life 1h0m0s in the future: the clock was set back") && !strings.Contains(got[1], "warn ana gave a sign of life 1h0m0s in the future") {
		t.Errorf("%q", got)
	}
	p.later = 0
	_, err := r.Store.Update(t.Context(), func(tx core.Tx) error {
		for _, id := range []string{"event_a", "event_b"} {
			tx.Append(core.Draft{EventID: id, ActorSessionID: "session_x", OccurredAt: time.Now().Add(map[string]time.Duration{"event_a": 0, "event_b": -2 * time.Hour}[id]).UTC().Truncate(time.Millisecond),
				Payload: protocol.IntentClearedPayload{}})
		}
		return nil
	})
	p.must(err)
	if got := lines(p.examine(false), subjectClock); len(got) != 1 || !strings.HasPrefix(got[0], "warn event ") || !strings.Contains(got[0], "is dated 2h0m0s before the one that it follows: the clock jumped -> ") {
		t.Errorf("%q", got)
	}
}

// open gives the record of the open session of a participant.
func (p *patient) open(r *room.Room, participant string) *protocol.Session {
	p.Helper()
	status, err := r.Core.Status(p.Context(), core.StatusQuery{})
	p.must(err)
	for _, row := range status.Sessions {
		if row.ParticipantID == participant {
			var s *protocol.Session
			p.must(r.Store.View(p.Context(), func(reader core.Reader) (err error) {
				s, _, err = record(reader, row.SessionID)
				return err
			}))
			return s
		}
	}
	p.Fatalf("%s has no session", participant)
	return nil
}

// TestAttempts: only what the generation that is open now tried counts, and only while it is open.
func TestAttempts(t *testing.T) {
	p := newPatient(t)
	r := p.talk(1)
	s := p.open(r, "ana")
	at := time.Now().Add(-3 * time.Minute).UTC().Truncate(time.Millisecond)
	ledger := livefiles.NewLedger(p.home, r.Dir)
	failed := livefiles.Attempt{At: at, Event: "beforeTurn", Reason: "client_session_embedded", Policy: protocol.LiveAll, LaunchOption: "--x"}
	p.must(ledger.RecordAttempt(s.SessionID, "ref", failed))
	if got := p.examine(false); len(got.Attempts) > 0 || len(lines(got, "claude_code")) > 0 {
		t.Errorf("an attempt of another generation: %v", got.Attempts)
	}
	p.must(ledger.RecordAttempt(s.SessionID, protocol.GenerationRef(s.Generation), failed))
	got := p.examine(false)
	p.expect(lines(got, "claude_code"), "warn ana cannot be woken: client_session_embedded, tried at beforeTurn; it was started with --x -> start that session without --x")
	if len(got.Attempts) != 1 || !got.Attempts[0].At.Equal(at) {
		t.Errorf("%+v", got.Attempts)
	}
	failed.Reason, failed.LaunchOption = "", ""
	p.must(ledger.RecordAttempt(s.SessionID, protocol.GenerationRef(s.Generation), failed))
	p.must(os.WriteFile(filepath.Join(r.Dir, "live", "attempt", "x.y.json"), []byte("{"), 0o600))
	got = p.examine(false)
	p.expect(lines(got, "claude_code"), "ok ana last published an endpoint at beforeTurn")
	if text := lines(got, subjectSessions); !slices.ContainsFunc(text, func(l string) bool {
		return strings.HasPrefix(l, "warn 1 notes about attempts to publish an endpoint cannot be read -> ")
	}) {
		t.Errorf("%q", text)
	}
	_, err := r.Core.CloseSession(t.Context(), core.Owner{SessionID: s.SessionID, Generation: s.Generation}, "exit")
	p.must(err)
	if got := p.examine(false); len(got.Attempts) > 0 {
		t.Errorf("an attempt of a session that ended: %v", got.Attempts)
	}
}

// TestHooksThatFired: what ran, how long it took, and what became of writes.
func TestHooksThatFired(t *testing.T) {
	p := newPatient(t)
	r := p.talk(1)
	at := time.Now().Add(-3 * time.Minute).UTC().Truncate(time.Millisecond)
	p.must(os.MkdirAll(filepath.Join(r.Dir, "bindings"), 0o700))
	const layout = "2006-01-02T15:04:05.000Z"
	for i, name := range []string{"a", "b"} {
		when := at.Add(time.Duration(i) * time.Second).Format(layout)
		text := fmt.Sprintf(`{"schemaVersion":1,"adapterId":"codex","events":[{"event":"PreToolUse","at":%[2]q,"tookMs":%[1]d}],`+
			`"guard":{"allowed":1,"denied":%[1]d,"undecided":%[1]d,"last":"denied","lastAt":%[2]q,"undecidedAt":%[2]q}}`, i+1, when)
		p.must(os.WriteFile(filepath.Join(r.Dir, "bindings", name+".fired.json"), []byte(text), 0o600))
	}
	p.must(os.WriteFile(filepath.Join(r.Dir, "bindings", "c.fired.json"), []byte("{"), 0o600))
	got := p.examine(false)
	p.expect(lines(got, "codex"), "ok the hook at PreToolUse took 2 ms when it last fired,", "ok of guarded writes 2 were allowed and 3 denied; the last was denied",
		"warn 3 writes went through because claims could not be checked, the last -> acc doctor while it happens: it names who holds the store")
	for _, f := range got.Findings {
		if f.Subject == "codex" && !f.At.Equal(at.Add(time.Second)) {
			t.Errorf("%+v has another age", f)
		}
	}
	if text := lines(got, subjectSessions); !slices.ContainsFunc(text, func(l string) bool {
		return strings.HasPrefix(l, "warn 1 notes about hooks that fired cannot be read -> ")
	}) {
		t.Errorf("%q", text)
	}
}

// TestOwnerFiles: of a session that is open, one that ended, one that ended and left the pair to go on with, one that is not on record, and one that is no owner file at all.
func TestOwnerFiles(t *testing.T) {
	p := newPatient(t)
	r := p.talk(1)
	dir := filepath.Join(r.Dir, "bindings")
	p.must(os.MkdirAll(dir, 0o700))
	write := func(native, session, generation string) string {
		path := filepath.Join(dir, protocol.RoomRef("codex", native)[len(protocol.RoomScheme):][:32]+".json")
		p.must(os.WriteFile(path, fmt.Appendf(nil, `{"schemaVersion":1,"adapterId":"codex","harnessSessionId":%q,"accSessionId":%q,"generation":%q}`, native, session, generation), 0o600))
		return path
	}
	ana, ben := p.open(r, "ana"), p.open(r, "ben")
	write("one", ana.SessionID, ana.Generation)
	write("two", ben.SessionID, ben.Generation)
	_, err := r.Core.CloseSession(t.Context(), core.Owner{SessionID: ben.SessionID, Generation: ben.Generation}, "exit")
	p.must(err)
	stale := write("three", "session_gone", "secret-key")
	ended := write("four", "session_next", "next-key")
	follows, err := os.ReadFile(ended)
	p.must(err)
	p.must(os.WriteFile(strings.TrimSuffix(ended, "json")+protocol.GenerationRef("ended-key")+".json", follows, 0o600))
	foreign := filepath.Join(dir, strings.Repeat("0", 32)+".json")
	p.must(os.WriteFile(foreign, []byte("{"), 0o600))
	got := p.examine(false)
	text := lines(got, subjectSessions, "codex")
	for _, want := range []string{
		"ok 3 conversations are bound to their sessions, 2 of which have ended",
		"fail foreign: " + foreign + " is no owner file of its conversation, so its hooks do nothing: ",
		"warn stale: " + stale + " names session_gone, which is not on record with that key -> rm '" + stale + "'",
	} {
		if !slices.ContainsFunc(text, func(l string) bool { return strings.HasPrefix(l, want) }) {
			t.Errorf("%q is not in\n%s", want, strings.Join(text, "\n"))
		}
	}
	states := map[OwnerState]int{}
	for _, o := range got.Owners {
		states[o.State]++
	}
	if states[OwnerOpen] != 1 || states[OwnerClosed] != 2 || states[OwnerStale] != 1 || states[OwnerForeign] != 1 {
		t.Errorf("%v", states)
	}
	if strings.Contains(fmt.Sprint(got.Findings), "secret-key") || strings.Contains(fmt.Sprint(got.Findings), ana.Generation) {
		t.Error("a key was told")
	}
}

// TestSavedRooms: one that is damaged, one of another session, and files that are none.
func TestSavedRooms(t *testing.T) {
	p := newPatient(t)
	p.talk(1)
	dir := p.home.NativeWorkspaces()
	p.must(os.MkdirAll(dir, 0o700))
	torn := filepath.Join(dir, strings.Repeat("0", 64)+".json")
	p.must(os.WriteFile(torn, []byte("{"), 0o600))
	p.must(os.WriteFile(filepath.Join(dir, "notes.json"), []byte("{"), 0o600))
	var text []string
	for _, l := range lines(p.examine(false), subjectSessions) {
		if strings.Contains(l, "damaged: ") {
			text = append(text, l)
		}
	}
	if len(text) != 1 || !strings.HasPrefix(text[0], "fail damaged: "+torn+" names no room, so the hooks of its session do nothing: ") || !strings.Contains(text[0], "-> rm '"+torn+"'") {
		t.Errorf("%q", text)
	}
}

// TestServers: registrations are told without being asked for; a client without one is not missed.
func TestServers(t *testing.T) {
	p := newPatient(t)
	here := adapter.Detection{Present: true, Root: "/r"}
	p.servers = []adapter.Installer{said{Diagnosis: adapter.Diagnosis{Detection: here}}}
	p.expect(lines(p.examine(false), subjectServers), "ok the MCP server is registered in no client; acc install --adapter mcp does it")
	registered := func(d adapter.Diagnosis, state adapter.WiringState) said {
		d.Installed, d.Hooks = true, []adapter.Wiring{{Event: "MCP server acc", State: state}}
		return said{Diagnosis: d}
	}
	again := "acc install --adapter mcp --client grok"
	for want, s := range map[string]said{
		"ok the MCP server is registered in /r; whether the client starts it was not observed here":                                 registered(adapter.Diagnosis{Detection: here}, adapter.Written),
		"warn Grok is gone, and the registration that acc wrote for it is still there -> acc uninstall --adapter mcp --client grok": registered(adapter.Diagnosis{}, adapter.Written),
		"fail the registration that acc wrote is gone from /r -> " + again:                                                          registered(adapter.Diagnosis{Detection: here}, adapter.Unwritten),
		"fail /r/x lacks it -> " + again:                  registered(adapter.Diagnosis{Detection: here, Problems: []adapter.Problem{{Text: "/r/x lacks it", Remedy: "acc install --adapter grok"}}}, adapter.Unwritten),
		"fail /r/x is broken -> mend /r/x, then " + again: registered(adapter.Diagnosis{Detection: here, Problems: []adapter.Problem{{Text: "/r/x is broken", Remedy: "mend /r/x, then acc install --adapter grok"}}}, adapter.Unwritten),
		"warn cannot be examined: broken -> " + again:     {err: errors.New("broken")},
	} {
		p.servers = []adapter.Installer{s}
		p.expect(lines(p.examine(false), "grok", subjectServers), want)
	}
}

// TestAHookThatFiredIsObserved: what ran is no longer said to be written only.
func TestAHookThatFiredIsObserved(t *testing.T) {
	p := newPatient(t)
	r := p.talk(1)
	p.must(os.MkdirAll(filepath.Join(r.Dir, "bindings"), 0o700))
	p.must(os.WriteFile(filepath.Join(r.Dir, "bindings", "a.fired.json"), []byte(`{"schemaVersion":1,"adapterId":"grok","events":[{"event":"PreToolUse","at":"2026-11-30T12:00:00.000Z","tookMs":1}],`+
		`"guard":{"allowed":0,"denied":0,"undecided":0}}`), 0o600))
	p.clients = []adapter.Installer{said{Diagnosis: adapter.Diagnosis{Detection: adapter.Detection{Present: true}, Installed: true,
		Hooks: []adapter.Wiring{{Event: "PreToolUse", State: adapter.Written}, {Event: "Stop", State: adapter.Written}}}}}
	text := lines(p.examine(false), "grok")
	if !slices.Contains(text, "ok hooks are written for Stop; whether the client runs them was not observed here") || !slices.Contains(text, "ok the hook at PreToolUse took 1 ms when it last fired,") {
		t.Errorf("%q", text)
	}
}

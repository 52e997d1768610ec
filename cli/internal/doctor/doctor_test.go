package doctor

import (
	"context"
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

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// patient is a machine that is examined: a real store, real files, and clients that say what they are told.
type patient struct {
	*testing.T
	home    datahome.Home
	project string
	clients []adapter.Installer
	servers []adapter.Installer
	lives   []*adapter.Live
	fs      vfs.FS        // nil: the real one
	later   time.Duration // than now is the examination
}

func newPatient(t *testing.T) *patient {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &patient{T: t, home: datahome.Home{Root: filepath.Join(root, "data")}, project: filepath.Join(root, "project")}
	p.must(os.Mkdir(p.project, 0o700))
	return p
}

func (p *patient) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *patient) enter(ctx context.Context) (*room.Room, error) {
	return room.Enter(ctx, room.Request{Dir: p.project, Env: func(name string) string {
		if name == datahome.Variable {
			return p.home.Root
		}
		return ""
	}})
}

// talk records messages between two sessions.
func (p *patient) talk(n int) *room.Room {
	p.Helper()
	r, err := p.enter(p.Context())
	p.must(err)
	var owners []core.Owner
	for _, name := range []string{"ana", "ben"} {
		s, err := r.Core.OpenSession(p.Context(), core.OpenSession{
			ParticipantID: name, ParticipantOf: protocol.Agent, Harness: "claude_code", Enforcement: protocol.Advisory, Lifecycle: protocol.Manual, Cadence: protocol.HookCadence,
		})
		p.must(err)
		owners = append(owners, core.Owner{SessionID: s.SessionID, Generation: s.Generation})
	}
	for i := range n {
		_, err := r.Core.Send(p.Context(), owners[0], core.SendRequest{To: []string{"ben"}, MessageKind: protocol.Note, Subject: fmt.Sprint(i), Body: "x"})
		p.must(err)
	}
	return r
}

// examine makes an examination, and holds every finding to its remedy.
func (p *patient) examine(repair bool) Report {
	p.Helper()
	r := Examine(p.Context(), Request{
		Home: p.home, Machine: adapter.Machine{Version: "2.0.0"}, Installers: p.clients, MCP: p.servers, Lives: p.lives, Enter: p.enter, Repair: repair,
		Now: time.Now().Add(p.later), FS: p.fs,
	})
	for _, f := range r.Findings {
		if (f.Level == OK) != (f.Remedy == "") {
			p.Errorf("%s %s: %q has the remedy %q", f.Level, f.Subject, f.Text, f.Remedy)
		}
	}
	return r
}

// lines gives the findings about some subjects as text.
func lines(r Report, subjects ...string) []string {
	var all []string
	for _, f := range r.Findings {
		if !slices.Contains(subjects, f.Subject) {
			continue
		}
		line := string(f.Level) + " " + f.Text
		if f.Remedy != "" {
			line += " -> " + f.Remedy
		}
		all = append(all, line)
	}
	return all
}

func (p *patient) expect(got []string, want ...string) {
	p.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		p.Errorf("-want +got:\n%s", diff)
	}
}

// tree gives the bytes of every file below the data home.
func (p *patient) tree() map[string]string {
	p.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(p.home.Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if !errors.Is(err, fs.ErrNotExist) {
		p.must(err)
	}
	return all
}

// TestNothingThere: a machine on which nothing happened is healthy, and stays as it is.
func TestNothingThere(t *testing.T) {
	p := newPatient(t)
	r := p.examine(true)
	p.expect(lines(r, subjectHome, subjectStore, subjectSessions, subjectRuntime),
		"ok "+p.home.Acc()+" is not there yet; the first session or installation makes it",
		"ok nothing was recorded yet",
		"ok 0 online, 0 not answering",
		"ok nothing is installed in "+p.home.Bin())
	if _, err := os.Lstat(p.home.Root); err == nil {
		t.Error("an examination made the data home")
	}
}

func TestHealthyStore(t *testing.T) {
	p := newPatient(t)
	p.talk(3)
	before := p.tree()
	r := p.examine(false)
	if diff := cmp.Diff(before, p.tree()); diff != "" {
		t.Errorf("an examination changed something:\n%s", diff)
	}
	if r.Count(Fail)+r.Count(Warn) != 0 || r.Store == nil || r.Store.Records == 0 || r.WorkspaceID == "" {
		t.Errorf("%+v", r)
	}
	got := lines(r, subjectStore, subjectSessions)
	if len(got) != 3 || !strings.Contains(got[0], "agree with") || got[2] != "ok ben: 3 unread, 3 of them never shown (online), the oldest from" {
		t.Errorf("%q", got)
	}
}

func TestDataHome(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links")
	}
	p := newPatient(t)
	p.talk(1)
	p.must(os.Chmod(p.home.Acc(), 0o755))
	p.expect(lines(p.examine(false), subjectModes)[:1], "fail "+p.home.Acc()+" has mode 0755, so others may look into it -> chmod 700 '"+p.home.Acc()+"'")
	elsewhere := filepath.Join(p.project, "..", "elsewhere")
	p.must(os.Rename(p.home.Acc(), elsewhere))
	p.must(os.Symlink(elsewhere, p.home.Acc()))
	alone := func(want string) {
		t.Helper()
		if got := p.examine(false).Findings; len(got) != 1 || got[0].Level != Fail || got[0].Subject != subjectHome || !strings.HasPrefix(got[0].Text, want) {
			t.Errorf("%+v", got)
		}
	}
	alone("cannot use ")
	p.home.Root = filepath.Join(p.project, "file")
	p.must(os.WriteFile(p.home.Root, nil, 0o600))
	alone("cannot look at ")
}

// find gives the one file below the store that matches.
func (p *patient) find(r *room.Room, pattern string) string {
	p.Helper()
	found, err := filepath.Glob(filepath.Join(r.Dir, filepath.FromSlash(pattern)))
	p.must(err)
	if len(found) == 0 {
		p.Fatalf("nothing matches %s in %s", pattern, r.Dir)
	}
	return found[0]
}

// TestDerivedDamage: lost indexes are named with the command that makes them again, and it does.
func TestDerivedDamage(t *testing.T) {
	p := newPatient(t)
	r := p.talk(80) // fewer are found in the journal without indexes
	p.must(os.WriteFile(p.find(r, "indexes/*/cache.json"), []byte("{"), 0o600))
	got := p.examine(false)
	text := lines(got, subjectStore)
	if len(text) != 1 || !strings.HasPrefix(text[0], "fail indexes/") || !strings.HasSuffix(text[0], " -> acc doctor --repair") || got.Repaired {
		t.Errorf("%q", text)
	}
	got = p.examine(true)
	if text := lines(got, subjectStore); len(text) != 3 || text[0] != "ok 0 records and the indexes were made again from the journal" || !strings.Contains(text[1], "agree with") ||
		!strings.HasPrefix(text[2], "ok removed ") || !got.Repaired {
		t.Errorf("%q", text)
	}
	if got := p.examine(false); got.Count(Fail) != 0 {
		t.Errorf("after the repair: %q", lines(got, subjectStore))
	}
}

// TestALostRecordIsMadeAgain: the journal still has it.
func TestALostRecordIsMadeAgain(t *testing.T) {
	p := newPatient(t)
	r := p.talk(80)
	lost := p.find(r, "state/message/*/*")
	p.must(os.Remove(lost))
	if text := lines(p.examine(false), subjectStore); len(text) != 1 || !strings.HasPrefix(text[0], "fail state/message/") || !strings.HasSuffix(text[0], " -> acc doctor --repair") {
		t.Errorf("%q", text)
	}
	got := p.examine(true)
	if text := lines(got, subjectStore); text[0] != "ok 1 records and the indexes were made again from the journal" || !got.Repaired || got.Count(Fail) > 0 {
		t.Errorf("%q", text)
	}
	if _, err := os.Stat(lost); err != nil {
		t.Error(err)
	}
}

// TestPrimaryDamage: what nothing can make again is named, and neither repaired nor read on.
func TestPrimaryDamage(t *testing.T) {
	p := newPatient(t)
	r := p.talk(3)
	name := p.find(r, "journal/*")
	data, err := os.ReadFile(name)
	p.must(err)
	data[len(data)/2] ^= 1
	p.must(os.WriteFile(name, data, 0o600))
	before := p.tree()
	for _, repair := range []bool{false, true} {
		got := p.examine(repair)
		text := strings.Join(lines(got, subjectStore), "\n")
		if got.Count(Fail) == 0 || strings.Count(text, "journal/") != 1 || !strings.Contains(text, "no command mends it") || len(lines(got, subjectSessions)) > 0 {
			t.Errorf("repair %v: %s", repair, text)
		}
		if repair != strings.Contains(text, "nothing was repaired: what is damaged is primary data") || got.Repaired {
			t.Errorf("repair %v: %s", repair, text)
		}
	}
	if diff := cmp.Diff(before, p.tree()); diff != "" {
		t.Error("a damaged store was changed")
	}
}

// TestManyPaths: ten are named, the rest is counted.
func TestManyPaths(t *testing.T) {
	p := newPatient(t)
	r := p.talk(15)
	damaged := 0
	p.must(filepath.WalkDir(filepath.Join(r.Dir, "state"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			damaged++
			err = os.WriteFile(path, []byte("{}"), 0o600)
		}
		return err
	}))
	got := lines(p.examine(false), subjectStore)
	if damaged < 15 || len(got) != MaxPaths+1 || got[MaxPaths] != fmt.Sprintf("fail and %d more -> acc doctor --json names them all", damaged-MaxPaths) {
		t.Errorf("%d damaged: %q", damaged, got)
	}
}

// TestNoRoom: a directory that is no room is said to be none, and the rest is examined.
func TestNoRoom(t *testing.T) {
	p := newPatient(t)
	p.project = p.home.Root
	p.must(os.MkdirAll(p.project, 0o700))
	got := p.examine(false)
	if text := lines(got, subjectRoom); len(text) != 1 || !strings.HasPrefix(text[0], "warn none here: ") || len(lines(got, subjectRuntime)) != 1 {
		t.Errorf("%q", text)
	}
}

// said is an installer whose doctor says what it is told.
type said struct {
	adapter.Diagnosis
	err error
}

func (s said) ID() string          { return "grok" }
func (s said) DisplayName() string { return "Grok" }
func (s said) Detect(context.Context, adapter.Machine) (adapter.Detection, error) {
	return s.Detection, s.err
}
func (s said) Plan(context.Context, adapter.Machine) (*adapter.Plan, error) { return nil, s.err }
func (s said) PlanRemoval(context.Context, adapter.Machine, adapter.RemovalOptions) (*adapter.Plan, error) {
	return nil, s.err
}
func (s said) Doctor(context.Context, adapter.Machine) (adapter.Diagnosis, error) {
	return s.Diagnosis, s.err
}

func TestClients(t *testing.T) {
	here := adapter.Detection{Present: true, Root: "/r", Version: "1.0.0"}
	hooks := func(states ...adapter.WiringState) (all []adapter.Wiring) {
		for i, s := range states {
			all = append(all, adapter.Wiring{Event: fmt.Sprintf("E%d", i), State: s, Note: "why"})
		}
		return all
	}
	const unseen = "ok no session of it was seen in this room, so none of its hooks fired here"
	for _, tt := range []struct {
		name string
		said said
		want []string
	}{
		{"absent", said{}, nil},
		{"not installed", said{Diagnosis: adapter.Diagnosis{Detection: here}}, []string{"warn Grok 1.0.0 is here, and this data home did not install acc into it -> acc install --adapter grok"}},
		{"gone", said{Diagnosis: adapter.Diagnosis{Installed: true}}, []string{"warn Grok is gone, and what acc wrote for it is still there -> acc uninstall --adapter grok"}},
		{"unreadable", said{err: errors.New("broken")}, []string{"fail cannot be examined: broken -> acc install --adapter grok"}},
		{"all is well", said{Diagnosis: adapter.Diagnosis{Detection: here, Installed: true, Wired: "2.0.0", Intact: []string{"a", "b"}, Hooks: hooks(adapter.Listed, adapter.Listed)}}, []string{
			"ok Grok 1.0.0, configured in /r", "ok Grok itself lists the hooks at E0, E1", unseen, "ok 2 files are as acc wrote them"}},
		{"a hook is gone", said{Diagnosis: adapter.Diagnosis{Detection: here, Installed: true, Missing: []string{"a"}, Hooks: hooks(adapter.Written, adapter.Unwritten),
			Problems: []adapter.Problem{{Text: "a lacks E1", Remedy: "acc install --adapter grok"}}}}, []string{
			"ok Grok 1.0.0, configured in /r",
			"ok hooks are written for E0; whether the client runs them was not observed here",
			"fail no hook is written for E1 -> acc install --adapter grok", unseen,
			"fail a lacks E1 -> acc install --adapter grok"}},
		{"not trusted", said{Diagnosis: adapter.Diagnosis{Detection: here, Installed: true, Steps: []string{"open it and trust the hooks"}, Hooks: hooks(adapter.Refused)}}, []string{
			"ok Grok 1.0.0, configured in /r", "fail Grok will not run the hooks at E0: why -> open it and trust the hooks", unseen, "ok 0 files are as acc wrote them"}},
		{"could not be asked", said{Diagnosis: adapter.Diagnosis{Detection: here, Installed: true, Wired: "1.0.0", Modified: []string{"a"}, Problems: []adapter.Problem{{Text: "silent"}}}}, []string{
			"ok Grok 1.0.0, configured in /r", unseen, "warn silent -> look in Grok itself whether it runs the hooks of acc", "warn wired by acc 1.0.0, and this is acc 2.0.0 -> acc install --adapter grok"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPatient(t)
			p.clients = []adapter.Installer{tt.said}
			got := p.examine(false)
			if diff := cmp.Diff(tt.want, lines(got, "grok")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if tt.name == "absent" && !slices.Contains(lines(got, subjectClients), "ok not on this machine: Grok") {
				t.Errorf("%q", lines(got, subjectClients))
			}
		})
	}
}

func TestPolicyAndSignOfLife(t *testing.T) {
	p := newPatient(t)
	p.clients = []adapter.Installer{said{Diagnosis: adapter.Diagnosis{Detection: adapter.Detection{Present: true}, Installed: true}}}
	p.reach("grok", adapter.NativeOK)
	if got := lines(p.examine(false), "grok"); !slices.Contains(got, "ok messages that may wake a session: none, because nobody decided") {
		t.Errorf("%q", got)
	}
	p.must(livefiles.NewPolicies(p.home).SetLivePolicy("grok", protocol.LiveActionable))
	if got := lines(p.examine(false), "grok"); !slices.Contains(got, "ok messages that may wake a session: those that need an answer or an action") {
		t.Errorf("%q", got)
	}
	p.must(os.WriteFile(filepath.Join(p.home.Acc(), "delivery.json"), []byte("{"), 0o600))
	if got := lines(p.examine(false), subjectClients); len(got) != 1 || !strings.HasPrefix(got[0], "fail the choices about waking") {
		t.Errorf("%q", got)
	}
}

func TestRuntime(t *testing.T) {
	p := newPatient(t)
	p.clients = []adapter.Installer{said{Diagnosis: adapter.Diagnosis{Detection: adapter.Detection{Present: true}, Installed: true}}}
	ending := ""
	if runtime.GOOS == "windows" {
		ending = ".exe"
	}
	hook, acc := filepath.Join(p.home.Bin(), "acc-hook"+ending), filepath.Join(p.home.Bin(), "acc"+ending)
	p.expect(lines(p.examine(false), subjectRuntime),
		"fail "+hook+" is missing, and clients are wired to it -> acc install",
		"fail "+acc+" is missing, and models are told to call it -> acc install")
	if ending != "" {
		t.Skip("shell scripts and modes")
	}
	p.must(os.MkdirAll(p.home.Bin(), 0o700))
	p.must(os.WriteFile(acc, []byte("#!/bin/sh\n"), 0o700))
	p.must(os.WriteFile(hook, []byte("#!/bin/sh\necho hello >&2\n"), 0o700))
	p.expect(lines(p.examine(false), subjectRuntime), "fail the installed acc-hook does not answer: it answered something else than acc-hook does -> acc install")
	p.must(os.WriteFile(hook, []byte("#!/bin/sh\necho 'acc-hook: usage: x' >&2\n"), 0o700))
	if got := lines(p.examine(false), subjectRuntime); len(got) != 1 || !strings.HasPrefix(got[0], "ok an unmanaged copy in ") {
		t.Errorf("%q", got)
	}
	p.must(os.Chmod(acc, 0o600))
	if got := lines(p.examine(false), subjectRuntime); got[0] != "fail "+acc+": it may not be executed -> acc install" {
		t.Errorf("%q", got)
	}
}

package nativeworkspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
)

var session = Session{AdapterID: "claude-code", NativeID: "3f6c0c1e"}

func none(string) string { return "" }

// place is a data home and a repository with a linked worktree beside it.
type place struct {
	home               datahome.Home
	top, main, linked  string
	inner, other, away string // repository inside main; another repository; a plain directory
}

func newPlace(t *testing.T) place {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{
		home: datahome.Home{Root: filepath.Join(top, "data")},
		top:  top, main: filepath.Join(top, "main"), linked: filepath.Join(top, "linked"),
		inner: filepath.Join(top, "main", "inner"), other: filepath.Join(top, "other"), away: filepath.Join(top, "away"),
	}
	for _, dir := range []string{p.main, p.inner, p.other} {
		mkdir(t, dir)
		git(t, dir, "init", "-q", "-b", "trunk", "--template=")
	}
	git(t, p.main, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "x")
	git(t, p.main, "worktree", "add", "-q", "-b", "side", p.linked)
	mkdir(t, p.away)
	return p
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func (p place) establish(t *testing.T, s Session, cwd string, create bool) (Saved, bool) {
	t.Helper()
	saved, found, err := Establish(context.Background(), p.home, none, s, cwd, create)
	if err != nil {
		t.Fatal(err)
	}
	return saved, found
}

func (p place) files(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(p.home.NativeWorkspaces())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestOnlySomeHooksMayCreate(t *testing.T) {
	p := newPlace(t)
	if saved, found := p.establish(t, session, p.main, false); found {
		t.Errorf("found %+v", saved)
	}
	if _, err := os.Lstat(p.home.Root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was created: %v", err)
	}
	saved, found := p.establish(t, session, p.main, true)
	if !found || saved.Cwd != p.main || saved.Session != session || saved.Workspace.Git.Branch != "trunk" {
		t.Errorf("%v %+v", found, saved)
	}
	want, err := workspace.Discover(workspace.Request{Dir: p.main})
	if diff := cmp.Diff(want, saved.Workspace); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	name := strings.TrimPrefix(session.Ref(), "acc://") + ".json"
	if diff := cmp.Diff([]string{name}, p.files(t)); diff != "" {
		t.Error(diff)
	}
	for path, mode := range map[string]os.FileMode{
		p.home.NativeWorkspaces(): 0o700, filepath.Join(p.home.NativeWorkspaces(), name): 0o600,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v, want %o", path, info.Mode(), err, mode)
		}
	}
}

// Wherever a session goes, it stays in the room it started in.
func TestTheRoomStays(t *testing.T) {
	p := newPlace(t)
	first, _ := p.establish(t, session, p.main, true)
	for _, cwd := range []string{p.inner, p.other, p.away, p.top, filepath.Join(p.main, ".git"), filepath.Join(p.top, "gone"), "relative", ""} {
		for _, create := range []bool{true, false} {
			if got, found := p.establish(t, session, cwd, create); !found || cmp.Diff(first, got) != "" {
				t.Errorf("in %q: %v (-first +now)\n%s", cwd, found, cmp.Diff(first, got))
			}
		}
	}
	got, _ := p.establish(t, session, p.linked, false)
	if got.Workspace.ID != first.Workspace.ID || got.Cwd != p.main || got.Workspace.CheckoutRoot() != p.linked || got.Workspace.Git.Branch != "side" {
		t.Errorf("in the linked worktree: %+v %+v", got, got.Workspace.Git)
	}
	for _, path := range []string{filepath.Join(p.linked, "src", "a.go"), filepath.Join(p.main, "src", "a.go")} {
		if name, err := got.Workspace.Resource(p.linked, path); err != nil || name != "file:src/a.go" {
			t.Errorf("%s is %q, %v", path, name, err)
		}
	}
	if name, err := first.Workspace.Resource(p.inner, "a.go"); err != nil || name != "file:inner/a.go" {
		t.Errorf("in a nested repository it is %q, %v", name, err)
	}
	if n := len(p.files(t)); n != 1 {
		t.Errorf("%d records", n)
	}
}

func TestSessionsAreApart(t *testing.T) {
	p := newPlace(t)
	one, _ := p.establish(t, session, p.main, true)
	for _, s := range []Session{{"claude-code", "another"}, {"codex", session.NativeID}, {"claude-code", "a\",\"b"}, {"claude-code", "\x01ü/../x"}} {
		got, found := p.establish(t, s, p.other, true)
		if !found || got.Workspace.ID == one.Workspace.ID || got.Session != s {
			t.Errorf("%+v", got)
		}
		if again, found := p.establish(t, s, p.main, false); !found || again.Workspace.ID != got.Workspace.ID {
			t.Errorf("%+v", again)
		}
	}
	if n := len(p.files(t)); n != 5 {
		t.Errorf("%d records", n)
	}
}

func TestSessionsThatCannotBe(t *testing.T) {
	p := newPlace(t)
	for _, s := range []Session{{"", "x"}, {"a/b", "x"}, {"codex", ""}, {"codex", strings.Repeat("x", maxNativeID+1)}, {"codex", "\xff"}} {
		_, _, err := Establish(context.Background(), p.home, none, s, p.main, true)
		wantError(t, err, protocol.Data, protocol.ReasonMalformed)
	}
	if n := len(p.files(t)); n != 0 {
		t.Errorf("%d records", n)
	}
}

// The variable selects the room of a new session, and of no other.
func TestTheVariableIsForNewSessions(t *testing.T) {
	p := newPlace(t)
	env := func(dir string) datahome.Env {
		return func(name string) string {
			if name == workspace.RootVariable {
				return dir
			}
			return ""
		}
	}
	ctx := context.Background()
	saved, _, err := Establish(ctx, p.home, env(p.other), session, p.main, true)
	if err != nil || saved.Cwd != p.other {
		t.Fatalf("%+v %v", saved, err)
	}
	again, _, err := Establish(ctx, p.home, env(p.main), session, p.main, true)
	if diff := cmp.Diff(saved, again); err != nil || diff != "" {
		t.Errorf("%v (-first +now)\n%s", err, diff)
	}
	_, _, err = Establish(ctx, p.home, env("relative"), Session{"codex", "x"}, p.main, true)
	wantError(t, err, protocol.Usage, protocol.ReasonInvalidArguments)
	_, _, err = Establish(ctx, p.home, none, Session{"codex", "x"}, "", true)
	wantError(t, err, protocol.Usage, protocol.ReasonInvalidArguments)
}

// Many hooks of a session start at once, in different directories: all end in one room.
func TestTheFirstWins(t *testing.T) {
	p := newPlace(t)
	dirs := []string{p.main, p.other, p.inner, p.away}
	for round := range 10 {
		s := Session{"kimi", strings.Repeat("x", round+1)}
		results := make([]Saved, 8)
		var all sync.WaitGroup
		for i := range results {
			all.Go(func() {
				saved, found, err := Establish(context.Background(), p.home, none, s, dirs[i%len(dirs)], true)
				if err != nil || !found {
					t.Errorf("%v %v", found, err)
				}
				results[i] = saved
			})
		}
		all.Wait()
		last, _ := p.establish(t, s, p.top, false)
		for _, r := range results {
			if r.Workspace.ID != last.Workspace.ID || r.Cwd != last.Cwd {
				t.Errorf("round %d: %s and %s", round, r.Cwd, last.Cwd)
			}
		}
	}
}

// Another hook publishes between the look and the writing of this one: the environment is asked there.
func TestWhoIsLateGetsTheRoomOfTheFirst(t *testing.T) {
	p := newPlace(t)
	var first Saved
	late := func(string) string {
		if first.Cwd == "" {
			first, _ = p.establish(t, session, p.other, true)
		}
		return ""
	}
	got, found, err := Establish(context.Background(), p.home, late, session, p.main, true)
	if diff := cmp.Diff(first, got); err != nil || !found || diff != "" {
		t.Errorf("%v %v (-first +late)\n%s", found, err, diff)
	}
}

func TestChangedDirectories(t *testing.T) {
	p := newPlace(t)
	first, _ := p.establish(t, session, p.main, true)
	plain := Session{"claude-code", "plain"}
	before, _ := p.establish(t, plain, p.away, true)

	// Git can be gone for a while, and come.
	if err := os.Rename(filepath.Join(p.main, ".git"), filepath.Join(p.main, "hidden")); err != nil {
		t.Fatal(err)
	}
	got, _ := p.establish(t, session, p.main, false)
	if got.Workspace.ID != first.Workspace.ID || got.Workspace.Source != protocol.SourceGit ||
		cmp.Diff(got.Workspace.Git, &workspace.Git{CommonDir: filepath.Join(p.main, ".git"), WorktreeRoot: p.main}) != "" {
		t.Errorf("without git: %+v %+v", got.Workspace, got.Workspace.Git)
	}
	if err := os.Rename(filepath.Join(p.main, "hidden"), filepath.Join(p.main, ".git")); err != nil {
		t.Fatal(err)
	}
	git(t, p.away, "init", "-q")
	if got, _ := p.establish(t, plain, p.away, false); cmp.Diff(before, got) != "" {
		t.Error(cmp.Diff(before, got))
	}

	// Another identity is another room.
	config := filepath.Join(p.main, workspace.ConfigName)
	if err := os.WriteFile(config, []byte(`{"schemaVersion":1,"workspaceId":"team"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, create := range []bool{true, false} {
		_, _, err := Establish(context.Background(), p.home, none, session, p.main, create)
		wantError(t, err, protocol.Conflict, protocol.ReasonWorkspaceChanged)
	}
	_, err := Lookup(context.Background(), p.home, none, session.Ref())
	wantError(t, err, protocol.Conflict, protocol.ReasonWorkspaceChanged)
	team, _ := p.establish(t, Session{"codex", "new"}, p.main, true)
	if team.Workspace.ID != "team" {
		t.Errorf("%+v", team)
	}
	if err := os.Remove(config); err != nil {
		t.Fatal(err)
	}
	p.establish(t, session, p.main, false) // and back
}

func TestLookup(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	saved, _ := p.establish(t, session, p.main, true)
	got, err := Lookup(ctx, p.home, none, session.Ref())
	if diff := cmp.Diff(saved, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	_, err = Lookup(ctx, p.home, none, Session{"codex", "unknown"}.Ref())
	wantError(t, err, protocol.Data, protocol.ReasonNotFound)
	_, err = Lookup(ctx, datahome.Home{Root: filepath.Join(p.top, "empty")}, none, session.Ref())
	wantError(t, err, protocol.Data, protocol.ReasonNotFound)
	for _, ref := range []string{
		"", "acc://", session.Ref() + "0", session.Ref()[:len(session.Ref())-1], strings.ToUpper(session.Ref()),
		"acc://" + strings.Repeat("../", 21) + "x", "http" + session.Ref(), p.main,
	} {
		_, err := Lookup(ctx, p.home, none, ref)
		wantError(t, err, protocol.Usage, protocol.ReasonInvalidArguments)
	}
}

func TestRecordsThatCannotBeUsed(t *testing.T) {
	p := newPlace(t)
	p.establish(t, session, p.main, true)
	path := filepath.Join(p.home.NativeWorkspaces(), p.files(t)[0])
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	change := func(from, to string) string {
		if !strings.Contains(string(good), from) {
			t.Fatalf("%s holds no %q", good, from)
		}
		return strings.Replace(string(good), from, to, 1)
	}
	for name, content := range map[string]string{
		"empty":           "",
		"cut":             string(good[:len(good)/2]),
		"unknown member":  change(`"adapterId"`, `"x":1,"adapterId"`),
		"other version":   change(`"schemaVersion": 1`, `"schemaVersion": 2`),
		"other session":   change(session.NativeID, "another"),
		"other adapter":   change("claude-code", "codex"),
		"relative cwd":    change(p.main+`"`, `main"`),
		"cwd with dots":   change(p.main+`"`, p.main+`/x/.."`),
		"no repository":   change(`"git": {`, `"git": null, "x": {`),
		"workspace id":    change("workspace_", "../workspace_"),
		"unknown source":  change(`"source": "git"`, `"source": "svn"`),
		"trailing":        string(good) + "{}",
		"credential":      change(`"adapterId"`, `"generation":"x","adapterId"`),
		"larger than any": string(good) + strings.Repeat(" ", maxRecordBytes),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, create := range []bool{true, false} {
				if _, _, err := Establish(context.Background(), p.home, none, session, p.main, create); protocol.CodeOf(err) != protocol.Data || !strings.Contains(err.Error(), path) {
					t.Errorf("error %v, want a data error with the path", err)
				}
			}
			if now, _ := os.ReadFile(path); string(now) != content {
				t.Error("the record was touched")
			}
		})
	}
	t.Run("link", func(t *testing.T) {
		elsewhere := filepath.Join(p.top, "elsewhere")
		if err := os.WriteFile(elsewhere, good, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, path); err != nil {
			t.Fatal(err)
		}
		_, _, err := Establish(context.Background(), p.home, none, session, p.main, true)
		wantError(t, err, protocol.Data, protocol.ReasonPathUnsafe)
	})
}

// A session that was started in the home directory can still start in a project later.
func TestARoomThatIsRefusedIsNotSaved(t *testing.T) {
	p := newPlace(t)
	_, _, err := Establish(context.Background(), p.home, none, session, p.top, true)
	wantError(t, err, protocol.Usage, protocol.ReasonWorkspaceContainsStore)
	if n := len(p.files(t)); n != 0 {
		t.Fatalf("%d records", n)
	}
	if saved, found := p.establish(t, session, p.main, true); !found || saved.Cwd != p.main {
		t.Errorf("%+v", saved)
	}
}

func TestAfterTheDeadlineNothingIsSaved(t *testing.T) {
	p := newPlace(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := Establish(ctx, p.home, none, session, p.main, true)
	wantError(t, err, protocol.Timeout, protocol.ReasonDeadlinePassed)
	if n := len(p.files(t)); n != 0 {
		t.Errorf("%d records", n)
	}
}

// TestForget removes what was saved of one session and nothing else, and the next hook saves it anew.
func TestForget(t *testing.T) {
	p := newPlace(t)
	other := Session{AdapterID: session.AdapterID, NativeID: "another"}
	p.establish(t, session, p.main, true)
	p.establish(t, other, p.main, true)
	for range 2 { // nothing saved is no error
		if err := Forget(p.home, session); err != nil {
			t.Fatal(err)
		}
	}
	if _, found := p.establish(t, session, p.main, false); found {
		t.Error("it is still saved")
	}
	if _, found := p.establish(t, other, p.main, false); !found {
		t.Error("another session was forgotten")
	}
	if _, found := p.establish(t, session, p.main, true); !found {
		t.Error("it could not be saved again")
	}
	if err := Forget(p.home, Session{}); err == nil {
		t.Error("a session without a name was forgotten")
	}
}

func wantError(t *testing.T, err error, code protocol.Code, reason protocol.Reason) {
	t.Helper()
	var e *protocol.Error
	if !errors.As(err, &e) || e.Code != code || e.Reason != reason {
		t.Errorf("error %v (%+v), want code %d, reason %q", err, e, code, reason)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":1,"adapterId":"codex","nativeSessionId":"x","cwd":"/a","workspaceId":"w","source":"git","git":{"commonDir":"/a/.git","worktreeRoot":"/a"}}`))
	f.Add([]byte(`{"schemaVersion":1,"adapterId":"codex","nativeSessionId":"x","cwd":"/a","workspaceId":"w","source":"directory"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode("file", data)
		if err != nil {
			return
		}
		if !filepath.IsAbs(r.cwd) || protocol.PortableIDProblem(r.workspaceID) != "" || protocol.PortableIDProblem(r.adapterID) != "" {
			t.Errorf("accepted %+v", r)
		}
		d := r.room()
		d.Dir = r.cwd
		again, err := encode(Session{r.adapterID, r.nativeSessionID}, d)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, mustDecode(t, again), cmp.AllowUnexported(record{}, gitRecord{})); diff != "" {
			t.Errorf("written and read again (-want +got)\n%s", diff)
		}
	})
}

func mustDecode(t *testing.T, data []byte) record {
	t.Helper()
	r, err := decode("file", data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

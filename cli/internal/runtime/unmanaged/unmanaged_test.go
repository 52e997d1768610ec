package unmanaged

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// build makes a directory with executables of those names and gives the path of its acc.
func build(t *testing.T, content string, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, file(name)), []byte(content+" "+name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, file("acc"))
}

func apply(t *testing.T, home datahome.Home, self string) *Plan {
	t.Helper()
	p, err := NewPlan(home, self)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(context.Background()); err != nil {
		t.Fatal(err)
	}
	return p
}

func actions(p *Plan) map[string]adapter.FileAction {
	all := map[string]adapter.FileAction{}
	for _, f := range p.Files {
		all[f.Name] = f.Action
	}
	return all
}

func TestInstallAndReplace(t *testing.T) {
	home := datahome.Home{Root: filepath.Join(t.TempDir(), "data")}
	first := apply(t, home, build(t, "one", "acc", "acc-hook", "acc-mcp", "acc-antigravity-relay", "acc-indicator"))
	if diff := cmp.Diff(map[string]adapter.FileAction{"acc": "create", "acc-hook": "create", "acc-mcp": "create", "acc-antigravity-relay": "create", "acc-indicator": "create"}, actions(first)); diff != "" {
		t.Error(diff)
	}
	hook := filepath.Join(home.Bin(), file("acc-hook"))
	before, err := os.Lstat(hook)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{hook: 0o755, home.Bin(): 0o700, home.Acc(): 0o700, home.Workspaces(): 0o700} {
			if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	}
	running, err := os.Open(hook)
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	second := apply(t, home, build(t, "two", "acc", "acc-hook", "acc-mcp"))
	if diff := cmp.Diff(map[string]adapter.FileAction{"acc": "replace", "acc-hook": "replace", "acc-mcp": "replace"}, actions(second)); diff != "" {
		t.Error(diff)
	}
	after, err := os.Lstat(hook)
	if err != nil {
		t.Fatal(err)
	}
	if os.SameFile(before, after) {
		t.Error("the executable that may run was written over")
	}
	if data, err := os.ReadFile(hook); err != nil || string(data) != "two acc-hook" {
		t.Errorf("%q, %v", data, err)
	}
	// Nothing is left over, and a third time nothing is to do, also when the installed one runs.
	entries, err := os.ReadDir(home.Bin())
	if err != nil || len(entries) != 5 {
		t.Errorf("%v, %v", entries, err)
	}
	if third := apply(t, home, filepath.Join(home.Bin(), file("acc"))); len(third.Files) != 0 {
		t.Errorf("%v", third.Files)
	}
}

func TestModeIsMended(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	home, self := datahome.Home{Root: t.TempDir()}, build(t, "one", "acc", "acc-hook")
	apply(t, home, self)
	if err := os.Chmod(filepath.Join(home.Bin(), "acc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]adapter.FileAction{"acc": "replace"}, actions(apply(t, home, self))); diff != "" {
		t.Error(diff)
	}
}

func TestPartsAreMissing(t *testing.T) {
	home := datahome.Home{Root: t.TempDir()}
	_, err := NewPlan(home, build(t, "one", "acc", "acc-mcp"))
	if protocol.ReasonOf(err) != ReasonExecutableMissing {
		t.Errorf("without acc-hook: %v", err)
	}
	p, err := NewPlan(home, build(t, "one", "acc", "acc-hook"))
	if err != nil || len(p.Notes) != 1 || len(p.Files) != 2 {
		t.Errorf("without acc-mcp: %+v, %v", p, err)
	}
}

func TestALinkIsNotFollowed(t *testing.T) {
	home, self := datahome.Home{Root: t.TempDir()}, build(t, "one", "acc", "acc-hook")
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, home.Acc()); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("links need a privilege there: ", err)
		}
		t.Fatal(err)
	}
	p, err := NewPlan(home, self)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(context.Background()); err == nil {
		t.Error("wrote through a link")
	}
	if entries, _ := os.ReadDir(elsewhere); len(entries) != 0 {
		t.Errorf("%v", entries)
	}
}

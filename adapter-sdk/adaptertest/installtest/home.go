package installtest

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/jsonedit"
)

// Home is a user's home in a temporary directory, with one client and one data home.
type Home struct {
	T         testing.TB
	Dir       string
	Installer adapter.Installer
	Machine   adapter.Machine // may be changed before Plan, Install, Remove and Doctor

	variables map[string]string
	clock     time.Time
}

// New makes a home with the given files, by path below it; "HOME" in their text becomes the home. The
// machine has no commands to start until the test says otherwise.
func New(t testing.TB, installer adapter.Installer, files map[string]string) *Home {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &Home{T: t, Dir: dir, Installer: installer, variables: map[string]string{}, clock: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	data := filepath.Join(dir, "data home", "acc") // a blank, as in macOS's Application Support
	h.Machine = adapter.Machine{
		GOOS: "linux", Home: dir, Data: data, Bin: filepath.Join(data, "runtime", "bin"), Version: "0.1.0",
		Now:      func() time.Time { h.clock = h.clock.Add(time.Minute); return h.clock },
		Env:      func(name string) string { return h.variables[name] },
		LookPath: func(name string) string { return filepath.Join(dir, "bin", name) },
	}
	for name, text := range files {
		h.Write(name, text)
	}
	return h
}

// Must gives the installer that a package's constructor makes.
func Must[I adapter.Installer](t testing.TB, constructor func() (I, error)) I {
	t.Helper()
	installer, err := constructor()
	if err != nil {
		t.Fatal(err)
	}
	return installer
}

// Make is New with the installer that a package's constructor makes.
func Make[I adapter.Installer](t testing.TB, constructor func() (I, error), files map[string]string) *Home {
	t.Helper()
	return New(t, Must(t, constructor), files)
}

// Setenv sets a variable of the machine.
func (h *Home) Setenv(name, value string) { h.variables[name] = value }

// Path gives the absolute path of a file below the home.
func (h *Home) Path(name string) string { return filepath.Join(h.Dir, filepath.FromSlash(name)) }

// Write makes a file as a user would have it.
func (h *Home) Write(name, text string) {
	h.T.Helper()
	if err := os.MkdirAll(filepath.Dir(h.Path(name)), 0o755); err != nil {
		h.T.Fatal(err)
	}
	if err := os.WriteFile(h.Path(name), []byte(strings.ReplaceAll(text, "HOME", h.Dir)), 0o644); err != nil {
		h.T.Fatal(err)
	}
}

// Read gives the text of a file, "" if there is none.
func (h *Home) Read(name string) string {
	h.T.Helper()
	data, err := os.ReadFile(h.Path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.T.Fatal(err)
	}
	return string(data)
}

// Unset takes a member out of a JSON file of the home.
func (h *Home) Unset(name string, path ...string) {
	h.T.Helper()
	out, done, err := jsonedit.Unset([]byte(h.Read(name)), jsonedit.JSONC, path, jsonedit.Undo{})
	if err != nil || !done {
		h.T.Fatalf("%s has no %v: %v", name, path, err)
	}
	h.Write(name, string(out))
}

// Tree gives every file and directory of the home but the data home, with mode and content.
func (h *Home) Tree() map[string]string {
	h.T.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(h.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == filepath.Join(h.Dir, "data home") {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(h.Dir, path)
		if err != nil {
			return err
		}
		tree[filepath.ToSlash(name)] = info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			tree[filepath.ToSlash(name)] += " " + string(data)
		}
		return nil
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return tree
}

// Restore gives files their text and mode back, and deletes the others; directories stay.
func (h *Home) Restore(tree map[string]string) {
	h.T.Helper()
	for name := range h.Tree() {
		if _, ok := tree[name]; !ok {
			if err := os.Remove(h.Path(name)); err != nil {
				h.T.Fatal(err)
			}
		}
	}
	for name, entry := range tree {
		_, text, regular := strings.Cut(entry, " ")
		if !regular {
			continue
		}
		if err := os.WriteFile(h.Path(name), []byte(text), 0o600); err != nil {
			h.T.Fatal(err)
		}
	}
}

// Same fails the test for every difference between the home and a tree.
func (h *Home) Same(what string, want map[string]string) {
	h.T.Helper()
	got := h.Tree()
	for name, entry := range want {
		if now, ok := got[name]; !ok {
			h.T.Errorf("%s: %s is gone", what, name)
		} else if now != entry {
			h.T.Errorf("%s: %s was\n%s\nand is\n%s", what, name, entry, now)
		}
	}
	for name := range maps.Keys(got) {
		if _, ok := want[name]; !ok {
			h.T.Errorf("%s: %s is there", what, name)
		}
	}
}

// Plan plans an installation that must be possible.
func (h *Home) Plan() *adapter.Plan {
	h.T.Helper()
	p, err := h.Installer.Plan(context.Background(), h.Machine)
	if err != nil {
		h.T.Fatalf("plan: %v", err)
	}
	return p
}

// Install plans and applies.
func (h *Home) Install() *adapter.Plan {
	h.T.Helper()
	p := h.Plan()
	if err := p.Apply(context.Background()); err != nil {
		h.T.Fatalf("install: %v", err)
	}
	return p
}

// Remove uninstalls.
func (h *Home) Remove() *adapter.Plan {
	h.T.Helper()
	p, err := h.Installer.PlanRemoval(context.Background(), h.Machine, adapter.RemovalOptions{})
	if err != nil {
		h.T.Fatalf("plan of the removal: %v", err)
	}
	if err := p.Apply(context.Background()); err != nil {
		h.T.Fatalf("uninstall: %v", err)
	}
	return p
}

// Doctor reads back.
func (h *Home) Doctor() adapter.Diagnosis {
	h.T.Helper()
	d, err := h.Installer.Doctor(context.Background(), h.Machine)
	if err != nil {
		h.T.Fatalf("doctor: %v", err)
	}
	return d
}

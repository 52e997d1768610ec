package userfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol"
)

func TestWriteKeepsTheMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	root := t.TempDir()
	path := filepath.Join(root, "settings.json")
	for _, mode := range []fs.FileMode{0o644, 0o600, 0o664} {
		if err := os.WriteFile(path, []byte("old"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		before, err := Read(root, path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Write(root, path, before, []byte("new")); err != nil {
			t.Fatal(err)
		}
		after, err := Read(root, path)
		if err != nil || string(after.Data) != "new" || after.Mode != mode {
			t.Errorf("wrote %q with mode %v: %v", after.Data, after.Mode, err)
		}
		if err := Remove(root, path, after); err != nil {
			t.Fatal(err)
		}
	}
	if entries, _ := os.ReadDir(root); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestWriteTellsWhatItMade(t *testing.T) {
	base := t.TempDir()
	root := filepath.Join(base, "home", ".client")
	path := filepath.Join(root, "a", "b", "file")
	made, err := Write(root, path, File{}, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(base, "home"), root, filepath.Join(root, "a"), filepath.Join(root, "a", "b")}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f, err := Read(root, path)
	if err != nil || runtime.GOOS != "windows" && f.Mode != 0o600 {
		t.Errorf("mode %v, %v", f.Mode, err)
	}
	if gone, err := RemoveDir(filepath.Dir(path)); gone || err != nil {
		t.Errorf("a directory with a file went: %v %v", gone, err)
	}
	if err := Remove(root, path, f); err != nil {
		t.Fatal(err)
	}
	for i := len(made) - 1; i >= 0; i-- {
		if gone, err := RemoveDir(made[i]); !gone || err != nil {
			t.Errorf("%s: %v %v", made[i], gone, err)
		}
	}
}

func TestAFileThatChangedIsLeftAlone(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "f")
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func() error{
		"write over another content": func() error {
			_, err := Write(root, path, File{Exists: true, Data: []byte("old")}, []byte("x"))
			return err
		},
		"write where there was none": func() error { _, err := Write(root, path, File{}, []byte("x")); return err },
		"remove another content":     func() error { return Remove(root, path, File{Exists: true, Data: []byte("old")}) },
	} {
		if err := do(); protocol.CodeOf(err) != protocol.Conflict || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if data, _ := os.ReadFile(path); string(data) != "theirs" {
		t.Errorf("the file became %q", data)
	}
}

func TestRefuses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	base := t.TempDir()
	root := filepath.Join(base, "root")
	for _, dir := range []string{root, filepath.Join(base, "elsewhere"), filepath.Join(root, "dir")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	target := filepath.Join(base, "elsewhere", "f")
	if err := os.WriteFile(target, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	link(target, "link")
	link(filepath.Join(base, "nowhere"), "dangling")
	link(filepath.Join(base, "elsewhere"), "linked")
	if err := os.Truncate(target, MaxBytes+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(target, filepath.Join(root, "huge")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"a link":                filepath.Join(root, "link"),
		"a dangling link":       filepath.Join(root, "dangling"),
		"a linked directory":    filepath.Join(root, "linked", "f"),
		"a directory":           filepath.Join(root, "dir"),
		"a file as a directory": filepath.Join(root, "huge", "f"),
		"a huge file":           filepath.Join(root, "huge"),
		"outside":               filepath.Join(root, "..", "elsewhere", "f"),
	} {
		if _, err := Read(root, path); protocol.CodeOf(err) != protocol.Data {
			t.Errorf("%s was read: %v", name, err)
		}
		if _, err := Write(root, path, File{}, []byte("ours")); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if data, _ := os.ReadFile(target); string(data) != "theirs" {
		t.Errorf("the target of a link became %q", data)
	}
	if _, err := os.Lstat(filepath.Join(base, "nowhere")); err == nil {
		t.Error("a dangling link was followed")
	}
	if _, err := Read(filepath.Join(root, "linked"), filepath.Join(root, "linked", "f")); err != nil {
		t.Errorf("a root behind a link is the user's business: %v", err)
	}
}

func TestForeignOwners(t *testing.T) {
	if os.Geteuid() != 0 || runtime.GOOS == "windows" {
		t.Skip("only root can give files away")
	}
	root := t.TempDir()
	path := filepath.Join(root, "f")
	if err := os.WriteFile(path, []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(root, path); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("a foreign file was read: %v", err)
	}
}

// TestSweep: what was left half written goes, and nothing else that looks like it.
func TestSweep(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "d")
	if err := Sweep(root, filepath.Join(dir, "f")); err != nil {
		t.Errorf("a directory that is not there: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".acc-partial-0000000000000000"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".acc-partial-0123456789abcdef", ".acc-partial-", ".acc-partial-0123", ".acc-partial-0123456789abcdeg", "f"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Sweep(root, filepath.Join(dir, "f")); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := []string{".acc-partial-", ".acc-partial-0000000000000000", ".acc-partial-0123", ".acc-partial-0123456789abcdeg", "f"}
	if !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}

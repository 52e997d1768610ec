package vfs_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// TestKeepingFollowsThePath: what was kept serves as long as the path leads there, and no longer.
func TestKeepingFollowsThePath(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "store")
	files := new(vfs.Keeping)
	if _, err := files.Open(base, dir); !vfs.Missing(err) {
		t.Fatalf("error %v", err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "name"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(want string) {
		t.Helper()
		d, err := files.Open(base, dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.ReadFile("name", 100)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	write("first")
	read("first")
	read("first")
	if err := os.Rename(dir, filepath.Join(base, "old")); err != nil {
		t.Fatal(err)
	}
	write("second")
	read("second")
	if err := os.Rename(dir, filepath.Join(base, "older")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(base, "older"), dir); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("links need a privilege there: ", err)
		}
		t.Fatal(err)
	}
	if d, err := files.Open(base, dir); err == nil {
		_ = d.Close()
		t.Error("a link to the kept directory was taken for it")
	}
}

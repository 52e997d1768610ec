package vfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// TestDirectoryMadeAgain removes and makes a directory again of which an opened Dir has used a name before: every
// operation finds what lies there now.
func TestDirectoryMadeAgain(t *testing.T) {
	for name, do := range map[string]func(d vfs.Dir, at string) error{
		"stat":        func(d vfs.Dir, _ string) error { _, err := d.Stat("a/x"); return err },
		"read":        func(d vfs.Dir, _ string) error { _, err := d.ReadFile("a/x", 10); return err },
		"remove":      func(d vfs.Dir, _ string) error { return d.Remove("a/x") },
		"rename":      func(d vfs.Dir, _ string) error { return d.Rename("a/x", "a/y") },
		"link":        func(d vfs.Dir, _ string) error { return d.Link("a/x", "y") },
		"rename in":   func(d vfs.Dir, _ string) error { return d.Rename("z", "a/y") },
		"rename out":  func(d vfs.Dir, _ string) error { return d.Rename("a/x", "y") },
		"make inside": func(d vfs.Dir, _ string) error { return d.Mkdir("a/b") },
		"make": func(d vfs.Dir, at string) error {
			if err := os.RemoveAll(filepath.Join(at, "a")); err != nil {
				return err
			}
			if err := d.Mkdir("a"); err != nil {
				return err
			}
			_, err := d.Stat("a")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			at := filepath.Join(t.TempDir(), "d")
			d, err := vfs.OS{}.Create(filepath.Dir(at), at)
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			must(err)
			defer func() { _ = d.Close() }()
			must(d.Mkdir("a"))
			if _, err := d.Stat("a/x"); !vfs.Missing(err) {
				t.Fatal(err)
			}
			must(os.Remove(filepath.Join(at, "a")))
			must(os.Mkdir(filepath.Join(at, "a"), 0o700))
			must(os.WriteFile(filepath.Join(at, "a", "x"), []byte("x"), 0o600))
			must(os.WriteFile(filepath.Join(at, "z"), []byte("z"), 0o600))
			must(do(d, at))
		})
	}
}

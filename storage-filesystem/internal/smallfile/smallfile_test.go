package smallfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, []byte("0123456789"))
	link := filepath.Join(dir, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "empty"), nil)

	for _, c := range []struct {
		name, path string
		opts       Options
		want       string
		err        error
	}{
		{"as large as allowed", file, Options{Max: 10}, "0123456789", nil},
		{"one byte too large", file, Options{Max: 9}, "", ErrTooLarge},
		{"empty", filepath.Join(dir, "empty"), Options{Max: 10}, "", nil},
		{"absent", filepath.Join(dir, "absent"), Options{Max: 10}, "", os.ErrNotExist},
		{"below a file", filepath.Join(file, "x"), Options{Max: 10}, "", errNotDirectory},
		{"link", link, Options{Max: 10}, "", ErrSymlink},
		{"link allowed", link, Options{Max: 10, Follow: true}, "0123456789", nil},
		{"directory", dir, Options{Max: 1 << 20}, "", ErrNotRegular},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Read(c.path, c.opts)
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if string(got.Data) != c.want {
				t.Errorf("data %q, want %q", got.Data, c.want)
			}
			if err == nil && got.Owner != UnknownOwner && got.Owner != os.Geteuid() {
				t.Errorf("owner %d, want %d", got.Owner, os.Geteuid())
			}
		})
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, bytes.Clone(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

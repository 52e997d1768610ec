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

func TestReadPointer(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 1, MaxPointer} {
		content := bytes.Repeat([]byte("x"), size)
		write(t, file, content)
		if got, err := ReadPointer(file, false); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d of %d bytes, %v", len(got), size, err)
		}
		if got, err := ReadPointer(link, true); err != nil || !bytes.Equal(got, content) {
			t.Errorf("through a link: %d of %d bytes, %v", len(got), size, err)
		}
		if _, err := ReadPointer(link, false); !errors.Is(err, ErrSymlink) {
			t.Errorf("link: error %v, want %v", err, ErrSymlink)
		}
	}
	write(t, file, bytes.Repeat([]byte("x"), MaxPointer+1))
	if _, err := ReadPointer(file, false); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: error %v, want %v", err, ErrTooLarge)
	}
	if _, err := ReadPointer(dir, false); !errors.Is(err, ErrNotRegular) {
		t.Errorf("directory: error %v, want %v", err, ErrNotRegular)
	}
	if _, err := ReadPointer(filepath.Join(dir, "absent"), false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: error %v, want %v", err, os.ErrNotExist)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, bytes.Clone(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

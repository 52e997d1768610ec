package lockfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestTake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	if _, err := Take(path, Shared); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
	for range 2 {
		if err := Make(path); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Lstat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	first, second := take(t, path, Shared), take(t, path, Shared)
	if _, err := Take(path, Exclusive); !errors.Is(err, ErrBusy) {
		t.Errorf("alone beside two others: %v", err)
	}
	first.Release()
	first.Release()
	second.Release()
	alone := take(t, path, Exclusive)
	if _, err := Take(path, Shared); !errors.Is(err, ErrBusy) {
		t.Errorf("beside somebody who has it alone: %v", err)
	}
	if _, err := Await(path, Shared, time.Now(), time.Millisecond); !errors.Is(err, ErrBusy) {
		t.Errorf("a deadline that has passed: %v", err)
	}
	time.AfterFunc(20*time.Millisecond, alone.Release)
	if l, err := Await(path, Shared, time.Now().Add(time.Minute), time.Millisecond); err != nil {
		t.Errorf("after it was released: %v", err)
	} else {
		l.Release()
	}
}

func take(t *testing.T, path string, mode Mode) *Lock {
	t.Helper()
	l, err := Take(path, mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Release)
	return l
}

// TestNamed: a lock of a file that is not the one at the path any more keeps nobody out, and knows it.
func TestNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	if err := Make(path); err != nil {
		t.Fatal(err)
	}
	l := take(t, path, Exclusive)
	if named, err := l.Named(); !named || err != nil {
		t.Errorf("%v, %v", named, err)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if named, err := l.Named(); named || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %v, %v", named, err)
	}
	if err := Make(path); err != nil {
		t.Fatal(err)
	}
	if named, err := l.Named(); named || err != nil {
		t.Errorf("another file: %v, %v", named, err)
	}
	take(t, path, Exclusive)
}

func TestOnlyFilesAreLocked(t *testing.T) {
	dir := t.TempDir()
	if err := Make(filepath.Join(dir, "file")); err != nil {
		t.Fatal(err)
	}
	if l, err := Take(dir, Shared); err == nil {
		l.Release()
		t.Error("a directory")
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "file"), link); err != nil {
		t.Skip("no links here: ", err)
	}
	if l, err := Take(link, Shared); err == nil {
		l.Release()
		t.Error("a link")
	}
}

package vfstest_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// These tests say what the simulated disk promises, because everything else rests on it.

func opened(t *testing.T, d *vfstest.Disk) vfs.Dir {
	t.Helper()
	dir, err := d.Process().Create("/", "/store")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, dir vfs.Dir, name, content string) vfs.File {
	t.Helper()
	f, err := dir.Open(name, vfs.OpenOrCreate)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(content), 0); err != nil {
		t.Fatal(err)
	}
	return f
}

// outcomes cuts the power with many seeds and gives every content of a file that was found, "" if none.
func outcomes(t *testing.T, d *vfstest.Disk, name string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for seed := range uint64(200) {
		c := d.Clone()
		c.PowerCut(seed)
		content, err := c.ReadFile("/store/" + name)
		if err != nil {
			found["absent"] = true
		} else {
			found[string(content)] = true
		}
	}
	return found
}

func TestFlushedSurvives(t *testing.T) {
	d := vfstest.NewDisk()
	dir := opened(t, d)
	f := write(t, dir, "a", "content")
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if found := outcomes(t, d, "a"); !found["absent"] || !found["content"] || len(found) != 2 {
		t.Errorf("flushed, its directory not: %v", found)
	}
	if err := dir.SyncDir(""); err != nil {
		t.Fatal(err)
	}
	if found := outcomes(t, d, "a"); !found["content"] || len(found) != 1 {
		t.Errorf("both flushed: %v", found)
	}
}

func TestUnflushedMayTear(t *testing.T) {
	d := vfstest.NewDisk()
	dir := opened(t, d)
	f := write(t, dir, "a", "")
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := dir.SyncDir(""); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(strings.Repeat("x", 200)), 0); err != nil {
		t.Fatal(err)
	}
	found := outcomes(t, d, "a")
	if !found[""] || !found[strings.Repeat("x", 200)] || len(found) < 4 {
		t.Errorf("unflushed: %d outcomes, want nothing, all, and parts", len(found))
	}
}

// TestFailedFlush: after a failed flush a later one proves nothing, unless the bytes were written again.
func TestFailedFlush(t *testing.T) {
	for _, again := range []bool{false, true} {
		d := vfstest.NewDisk()
		opened(t, d)
		fail := true
		dir, err := vfstest.Wrap(d.Process(), func(op vfstest.Op) (e vfstest.Effect) {
			if op.Name == "Sync" && fail {
				e.Err = syscall.EIO
			}
			return e
		}).Open("/", "/store")
		if err != nil {
			t.Fatal(err)
		}
		f := write(t, dir, "a", "content")
		if err := dir.SyncDir(""); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		fail = false
		if again {
			f = write(t, dir, "a", "content")
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
		found := outcomes(t, d, "a")
		if sure := len(found) == 1 && found["content"]; sure != again {
			t.Errorf("written again %v: %v", again, found)
		}
	}
}

// TestDatasync makes a larger size durable, and not a smaller one.
func TestDatasync(t *testing.T) {
	d := vfstest.NewDisk()
	dir := opened(t, d)
	f := write(t, dir, "a", "long content")
	if err := errors.Join(f.Datasync(), dir.SyncDir("")); err != nil {
		t.Fatal(err)
	}
	if found := outcomes(t, d, "a"); !found["long content"] || len(found) != 1 {
		t.Errorf("grown: %v", found)
	}
	if err := errors.Join(f.Truncate(4), f.Datasync()); err != nil {
		t.Fatal(err)
	}
	if found := outcomes(t, d, "a"); !found["long content"] || !found["long"] {
		t.Errorf("shrunk, data flushed: %v", found)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if found := outcomes(t, d, "a"); !found["long"] || len(found) != 1 {
		t.Errorf("shrunk and flushed: %v", found)
	}
}

// TestRenameIsNotDurable until its directory is flushed; then it is.
func TestRenameIsNotDurable(t *testing.T) {
	d := vfstest.NewDisk()
	dir := opened(t, d)
	for name, content := range map[string]string{"a": "old", "b": "new"} {
		if err := write(t, dir, name, content).Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(dir.SyncDir(""), dir.Rename("b", "a")); err != nil {
		t.Fatal(err)
	}
	if found := outcomes(t, d, "a"); !found["old"] || !found["new"] || len(found) != 2 {
		t.Errorf("renamed: %v", found)
	}
	if err := dir.SyncDir(""); err != nil {
		t.Fatal(err)
	}
	if found := outcomes(t, d, "a"); !found["new"] || len(found) != 1 {
		t.Errorf("renamed and flushed: %v", found)
	}
}

func TestLocks(t *testing.T) {
	d := vfstest.NewDisk()
	a, b := write(t, opened(t, d), "lock", "x"), write(t, opened(t, d), "lock", "x")
	held, _ := a.TryLock()
	again, _ := b.TryLock()
	if !held || again {
		t.Fatalf("first %v, second %v", held, again)
	}
	_ = a.Close()
	if again, _ = b.TryLock(); !again {
		t.Error("the lock outlived its owner")
	}
}

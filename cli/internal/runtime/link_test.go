//go:build unix

package runtime

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// TestCopiesDuringAForkStorm: where files cannot be linked, a launch path is a copy that can be executed at once,
// also while this process starts others all the time: none of them keeps the copy open for writing.
func TestCopiesDuringAForkStorm(t *testing.T) {
	dir := t.TempDir()
	stop := make(chan struct{})
	var group sync.WaitGroup
	defer group.Wait()
	defer close(stop)
	for range 4 {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = exec.Command("/bin/sleep", "0.02").Run()
				}
			}
		})
	}
	for i := range 40 {
		path := filepath.Join(dir, strconv.Itoa(i))
		if err := duplicate(programs["1.0.0"], path); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path, "none")
		if err := cmd.Run(); err != nil {
			t.Fatalf("copy %d: %v", i, err)
		}
	}
	if info, err := os.Lstat(filepath.Join(dir, "0")); err != nil || info.Mode().Perm() != programMode {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestLinkReplaces: a launch path appears under a new inode, and a process that runs from the old one goes on.
func TestLinkReplaces(t *testing.T) {
	w := newWorld(t)
	holder := w.hold("command")
	before, err := os.Stat(filepath.Join(w.m.at.Bin(), "acc"))
	if err != nil {
		t.Fatal(err)
	}
	w.publish("1.1.0", 0)
	if err := w.activate(); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(filepath.Join(w.m.at.Bin(), "acc"))
	if err != nil || os.SameFile(before, after) {
		t.Errorf("the same file: %v", err)
	}
	holder.end(t)
	entries, err := os.ReadDir(w.m.at.Bin())
	if err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
}

package fsstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// TestVanishingAroundAFile lets a room vanish again and again in which somebody keeps a file beside the store, as a hook
// does before it opens its session: the directory of the room stays, while those in it go and come.
func TestVanishingAroundAFile(t *testing.T) {
	opts := options(t)
	opts.LockWait = 5 * time.Second
	kept := filepath.Join(opts.Dir, "bindings", "kept.json")
	must(t, os.MkdirAll(filepath.Dir(kept), 0o700))
	must(t, os.WriteFile(kept, nil, 0o600))
	var wait sync.WaitGroup
	for n := range 6 {
		wait.Go(func() {
			id := fmt.Sprint("p", n)
			for i := range 100 {
				s, err := fsstore.Open(context.Background(), opts)
				if err != nil {
					t.Error(err)
					return
				}
				err = comeAndGo(s, id, i)
				if err == nil {
					_, err = s.Vanish(context.Background())
				}
				if err != nil {
					t.Errorf("round %d of %s: %v", i, id, err)
					return
				}
			}
		})
	}
	wait.Wait()
	if _, err := os.Lstat(kept); err != nil {
		t.Error(err)
	}
}

// TestNothingGoesAfterTheLock lets somebody begin in a room as soon as whoever lets it vanish has removed its lock:
// nothing of that is removed.
func TestNothingGoesAfterTheLock(t *testing.T) {
	opts := options(t)
	kept := filepath.Join(opts.Dir, "bindings", "kept.json")
	must(t, os.MkdirAll(filepath.Dir(kept), 0o700))
	must(t, os.WriteFile(kept, nil, 0o600))
	come, err := fsstore.Open(t.Context(), opts)
	must(t, err)
	lock, locked, began := filepath.Join(opts.Dir, "locks", "writer.lock"), false, false
	opts.Trace = func(string) {
		_, err := os.Lstat(lock)
		if locked = locked || err == nil; locked && err != nil && !began {
			began = true
			_, err := come.Update(context.Background(), setSolo(7))
			must(t, err)
		}
	}
	s, err := fsstore.Open(t.Context(), opts)
	must(t, err)
	if gone, err := s.Vanish(t.Context()); err != nil || !gone || !began {
		t.Fatalf("vanished %t, somebody began %t: %v", gone, began, err)
	}
	if got, _, err := readSoloPair(come); err != nil || got != 7 {
		t.Errorf("who came finds %d, %v", got, err)
	}
}

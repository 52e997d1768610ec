package fsstore_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// TestAwaited: who is waited for leaves the state files to others, but not for ever; what it leaves is done by the next
// one who is not.
func TestAwaited(t *testing.T) {
	simulated(t)
	d := vfstest.NewDisk()
	process := func(awaited bool) *fsstore.Store {
		o := diskOptions(d.Process())
		o.Awaited = awaited
		s, err := fsstore.Open(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	n := 0
	commits := func(s *fsstore.Store, times int) {
		t.Helper()
		for range times {
			n++
			if _, err := s.Update(t.Context(), func(tx core.Tx) error { return put(tx, participant(fmt.Sprint("p", n), "p")) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	behind := func(what string, want int) {
		t.Helper()
		applied, err := d.ReadFile(diskDir + "/applied.json")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(applied, fmt.Appendf(nil, `"generation": %d,`, n-want)) {
			t.Errorf("%s: not %d commits behind of %d: %s", what, want, n, applied)
		}
	}
	hook, command := process(true), process(false)
	commits(hook, 1)
	behind("the first commit", 0)
	commits(hook, fsstore.Lag)
	behind("a hook, after as many as a command leaves", fsstore.Lag)
	commits(command, 1)
	behind("a command, which first does what others left", 1)
	commits(hook, 2*fsstore.Lag-2)
	behind("a hook that may leave one more", 2*fsstore.Lag-1)
	commits(hook, 1)
	behind("a hook after which no command came", 0)
}

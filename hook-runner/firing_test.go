package hookrunner

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func notes(t *testing.T, f ownerFiles) []Firings {
	t.Helper()
	all, unreadable, err := ReadFirings(f.base, f.dir)
	if err != nil || unreadable != 0 {
		t.Fatalf("%d unreadable, %v", unreadable, err)
	}
	return all
}

// TestNoteIsWrittenOver: a note replaces what was there, be it longer, empty, or no note at all.
func TestNoteIsWrittenOver(t *testing.T) {
	f := testFiles(t)
	if all := notes(t, f); len(all) != 0 {
		t.Fatalf("noted before anything: %+v", all)
	}
	f.fired("", Firing{Event: "Stop", At: time.Now()}, "")
	for i := range maxFirings + 3 {
		f.fired("session_a", Firing{Event: fmt.Sprintf("%024d", i), At: time.Now()}, GuardAllowed)
	}
	all := notes(t, f)
	if len(all) != 1 || len(all[0].Events) != maxFirings || all[0].SessionID != "session_a" || all[0].Guard.Allowed != maxFirings+3 {
		t.Fatalf("noted %+v", all)
	}
	path := f.stem + firedEnding
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []string{"", "no note", `{"schemaVersion":2}`} {
		if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if all, unreadable, err := ReadFirings(f.base, f.dir); len(all) != 0 || unreadable != min(len(damaged), 1) || err != nil {
			t.Errorf("%q: noted %+v, %d unreadable, %v", damaged, all, unreadable, err)
		}
		f.fired("session_b", Firing{Event: "Stop", At: time.Now()}, "")
		if all := notes(t, f); len(all) != 1 || len(all[0].Events) != 1 || all[0].SessionID != "session_b" {
			t.Errorf("after %q: noted %+v", damaged, all)
		}
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("another file: %v", err)
	}
}

// TestNotesOfManyHooks: hooks at once may miss a note, but leave none that cannot be read, and who reads meanwhile sees
// a whole one.
func TestNotesOfManyHooks(t *testing.T) {
	f := testFiles(t)
	if err := os.MkdirAll(filepath.Dir(f.stem), 0o700); err != nil {
		t.Fatal(err)
	}
	var hooks, reader sync.WaitGroup
	var over atomic.Bool
	reader.Go(func() {
		for !over.Load() {
			notes(t, f)
		}
	})
	for i := range 8 {
		hooks.Go(func() {
			for j := range 50 {
				f.fired("session_a", Firing{Event: fmt.Sprintf("event-%d", (i+j)%maxFirings), At: time.Now()}, GuardDenied)
			}
		})
	}
	hooks.Wait()
	over.Store(true)
	reader.Wait()
	if all := notes(t, f); len(all) != 1 || all[0].Guard.Denied == 0 || all[0].Guard.Denied > 8*50 {
		t.Errorf("noted %+v", all)
	}
}

package hookrunner

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
)

// files gives every file below the data home.
func (w *world) files() (all []string) {
	w.t.Helper()
	err := filepath.WalkDir(w.home, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(w.home, name)
			all = append(all, rel)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// TestAloneLeavesNoTrace runs the hooks of a conversation that nobody ever met, and walks the data home afterwards;
// one that somebody met keeps what it needs to be resumed.
func TestAloneLeavesNoTrace(t *testing.T) {
	w := newWorld(t)
	run := func(kind adapter.EventKind, id string) {
		t.Helper()
		e := w.event(kind)
		e.SessionID = id
		if code, _, stderr := w.call(says(e)); code != 0 || stderr != "" {
			t.Fatalf("%s: status %d, %s", kind, code, stderr)
		}
	}
	for range 2 {
		run(adapter.SessionStart, "one")
		run(adapter.BeforeTurn, "one")
		during := strings.Join(w.files(), " ")
		if !strings.Contains(during, "bindings/") || !strings.Contains(during, "solo.json") {
			t.Fatalf("during the conversation there are %s", during)
		}
		run(adapter.SessionEnd, "one")
		if left := w.files(); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
		run(adapter.SessionEnd, "one") // clients say it several times
		if left := w.files(); len(left) > 0 {
			t.Errorf("left behind by a late end: %q", left)
		}
	}
	run(adapter.SessionStart, "one")
	run(adapter.SessionStart, "two")
	run(adapter.SessionEnd, "one")
	run(adapter.SessionEnd, "two")
	left := strings.Join(w.files(), " ")
	for _, wanted := range []string{"protocol.json", "native-workspaces/", "bindings/"} {
		if !strings.Contains(left, wanted) {
			t.Errorf("of two that met nothing is left of %s: %s", wanted, left)
		}
	}
}

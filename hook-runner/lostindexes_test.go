package hookrunner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// TestLostIndexesAreSaid: a hook does not make indexes again. Where neither they nor the journal answer it says so with a
// line of the list and gives the client nothing; it does not act as if nothing were waiting. A command mends it.
func TestLostIndexesAreSaid(t *testing.T) {
	w := newWorld(t)
	if code, _, stderr := w.call(says(w.event(adapter.SessionStart))); code != 0 || stderr != "" {
		t.Fatalf("status %d, %s", code, stderr)
	}
	r, err := room.Enter(t.Context(), room.Request{Dir: w.project, Env: w.env, Rebuild: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Core.OpenSession(t.Context(), core.OpenSession{
		ParticipantID: "ana", ParticipantOf: protocol.Agent, Harness: "cli", PID: os.Getpid(), Enforcement: protocol.Advisory, Lifecycle: protocol.Manual,
	})
	if err != nil {
		t.Fatal(err)
	}
	ana := core.Owner{SessionID: s.SessionID, Generation: s.Generation}
	for i := range 80 { // of fewer the journal alone tells
		if _, err := r.Core.PublishIntent(t.Context(), ana, core.IntentRequest{Summary: fmt.Sprint("step ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(r.Dir, "indexes")); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := w.call(says(w.event(adapter.BeforeTurn)))
	if code != 0 || stdout != "" || !strings.Contains(stderr, failed) {
		t.Errorf("without indexes: status %d, %q, %q", code, stdout, stderr)
	}
	if _, err := r.Core.Status(t.Context(), core.StatusQuery{}); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr = w.call(says(w.event(adapter.BeforeTurn))); code != 0 || stdout == "" || stderr != "" {
		t.Errorf("after a command: status %d, %q, %q", code, stdout, stderr)
	}
}

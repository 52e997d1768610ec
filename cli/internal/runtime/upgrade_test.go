package runtime

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// earlier makes a room whose store is of the earlier contract.
func (w *world) earlier() *room.Room {
	w.t.Helper()
	project := filepath.Join(w.home.Root, "..", "earlier")
	if err := os.MkdirAll(project, 0o755); err != nil {
		w.t.Fatal(err)
	}
	r, err := room.Enter(w.ctx(), room.Request{Dir: project, Env: func(name string) string {
		return map[string]string{"ACC_DATA_HOME": w.home.Root}[name]
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, name := range []string{"ana", "ben"} {
		o := r.Core.NewOwner()
		if _, err := r.Core.OpenSession(w.ctx(), core.OpenSession{
			SessionID: o.SessionID, Generation: o.Generation, ParticipantID: name, ParticipantOf: protocol.Human, Harness: "cli",
			CheckoutRoot: r.Workspace.CheckoutRoot(), Enforcement: protocol.Advisory, Lifecycle: protocol.Manual, Cadence: protocol.HookCadence,
		}); err != nil {
			w.t.Fatal(err)
		}
	}
	identity := filepath.Join(r.Dir, "protocol.json")
	raw, err := os.ReadFile(identity)
	if err != nil || !strings.Contains(string(raw), `"storeVersion": 7`) {
		w.t.Fatalf("%s, %v", raw, err)
	}
	if err := os.WriteFile(identity, []byte(strings.Replace(string(raw), `"storeVersion": 7`, `"storeVersion": 6`, 1)), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(r.Dir, "indexes")); err != nil {
		w.t.Fatal(err)
	}
	return r
}

// open says whether the store of a room is of this contract.
func opens(r *room.Room) error {
	_, err := fsstore.Open(context.Background(), fsstore.Options{Dir: r.Dir, WorkspaceID: r.Workspace.ID})
	return err
}

// TestUpgradeStores: stores of the earlier contract are migrated while nobody can start, unless a process of which
// nothing is known may use them; what was left is due again.
func TestUpgradeStores(t *testing.T) {
	w := newWorld(t)
	r := w.earlier()
	if err := opens(r); protocol.ReasonOf(err) != protocol.ReasonStoreMigration {
		t.Fatalf("%v", err)
	}
	due := func() bool {
		t.Helper()
		why, err := w.m.Due(false)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(why, WhyUpgrade)
	}
	if !due() {
		t.Error("not due")
	}
	// A holder whose generation has been changed is one of which nothing is known.
	holder := w.hold("command")
	mcp := filepath.Join(w.m.at.Generation(w.control().Active.Name), "bin", programFile("acc-mcp"))
	before, err := os.ReadFile(mcp)
	if err != nil {
		t.Fatal(err)
	}
	if err := flip(mcp); err != nil {
		t.Fatal(err)
	}
	report, err := w.m.UpgradeStores(w.ctx())
	if err != nil || report.Complete || len(report.Failed) != 1 || !strings.Contains(report.Failed[0], "contract unknown") {
		t.Errorf("%+v, %v", report, err)
	}
	if due() {
		t.Error("due again at once")
	}
	w.m.now = func() time.Time { return time.Now().Add(2 * retryStores) }
	if !due() {
		t.Error("not due again")
	}
	if err := os.WriteFile(mcp, before, 0o700); err != nil {
		t.Fatal(err)
	}
	// One of this contract goes on beside it.
	entered := ""
	w.m.step = func(name string) {
		if strings.HasPrefix(name, stepMigrate) {
			entered = name
		}
	}
	report, err = w.m.UpgradeStores(w.ctx())
	if err != nil || !report.Complete || !slices.Equal(report.Migrated, []string{r.Workspace.ID}) || entered == "" {
		t.Errorf("%+v, %v", report, err)
	}
	if err := opens(r); err != nil {
		t.Error(err)
	}
	if due() {
		t.Error("due after it is done")
	}
	holder.end(t)
}

// TestHooksGiveUpDuringAMigration: while stores are migrated nobody starts, and a hook does not wait for long.
func TestHooksGiveUpDuringAMigration(t *testing.T) {
	w := newWorld(t)
	release, err := w.m.AdmitMigration(w.ctx())
	if err != nil {
		t.Fatal(err)
	}
	if version, complaint := w.hook("s"); version != "" || !strings.Contains(complaint, "is being changed by another process") {
		t.Errorf("%q %q", version, complaint)
	}
	release()
	if version, complaint := w.hook("s"); version != "1.0.0" || complaint != "" {
		t.Errorf("%q %q", version, complaint)
	}
}

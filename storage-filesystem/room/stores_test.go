package room

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// TestUpkeepOfAllStores goes through the stores of a data home without their rooms: one is kept in shape, one is of the
// earlier contract and is migrated when somebody asks for it.
func TestUpkeepOfAllStores(t *testing.T) {
	project, home, env := place(t)
	ctx := context.Background()
	if ids, err := Stores(home); err != nil || len(ids) != 0 {
		t.Fatalf("in a data home that does not exist: %v, %v", ids, err)
	}
	if s, err := Store(ctx, home, "room"); err != nil {
		t.Fatal(err)
	} else if report, err := s.Maintain(ctx, 0); err != nil || !report.Finished {
		t.Errorf("upkeep of no store: %+v, %v", report, err)
	}
	if _, err := os.Lstat(home.Root); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("looking at stores made the data home: %v", err)
	}

	r, err := Enter(ctx, Request{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	attach(t, r, "ana")
	attach(t, r, "ben")
	if err := os.WriteFile(filepath.Join(home.Workspaces(), "not-a-store"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ids, err := Stores(home)
	if err != nil || !slices.Equal(ids, []string{r.Workspace.ID}) {
		t.Fatalf("the stores are %v, %v", ids, err)
	}
	s, err := Store(ctx, home, ids[0])
	if err != nil {
		t.Fatal(err)
	}
	if report, err := s.Maintain(ctx, fsstore.MaintenanceBudget); err != nil || !report.Finished || !report.Sweep.Finished {
		t.Errorf("upkeep: %+v, %v", report, err)
	}
	if err := os.RemoveAll(project); err != nil { // its room is gone, its store is not
		t.Fatal(err)
	}

	identity := filepath.Join(home.Workspace(ids[0]), "protocol.json")
	raw, err := os.ReadFile(identity)
	if err != nil {
		t.Fatal(err)
	}
	earlier := strings.Replace(string(raw), `"storeVersion": 7`, `"storeVersion": 6`, 1)
	if err := os.WriteFile(identity, []byte(earlier), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Store(ctx, home, ids[0]); protocol.ReasonOf(err) != protocol.ReasonStoreMigration {
		t.Errorf("opening the earlier contract: %v", err)
	}
	report, err := Migrate(ctx, home, ids[0], fsstore.Migration{Agreed: true, Admit: func(context.Context) (func(), error) { return func() {}, nil }})
	if err != nil || !report.Migrated {
		t.Fatalf("migration: %+v, %v", report, err)
	}
	if s, err = Store(ctx, home, ids[0]); err != nil {
		t.Fatal(err)
	}
	if checked, err := s.Fsck(ctx); err != nil || len(checked.Findings) > 0 || checked.Records == 0 {
		t.Errorf("after the migration: %+v, %v", checked, err)
	}
}

package command

import (
	"context"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// unfenced is what a person has to vouch for where nothing keeps other programs out.
const unfenced = "acc is not managed in this data home, so it cannot keep clients, or an older acc, out of the room while its store changes"

// migrate turns the store of the selected room into one of this contract.
func (inv *Invocation) migrate(ctx context.Context, m machine, agreed bool) (Answer, error) {
	home, d, err := inv.locate(ctx, m.Env)
	if err != nil {
		return Answer{}, err
	}
	admit, err := inv.admission(home, agreed)
	if err != nil {
		return Answer{}, err
	}
	report, err := fsstore.Migrate(ctx, fsstore.Options{Base: home.Root, Dir: home.Workspace(d.ID), WorkspaceID: d.ID}, fsstore.Migration{Agreed: true, Admit: admit})
	if err != nil {
		return Answer{}, err
	}
	a := answer(view.Migrated, report, func(u *ui.UI) { sayMigrated(u, report) })
	a.WorkspaceID = d.ID
	return a, nil
}

// admission gives what keeps others out during a migration: the lock under which everybody starts in a managed
// data home. Where there is none, a person has to say that nobody is there.
func (inv *Invocation) admission(home datahome.Home, agreed bool) (func(context.Context) (func(), error), error) {
	manager := runtime.Open(home)
	managed, err := manager.Managed()
	if err != nil {
		return nil, err
	}
	if managed {
		return manager.AdmitMigration, nil
	}
	if !agreed {
		said, err := inv.confirm(unfenced + ".\nIs every client of this room closed?")
		if err != nil {
			return nil, invalid("%s", unfenced).WithHint("close every client of this room, then acc doctor --migrate-store --yes")
		}
		if !said {
			return nil, protocol.ConflictError("not_agreed", "nothing was changed: clients may be at work in this room").WithHint("close them, then acc doctor --migrate-store")
		}
	}
	return func(context.Context) (func(), error) { return func() {}, nil }, nil
}

func sayMigrated(u *ui.UI, r fsstore.MigrationReport) {
	if r.Migrated {
		u.Print("the store of %s is of contract %d now; it was of contract %d", r.WorkspaceID, r.ToVersion, r.FromVersion)
		return
	}
	u.Print("the store of %s is of contract %d already", r.WorkspaceID, r.ToVersion)
}

package room

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// Stores gives the workspace ids of the stores in a data home, in order, for upkeep that is not about one room. It
// opens none of them; what is no directory, or cannot be the name of a store, is left out.
func Stores(home datahome.Home) ([]string, error) {
	listed, err := os.ReadDir(home.Workspaces())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, protocol.DataError("", "cannot list the stores: "+err.Error()).Because(err)
	}
	var ids []string
	for _, e := range listed {
		if e.IsDir() && protocol.CheckPortableID("workspace id", e.Name()) == nil {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// Store opens the store of a workspace id for upkeep, without asking where the room is; it never makes one. Errors are
// those of fsstore.Open: ReasonStoreMigration, for one, is the error of a store that waits for Migrate.
func Store(ctx context.Context, home datahome.Home, workspaceID string) (*fsstore.Store, error) {
	return fsstore.Open(ctx, kept(home, workspaceID))
}

// Migrate is fsstore.Migrate for the store of a workspace id.
func Migrate(ctx context.Context, home datahome.Home, workspaceID string, m fsstore.Migration) (fsstore.MigrationReport, error) {
	return fsstore.Migrate(ctx, kept(home, workspaceID), m)
}

func kept(home datahome.Home, workspaceID string) fsstore.Options {
	return fsstore.Options{Base: home.Root, Dir: home.Workspace(workspaceID), WorkspaceID: workspaceID, Rebuild: true}
}

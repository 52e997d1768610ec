// Package room puts a workspace, its store and core together; every executable enters a room here.
package room

import (
	"context"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
)

// Request says which room.
type Request struct {
	Env datahome.Env // nil: os.Getenv
	Dir string       // absolute; empty: ACC_WORKSPACE_ROOT, else the current directory
	// Selector is "", the path of an acc.workspace.json, or an acc:// reference.
	Selector string
	// Trace, if not nil, becomes fsstore.Options.Trace: tests stop and kill processes there.
	Trace func(step string)
}

// Room is an entered room.
type Room struct {
	Home      datahome.Home
	Workspace workspace.Descriptor
	Store     *fsstore.Store
	Core      *core.Core
	Dir       string // the store's directory; siblings of the store live here too
}

// Enter discovers the workspace, checks containment and opens its store. It creates nothing.
func Enter(ctx context.Context, req Request) (*Room, error) { panic("lands with room") }

// At opens the store of a room that was discovered before (a hook's saved room).
func At(ctx context.Context, home datahome.Home, d workspace.Descriptor) (*Room, error) {
	panic("lands with room")
}

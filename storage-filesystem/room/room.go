// Package room puts a workspace, its store and core together; every executable enters a room here.
package room

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/nativeworkspace"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
)

// Request says which room.
type Request struct {
	Env datahome.Env // nil: os.Getenv
	Dir string       // absolute; empty: ACC_WORKSPACE_ROOT, else the current directory
	// Selector is "", the path of an acc.workspace.json (relative to Dir, or to the current directory
	// when Dir is empty), or an acc:// reference, which needs no Dir.
	Selector string
	// Diagnose, if not nil, is told of faults that did not fail an operation of the store.
	Diagnose func(err error)
	// Trace, if not nil, becomes fsstore.Options.Trace: tests stop and kill processes there.
	Trace func(step string)
	// Rebuild becomes fsstore.Options.Rebuild: lost indexes are made again instead of failing the caller, and a
	// commit may raise the checkpoint.
	Rebuild bool
}

// Room is an entered room. It may keep its directory open, and nothing else.
type Room struct {
	Home      datahome.Home
	Workspace workspace.Descriptor
	Store     *fsstore.Store
	Core      *core.Core
	FS        vfs.FS // in which the store lies
	Dir       string // the store's directory; siblings of the store live here too
}

// Enter discovers the workspace, checks containment and opens its store. It creates nothing. Errors are
// those of datahome.Locate, workspace.Discover or nativeworkspace.Lookup, CheckContainment and
// fsstore.Open.
func Enter(ctx context.Context, req Request) (*Room, error) {
	if req.Env == nil {
		req.Env = os.Getenv
	}
	home, err := datahome.Locate(req.Env)
	if err != nil {
		return nil, err
	}
	d, err := find(ctx, home, req)
	if err != nil {
		return nil, err
	}
	return open(ctx, home, d, fsstore.Options{Diagnose: req.Diagnose, Trace: req.Trace, Rebuild: req.Rebuild})
}

// Locate finds the room that Enter would enter, and does not open its store: for who has to change a store
// that Enter refuses. Errors are those of Enter before it opens.
func Locate(ctx context.Context, req Request) (datahome.Home, workspace.Descriptor, error) {
	if req.Env == nil {
		req.Env = os.Getenv
	}
	home, err := datahome.Locate(req.Env)
	if err != nil {
		return datahome.Home{}, workspace.Descriptor{}, err
	}
	d, err := find(ctx, home, req)
	if err == nil {
		err = d.CheckContainment(home)
	}
	return home, d, err
}

// hookLockWait is how long a hook waits for another writer. What it could not write it writes with the
// next event; a person who waits for a prompt should not wait for a stopped process.
const hookLockWait = 300 * time.Millisecond

// At opens the store of a room that was discovered before (a hook's saved room), after the same check
// of containment. Its writes wait for the writer lock at most as long as a hook may.
func At(ctx context.Context, home datahome.Home, d workspace.Descriptor) (*Room, error) {
	return open(ctx, home, d, fsstore.Options{LockWait: hookLockWait, Awaited: true})
}

func find(ctx context.Context, home datahome.Home, req Request) (workspace.Descriptor, error) {
	if strings.HasPrefix(req.Selector, protocol.RoomScheme) {
		saved, err := nativeworkspace.Lookup(ctx, home, req.Env, req.Selector)
		return saved.Workspace, err
	}
	config := req.Selector
	if config != "" && !filepath.IsAbs(config) {
		dir := req.Dir
		if dir == "" {
			var err error
			if dir, err = os.Getwd(); err != nil {
				return workspace.Descriptor{}, protocol.UsageError("", "the current directory cannot be told: "+err.Error()).Because(err)
			}
		}
		config = filepath.Join(dir, config)
	}
	return workspace.Discover(workspace.Request{Dir: req.Dir, Config: config, Env: req.Env})
}

func open(ctx context.Context, home datahome.Home, d workspace.Descriptor, options fsstore.Options) (*Room, error) {
	if err := d.CheckContainment(home); err != nil {
		return nil, err
	}
	options.Base, options.Dir, options.WorkspaceID, options.Create = home.Root, home.Workspace(d.ID), d.ID, true
	options.FS = new(vfs.Keeping)
	store, err := fsstore.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	c, err := core.New(core.Config{
		Store:     store,
		Clock:     clock{},
		IDs:       protocol.NewGenerator(),
		Processes: process.NewTable(),
		Workspace: protocol.Workspace{WorkspaceID: d.ID, DisplayName: d.DisplayName, Source: d.Source, Roots: d.Roots},
	})
	if err != nil {
		return nil, err
	}
	return &Room{Home: home, Workspace: d, Store: store, Core: c, FS: options.FS, Dir: options.Dir}, nil
}

// clock is the time of day.
type clock struct{}

func (clock) Now() time.Time { return time.Now() }

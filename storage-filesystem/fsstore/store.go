// Package fsstore is the durable store: one directory per workspace, one append-only journal, state
// files that can be rebuilt from it, one writer at a time under a kernel lock, readers without a lock.
package fsstore

import (
	"context"

	"github.com/acc-control-plane/acc/core"
)

// Options say which store to open.
type Options struct {
	Dir         string // <dataHome>/acc/workspaces/<workspaceId>, absolute
	WorkspaceID string
	Create      bool // make the store at the first Update; without it an absent store is ReasonStoreAbsent there, and reads see an empty room
	// Trace, if not nil, is told of each step of recover, commit, read and lock before it is taken.
	// Tests stop and kill processes there; the names are documented beside the steps.
	Trace func(step string)
	// Diagnose, if not nil, is told of faults that did not fail the operation.
	Diagnose func(err error)
}

// Store implements core.Store.
type Store struct{ opts Options }

// Open checks the options and the identity of an existing store. It creates nothing.
func Open(ctx context.Context, opts Options) (*Store, error) { panic("lands with fsstore") }

// View implements core.Store.
func (s *Store) View(ctx context.Context, fn func(core.Reader) error) error {
	panic("lands with fsstore")
}

// Update implements core.Store.
func (s *Store) Update(ctx context.Context, fn func(core.Tx) error) (core.Commit, error) {
	panic("lands with fsstore")
}

// Ephemeral implements core.Store.
func (s *Store) Ephemeral() core.Ephemeral { panic("lands with fsstore") }

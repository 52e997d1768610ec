package fsstore_test

import (
	"path/filepath"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// options are those of a new store in a data home of the test's own.
func options(t testing.TB) fsstore.Options {
	return fsstore.Options{
		Dir:         filepath.Join(t.TempDir(), "acc", "workspaces", coretest.WorkspaceID),
		WorkspaceID: coretest.WorkspaceID,
		Create:      true,
		Diagnose:    func(err error) { t.Errorf("diagnostic: %v", err) },
	}
}

// open opens a store.
func open(t testing.TB, opts fsstore.Options) *fsstore.Store {
	t.Helper()
	s, err := fsstore.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newStore(t *testing.T) core.Store { return open(t, options(t)) }

func TestStoreContract(t *testing.T) { coretest.TestStore(t, newStore) }

func TestCoreOnTheStore(t *testing.T) { coretest.TestCore(t, newStore) }

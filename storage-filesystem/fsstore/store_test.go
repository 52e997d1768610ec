package fsstore_test

import (
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
)

// options are those of a new store in a data home of the test's own.
func options(t testing.TB) fsstore.Options { return storetest.Options(t, coretest.WorkspaceID) }

func open(t testing.TB, opts fsstore.Options) *fsstore.Store {
	t.Helper()
	return storetest.Open(t, opts)
}

func newStore(t *testing.T) core.Store { return open(t, options(t)) }

func TestStoreContract(t *testing.T) { coretest.TestStore(t, newStore) }

func TestCoreOnTheStore(t *testing.T) { coretest.TestCore(t, newStore) }

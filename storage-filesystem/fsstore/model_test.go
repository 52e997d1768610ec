package fsstore_test

import (
	"testing"

	"github.com/acc-control-plane/acc/core/coretest"
)

// TestModelOnTheStore lets random rooms live on the real store and on the model side by side.
func TestModelOnTheStore(t *testing.T) { coretest.TestModel(t, newStore) }

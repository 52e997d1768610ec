package coretest_test

import (
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
)

func memory(*testing.T) core.Store { return coretest.NewMemory(coretest.WorkspaceID) }

func TestMemory(t *testing.T) { coretest.TestStore(t, memory) }

func TestCoreOnMemory(t *testing.T) { coretest.TestCore(t, memory) }

func TestCostOnMemory(t *testing.T) { coretest.TestCost(t, memory) }

func TestModelOnMemory(t *testing.T) { coretest.TestModel(t, memory) }

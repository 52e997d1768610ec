package core_test

import (
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
)

// TestNewNeedsEverything takes one field of a whole configuration away at a time.
func TestNewNeedsEverything(t *testing.T) {
	whole := func() core.Config {
		return core.Config{
			Store: coretest.NewMemory(coretest.WorkspaceID), Clock: coretest.NewClock(), IDs: &coretest.IDs{}, Processes: &coretest.Processes{},
			Workspace: protocol.Workspace{WorkspaceID: coretest.WorkspaceID, DisplayName: "tests", Source: protocol.SourceDirectory, Roots: []string{"/tests"}},
		}
	}
	if _, err := core.New(whole()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		without func(*core.Config)
		code    protocol.Code
	}{
		"store":        {func(c *core.Config) { c.Store = nil }, protocol.Usage},
		"clock":        {func(c *core.Config) { c.Clock = nil }, protocol.Usage},
		"ids":          {func(c *core.Config) { c.IDs = nil }, protocol.Usage},
		"processes":    {func(c *core.Config) { c.Processes = nil }, protocol.Usage},
		"workspace id": {func(c *core.Config) { c.Workspace.WorkspaceID = "" }, protocol.Data},
		"display name": {func(c *core.Config) { c.Workspace.DisplayName = "" }, protocol.Data},
		"source":       {func(c *core.Config) { c.Workspace.Source = "rumour" }, protocol.Data},
	} {
		cfg := whole()
		c.without(&cfg)
		if _, err := core.New(cfg); protocol.CodeOf(err) != c.code {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

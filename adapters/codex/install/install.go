package install

import (
	"context"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/adapters/codex/hook"
	"github.com/acc-control-plane/acc/adapters/codex/service"
)

// New gives the installer of Codex.
func New() (*installkit.Installer, error) {
	return installkit.New(hook.ID, "Codex", client{})
}

// client implements installkit.Client and Lister, and adapter.Service.
type client struct{ service.Daemon }

// Detect implements installkit.Client. CODEX_HOME moves the configuration.
func (client) Detect(ctx context.Context, m adapter.Machine) (adapter.Detection, error) {
	return installkit.Find(ctx, m, installkit.Search{
		Command: "codex", RootVariable: "CODEX_HOME", RootDefault: ".codex",
		Packages: []string{"@openai/codex"}, VersionArgs: []string{"--version"},
	})
}

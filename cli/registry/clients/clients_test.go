package clients_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/cli/registry"
	"github.com/acc-control-plane/acc/cli/registry/clients"
)

// TestSameAsHooks: a client whose hooks this build runs can be installed into, and the other way round.
func TestSameAsHooks(t *testing.T) {
	hooks, err := registry.Hooks()
	if err != nil {
		t.Fatal(err)
	}
	installers, err := clients.Installers()
	if err != nil {
		t.Fatal(err)
	}
	var hooked, installed []string
	for _, h := range hooks {
		hooked = append(hooked, h.ID())
	}
	for _, i := range installers {
		installed = append(installed, i.ID())
	}
	if diff := cmp.Diff(hooked, installed); diff != "" {
		t.Errorf("hooks and installers differ (-hooks +installers):\n%s", diff)
	}
}

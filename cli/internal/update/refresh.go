package update

import (
	"context"
	"slices"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/installer"
	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// Clients are the clients of a machine that an activation brings up to date, by the installers of the generation
// that comes in. They implement runtime.Integrations.
type Clients struct {
	Home       datahome.Home
	Env        func(string) string
	Installers func() ([]adapter.Installer, error)
	Settings   runtime.Settings // whose clients are wired, and which
}

// Prepare implements runtime.Integrations: it plans every client that is wired and still there. One that cannot be
// planned keeps the activation from beginning.
func (c Clients) Prepare(ctx context.Context, to runtime.Generation) ([]runtime.Application, error) {
	all, err := c.Installers()
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(i adapter.Installer) bool { return !slices.Contains(c.Settings.Targets, i.ID()) })
	machine := installer.UserAt(c.Settings.Home, c.Env).Machine(c.Home, to.Version)
	var applications []runtime.Application
	for _, client := range installer.Detect(ctx, machine, all) {
		client.Plan(ctx, machine)
		if client.Err != nil {
			return nil, client.Err
		}
		if client.State != installer.Planned {
			continue // it was removed from this machine
		}
		applications = append(applications, runtime.Application{
			Adapter: client.Installer.ID(),
			Apply: func(ctx context.Context) error {
				unlock, err := installer.Lock(ctx, c.Home)
				if err != nil {
					return err
				}
				defer unlock()
				client.Install(ctx, machine)
				return client.Err
			},
		})
	}
	return applications, nil
}

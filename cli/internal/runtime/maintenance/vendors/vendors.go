// Package vendors gives the services of vendors that this build's adapters can have restarted, and holds what the
// adapters say of them against the process table. Start at Services.
package vendors

import (
	"context"
	"fmt"
	"slices"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/installer"
	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/runtime/maintenance"
	"github.com/acc-control-plane/acc/core"
	hookrunner "github.com/acc-control-plane/acc/hook-runner"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// Services gives the services of the clients that are wired in a data home. Most clients have none.
func Services(home datahome.Home, env func(string) string, all []adapter.Installer, s runtime.Settings) []maintenance.Service {
	machine := installer.UserAt(s.Home, env).Machine(home, s.Active.Version)
	var services []maintenance.Service
	for _, i := range all {
		owner, can := i.(interface{ Service() adapter.Service })
		if !can || !slices.Contains(s.Targets, i.ID()) {
			continue
		}
		if port := owner.Service(); port != nil {
			services = append(services, service{id: i.ID(), port: port, machine: machine, home: home})
		}
	}
	return services
}

// service implements maintenance.Service.
type service struct {
	id      string
	port    adapter.Service
	machine adapter.Machine
	home    datahome.Home
}

// Adapter implements maintenance.Service.
func (s service) Adapter() string { return s.id }

// Inspect implements maintenance.Service.
func (s service) Inspect(ctx context.Context) (maintenance.State, error) {
	_, state, err := s.look(ctx)
	return state, err
}

// look also gives the process in the words of the vendor. A record whose process has ended, or whose number another
// process has now, is that of a service that does not run.
func (s service) look(ctx context.Context) (adapter.ServiceProcess, maintenance.State, error) {
	seen, err := s.port.InspectService(ctx, s.machine)
	if err != nil || seen.Process.PID == 0 {
		return seen.Process, maintenance.State{}, err
	}
	p, alive := process.Table{}.Identify(seen.Process.PID)
	if !alive || p.StartTime != seen.Process.StartTime || p.BootID != seen.Process.BootID {
		return seen.Process, maintenance.State{}, nil
	}
	state := maintenance.State{Running: true, Process: p, Busy: seen.Busy}
	state.Sessions, err = s.sessions(ctx, seen.Sessions)
	return seen.Process, state, err
}

// sessions gives acc's ids of the vendor's sessions. One that acc never met has none.
func (s service) sessions(ctx context.Context, native []string) ([]string, error) {
	if len(native) == 0 {
		return nil, nil
	}
	rooms, err := room.Stores(s.home)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, id := range rooms {
		// Its store may be of a contract that this build cannot open; the files of the hooks beside it are not.
		r := &room.Room{Home: s.home, FS: vfs.OS{}, Dir: s.home.Workspace(id)}
		for _, n := range native {
			owner, found, err := hookrunner.OwnerOf(ctx, r, s.id, n)
			if err != nil {
				return nil, fmt.Errorf("room %s: %w", id, err)
			}
			if found {
				ids = append(ids, owner.SessionID)
			}
		}
	}
	return ids, nil
}

// Stop implements maintenance.Service.
func (s service) Stop(ctx context.Context, p process.Identity) error {
	named, state, err := s.look(ctx)
	switch {
	case err != nil:
		return err
	case !state.Running || state.Process != p || (process.Table{}).Check(p) != core.ProcessAlive:
		return fmt.Errorf("PID %d is not the service of %s any more", p.PID, s.id)
	}
	return s.port.StopService(ctx, s.machine, named)
}

// Start implements maintenance.Service.
func (s service) Start(ctx context.Context) error { return s.port.StartService(ctx, s.machine) }

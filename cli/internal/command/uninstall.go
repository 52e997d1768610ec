package command

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/installer"
	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/mcp-server/mcpinstall"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

func uninstallCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "uninstall", Group: groupSetup,
			Summary: "take acc out of the AI clients of this machine",
			Options: []argv.Option{
				adapterOption, clientOption, homeOption,
				{Name: "dry-run", Usage: "list what would be changed, and change nothing"},
			},
			Notes: []string{
				"Every file of yours is as it was before, byte for byte. Only what this data home installed is taken out, " +
					"and what was changed since stays and is named. Rooms, choices and acc itself stay in the data home.",
			},
		},
		Patience: 2 * Thinking,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			m, err := inv.machine(given)
			if err != nil {
				return Answer{}, err
			}
			if !given.IsSet("adapter") { // everything of this data home, registrations of the MCP server among it
				servers, err := mcpServers(mcpinstall.Clients())
				if err != nil {
					return Answer{}, err
				}
				m.installers = append(slices.Clone(m.installers), servers...)
			}
			o := uninstall{machine: m, inv: inv, named: given.IsSet("adapter"), dryRun: given.Bool("dry-run")}
			return o.run(ctx)
		},
	}
}

// uninstall is one run of the command.
type uninstall struct {
	machine
	inv    *Invocation
	named  bool // clients were selected: of one into which nothing was installed that is said
	dryRun bool

	clients []*installer.Client
}

func (o *uninstall) run(ctx context.Context) (Answer, error) {
	for _, i := range o.installers {
		o.clients = append(o.clients, &installer.Client{Installer: i, State: installer.Absent})
	}
	remove := func() error {
		for _, c := range o.clients {
			c.Remove(ctx, o.Machine, o.dryRun, o.announce(c))
		}
		return o.unwired(ctx)
	}
	_, err := os.Lstat(o.home.Acc())
	switch {
	case errors.Is(err, fs.ErrNotExist): // nothing was ever installed, and no lock is made to find that out
	case o.dryRun:
		err = remove()
	default:
		err = o.locked(ctx, remove)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Answer{}, err
	}
	return o.answer(), nil
}

// unwired keeps that clients are wired no more, so that updates leave them alone.
func (o *uninstall) unwired(ctx context.Context) error {
	m := runtime.Open(o.home)
	if managed, err := m.Managed(); err != nil || !managed || o.dryRun {
		return err
	}
	var ids []string
	for _, c := range o.clients {
		if c.State == installer.Done || c.State == installer.Absent {
			ids = append(ids, c.Installer.ID())
		}
	}
	return m.Unwire(ctx, ids)
}

// announce lists what is about to be touched.
func (o *uninstall) announce(c *installer.Client) func(*adapter.Plan) {
	return func(p *adapter.Plan) {
		if !o.inv.JSON {
			sayPlan(o.inv.UI, c.Installer.DisplayName(), p, o.Home)
		}
	}
}

func (o *uninstall) answer() Answer {
	code := protocol.OK
	for _, c := range o.clients {
		if c.State == installer.Done && o.dryRun {
			c.State = installer.Planned
		}
		if c.State == installer.Failed {
			code = protocol.Data
		}
	}
	a := answer(view.Uninstall, view.UninstallData{DryRun: o.dryRun, Clients: installedClients(o.clients)}, o.say)
	a.Code = code
	return a
}

func (o *uninstall) say(u *ui.UI) {
	done, absent := 0, 0
	for _, c := range o.clients {
		switch c.State {
		case installer.Done:
			done++
		case installer.Absent:
			absent++
		}
	}
	switch {
	case absent == len(o.clients) && !o.named:
		u.Print("this data home installed nothing into any client")
	case absent > 0 && o.named:
		sayStates(u, o.clients, map[installer.State]string{installer.Absent: "nothing of this data home is in"})
	}
	switch {
	case absent == len(o.clients):
	case o.dryRun:
		u.Note("nothing was touched")
	case done > 0:
		sayStates(u, o.clients, map[installer.State]string{installer.Done: "taken out of"})
		u.Print("rooms and acc itself stay in %s", ui.Escape(shorten(o.home.Acc(), o.Home)))
	}
	saySteps(u, o.clients)
	sayFailures(u, o.clients)
}

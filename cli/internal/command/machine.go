package command

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/installer"
	"github.com/acc-control-plane/acc/cli/internal/self"
	"github.com/acc-control-plane/acc/mcp-server/mcpinstall"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	flags "github.com/urfave/cli/v2"
)

// homeOption lets install, uninstall and doctor act for a user with another home directory.
var homeOption = argv.Option{
	Name: "home", Value: "DIR",
	Usage: "act for the user whose home directory is DIR, whatever variables say",
}

// adapterOption selects clients.
var adapterOption = argv.Option{Name: "adapter", Value: "ID", Repeated: true, Usage: "only this client: claude_code, codex, gemini_cli, …"}

// mcpAdapter is not one client but the MCP server, which can be registered in several.
const mcpAdapter = "mcp"

// clientOption says in which of them.
var clientOption = argv.Option{Name: "client", Value: "NAME", Repeated: true, Usage: "with --adapter mcp: the clients that get the MCP server; see docs/mcp.md"}

// machine is what install, uninstall and doctor act on.
type machine struct {
	adapter.Machine
	home       datahome.Home
	installers []adapter.Installer
}

// machine describes the computer for the user that a command names with --home.
func (inv *Invocation) machine(given *flags.Context) (machine, error) {
	user, err := inv.user(given.String("home"))
	if err != nil {
		return machine{}, err
	}
	home, err := datahome.Locate(user.Env)
	if err != nil {
		return machine{}, err
	}
	all, err := inv.Installers()
	if err != nil {
		return machine{}, err
	}
	selected, err := selection(all, given)
	return machine{Machine: user.Machine(home, installedVersion()), home: home, installers: selected}, err
}

// selection gives the installers that the caller asked for. The MCP server without clients is that of
// every client that its registration is known for.
func selection(all []adapter.Installer, given *flags.Context) ([]adapter.Installer, error) {
	ids, clients := given.StringSlice("adapter"), given.StringSlice("client")
	adapters := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == mcpAdapter })
	switch {
	case len(adapters) == len(ids) && len(clients) > 0:
		return nil, invalid("--client goes with --adapter %s", mcpAdapter)
	case len(adapters) == len(ids):
		return installer.Select(all, ids)
	case len(clients) == 0:
		clients = mcpinstall.Clients()
	}
	var selected []adapter.Installer
	if len(adapters) > 0 {
		var err error
		if selected, err = installer.Select(all, adapters); err != nil {
			return nil, err
		}
	}
	servers, err := mcpServers(clients)
	return append(selected, servers...), err
}

// mcpServers gives the installers of the MCP server into some clients.
func mcpServers(clients []string) ([]adapter.Installer, error) {
	var servers []adapter.Installer
	for _, id := range clients {
		server, err := mcpinstall.New(id)
		if err != nil {
			return nil, err
		}
		servers = append(servers, server)
	}
	return servers, nil
}

func (inv *Invocation) user(chosen string) (installer.User, error) {
	if chosen == "" {
		return installer.CurrentUser(inv.Env)
	}
	cwd, err := inv.Cwd()
	if err != nil {
		return installer.User{}, err
	}
	if !filepath.IsAbs(chosen) {
		chosen = filepath.Join(cwd, chosen)
	}
	if info, err := os.Stat(chosen); err != nil || !info.IsDir() {
		return installer.User{}, invalid("--home %s is not a directory", chosen).Because(err)
	}
	return installer.OtherUser(chosen, inv.Env), nil
}

// installedVersion is the version that clients are told, without what a build adds to it.
func installedVersion() string {
	version, _, _ := strings.Cut(self.Version(), "+")
	return version
}

// locked does something while no other command installs into or from this data home.
func (m machine) locked(ctx context.Context, do func() error) error {
	release, err := bounded(ctx, func(ctx context.Context) (func(), error) { return installer.Lock(ctx, m.home) })
	if err != nil {
		return err
	}
	defer release()
	return do()
}

// name calls a client by what people call it, with its version where that is known.
func name(c *installer.Client) string {
	return strings.TrimSpace(c.Installer.DisplayName() + " " + c.Detection.Version)
}

// failure gives the error of a client as a command reports it.
func failure(c *installer.Client) *protocol.Error { return classify(c.Err) }

package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/installer"
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
	selected, err := installer.Select(all, given.StringSlice("adapter"))
	return machine{Machine: user.Machine(home, installedVersion()), home: home, installers: selected}, err
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

// installedVersion is the version that clients are told. Some take nothing but a semantic one.
func installedVersion() string {
	version, _, _ := strings.Cut(strings.TrimPrefix(buildFacts().Version, "v"), "+")
	if version == "devel" {
		return "0.0.0-devel"
	}
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

// Command acc-mcp serves the control plane to one client of the Model Context Protocol over standard
// input and output. It writes nothing but protocol and ends with its client.
package main

import (
	"context"
	"os"
	"slices"

	"github.com/acc-control-plane/acc/cli/internal/self"
	"github.com/acc-control-plane/acc/cli/internal/update/schedule"
	"github.com/acc-control-plane/acc/cli/launch"
	"github.com/acc-control-plane/acc/cli/registry"
	"github.com/acc-control-plane/acc/hook-runner"
	"github.com/acc-control-plane/acc/mcp-server"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

const help = `usage: acc-mcp

Serves one client of the Model Context Protocol over standard input and output, and ends with it. A client starts it;
acc install --adapter mcp --client NAME registers it in one, and --print prints the registration for any other.

  --version  print the version
`

func main() {
	if text := self.About(os.Args[1:], "acc-mcp", help); text != "" {
		_, _ = os.Stdout.WriteString(text)
		return
	}
	launch.Enter("acc-mcp", launch.Server)
	// A client that only polls may never call acc, and its runtime has to be kept up to date all the same.
	env := datahome.Installed(os.Getenv)
	if home, err := datahome.Locate(env); err == nil {
		schedule.Start(home, env)
	}
	o := mcpserver.Options{Version: self.Version(), Conversation: hookrunner.OwnerOf}
	// A build whose adapters do not seal serves all the same: nobody is asked to look, and no client's
	// words are known.
	adapters, _ := registry.Hooks()
	for _, a := range adapters {
		o.Tags = append(o.Tags, a.WrapperTags()...)
		if l := a.Live(); l != nil {
			o.Lives = append(o.Lives, l)
		}
	}
	o.Discover = func(ctx context.Context, in *room.Room, env func(string) string) {
		hookrunner.Discover(ctx, in, env, adapters)
	}
	slices.Sort(o.Tags)
	o.Tags = slices.Compact(o.Tags)
	mcpserver.Main(o)
}

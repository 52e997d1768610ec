// Command acc-mcp serves the control plane to one client of the Model Context Protocol over standard
// input and output. It writes nothing but protocol and ends with its client.
package main

import (
	"runtime/debug"
	"slices"

	"github.com/acc-control-plane/acc/cli/registry"
	"github.com/acc-control-plane/acc/hook-runner"
	"github.com/acc-control-plane/acc/mcp-server"
)

func main() {
	mcpserver.Main(mcpserver.Options{Version: version(), Tags: tags(), Conversation: hookrunner.OwnerOf})
}

// tags are the wrapper tags of every client: whichever shows an answer to its model, peer text must not
// imitate them. A build whose adapters do not seal has none to name, and serves all the same.
func tags() []string {
	adapters, err := registry.Hooks()
	if err != nil {
		return nil
	}
	var all []string
	for _, a := range adapters {
		all = append(all, a.WrapperTags()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// version is what the linker recorded. A build from a checkout has none.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

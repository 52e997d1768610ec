// Command acc-hook is what every client calls at its hook points: `acc-hook ADAPTER [EVENT]` with the
// client's payload on standard input. It is never in the client's way: whatever happens, it exits 0
// within the deadline of the event, unless the client's own shape for refusing a tool says otherwise.
package main

import (
	"github.com/acc-control-plane/acc/cli/launch"
	"github.com/acc-control-plane/acc/cli/registry"
	"github.com/acc-control-plane/acc/hook-runner"
)

func main() {
	adapters, err := registry.Hooks()
	hookrunner.Main(&launch.Residence{}, adapters, err)
}

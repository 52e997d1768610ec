// Command acc-antigravity-relay lets other sessions wake the Antigravity conversation in whose shell it was
// started. It goes on in the background and ends with Antigravity, with the session, or after a day.
package main

import (
	"fmt"
	"os"

	"github.com/acc-control-plane/acc/cli/internal/self"
	"github.com/acc-control-plane/acc/cli/launch"
	"github.com/acc-control-plane/acc/cli/registry/relays"
)

func main() {
	if text := self.About(os.Args[1:], "acc-antigravity-relay", ""); text != "" {
		fmt.Print(text)
		return
	}
	launch.Enter("acc-antigravity-relay", launch.Relay)
	os.Exit(relays.Antigravity(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

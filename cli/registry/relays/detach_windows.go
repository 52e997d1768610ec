package relays

import "os/exec"

// detach: no relay is started here.
func detach(*exec.Cmd) {}

//go:build unix

package relays

import (
	"os/exec"
	"syscall"
)

// detach takes a process out of the session of the agent's shell, which may end all of that when its command is over.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

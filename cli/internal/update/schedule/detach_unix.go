//go:build unix

package schedule

import (
	"os/exec"
	"syscall"
)

// detach lets a process go on when the terminal and the process group of this one end.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

//go:build unix

package installer

import (
	"os/exec"
	"syscall"
)

// killTogether makes the end of a command's time the end of what it started as well.
func killTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

package schedule

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach lets a process go on when the console of this one ends.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS, HideWindow: true}
}

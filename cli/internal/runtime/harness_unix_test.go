//go:build unix

package runtime

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// signalled are the native holds that need signals.
func signalled() []nativeHold {
	return []nativeHold{
		{"a client that has exited and was not collected", true, func(t *testing.T, _ *world, _ bound, c *exec.Cmd) {
			_ = c.Process.Kill()
			awaitZombie(t, c.Process.Pid)
		}, false},
		{"a client that is stopped", true, func(t *testing.T, _ *world, _ bound, c *exec.Cmd) {
			if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			awaitStop(t, c.Process.Pid)
		}, true},
	}
}

// halt kills or stops this process, as if somebody had done it from outside.
func halt(how string) {
	signal := syscall.SIGKILL
	if how == "stop" {
		signal = syscall.SIGSTOP
	}
	_ = syscall.Kill(os.Getpid(), signal)
	if how == "kill" {
		select {}
	}
}

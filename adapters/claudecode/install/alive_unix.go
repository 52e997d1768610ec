//go:build unix

package install

import "syscall"

// alive says whether a process of that id may exist. A process of somebody else exists too.
func alive(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) != syscall.ESRCH }

package runtime

import "syscall"

// namespaceOfItsOwn starts a process in a pid namespace of its own.
func namespaceOfItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
}

//go:build unix && !linux

package runtime

import "syscall"

func namespaceOfItsOwn() *syscall.SysProcAttr { return nil }

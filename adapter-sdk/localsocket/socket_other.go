//go:build unix && !linux

package localsocket

import (
	"runtime"
	"strings"
	"syscall"
)

func open() (int, error) {
	syscall.ForkLock.RLock() // no flag for both at once here
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return 0, err
	}
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		_ = syscall.Close(fd)
		return 0, err
	}
	return fd, nil
}

// identify: the owner of the file and of its directory is all that is checked here.
func identify(int, Peer) error { return nil }

// canonicalDir is where a directory must be found when no link leads to it but those of the system:
// /tmp and /var of macOS.
func canonicalDir(dir string) string {
	if runtime.GOOS == "darwin" && (dir == "/tmp" || strings.HasPrefix(dir, "/tmp/") || strings.HasPrefix(dir, "/var/")) {
		return "/private" + dir
	}
	return dir
}

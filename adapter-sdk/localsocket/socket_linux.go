package localsocket

import (
	"os"
	"syscall"
)

func open() (int, error) {
	return syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
}

// identify compares who listens with who must. A process of another pid namespace is number 0 here: it
// is not known, which is not foreign.
func identify(fd int, peer Peer) error {
	cred, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return err
	}
	if int(cred.Uid) != os.Geteuid() || peer.PID != 0 && cred.Pid != 0 && int(cred.Pid) != peer.PID {
		return ErrForeign
	}
	return nil
}

// canonicalDir is where a directory must be found when no link leads to it.
func canonicalDir(dir string) string { return dir }

//go:build unix

package localsocket

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

func ours(info fs.FileInfo) bool { return owner(info) == os.Geteuid() }

// root says that the system owns a directory such as a sticky /tmp.
func root(info fs.FileInfo) bool { return owner(info) == 0 }

func owner(info fs.FileInfo) int {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(stat.Uid)
}

// connect never waits: a local socket answers at once, or its queue is full.
func connect(path string, peer Peer) (*os.File, error) {
	fd, err := open()
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*os.File, error) {
		_ = syscall.Close(fd)
		return nil, err
	}
	switch err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path}); {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fail(ErrRefused)
	case err == syscall.EAGAIN:
		return fail(errFull)
	case err != nil:
		return fail(&os.PathError{Op: "connect", Path: path, Err: err})
	}
	if err := identify(fd, peer); err != nil {
		return fail(err)
	}
	// A descriptor that does not block becomes a file with deadlines.
	return os.NewFile(uintptr(fd), "local socket"), nil
}

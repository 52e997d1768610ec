//go:build unix

package privatefile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/acc-control-plane/acc/storage-filesystem/internal/smallfile"
)

func owner(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return smallfile.UnknownOwner
}

// create makes a new file of mode 0600. It asks the system for as little as that takes: hooks do this, and
// the standard library asks first whether a file could be waited for.
func create(path string, data []byte) error {
	fd, err := retried(func() (int, error) {
		return unix.Open(path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	})
	if err != nil {
		return err
	}
	for err == nil && len(data) > 0 {
		var n int
		n, err = retried(func() (int, error) { return unix.Write(fd, data) })
		data = data[max(n, 0):]
	}
	if err == nil {
		err = unix.Fchmod(fd, 0o600) // the umask may have taken our own bits
	}
	if closeErr := unix.Close(fd); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(path)
	}
	return err
}

// retried calls again what a signal interrupted.
func retried(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != unix.EINTR {
			return n, err
		}
	}
}

// rename moves a file over whatever is there. Only a directory is refused, by the system.
func rename(from, to string) error { return unix.Rename(from, to) }

// renameNew moves a file where nothing is yet: in one step where the file system can, else by a second
// name for the same file.
func renameNew(from, to string) error {
	err := renameExclusive(from, to)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return linkNew(from, to)
}

func linkNew(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	return os.Remove(from)
}

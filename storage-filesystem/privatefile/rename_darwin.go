package privatefile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// renameExclusive reports errors.ErrUnsupported where the kernel or the file system lacks the call.
func renameExclusive(from, to string) error {
	err := unix.RenamexNp(from, to, unix.RENAME_EXCL)
	if err == unix.EINVAL || err == unix.ENOTSUP || err == unix.ENOSYS {
		return errors.ErrUnsupported
	}
	return err
}

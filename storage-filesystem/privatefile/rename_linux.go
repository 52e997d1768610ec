package privatefile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// renameExclusive reports errors.ErrUnsupported where the kernel or the file system lacks the call.
func renameExclusive(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL || err == unix.ENOSYS {
		return errors.ErrUnsupported
	}
	return err
}

package vfs

import (
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// bootID is the id of the boot session; it changes with every start of the kernel.
var bootID = sync.OnceValue(func() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(id)
})

// beneath opens name below d without following a link in any segment.
func (d *osDir) beneath(name string, flags int, perm uint32) (int, error) {
	return d.step(name, flags, perm)
}

// syncFD asks the drive, too, to write what it holds; fsync alone does not on this platform. A file
// system that does not know the request gets the plain fsync.
func syncFD(fd int) error {
	_, err := retry(func() (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_FULLFSYNC, 0) })
	if err == unix.ENOTSUP || err == unix.EINVAL || err == unix.ENOTTY {
		_, err = retry(func() (struct{}, error) { return struct{}{}, unix.Fsync(fd) })
	}
	return err
}

func datasyncFD(fd int) error { return syncFD(fd) }

func exchangeAt(dirA int, a string, dirB int, b string) error {
	return unix.RenameatxNp(dirA, a, dirB, b, unix.RENAME_SWAP)
}

// SyncAll implements Dir.
func (d *osDir) SyncAll() error { return ErrUnsupported }

func fileSystem(fd int) (string, bool, error) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return "", false, err
	}
	return unix.ByteSliceToString(st.Fstypename[:]), st.Flags&unix.MNT_LOCAL == 0, nil
}

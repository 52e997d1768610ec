//go:build unix

package lockfile

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// Lock is a held lock. It has no finalizer: a lock that nobody refers to any more is held all the same.
type Lock struct {
	fd   int
	id   FileID
	path string
}

const flags = unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY

func open(path string) (*Lock, error) {
	for {
		fd, err := unix.Open(path, flags, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, fault("open", path, err)
		}
		return &Lock{fd: fd, path: path}, nil
	}
}

func (l *Lock) lock(mode Mode) error {
	how := unix.LOCK_SH
	if mode == Exclusive {
		how = unix.LOCK_EX
	}
	for {
		switch err := unix.Flock(l.fd, how|unix.LOCK_NB); err {
		case nil:
			return nil
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return ErrBusy
		default:
			return fault("lock", l.path, err)
		}
	}
}

// Named says whether the path still names the locked file. An absent path is fs.ErrNotExist.
func (l *Lock) Named() (bool, error) {
	var st unix.Stat_t
	if l.id == (FileID{}) {
		if err := unix.Fstat(l.fd, &st); err != nil {
			return false, fault("stat", l.path, err)
		}
		if st.Mode&unix.S_IFMT != unix.S_IFREG {
			return false, fault("lock", l.path, unix.EINVAL)
		}
		l.id = identify(&st)
	}
	if err := unix.Lstat(l.path, &st); err != nil {
		return false, fault("stat", l.path, err)
	}
	return identify(&st) == l.id, nil
}

func identify(st *unix.Stat_t) FileID { return FileID{uint64(st.Dev), uint64(st.Ino)} }

// Release ends the lock.
func (l *Lock) Release() {
	if l != nil && l.fd >= 0 {
		_ = unix.Close(l.fd)
		l.fd = -1
	}
}

// Descriptor is what a replaced image of this process finds the lock under, see Adopt.
func (l *Lock) Descriptor() int { return l.fd }

// Bequeath runs replace, which puts another image in the place of this process and does not return if it
// succeeds. That image has the lock; processes that are started meanwhile have not.
func (l *Lock) Bequeath(replace func() error) error {
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	if _, err := unix.FcntlInt(uintptr(l.fd), unix.F_SETFD, 0); err != nil {
		return fault("hand over", l.path, err)
	}
	err := replace()
	unix.CloseOnExec(l.fd)
	return err
}

// Adopt takes over a lock that the image before this one bequeathed. It is ErrBusy-free: the lock is held,
// or the descriptor is something else (fs.ErrInvalid), which is then left alone.
func Adopt(descriptor int, path string) (*Lock, error) {
	l := &Lock{fd: descriptor, path: path}
	if named, err := l.Named(); err != nil || !named {
		return nil, fault("adopt", path, fs.ErrInvalid)
	}
	unix.CloseOnExec(descriptor)
	return l, nil
}

func fault(op, path string, err error) error { return &fs.PathError{Op: op, Path: path, Err: err} }

// Make makes a file to be locked, 0600. One that is there stays as it is.
func Make(path string) error {
	for {
		fd, err := unix.Open(path, flags|unix.O_CREAT|unix.O_EXCL, 0o600)
		switch err {
		case nil:
			_ = unix.Close(fd)
			return nil
		case unix.EINTR:
		case unix.EEXIST:
			return nil
		default:
			return fault("make", path, err)
		}
	}
}

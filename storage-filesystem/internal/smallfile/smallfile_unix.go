//go:build unix

package smallfile

import (
	"golang.org/x/sys/unix"
)

// Read reads the whole file at path. It never blocks on a pipe or a device, because those are refused
// before they are read.
func Read(path string, opts Options) (File, error) {
	flags := unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY
	if !opts.Follow {
		flags |= unix.O_NOFOLLOW
	}
	fd, err := open(path, flags)
	if err != nil {
		return File{}, fault(path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return File{}, fault(path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return File{}, fault(path, ErrNotRegular)
	}
	if st.Size > opts.Max {
		return File{}, fault(path, ErrTooLarge)
	}
	data, err := readAll(fd, st.Size, opts.Max)
	if err != nil {
		return File{}, fault(path, err)
	}
	return File{Data: data, Owner: int(st.Uid)}, nil
}

// ReadPointer reads a file of one line, which may be reached through a symbolic link if follow is set. It
// saves the fstat, so it cannot tell a pipe from an empty file and must not be used where the owner
// matters. A longer file is ErrTooLarge.
func ReadPointer(path string, follow bool) ([]byte, error) {
	flags := unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY
	if !follow {
		flags |= unix.O_NOFOLLOW
	}
	fd, err := open(path, flags)
	if err != nil {
		return nil, fault(path, err)
	}
	defer unix.Close(fd)
	var buf [MaxPointer + 1]byte
	for {
		switch n, err := unix.Read(fd, buf[:]); {
		case err == unix.EINTR:
		case err == unix.EISDIR:
			return nil, fault(path, ErrNotRegular)
		case err != nil:
			return nil, fault(path, err)
		case n > MaxPointer:
			return nil, fault(path, ErrTooLarge)
		default:
			return append([]byte(nil), buf[:n]...), nil
		}
	}
}

func open(path string, flags int) (int, error) {
	for {
		fd, err := unix.Open(path, flags, 0)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.ELOOP && flags&unix.O_NOFOLLOW != 0:
			return -1, ErrSymlink
		default:
			return fd, err
		}
	}
}

// readAll reads up to the end. A file of the size that was announced needs one read: the buffer is one
// byte larger, so that a read that stops at the size has seen the end. A file that announces none may
// be one of the process table.
func readAll(fd int, size, limit int64) ([]byte, error) {
	buf := make([]byte, size+1)
	if size == 0 {
		buf = make([]byte, 4096)
	}
	n := 0
	for {
		got, err := unix.Read(fd, buf[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		n += got
		if got == 0 || int64(n) == size {
			return buf[:n], nil
		}
		if int64(n) > limit {
			return nil, ErrTooLarge
		}
		if n == len(buf) { // it grew while it was read
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

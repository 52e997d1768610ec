//go:build unix

package launch

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// snapshot is a small file as it was read, still open.
type snapshot struct {
	fd       int
	path     string
	dev, ino uint64
	data     []byte
}

// openSnapshot reads with four system calls, without the poller that the standard library would start.
func openSnapshot(path string, max int64) (*snapshot, error) {
	fd, err := retry(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	s := &snapshot{fd: fd, path: path}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		s.close()
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size > max {
		s.close()
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrInvalid}
	}
	s.dev, s.ino = uint64(st.Dev), uint64(st.Ino)
	buf := make([]byte, st.Size+1)
	n, err := retry(func() (int, error) { return unix.Read(fd, buf) })
	if err != nil {
		s.close()
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	s.data = buf[:n] // a replaced file never changes, so one read has all of it or the form is wrong
	return s, nil
}

// current says whether the path still names the file.
func (s *snapshot) current() bool {
	var st unix.Stat_t
	return unix.Lstat(s.path, &st) == nil && uint64(st.Dev) == s.dev && uint64(st.Ino) == s.ino
}

func (s *snapshot) close() { _ = unix.Close(s.fd) }

func retry[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if err != unix.EINTR {
			return v, err
		}
	}
}

//go:build unix

package vfs

import (
	"io"

	"golang.org/x/sys/unix"
)

// osFile is a file descriptor. It does not go through os.File, which would register every opened
// file with the poller first.
type osFile struct {
	fd   int
	path string
	id   FileID
}

func (f *osFile) ID() FileID { return f.id }

func (f *osFile) Close() error { return pathError("close", f.path, unix.Close(f.fd)) }

func (f *osFile) ReadAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := retry(func() (int, error) { return unix.Pread(f.fd, p[done:], off+int64(done)) })
		if err != nil {
			return done, pathError("read", f.path, err)
		}
		if n == 0 {
			return done, io.EOF
		}
		done += n
	}
	return done, nil
}

func (f *osFile) WriteAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := retry(func() (int, error) { return unix.Pwrite(f.fd, p[done:], off+int64(done)) })
		if err == nil && n == 0 {
			err = io.ErrShortWrite
		}
		if err != nil {
			return done, pathError("write", f.path, err)
		}
		done += n
	}
	return done, nil
}

func (f *osFile) Truncate(size int64) error {
	_, err := retry(func() (struct{}, error) { return struct{}{}, unix.Ftruncate(f.fd, size) })
	return pathError("truncate", f.path, err)
}

func (f *osFile) Stat() (Info, error) {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return Info{}, pathError("stat", f.path, err)
	}
	return info(&st), nil
}

func (f *osFile) Datasync() error { return pathError("sync", f.path, datasyncFD(f.fd)) }

func (f *osFile) Sync() error { return pathError("sync", f.path, syncFD(f.fd)) }

func (f *osFile) TryLock() (bool, error) {
	_, err := retry(func() (struct{}, error) { return struct{}{}, unix.Flock(f.fd, unix.LOCK_EX|unix.LOCK_NB) })
	if err == unix.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, pathError("lock", f.path, err)
}

func (f *osFile) Lock() error {
	_, err := retry(func() (struct{}, error) { return struct{}{}, unix.Flock(f.fd, unix.LOCK_EX) })
	return pathError("lock", f.path, err)
}

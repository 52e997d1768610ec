//go:build unix

package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/acc-control-plane/acc/storage-filesystem/internal/self"
)

// OS is the real file system.
type OS struct{}

const (
	dirFlags  = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fileFlags = unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK // a FIFO must not block the open
)

// Open implements FS.
func (OS) Open(base, dir string) (Dir, error) { return openDir(base, dir, false) }

// Create implements FS.
func (OS) Create(base, dir string) (Dir, error) { return openDir(base, dir, true) }

// BootID implements FS.
func (OS) BootID() string { return bootID() }

// osDir is an opened directory and the parents of the names used so far: each is opened once.
type osDir struct {
	fd      int
	path    string
	id      FileID
	parents map[string]int
	kept    *keptDir // whose descriptor fd is; nil: our own
}

func openDir(base, dir string, create bool) (Dir, error) {
	rel, err := filepath.Rel(base, dir)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: errors.New("does not lie in " + base)}
	}
	if create {
		if err := os.MkdirAll(base, 0o700); err != nil {
			return nil, err
		}
	}
	fd, err := retry(func() (int, error) {
		return unix.Open(base, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, pathError("open", base, err)
	}
	at := base
	for segment := range strings.SplitSeq(rel, "/") {
		if segment == "." {
			continue
		}
		at += "/" + segment
		next, err := enter(fd, at, segment, create)
		unix.Close(fd)
		if err != nil {
			return nil, err
		}
		fd = next
	}
	st, err := owned(fd, dir, false)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &osDir{fd: fd, path: dir, id: info(st).ID, parents: map[string]int{"": fd}}, nil
}

// enter opens one segment of the way to a store. The segments above the store may belong to root.
func enter(parent int, at, segment string, create bool) (int, error) {
	fd, err := openat(parent, segment, dirFlags, 0)
	if create && err == unix.ENOENT {
		if err := unix.Mkdirat(parent, segment, 0o700); err != nil && err != unix.EEXIST {
			return -1, pathError("mkdir", at, err)
		}
		if err := syncFD(parent); err != nil {
			return -1, pathError("sync", path.Dir(at), err)
		}
		fd, err = openat(parent, segment, dirFlags, 0)
		if err == nil {
			err = unix.Fchmod(fd, 0o700)
		}
	}
	if err != nil {
		return -1, unsafeOr("open", at, err, parent, segment)
	}
	if _, err := owned(fd, at, true); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func owned(fd int, name string, rootToo bool) (*unix.Stat_t, error) {
	st := new(unix.Stat_t)
	if err := unix.Fstat(fd, st); err != nil {
		return nil, pathError("stat", name, err)
	}
	if int(st.Uid) == self.UserID() || rootToo && st.Uid == 0 {
		return st, nil
	}
	return nil, &UnsafeError{name, unsafeOwner}
}

func (d *osDir) Close() error {
	for _, fd := range d.parents {
		if fd != d.fd || d.kept == nil {
			unix.Close(fd)
		}
	}
	d.kept = nil
	d.parents = nil
	return nil
}

// full is the whole path of a name, for errors. Names are clean.
func (d *osDir) full(name string) string {
	if name == "" {
		return d.path
	}
	return d.path + "/" + name
}

// parent gives the opened directory that holds name, and the last element of name.
func (d *osDir) parent(name string) (int, string, error) {
	dir, base := path.Split(name)
	dir = strings.TrimSuffix(dir, "/")
	if fd, ok := d.parents[dir]; ok {
		return fd, base, nil
	}
	fd, err := d.beneath(dir, dirFlags, 0)
	if err != nil {
		return -1, "", err
	}
	d.parents[dir] = fd
	return fd, base, nil
}

// inParent calls do with the opened directory that holds name, and the last element of name. What is not there may
// be in a directory that has been made again since it was opened: then do is called once more, with the new one.
func (d *osDir) inParent(name string, do func(parent int, base string) error) error {
	parent, base, err := d.parent(name)
	if err != nil {
		return err
	}
	err = do(parent, base)
	if errors.Is(err, fs.ErrNotExist) && d.forget(name) {
		if parent, base, err = d.parent(name); err == nil {
			err = do(parent, base)
		}
	}
	return err
}

// forget closes the directory that holds name, and says whether there was one to be opened again.
func (d *osDir) forget(name string) bool {
	dir := strings.TrimSuffix(name[:len(name)-len(path.Base(name))], "/")
	fd, ok := d.parents[dir]
	if !ok || dir == "" {
		return false
	}
	unix.Close(fd)
	delete(d.parents, dir)
	return true
}

// step opens name by way of its parent, for kernels that cannot resolve a path without links at once.
func (d *osDir) step(name string, flags int, perm uint32) (fd int, err error) {
	err = d.inParent(name, func(parent int, base string) (err error) {
		if fd, err = openat(parent, base, flags, perm); err != nil {
			return unsafeOr("open", d.full(name), err, parent, base)
		}
		return nil
	})
	if err != nil {
		return -1, err
	}
	return fd, nil
}

func (d *osDir) ReadFile(name string, max int64) ([]byte, error) {
	f, st, err := d.open(name, unix.O_RDONLY|fileFlags)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st.Size > max {
		return nil, &fs.PathError{Op: "read", Path: d.full(name), Err: ErrTooLarge}
	}
	buf := make([]byte, st.Size)
	n, err := f.ReadAt(buf, 0)
	if err == io.EOF { // replaced files never shrink; a lock file may
		err = nil
	}
	return buf[:n], err
}

// open opens an existing or new regular file of this user.
func (d *osDir) open(name string, flags int) (*osFile, *unix.Stat_t, error) {
	fd, err := d.beneath(name, flags, 0o600)
	if err != nil {
		return nil, nil, err
	}
	f := &osFile{fd: fd, path: d.full(name)}
	var st unix.Stat_t
	switch err := unix.Fstat(fd, &st); {
	case err != nil:
		f.Close()
		return nil, nil, pathError("stat", f.path, err)
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		f.Close()
		return nil, nil, &UnsafeError{f.path, unsafeKind}
	case int(st.Uid) != self.UserID():
		f.Close()
		return nil, nil, &UnsafeError{f.path, unsafeOwner}
	}
	f.id = info(&st).ID
	return f, &st, nil
}

func (d *osDir) Open(name string, mode Mode) (File, error) {
	flags := fileFlags
	switch mode {
	case Read:
		flags |= unix.O_RDONLY
	case Write:
		flags |= unix.O_RDWR
	case Create:
		flags |= unix.O_RDWR | unix.O_CREAT | unix.O_EXCL
	case OpenOrCreate:
		flags |= unix.O_RDWR | unix.O_CREAT
	}
	f, st, err := d.open(name, flags)
	if err != nil {
		return nil, err
	}
	if flags&unix.O_CREAT != 0 && st.Mode&0o777 != 0o600 {
		if err := unix.Fchmod(f.fd, 0o600); err != nil {
			f.Close()
			return nil, pathError("chmod", f.path, err)
		}
	}
	return f, nil
}

func (d *osDir) Mkdir(name string) error {
	return d.inParent(name, func(parent int, base string) error {
		if err := unix.Mkdirat(parent, base, 0o700); err != nil {
			return pathError("mkdir", d.full(name), err)
		}
		d.forget(name + "/x")
		fd, err := openat(parent, base, dirFlags, 0)
		if err == unix.ENOENT {
			return nil // made, and gone again by somebody else's hand
		}
		if err != nil {
			return unsafeOr("open", d.full(name), err, parent, base)
		}
		d.parents[name] = fd
		if err := unix.Fchmod(fd, 0o700); err != nil {
			return pathError("chmod", d.full(name), err)
		}
		return nil
	})
}

func (d *osDir) Rename(from, to string) error {
	return d.move("rename", from, to, unix.Renameat)
}

// move calls do with two names. What is not there may, as in inParent, be in a directory that has been made again.
func (d *osDir) move(op, from, to string, do func(a int, x string, b int, y string) error) error {
	err := d.moveOnce(op, from, to, do)
	if errors.Is(err, fs.ErrNotExist) {
		if a, b := d.forget(from), d.forget(to); a || b {
			err = d.moveOnce(op, from, to, do)
		}
	}
	return err
}

func (d *osDir) moveOnce(op, from, to string, do func(a int, x string, b int, y string) error) error {
	a, x, err := d.parent(from)
	if err != nil {
		return err
	}
	b, y, err := d.parent(to)
	if err != nil {
		return err
	}
	return pathError(op, d.full(to), do(a, x, b, y))
}

func (d *osDir) Exchange(a, b string) error {
	dirA, x, err := d.parent(a)
	if err != nil {
		return err
	}
	dirB, y, err := d.parent(b)
	if err != nil {
		return err
	}
	switch err := exchangeAt(dirA, x, dirB, y); err {
	case unix.ENOSYS, unix.EINVAL, unix.ENOTSUP, unix.EPERM:
		return ErrUnsupported
	default:
		return pathError("exchange", d.full(b), err)
	}
}

func (d *osDir) Link(from, to string) error {
	return d.move("link", from, to, func(a int, x string, b int, y string) error { return unix.Linkat(a, x, b, y, 0) })
}

func (d *osDir) Remove(name string) error {
	return d.inParent(name, func(parent int, base string) error {
		err := unix.Unlinkat(parent, base, 0)
		if err == unix.EISDIR || err == unix.EPERM {
			d.forget(name + "/x")
			err = unix.Unlinkat(parent, base, unix.AT_REMOVEDIR)
		}
		return pathError("remove", d.full(name), err)
	})
}

func (d *osDir) SyncDir(name string) error {
	fd, _, err := d.parent(name + "/x")
	if name == "" {
		fd, err = d.fd, nil
	}
	if err != nil {
		return err
	}
	return pathError("sync", d.full(name), syncFD(fd))
}

func (d *osDir) List(name string) ([]Entry, error) {
	var fd int
	var err error
	if name == "" {
		fd, err = openat(d.fd, ".", dirFlags, 0)
	} else {
		fd, err = d.beneath(name, dirFlags, 0)
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), d.full(name))
	defer f.Close()
	listed, err := f.ReadDir(-1)
	entries := make([]Entry, 0, len(listed))
	for _, e := range listed {
		entries = append(entries, Entry{e.Name(), e.IsDir()})
	}
	return entries, err
}

func (d *osDir) Stat(name string) (Info, error) {
	if name == "" {
		return Info{ID: d.id}, nil
	}
	var st unix.Stat_t
	err := d.inParent(name, func(parent int, base string) error {
		return pathError("stat", d.full(name), unix.Fstatat(parent, base, &st, unix.AT_SYMLINK_NOFOLLOW))
	})
	if err != nil {
		return Info{}, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return Info{}, &UnsafeError{d.full(name), unsafeLink}
	}
	return info(&st), nil
}

func (d *osDir) Touch(name string) error {
	parent, base, err := d.parent(name)
	if err != nil {
		return err
	}
	now, err := unix.TimeToTimespec(time.Now())
	if err != nil {
		return pathError("touch", d.full(name), err)
	}
	err = unix.UtimesNanoAt(parent, base, []unix.Timespec{now, now}, unix.AT_SYMLINK_NOFOLLOW)
	return pathError("touch", d.full(name), err)
}

func (d *osDir) Kind() (string, bool, error) { return fileSystem(d.fd) }

func info(st *unix.Stat_t) Info {
	seconds, nanos := st.Mtim.Unix()
	return Info{
		Size:    st.Size,
		ModTime: time.Unix(seconds, nanos),
		Dir:     st.Mode&unix.S_IFMT == unix.S_IFDIR,
		Links:   int(st.Nlink),
		ID:      FileID{uint64(st.Dev), st.Ino},
	}
}

// openat opens one name that lies directly in parent.
func openat(parent int, name string, flags int, perm uint32) (int, error) {
	return retry(func() (int, error) { return unix.Openat(parent, name, flags, perm) })
}

// retry repeats a call that a signal interrupted.
func retry[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if err != unix.EINTR {
			return v, err
		}
	}
}

// unsafeOr tells a symbolic link from a missing name: with O_NOFOLLOW platforms answer ELOOP, and
// ENOTDIR when a directory was asked for.
func unsafeOr(op, name string, err error, parent int, base string) error {
	switch err {
	case unix.ELOOP, unix.EMLINK:
		return &UnsafeError{name, unsafeLink}
	case unix.ENOTDIR:
		var st unix.Stat_t
		if unix.Fstatat(parent, base, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
			return &UnsafeError{name, unsafeLink}
		}
		return &UnsafeError{name, unsafeDir}
	}
	return pathError(op, name, err)
}

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// NoSpace says that err means that the disk or the quota is full.
func NoSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

//go:build unix

package vfs

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/acc-control-plane/acc/storage-filesystem/internal/self"
)

// Keeping is OS that keeps the directory it opened last. Opening that again costs one look, which says
// whether its path still leads there, instead of a walk through every segment. The zero value works; it
// must not be copied.
type Keeping struct {
	OS

	mu   sync.Mutex
	kept *keptDir
}

type keptDir struct {
	fd        int
	base, dir string
	id        FileID
}

// Open implements FS.
func (k *Keeping) Open(base, dir string) (Dir, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if fd, ok := k.kept.again(base, dir); ok {
		return &osDir{fd: fd, path: dir, parents: map[string]int{"": fd}}, nil
	}
	d, err := k.OS.Open(base, dir)
	if err == nil {
		k.keep(d.(*osDir).fd, base, dir)
	}
	return d, err
}

// Create implements FS.
func (k *Keeping) Create(base, dir string) (Dir, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	d, err := k.OS.Create(base, dir)
	if err == nil {
		k.keep(d.(*osDir).fd, base, dir)
	}
	return d, err
}

// keep remembers a second descriptor of an opened directory. It does not matter if it cannot.
func (k *Keeping) keep(fd int, base, dir string) {
	k.kept = nil
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return
	}
	own, err := duplicate(fd)
	if err != nil {
		return
	}
	k.kept = &keptDir{fd: own, base: base, dir: dir, id: info(&st).ID}
	runtime.AddCleanup(k.kept, func(fd int) { _ = unix.Close(fd) }, own)
}

// again gives a descriptor of the kept directory if dir is it and its path still leads there.
func (d *keptDir) again(base, dir string) (int, bool) {
	if d == nil || d.base != base || d.dir != dir {
		return -1, false
	}
	var st unix.Stat_t
	err := unix.Fstatat(unix.AT_FDCWD, dir, &st, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil || info(&st).ID != d.id || int(st.Uid) != self.UserID() {
		return -1, false
	}
	fd, err := duplicate(d.fd)
	return fd, err == nil
}

func duplicate(fd int) (int, error) {
	return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
}

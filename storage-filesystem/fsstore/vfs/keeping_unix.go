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
	if k.kept.leads(base, dir) {
		return &osDir{fd: k.kept.fd, path: dir, id: k.kept.id, parents: map[string]int{"": k.kept.fd}, kept: k.kept}, nil
	}
	d, err := k.OS.Open(base, dir)
	if err == nil {
		k.keep(d.(*osDir), base)
	}
	return d, err
}

// Create implements FS.
func (k *Keeping) Create(base, dir string) (Dir, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	d, err := k.OS.Create(base, dir)
	if err == nil {
		k.keep(d.(*osDir), base)
	}
	return d, err
}

// keep takes the descriptor of an opened directory over. It is closed when neither we nor a directory that uses it is
// left.
func (k *Keeping) keep(d *osDir, base string) {
	k.kept = &keptDir{fd: d.fd, base: base, dir: d.path, id: d.id}
	d.kept = k.kept
	runtime.AddCleanup(k.kept, func(fd int) { _ = unix.Close(fd) }, d.fd)
}

// leads says whether dir is the kept directory and its path still leads there.
func (d *keptDir) leads(base, dir string) bool {
	if d == nil || d.base != base || d.dir != dir {
		return false
	}
	var st unix.Stat_t
	err := unix.Fstatat(unix.AT_FDCWD, dir, &st, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && info(&st).ID == d.id && int(st.Uid) == self.UserID()
}

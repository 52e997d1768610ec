package vfstest

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"syscall"
	"time"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// dir implements vfs.Dir on a Disk.
type dir struct {
	disk *Disk
	path string
}

func (d *dir) full(name string) string { return path.Join(d.path, name) }

// on runs fn on an existing node.
func (d *dir) on(op, name string, fn func(parent, n *node) error) error {
	d.disk.mu.Lock()
	defer d.disk.mu.Unlock()
	parent, n, err := d.disk.find(d.full(name))
	if err == nil && n == nil {
		err = fs.ErrNotExist
	}
	if err == nil {
		err = fn(parent, n)
	}
	if err != nil {
		return &fs.PathError{Op: op, Path: d.full(name), Err: err}
	}
	return nil
}

func (d *dir) Close() error { return nil }

func (d *dir) ReadFile(name string, max int64) (content []byte, err error) {
	err = d.on("read", name, func(_, n *node) error {
		if n.dir {
			return syscall.EISDIR
		}
		if int64(len(n.content)) > max {
			return vfs.ErrTooLarge
		}
		content = slices.Clone(n.content)
		return nil
	})
	return content, err
}

func (d *dir) Open(name string, mode vfs.Mode) (vfs.File, error) {
	d.disk.mu.Lock()
	defer d.disk.mu.Unlock()
	parent, n, err := d.disk.find(d.full(name))
	switch {
	case err != nil:
	case n != nil && mode == vfs.Create:
		err = fs.ErrExist
	case n != nil && n.dir:
		err = syscall.EISDIR
	case n != nil:
	case mode == vfs.Read || mode == vfs.Write:
		err = fs.ErrNotExist
	case d.disk.full:
		err = syscall.ENOSPC
	default:
		n = d.disk.newNode(false)
		parent.set(path.Base(name), n)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: d.full(name), Err: err}
	}
	return &file{d.disk, n, d.full(name)}, nil
}

func (d *dir) Mkdir(name string) error {
	d.disk.mu.Lock()
	defer d.disk.mu.Unlock()
	parent, n, err := d.disk.find(d.full(name))
	switch {
	case err != nil:
	case n != nil:
		err = fs.ErrExist
	case d.disk.full:
		err = syscall.ENOSPC
	default:
		parent.set(path.Base(name), d.disk.newNode(true))
		return nil
	}
	return &fs.PathError{Op: "mkdir", Path: d.full(name), Err: err}
}

func (d *dir) Rename(from, to string) error {
	return d.name("rename", from, to, func(a, n, b, _ *node) error {
		a.set(path.Base(from), nil)
		b.set(path.Base(to), n)
		return nil
	})
}

func (d *dir) Exchange(a, b string) error {
	return d.name("exchange", a, b, func(dirA, x, dirB, y *node) error {
		if y == nil {
			return fs.ErrNotExist
		}
		dirA.set(path.Base(a), y)
		dirB.set(path.Base(b), x)
		return nil
	})
}

func (d *dir) Link(from, to string) error {
	return d.name("link", from, to, func(_, n, b, existing *node) error {
		if existing != nil {
			return fs.ErrExist
		}
		b.set(path.Base(to), n)
		return nil
	})
}

func (d *dir) name(op, from, to string, fn func(a, n, b, existing *node) error) error {
	d.disk.mu.Lock()
	defer d.disk.mu.Unlock()
	a, n, err := d.disk.find(d.full(from))
	if err == nil && n == nil {
		err = fs.ErrNotExist
	}
	b, existing, err2 := d.disk.find(d.full(to))
	if err == nil {
		err = err2
	}
	if err == nil {
		err = fn(a, n, b, existing)
	}
	if err != nil {
		return &fs.PathError{Op: op, Path: d.full(to), Err: err}
	}
	return nil
}

func (d *dir) Remove(name string) error {
	return d.on("remove", name, func(parent, n *node) error {
		if len(n.children) > 0 {
			return syscall.ENOTEMPTY
		}
		parent.set(path.Base(name), nil)
		return nil
	})
}

func (d *dir) SyncDir(name string) error {
	return d.on("sync", name, func(_, n *node) error {
		n.syncEntries()
		return nil
	})
}

func (d *dir) SyncAll() error {
	return d.on("sync", "", func(_, n *node) error {
		n.syncAll()
		return nil
	})
}

func (n *node) syncAll() {
	if !n.dir {
		n.flush(false)
		return
	}
	n.syncEntries()
	for _, child := range n.children {
		child.syncAll()
	}
}

// FailSync makes of the next flush of everything one that has failed.
func (d *dir) FailSync() {
	_ = d.on("sync", "", func(_, n *node) error {
		n.failAll()
		return nil
	})
}

func (n *node) failAll() {
	n.failFlush()
	for _, child := range n.children {
		child.failAll()
	}
}

func (d *dir) List(name string) (entries []vfs.Entry, err error) {
	err = d.on("list", name, func(_, n *node) error {
		if !n.dir {
			return syscall.ENOTDIR
		}
		for child, c := range n.children {
			entries = append(entries, vfs.Entry{Name: child, Dir: c.dir})
		}
		return nil
	})
	return entries, err
}

func (d *dir) Stat(name string) (info vfs.Info, err error) {
	err = d.on("stat", name, func(_, n *node) error {
		info = n.info()
		return nil
	})
	return info, err
}

func (d *dir) Touch(name string) error {
	return d.on("touch", name, func(_, n *node) error {
		n.modTime = d.disk.clock
		return nil
	})
}

func (d *dir) Kind() (string, bool, error) { return "memory", false, nil }

func (n *node) info() vfs.Info {
	return vfs.Info{Size: int64(len(n.content)), ModTime: n.modTime, Dir: n.dir, ID: vfs.FileID{Device: 1, File: n.id}}
}

// file implements vfs.File on a Disk.
type file struct {
	disk *Disk
	node *node
	path string
}

func (f *file) do(fn func(n *node)) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	fn(f.node)
}

func (f *file) Close() error {
	f.do(func(n *node) {
		if n.lock == f {
			n.lock = nil
		}
	})
	return nil
}

func (f *file) ReadAt(p []byte, off int64) (done int, err error) {
	f.do(func(n *node) {
		if off < int64(len(n.content)) {
			done = copy(p, n.content[off:])
		}
	})
	if done < len(p) {
		err = io.EOF
	}
	return done, err
}

func (f *file) WriteAt(p []byte, off int64) (done int, err error) {
	f.do(func(n *node) {
		if f.disk.full && off+int64(len(p)) > int64(len(n.content)) {
			err = &fs.PathError{Op: "write", Path: f.path, Err: syscall.ENOSPC}
			return
		}
		n.own()
		n.content = splice(n.content, off, p)
		n.pending = append(n.pending, write{off: off, data: slices.Clone(p)})
		n.modTime = f.disk.clock
		done = len(p)
	})
	return done, err
}

func (f *file) Truncate(size int64) error {
	f.do(func(n *node) {
		n.own()
		n.content = resize(n.content, size)
		n.pending = append(n.pending, write{off: size, truncate: true})
	})
	return nil
}

func (f *file) Stat() (info vfs.Info, err error) {
	f.do(func(n *node) { info = n.info() })
	return info, nil
}

func (f *file) ID() (id vfs.FileID) {
	f.do(func(n *node) { id = n.info().ID })
	return id
}

func (f *file) Datasync() error {
	f.do(func(n *node) { n.flush(true) })
	return nil
}

func (f *file) Sync() error {
	f.do(func(n *node) { n.flush(false) })
	return nil
}

// FailSync makes of the next flush one that has failed.
func (f *file) FailSync() { f.do(func(n *node) { n.failFlush() }) }

func (f *file) TryLock() (held bool, err error) {
	f.do(func(n *node) {
		if n.lock == nil {
			n.lock = f
		}
		held = n.lock == f
	})
	return held, nil
}

func (f *file) Lock() error {
	for {
		if held, err := f.TryLock(); held || err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

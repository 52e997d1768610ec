package vfstest

import (
	"errors"
	"io/fs"
	"sync"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// Op is one operation of a process on a file system, before it is done.
type Op struct {
	N    int    // operations of this process before it
	Name string // the method: "WriteAt"
	Path string // below the opened directory
	Size int    // bytes to write
}

// Effect is what becomes of an operation. The zero Effect does it.
type Effect struct {
	Err   error // it fails with this
	Done  bool  // ... but was done all the same
	Bytes int   // of a write that fails: so many are written
	Kill  bool  // the process ends here: this and every later operation fails and does nothing
}

// ErrKilled is what a process sees after its end.
var ErrKilled = errors.New("the process was killed")

// Hook decides what becomes of an operation.
type Hook func(Op) Effect

// Wrap puts hook in front of every operation on fs but closing.
func Wrap(fs vfs.FS, hook Hook) vfs.FS { return &hooked{FS: fs, hook: hook} }

type hooked struct {
	vfs.FS
	hook Hook

	mu   sync.Mutex
	n    int
	dead bool
}

// do runs one operation.
func (h *hooked) do(name, path string, run func() error) error {
	return h.doSized(name, path, 0, func(int) error { return run() }, nil)
}

// doSized runs an operation of size bytes. fail, if not nil, is what happens below when it fails undone.
func (h *hooked) doSized(name, path string, size int, run func(bytes int) error, fail func()) error {
	h.mu.Lock()
	op := Op{h.n, name, path, size}
	h.n++
	var e Effect
	if !h.dead {
		e = h.hook(op)
		h.dead = e.Kill
	}
	dead := h.dead
	h.mu.Unlock()
	switch {
	case dead && e.Bytes == 0 && !e.Done:
		return ErrKilled
	case e.Err == nil && !dead:
		return run(size)
	case e.Done:
		_ = run(size)
	case e.Bytes > 0:
		_ = run(min(e.Bytes, size))
	case fail != nil:
		fail()
	}
	if dead {
		return ErrKilled
	}
	return &fs.PathError{Op: name, Path: path, Err: e.Err}
}

func (h *hooked) Open(base, dir string) (vfs.Dir, error) {
	var opened vfs.Dir
	err := h.do("OpenDir", "", func() (err error) { opened, err = h.FS.Open(base, dir); return err })
	return h.wrap(opened, err)
}

func (h *hooked) Create(base, dir string) (vfs.Dir, error) {
	var opened vfs.Dir
	err := h.do("CreateDir", "", func() (err error) { opened, err = h.FS.Create(base, dir); return err })
	return h.wrap(opened, err)
}

func (h *hooked) wrap(dir vfs.Dir, err error) (vfs.Dir, error) {
	if err != nil {
		return nil, err
	}
	return &hookedDir{dir, h}, nil
}

type hookedDir struct {
	vfs.Dir
	h *hooked
}

func (d *hookedDir) ReadFile(name string, max int64) (content []byte, err error) {
	err = d.h.do("ReadFile", name, func() (err error) { content, err = d.Dir.ReadFile(name, max); return err })
	return content, err
}

func (d *hookedDir) Open(name string, mode vfs.Mode) (vfs.File, error) {
	var f vfs.File
	op := map[vfs.Mode]string{vfs.Read: "Open", vfs.Write: "OpenWrite", vfs.Create: "OpenCreate", vfs.OpenOrCreate: "OpenOrCreate"}[mode]
	err := d.h.do(op, name, func() (err error) { f, err = d.Dir.Open(name, mode); return err })
	if err != nil {
		return nil, err
	}
	return &hookedFile{f, d.h, name}, nil
}

func (d *hookedDir) Mkdir(name string) error {
	return d.h.do("Mkdir", name, func() error { return d.Dir.Mkdir(name) })
}

func (d *hookedDir) Rename(from, to string) error {
	return d.h.do("Rename", to, func() error { return d.Dir.Rename(from, to) })
}

func (d *hookedDir) Exchange(a, b string) error {
	return d.h.do("Exchange", a, func() error { return d.Dir.Exchange(a, b) })
}

func (d *hookedDir) Link(from, to string) error {
	return d.h.do("Link", to, func() error { return d.Dir.Link(from, to) })
}

func (d *hookedDir) Remove(name string) error {
	return d.h.do("Remove", name, func() error { return d.Dir.Remove(name) })
}

func (d *hookedDir) SyncDir(name string) error {
	return d.h.do("SyncDir", name, func() error { return d.Dir.SyncDir(name) })
}

func (d *hookedDir) SyncAll() error {
	fail := func() {
		if below, ok := d.Dir.(interface{ FailSync() }); ok {
			below.FailSync()
		}
	}
	return d.h.doSized("SyncAll", "", 0, func(int) error { return d.Dir.SyncAll() }, fail)
}

func (d *hookedDir) List(name string) (entries []vfs.Entry, err error) {
	err = d.h.do("List", name, func() (err error) { entries, err = d.Dir.List(name); return err })
	return entries, err
}

func (d *hookedDir) Stat(name string) (info vfs.Info, err error) {
	err = d.h.do("StatName", name, func() (err error) { info, err = d.Dir.Stat(name); return err })
	return info, err
}

func (d *hookedDir) Touch(name string) error {
	return d.h.do("Touch", name, func() error { return d.Dir.Touch(name) })
}

type hookedFile struct {
	vfs.File
	h    *hooked
	name string
}

func (f *hookedFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.h.do("ReadAt", f.name, func() (err error) { n, err = f.File.ReadAt(p, off); return err })
	return n, err
}

func (f *hookedFile) WriteAt(p []byte, off int64) (n int, err error) {
	err = f.h.doSized("WriteAt", f.name, len(p), func(size int) (err error) { n, err = f.File.WriteAt(p[:size], off); return err }, nil)
	return n, err
}

func (f *hookedFile) Truncate(size int64) error {
	return f.h.do("Truncate", f.name, func() error { return f.File.Truncate(size) })
}

func (f *hookedFile) Stat() (info vfs.Info, err error) {
	err = f.h.do("Stat", f.name, func() (err error) { info, err = f.File.Stat(); return err })
	return info, err
}

func (f *hookedFile) Datasync() error { return f.sync("Datasync", f.File.Datasync) }

func (f *hookedFile) Sync() error { return f.sync("Sync", f.File.Sync) }

func (f *hookedFile) sync(name string, run func() error) error {
	fail := func() {
		if below, ok := f.File.(interface{ FailSync() }); ok {
			below.FailSync()
		}
	}
	return f.h.doSized(name, f.name, 0, func(int) error { return run() }, fail)
}

func (f *hookedFile) TryLock() (held bool, err error) {
	err = f.h.do("TryLock", f.name, func() (err error) { held, err = f.File.TryLock(); return err })
	return held, err
}

func (f *hookedFile) Lock() error { return f.h.do("Lock", f.name, f.File.Lock) }

package vfstest

import (
	"fmt"

	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// Disk is a disk in memory. It is safe for concurrent use.
type Disk struct {
	mu    sync.Mutex
	root  *node
	boot  int
	ids   uint64
	clock time.Time
	full  bool
}

// NewDisk gives an empty disk in its first boot.
func NewDisk() *Disk {
	d := &Disk{boot: 1, clock: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}
	d.root = d.newNode(true)
	return d
}

// node is a file or a directory.
type node struct {
	id      uint64
	dir     bool
	modTime time.Time
	lock    *file // who holds the lock

	shared  bool   // the bytes below belong to a clone as well: copy before changing them
	content []byte // what every process sees
	durable []byte // what is surely on the disk
	pending []write

	children map[string]*node
	kept     map[string]*node // children that are surely on the disk
	changes  []change
}

// write is a change of content that is not surely on the disk.
type write struct {
	off      int64
	data     []byte
	truncate bool // to off, no data
	clean    bool // a flush of it has failed: the kernel no longer tries, and a later flush proves nothing
}

// change is a change of a directory entry that is not surely on the disk.
type change struct {
	name string
	node *node // nil: removed
}

func (d *Disk) newNode(dir bool) *node {
	d.ids++
	n := &node{id: d.ids, dir: dir, modTime: d.clock}
	if dir {
		n.children, n.kept = map[string]*node{}, map[string]*node{}
	}
	return n
}

// Fill makes every write that needs room fail, or ends that.
func (d *Disk) Fill(full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = full
}

// Advance moves the clock that gives files their times.
func (d *Disk) Advance(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clock = d.clock.Add(by)
}

// Clone gives an independent copy, in the same boot, with no locks held.
func (d *Disk) Clone() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &Disk{root: cloneNode(d.root, map[*node]*node{}), boot: d.boot, ids: d.ids, clock: d.clock, full: d.full}
}

func cloneNode(n *node, copies map[*node]*node) *node {
	if n == nil {
		return nil
	}
	if c, ok := copies[n]; ok {
		return c
	}
	n.shared = true
	c := *n
	copies[n] = &c
	c.lock = nil
	c.pending = slices.Clone(n.pending) // the data in it is never changed
	c.changes = slices.Clone(n.changes)
	for i := range c.changes {
		c.changes[i].node = cloneNode(c.changes[i].node, copies)
	}
	c.children, c.kept = cloneChildren(n.children, copies), cloneChildren(n.kept, copies)
	return &c
}

func cloneChildren(m map[string]*node, copies map[*node]*node) map[string]*node {
	if m == nil {
		return nil
	}
	c := make(map[string]*node, len(m))
	for name, n := range m {
		c[name] = cloneNode(n, copies)
	}
	return c
}

// PowerCut ends every process and keeps what was flushed; seed chooses what else survives. Handles that
// were open must not be used any more.
func (d *Disk) PowerCut(seed uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := rand.New(rand.NewPCG(seed, 1))
	d.boot++
	d.full = false
	cut(d.root, r, map[*node]bool{})
}

// How much of what was not flushed survives.
const (
	surviveNothing = iota
	surviveAll
	survivePrefix
	surviveMix
	survivalModes
)

// sector is the unit in which a write may tear; small, because our files are.
const sector = 64

func cut(n *node, r *rand.Rand, seen map[*node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	n.lock = nil
	n.own()
	mode := r.IntN(survivalModes)
	survives := func(i, of int) bool {
		switch mode {
		case surviveNothing:
			return false
		case surviveAll:
			return true
		case survivePrefix:
			return i < of/2
		}
		return r.IntN(2) == 0
	}
	if !n.dir {
		for i, w := range n.pending {
			if w.truncate {
				if survives(i, len(n.pending)) {
					n.durable = resize(n.durable, w.off)
				}
				continue
			}
			for at := 0; at < len(w.data); at += sector {
				if survives(at, len(w.data)) || mode == survivePrefix && i < len(n.pending)/2 {
					n.durable = splice(n.durable, w.off+int64(at), w.data[at:min(at+sector, len(w.data))])
				}
			}
		}
		n.pending, n.content = nil, slices.Clone(n.durable)
		return
	}
	for i, c := range n.changes {
		if survives(i, len(n.changes)) {
			if c.node == nil {
				delete(n.kept, c.name)
			} else {
				n.kept[c.name] = c.node
			}
		}
	}
	n.changes, n.children = nil, map[string]*node{}
	names := make([]string, 0, len(n.kept))
	for name := range n.kept {
		names = append(names, name)
	}
	slices.Sort(names) // so that a seed means the same every time
	for _, name := range names {
		n.children[name] = n.kept[name]
		cut(n.kept[name], r, seen)
	}
}

func splice(content []byte, off int64, data []byte) []byte {
	if end := off + int64(len(data)); end > int64(len(content)) {
		content = resize(content, end)
	}
	copy(content[off:], data)
	return content
}

func resize(content []byte, size int64) []byte {
	if size <= int64(len(content)) {
		return content[:size:size]
	}
	return append(content, make([]byte, size-int64(len(content)))...)
}

// flush makes what is dirty durable; data alone need not shrink the file.
func (n *node) flush(dataOnly bool) {
	n.own()
	var left []write
	for _, w := range n.pending {
		switch {
		case w.clean:
			left = append(left, w)
		case w.truncate && dataOnly && w.off < int64(len(n.durable)):
			left = append(left, w)
		case w.truncate:
			n.durable = resize(n.durable, w.off)
			left = punch(left, w.off, 1<<62)
		default:
			n.durable = splice(n.durable, w.off, w.data)
			left = punch(left, w.off, w.off+int64(len(w.data)))
		}
	}
	n.pending = left
}

// own makes the bytes of n its own.
func (n *node) own() {
	if n.shared {
		n.shared, n.content, n.durable = false, slices.Clone(n.content), slices.Clone(n.durable)
	}
}

// failFlush is a flush that fails: what was dirty may or may not be on the disk, and will not be tried again.
func (n *node) failFlush() {
	for i := range n.pending {
		n.pending[i].clean = true
	}
}

// punch takes the bytes from a to b out of writes.
func punch(writes []write, a, b int64) []write {
	var left []write
	for _, w := range writes {
		end := w.off + int64(len(w.data))
		if w.truncate || end <= a || w.off >= b {
			left = append(left, w)
			continue
		}
		if w.off < a {
			left = append(left, write{off: w.off, data: w.data[:a-w.off], clean: w.clean})
		}
		if end > b {
			left = append(left, write{off: b, data: w.data[b-w.off:], clean: w.clean})
		}
	}
	return left
}

func (n *node) set(name string, child *node) {
	if child == nil {
		delete(n.children, name)
	} else {
		n.children[name] = child
	}
	n.changes = append(n.changes, change{name, child})
}

// find gives the node of a clean absolute path and its parent; the node is nil if only it is missing.
func (d *Disk) find(full string) (parent, n *node, err error) {
	n = d.root
	segments := strings.Split(strings.Trim(full, "/"), "/")
	for i, segment := range segments {
		if segment == "" {
			continue
		}
		if !n.dir {
			return nil, nil, syscall.ENOTDIR
		}
		parent, n = n, n.children[segment]
		if n == nil {
			if i < len(segments)-1 {
				return nil, nil, fs.ErrNotExist
			}
			return parent, nil, nil
		}
	}
	return parent, n, nil
}

// ReadFile gives the content of a file by its absolute path, for tests that look or damage.
func (d *Disk) ReadFile(full string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, n, err := d.find(full)
	if err == nil && n == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: full, Err: err}
	}
	return slices.Clone(n.content), nil
}

// WriteFile replaces the content of an existing file, durably.
func (d *Disk) WriteFile(full string, content []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, n, err := d.find(full)
	if err != nil || n == nil {
		panic(fmt.Sprintf("no file %s", full))
	}
	n.content, n.durable, n.pending = slices.Clone(content), slices.Clone(content), nil
}

// RemoveAll removes a file or a tree, durably.
func (d *Disk) RemoveAll(full string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	parent, _, err := d.find(full)
	if err == nil && parent != nil {
		name := path.Base(full)
		delete(parent.children, name)
		delete(parent.kept, name)
		parent.changes = slices.DeleteFunc(parent.changes, func(c change) bool { return c.name == name })
	}
}

// Names lists a directory by its absolute path, sorted.
func (d *Disk) Names(full string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, n, err := d.find(full)
	if err != nil || n == nil || !n.dir {
		return nil
	}
	var names []string
	for name := range n.children {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Process gives the disk as one more process sees it in this boot.
func (d *Disk) Process() vfs.FS {
	d.mu.Lock()
	defer d.mu.Unlock()
	return process{d, fmt.Sprintf("boot-%d", d.boot)}
}

type process struct {
	disk *Disk
	boot string
}

func (p process) BootID() string { return p.boot }

func (p process) Open(base, at string) (vfs.Dir, error) {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	_, n, err := p.disk.find(at)
	if err == nil && n == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: at, Err: err}
	}
	return &dir{p.disk, at}, nil
}

// Create implements vfs.FS.
func (p process) Create(base, at string) (vfs.Dir, error) {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	n := p.disk.root
	for segment := range strings.SplitSeq(strings.Trim(at, "/"), "/") {
		if n.children[segment] == nil {
			n.set(segment, p.disk.newNode(true))
			n.syncEntries()
		}
		n = n.children[segment]
	}
	return &dir{p.disk, at}, nil
}

func (n *node) syncEntries() {
	n.kept, n.changes = map[string]*node{}, nil
	for name, child := range n.children {
		n.kept[name] = child
	}
}

package index

import (
	"fmt"
	"slices"
	"sort"
)

// Load gives the content of a page.
type Load func(name string) ([]byte, error)

// Tree is an ordered set of tuples. One goroutine uses it.
type Tree struct {
	load   Load
	least  int // level of the root of a tree that is not empty
	root   string
	node   *node // nil: not loaded, or empty
	opened bool
}

// node is a page in memory.
type node struct {
	level    int
	tuples   []Tuple
	children []child
	name     string // "": changed since it was loaded
}

// Open gives the tree below the page root, or an empty one if root is "". The root of a tree that is not
// empty is at least on level least; leaves are on level 0.
func Open(root string, least int, load Load) *Tree {
	return &Tree{load: load, least: least, root: root}
}

// open loads the root.
func (t *Tree) open() error {
	if t.opened {
		return nil
	}
	if t.root != "" {
		n, err := t.fetch(t.root, -1)
		if err != nil {
			return err
		}
		t.node = n
	}
	t.opened = true
	return nil
}

// fetch loads a page that must be on a level, or on any if level is negative.
func (t *Tree) fetch(name string, level int) (*node, error) {
	content, err := t.load(name)
	if err != nil {
		return nil, err
	}
	n, err := decode(name, content)
	if err == nil && level >= 0 && n.level != level {
		err = fmt.Errorf("it is on level %d, not %d", n.level, level)
	}
	if err != nil {
		return nil, &PageError{name, err}
	}
	return n, nil
}

// PageError says that a page is there and is not what it should be.
type PageError struct {
	Page string
	Err  error
}

// Error implements error.
func (e *PageError) Error() string { return "index page " + e.Page + " is damaged: " + e.Err.Error() }

// Unwrap gives the cause.
func (e *PageError) Unwrap() error { return e.Err }

// below gives child i of n.
func (t *Tree) below(n *node, i int) (*node, error) {
	c := &n.children[i]
	if c.node == nil {
		loaded, err := t.fetch(c.Page, n.level-1)
		if err != nil {
			return nil, err
		}
		c.node = loaded
	}
	return c.node, nil
}

// route gives the child of n to which x belongs.
func (n *node) route(x Tuple) int {
	return max(sort.Search(len(n.children), func(i int) bool { return Compare(n.children[i].Low, x) > 0 })-1, 0)
}

// Insert adds x; a tuple that is there already stays.
func (t *Tree) Insert(x Tuple) error {
	if err := t.open(); err != nil {
		return err
	}
	if t.node == nil {
		t.node = &node{tuples: []Tuple{x}}
	} else {
		right, err := t.insert(t.node, x)
		if err != nil {
			return err
		}
		if right != nil {
			t.node = &node{level: t.node.level + 1, children: []child{parentOf(t.node), parentOf(right)}}
		}
	}
	return t.settle()
}

// settle gives the root its level.
func (t *Tree) settle() error {
	for t.node != nil && t.node.level < t.least {
		t.node = &node{level: t.node.level + 1, children: []child{parentOf(t.node)}}
	}
	for t.node != nil && t.node.level > t.least && len(t.node.children) == 1 {
		only, err := t.below(t.node, 0)
		if err != nil {
			return err
		}
		t.node = only
	}
	return nil
}

// low gives the least tuple of n.
func (n *node) low() Tuple {
	if n.level == 0 {
		return n.tuples[0]
	}
	return n.children[0].Low
}

func parentOf(n *node) child { return child{Low: n.low(), Page: n.name, node: n} }

// insert adds x below n and gives a new right neighbour of n if n was full.
func (t *Tree) insert(n *node, x Tuple) (right *node, err error) {
	if n.level == 0 {
		i, found := slices.BinarySearchFunc(n.tuples, x, Compare)
		if found {
			return nil, nil
		}
		n.name = ""
		n.tuples = slices.Insert(n.tuples, i, x)
		if len(n.tuples) <= MaxTuples {
			return nil, nil
		}
		at := splitAt(i, len(n.tuples))
		right = &node{tuples: slices.Clone(n.tuples[at:])}
		n.tuples = slices.Clip(n.tuples[:at])
		return right, nil
	}
	i := n.route(x)
	below, err := t.below(n, i)
	if err != nil {
		return nil, err
	}
	beside, err := t.insert(below, x)
	if err != nil || below.name != "" {
		return nil, err
	}
	n.name, n.children[i].Page = "", ""
	if Compare(x, n.children[i].Low) < 0 {
		n.children[i].Low = x
	}
	if beside == nil {
		return nil, nil
	}
	n.children = slices.Insert(n.children, i+1, parentOf(beside))
	if len(n.children) <= MaxChildren {
		return nil, nil
	}
	at := splitAt(i+1, len(n.children))
	right = &node{level: n.level, children: slices.Clone(n.children[at:])}
	n.children = slices.Clip(n.children[:at])
	return right, nil
}

// splitAt says where a node of n parts, of which the one at i is new, is divided. Runs of ascending or
// descending tuples, which is what ids and positions are, leave full pages behind.
func splitAt(i, n int) int {
	switch i {
	case 0:
		return 1
	case n - 1:
		return n - 1
	}
	return min(max(i+1, n/4), n-n/4)
}

// Delete removes x if it is there.
func (t *Tree) Delete(x Tuple) error {
	if err := t.open(); err != nil || t.node == nil {
		return err
	}
	if err := t.delete(t.node, x); err != nil {
		return err
	}
	if len(t.node.tuples)+len(t.node.children) == 0 {
		t.node = nil
	}
	return t.settle()
}

func (t *Tree) delete(n *node, x Tuple) error {
	if n.level == 0 {
		if i, found := slices.BinarySearchFunc(n.tuples, x, Compare); found {
			n.name = ""
			n.tuples = slices.Delete(slices.Clone(n.tuples), i, i+1)
		}
		return nil
	}
	i := n.route(x)
	below, err := t.below(n, i)
	if err != nil {
		return err
	}
	if err := t.delete(below, x); err != nil || below.name != "" {
		return err
	}
	n.name, n.children[i].Page = "", ""
	if len(below.tuples)+len(below.children) == 0 {
		n.children = slices.Delete(n.children, i, i+1)
		return nil
	}
	return t.merge(n, i)
}

// merge joins child i of n with a neighbour when it has become small.
func (t *Tree) merge(n *node, i int) error {
	small := n.children[i].node
	most := MaxTuples
	if small.level > 0 {
		most = MaxChildren
	}
	if len(small.tuples)+len(small.children) > most/4 || len(n.children) < 2 {
		return nil
	}
	left := max(i-1, 0)
	a, err := t.below(n, left)
	if err != nil {
		return err
	}
	b, err := t.below(n, left+1)
	if err != nil {
		return err
	}
	if len(a.tuples)+len(a.children)+len(b.tuples)+len(b.children) > most*3/4 {
		return nil
	}
	a.name, n.children[left].Page = "", ""
	a.tuples = append(slices.Clip(a.tuples), b.tuples...)
	a.children = append(slices.Clip(a.children), b.children...)
	n.children = slices.Delete(n.children, left+1, left+2)
	return nil
}

// Save gives every new page to write, children before parents, and the name of the root; "" is an empty
// tree.
func (t *Tree) Save(write func(name string, content []byte) error) (root string, err error) {
	if !t.opened {
		return t.root, nil
	}
	root = ""
	if t.node != nil {
		if root, err = t.node.save(write); err != nil {
			return "", err
		}
	}
	t.root = root
	return root, nil
}

func (n *node) save(write func(name string, content []byte) error) (string, error) {
	if n.name != "" {
		return n.name, nil
	}
	for i := range n.children {
		c := &n.children[i]
		if c.Page == "" {
			name, err := c.node.save(write)
			if err != nil {
				return "", err
			}
			c.Page = name
		}
	}
	content, err := n.encode()
	if err != nil {
		return "", err
	}
	name := Name(content)
	if err := write(name, content); err != nil {
		return "", err
	}
	n.name = name
	return name, nil
}

package index

import (
	"slices"
	"sort"
)

// Scan gives the tuples under key after start, in order, or before start and newest first if reverse is
// set, until yield says false. A nil start is the end of the key from which the walk begins.
func (t *Tree) Scan(key []string, start *Tuple, reverse bool, yield func(Tuple) bool) error {
	if err := t.open(); err != nil || t.node == nil {
		return err
	}
	_, err := t.scan(t.node, key, start, reverse, yield)
	return err
}

// scan walks below n; more is false once the walk is over.
func (t *Tree) scan(n *node, key []string, start *Tuple, reverse bool, yield func(Tuple) bool) (more bool, err error) {
	count := len(n.tuples) + len(n.children)
	i := n.first(key, start, reverse)
	for ; i >= 0 && i < count; i += step(reverse) {
		if n.level == 0 {
			if !slices.Equal(n.tuples[i].Key, key) || !yield(n.tuples[i]) {
				return false, nil
			}
			continue
		}
		below, err := t.below(n, i)
		if err != nil {
			return false, err
		}
		if more, err := t.scan(below, key, start, reverse, yield); !more || err != nil {
			return false, err
		}
	}
	return true, nil
}

func step(reverse bool) int {
	if reverse {
		return -1
	}
	return 1
}

// first gives the part of n with which the walk begins.
func (n *node) first(key []string, start *Tuple, reverse bool) int {
	if n.level > 0 {
		return max(sort.Search(len(n.children), func(i int) bool { return beyond(n.children[i].Low, key, start, reverse) })-1, 0)
	}
	i := sort.Search(len(n.tuples), func(i int) bool { return beyond(n.tuples[i], key, start, reverse) })
	if reverse {
		return i - 1
	}
	return i
}

// beyond says whether x lies after the point at which the walk begins: the first tuple of a walk forward
// is the least one beyond, the first of a walk backward the greatest one that is not.
func beyond(x Tuple, key []string, start *Tuple, reverse bool) bool {
	if c := slices.Compare(x.Key, key); c != 0 {
		return c > 0
	}
	if start == nil {
		return !reverse
	}
	c := Compare(x, Tuple{key, start.At, start.ID})
	return c > 0 || reverse && c == 0
}

// Pages walks over all pages of the tree. enter is told of each page before anything below it and says whether to go
// there, leave once everything below it was walked over. Leaves are named, not loaded.
func (t *Tree) Pages(enter func(name string) bool, leave func(name string)) error {
	if t.root == "" || !enter(t.root) {
		return nil
	}
	if err := t.open(); err != nil {
		return err
	}
	if err := t.pages(t.node, enter, leave); err != nil {
		return err
	}
	leave(t.root)
	return nil
}

func (t *Tree) pages(n *node, enter func(name string) bool, leave func(name string)) error {
	for i := range n.children {
		page := n.children[i].Page
		if !enter(page) {
			continue
		}
		if n.level > 1 {
			below, err := t.below(n, i)
			if err != nil {
				return err
			}
			if err := t.pages(below, enter, leave); err != nil {
				return err
			}
			n.children[i].node = nil // a walk over everything keeps nothing
		}
		leave(page)
	}
	return nil
}

// All gives every tuple in order.
func (t *Tree) All(yield func(Tuple) error) error {
	if err := t.open(); err != nil || t.node == nil {
		return err
	}
	return t.all(t.node, yield)
}

func (t *Tree) all(n *node, yield func(Tuple) error) error {
	for _, x := range n.tuples {
		if err := yield(x); err != nil {
			return err
		}
	}
	for i := range n.children {
		below, err := t.below(n, i)
		if err != nil {
			return err
		}
		if err := t.all(below, yield); err != nil {
			return err
		}
		if n.children[i].Page != "" {
			n.children[i].node = nil
		}
	}
	return nil
}

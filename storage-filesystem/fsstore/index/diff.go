package index

// Added gives the name of every page of the tree that is not one of old, and reads no page that both have: pages are
// named by their content, so below two of one name everything is the same. What cannot be read of old counts as not
// there.
func (t *Tree) Added(old *Tree, yield func(page string) error) error {
	if t.root == "" || t.root == old.root {
		return nil
	}
	if err := t.open(); err != nil {
		return err
	}
	ours, theirs := map[string]bool{t.root: true}, map[string]bool{}
	level, top := t.node.level, -1
	if old.root != "" && old.open() == nil {
		top = old.node.level
		theirs = old.downTo(level)
	}
	for ; ; level-- {
		if level == top {
			theirs = map[string]bool{old.root: true}
		}
		below := map[string]bool{}
		for page := range ours {
			if theirs[page] {
				continue
			}
			if err := yield(page); err != nil {
				return err
			}
			if err := t.children(page, level, below); err != nil {
				return err
			}
		}
		if level == 0 {
			return nil
		}
		theirsBelow := map[string]bool{}
		for page := range theirs {
			if !ours[page] {
				_ = old.children(page, level, theirsBelow)
			}
		}
		ours, theirs = below, theirsBelow
	}
}

// downTo gives the pages on a level, none above the root.
func (t *Tree) downTo(level int) map[string]bool {
	if t.node.level < level {
		return map[string]bool{}
	}
	pages := map[string]bool{t.root: true}
	for at := t.node.level; at > level; at-- {
		below := map[string]bool{}
		for page := range pages {
			_ = t.children(page, at, below)
		}
		pages = below
	}
	return pages
}

// children adds the pages below a branch.
func (t *Tree) children(page string, level int, to map[string]bool) error {
	if level == 0 {
		return nil
	}
	n, err := t.fetch(page, level)
	if err != nil {
		return err
	}
	for i := range n.children {
		to[n.children[i].Page] = true
	}
	return nil
}

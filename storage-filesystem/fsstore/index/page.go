package index

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Bounds of a page.
const (
	MaxTuples   = 32
	MaxChildren = 16
	MaxBytes    = 64 << 10
	maxLevel    = 32
	hashLength  = 2 * sha256.Size
)

// Tuple is one place where something is listed. Order is by key, then position, then id.
type Tuple struct {
	Key []string
	At  int64
	ID  string
}

// maxPart is how long a part of a key is kept as it is, in bytes.
const maxPart = 128

// Key gives the form in which parts are the key of a tuple: long ones are replaced by their hash, so that
// every page stays small.
func Key(parts []string) []string {
	key := slices.Clone(parts)
	for i, part := range key {
		if len(part) > maxPart || strings.HasPrefix(part, "#") {
			key[i] = "#" + Name([]byte(part))
		}
	}
	return key
}

// Compare orders tuples.
func Compare(a, b Tuple) int {
	return cmp.Or(slices.Compare(a.Key, b.Key), cmp.Compare(a.At, b.At), strings.Compare(a.ID, b.ID))
}

// child is a page below another, and the least tuple that belongs there.
type child struct {
	Low  Tuple
	Page string
	node *node // once it was loaded or changed
}

// page is the stored form of a node: tuples on level 0, children above.
type page struct {
	Level    int64
	Tuples   []Tuple
	Children []child
}

var pageFormat = &strictjson.Object[page]{
	Name: "index page", Doc: "A part of an ordered set of tuples.", MaxBytes: MaxBytes,
	Members: func() []strictjson.Member[page] {
		return []strictjson.Member[page]{
			strictjson.Field("level", "0: a leaf", func(p *page) *int64 { return &p.Level }, strictjson.Int[int64](0, maxLevel)),
			strictjson.Field("tuples", "of a leaf, in order", func(p *page) *[]Tuple { return &p.Tuples }, strictjson.List(strictjson.Nested(tupleFormat), 0, MaxTuples)),
			strictjson.Field("children", "of a branch, in order", func(p *page) *[]child { return &p.Children }, strictjson.List(strictjson.Nested(childFormat), 0, MaxChildren)),
		}
	},
}

var tupleFormat = &strictjson.Object[Tuple]{
	Name: "tuple", Doc: "A place where something is listed.",
	Members: func() []strictjson.Member[Tuple] {
		return []strictjson.Member[Tuple]{
			strictjson.Field("key", "under what", func(t *Tuple) *[]string { return &t.Key }, strictjson.List(strictjson.Text(maxPart), 0, 4)),
			strictjson.Field("at", "its place in the order of commits", func(t *Tuple) *int64 { return &t.At }, strictjson.Int[int64](0, 1<<53)),
			strictjson.Field("id", "what is listed", func(t *Tuple) *string { return &t.ID }, strictjson.Line(200)),
		}
	},
}

var childFormat = &strictjson.Object[child]{
	Name: "child", Doc: "A page below.",
	Members: func() []strictjson.Member[child] {
		return []strictjson.Member[child]{
			strictjson.Field("low", "least tuple that belongs there", func(c *child) *Tuple { return &c.Low }, strictjson.Nested(tupleFormat)),
			strictjson.Field("page", "its name", func(c *child) *string { return &c.Page }, strictjson.Line(hashLength)),
		}
	},
}

// Name is the name of a page with that content.
func Name(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// ValidName says whether name can be the name of a page.
func ValidName(name string) bool {
	return len(name) == hashLength && strings.Trim(name, "0123456789abcdef") == ""
}

// decode reads the page called name and refuses everything that a tree would not have written there.
func decode(name string, content []byte) (*node, error) {
	if len(content) > MaxBytes || Name(content) != name {
		return nil, errors.New("its content is not what its name says")
	}
	p, err := pageFormat.Decode(content)
	if err != nil {
		return nil, err
	}
	n := &node{level: int(p.Level), tuples: p.Tuples, children: p.Children, name: name}
	return n, n.check()
}

func (n *node) check() error {
	if (n.level == 0) != (len(n.children) == 0) || (n.level == 0) == (len(n.tuples) == 0) {
		return fmt.Errorf("a page of level %d has %d tuples and %d children", n.level, len(n.tuples), len(n.children))
	}
	for i := 1; i < len(n.tuples); i++ {
		if Compare(n.tuples[i-1], n.tuples[i]) >= 0 {
			return fmt.Errorf("tuple %d is out of order", i)
		}
	}
	for i, c := range n.children {
		if !ValidName(c.Page) || i > 0 && Compare(n.children[i-1].Low, c.Low) >= 0 {
			return fmt.Errorf("child %d is out of order or has no name", i)
		}
	}
	return nil
}

// encode gives the content of a page; children must have names.
func (n *node) encode() ([]byte, error) {
	content, err := pageFormat.Append(nil, &page{int64(n.level), n.tuples, n.children})
	if err == nil && len(content) >= MaxBytes {
		err = fmt.Errorf("a page of %d tuples has %d bytes", len(n.tuples), len(content))
	}
	return append(content, '\n'), err
}

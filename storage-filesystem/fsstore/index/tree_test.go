package index_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/index"
)

// pages keeps pages in memory and counts how many are read.
type pages struct {
	content map[string][]byte
	reads   int
}

func newPages() *pages { return &pages{content: map[string][]byte{}} }

func (p *pages) load(name string) ([]byte, error) {
	p.reads++
	content, ok := p.content[name]
	if !ok {
		return nil, errors.New("no page " + name)
	}
	return content, nil
}

func (p *pages) save(name string, content []byte) error {
	if name != index.Name(content) || len(content) > index.MaxBytes {
		return fmt.Errorf("page %s of %d bytes", name, len(content))
	}
	p.content[name] = content
	return nil
}

func tuple(t *rapid.T) index.Tuple {
	return index.Tuple{
		Key: index.Key([]string{rapid.SampledFrom([]string{"", "a", "b", strings.Repeat("long", 50), "#"}).Draw(t, "key")}),
		At:  rapid.Int64Range(0, 60).Draw(t, "at"),
		ID:  rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "id"),
	}
}

// TestTreeIsASet compares a tree, saved and opened again at any moment, with a sorted slice.
func TestTreeIsASet(t *testing.T) {
	for _, least := range []int{0, 4} {
		t.Run(fmt.Sprint("least level ", least), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { set(t, least) })
		})
	}
}

func set(t *rapid.T, least int) {
	stored := newPages()
	tree := index.Open("", least, stored.load)
	var model []index.Tuple
	fail := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Repeat(map[string]func(*rapid.T){
		"insert many": func(t *rapid.T) {
			for range rapid.IntRange(1, 60).Draw(t, "n") {
				x := tuple(t)
				fail(tree.Insert(x))
				if i, found := slices.BinarySearchFunc(model, x, index.Compare); !found {
					model = slices.Insert(model, i, x)
				}
			}
		},
		"delete": func(t *rapid.T) {
			for range rapid.IntRange(1, 40).Draw(t, "n") {
				x := tuple(t)
				if len(model) > 0 && rapid.Bool().Draw(t, "existing") {
					x = model[rapid.IntRange(0, len(model)-1).Draw(t, "which")]
				}
				fail(tree.Delete(x))
				if i, found := slices.BinarySearchFunc(model, x, index.Compare); found {
					model = slices.Delete(model, i, i+1)
				}
			}
		},
		"save and open": func(t *rapid.T) {
			root, err := tree.Save(stored.save)
			fail(err)
			if (root == "") != (len(model) == 0) {
				t.Fatalf("root %q of %d tuples", root, len(model))
			}
			tree = index.Open(root, least, stored.load)
		},
		"scan": func(t *rapid.T) {
			from, reverse, bounded := tuple(t), rapid.Bool().Draw(t, "reverse"), rapid.Bool().Draw(t, "bounded")
			limit := rapid.IntRange(1, 50).Draw(t, "limit")
			start := &from
			if !bounded {
				start = nil
			}
			var want, got []index.Tuple
			for _, x := range model {
				c := index.Compare(x, from)
				if slices.Equal(x.Key, from.Key) && (!bounded || c > 0 && !reverse || c < 0 && reverse) {
					want = append(want, x)
				}
			}
			if reverse {
				slices.Reverse(want)
			}
			want = want[:min(limit, len(want))]
			fail(tree.Scan(from.Key, start, reverse, func(x index.Tuple) bool {
				got = append(got, x)
				return len(got) < limit
			}))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("scan of %q from %+v, reverse %v (-want +got):\n%s", from.Key, start, reverse, diff)
			}
		},
		"": func(t *rapid.T) {
			var got []index.Tuple
			fail(tree.All(func(x index.Tuple) error { got = append(got, x); return nil }))
			if diff := cmp.Diff(model, got); diff != "" && len(model)+len(got) > 0 {
				t.Fatalf("the set (-want +got):\n%s", diff)
			}
		},
	})
}

// TestCostIsHeight: with a least height, finding something reads the same number of pages in a small tree
// and in one with a hundred thousand tuples, filled in runs as ids and positions come.
func TestCostIsHeight(t *testing.T) {
	const least = 4
	reads := map[int]int{}
	for _, n := range []int{100, 100_000} {
		stored := newPages()
		tree := index.Open("", least, stored.load)
		for i := range n {
			author := fmt.Sprint("author-", i%7)
			if err := tree.Insert(index.Tuple{Key: []string{author}, At: int64(i), ID: fmt.Sprint("message-", i)}); err != nil {
				t.Fatal(err)
			}
		}
		root, err := tree.Save(stored.save)
		if err != nil {
			t.Fatal(err)
		}
		tree, stored.reads = index.Open(root, least, stored.load), 0
		if err := tree.Scan([]string{"author-3"}, nil, true, func(index.Tuple) bool { return false }); err != nil {
			t.Fatal(err)
		}
		reads[n] = stored.reads
		t.Logf("%d tuples in %d pages, a lookup reads %d", n, len(stored.content), stored.reads)
	}
	if reads[100] != reads[100_000] || reads[100] != least+1 {
		t.Errorf("pages read by number of tuples: %v, want %d", reads, least+1)
	}
}

// TestAdded compares the pages that a tree has beside those of an older one with what walks over both of them say,
// and reads nothing that both have.
func TestAdded(t *testing.T) {
	for _, least := range []int{0, 4} {
		t.Run(fmt.Sprint("least level ", least), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				stored := newPages()
				tree := index.Open("", least, stored.load)
				grow := func(n int) string {
					for range n {
						x := index.Tuple{Key: []string{"k"}, At: rapid.Int64Range(0, 3000).Draw(t, "at"), ID: "x"}
						change := tree.Insert
						if rapid.IntRange(0, 4).Draw(t, "gone") == 0 {
							change = tree.Delete
						}
						if err := change(x); err != nil {
							t.Fatal(err)
						}
					}
					root, err := tree.Save(stored.save)
					if err != nil {
						t.Fatal(err)
					}
					return root
				}
				before := grow(rapid.IntRange(0, 600).Draw(t, "before"))
				after := grow(rapid.IntRange(0, 60).Draw(t, "after"))
				if rapid.Bool().Draw(t, "smaller") {
					before, after = after, before
				}
				want, got := all(t, after, stored), map[string]bool{}
				for page := range all(t, before, stored) {
					delete(want, page)
				}
				err := index.Open(after, least, stored.load).Added(index.Open(before, least, stored.load), func(page string) error {
					got[page] = true
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("pages that were added (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// all gives every page of a tree.
func all(t *rapid.T, root string, stored *pages) map[string]bool {
	pages := map[string]bool{}
	err := index.Open(root, 0, stored.load).Pages(func(string) bool { return true }, func(page string) { pages[page] = true })
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// TestDamagedPage flips every byte of a page: it is never taken for what it was.
func TestDamagedPage(t *testing.T) {
	stored := newPages()
	tree := index.Open("", 0, stored.load)
	for i := range 20 {
		if err := tree.Insert(index.Tuple{Key: []string{"k"}, At: int64(i), ID: "id"}); err != nil {
			t.Fatal(err)
		}
	}
	root, err := tree.Save(stored.save)
	if err != nil {
		t.Fatal(err)
	}
	content := stored.content[root]
	for i := range content {
		damaged := slices.Clone(content)
		damaged[i] ^= 1
		stored.content[root] = damaged
		err := index.Open(root, 0, stored.load).Scan([]string{"k"}, nil, false, func(index.Tuple) bool { return true })
		var page *index.PageError
		if !errors.As(err, &page) {
			t.Fatalf("byte %d flipped: %v", i, err)
		}
	}
}

// FuzzPage feeds arbitrary bytes as a page under their true name.
func FuzzPage(f *testing.F) {
	f.Add([]byte(`{"level":0,"tuples":[{"key":["a"],"at":1,"id":"x"}],"children":[]}` + "\n"))
	f.Add([]byte(`{"level":1,"tuples":[],"children":[{"low":{"key":[],"at":1,"id":"x"},"page":"` + strings.Repeat("0", 64) + `"}]}` + "\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		name := index.Name(content)
		tree := index.Open(name, 0, func(string) ([]byte, error) { return content, nil })
		n := 0
		_ = tree.All(func(index.Tuple) error {
			if n++; n > index.MaxTuples {
				return errors.New("more tuples than a page holds")
			}
			return nil
		})
	})
}

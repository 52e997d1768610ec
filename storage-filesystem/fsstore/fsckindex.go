package fsstore

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/index"
)

// tally stands for a set of tuples in any order.
type tally struct {
	count int
	sum   [sha256.Size]byte // of their hashes, by exclusive or
}

// toggle puts x in, or takes it out again.
func (t *tally) toggle(x index.Tuple, by int) {
	h := sha256.New()
	var number [8]byte
	for _, part := range x.Key {
		binary.BigEndian.PutUint64(number[:], uint64(len(part)))
		h.Write(number[:])
		h.Write([]byte(part))
	}
	binary.BigEndian.PutUint64(number[:], uint64(x.At))
	h.Write(number[:])
	h.Write([]byte(x.ID))
	t.count += by
	for i, b := range h.Sum(nil) {
		t.sum[i] ^= b
	}
}

// expect notes where a record must be listed.
func (c *check) expect(key recordKey, stored core.Stored) {
	for _, k := range core.Keys(stored.Record) {
		x := index.Tuple{Key: index.Key(k.Key), At: int64(stored.Created), ID: key.id}
		if c.listed[k.Index] == nil {
			c.listed[k.Index] = &tally{}
		}
		c.listed[k.Index].toggle(x, 1)
	}
}

// checkIndexes compares what each index lists with what the records demand.
func (c *check) checkIndexes() error {
	if c.end.Generation == 0 {
		return nil
	}
	for key, m := range c.overlay.images {
		if m.record == nil {
			continue
		}
		stored, err := m.stored(key, journalDir)
		if err != nil {
			return nil // found already, in the frame
		}
		c.expect(key, stored)
	}
	snap := &snapshot{store: c.store, journal: c.journal, at: c.end, overlay: c.overlay, loads: c.loads, decoded: map[recordKey]core.Stored{}}
	var err error
	for again := true; again; { // as a reader finds those that answer
		if err = c.checkEach(snap); !isIndexFault(err) {
			break
		}
		var failed error
		if again, failed = c.loads.nextIndexes(c.journal); failed != nil {
			return failed
		}
	}
	switch {
	case errors.Is(err, errOvertaken) && c.headOurs:
		return errRestart
	case errors.Is(err, errOvertaken):
		c.primary(manifestFile, 0, "it names a frame that is not in the journal")
		return nil
	case isIndexFault(err):
		c.indexDoubt("the indexes cannot be used: " + err.Error())
		return nil
	}
	return err
}

func isIndexFault(err error) bool {
	var fault *indexFault
	var page *index.PageError
	return errors.As(err, &fault) || errors.As(err, &page)
}

// checkEach checks every index as a reader reads it.
func (c *check) checkEach(snap *snapshot) error {
	ix, err := snap.openIndexes()
	if err != nil {
		return err
	}
	for _, name := range core.Indexes {
		if err := c.checkIndex(snap, ix, name); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) checkIndex(snap *snapshot, ix *indexes, name core.Index) error {
	got := map[string]bool{} // what the frames after the manifest decide
	var sum tally
	tupleName := func(x index.Tuple) string { return fmt.Sprintf("%q %d %s", x.Key, x.At, x.ID) }
	changes, err := snap.changesOf(ix, indexKind(name))
	if err != nil {
		return err
	}
	last := map[string]index.Tuple{}
	for _, l := range changes {
		if l.index == name {
			got[tupleName(l.tuple)], last[tupleName(l.tuple)] = !l.gone, l.tuple
		}
	}
	for id, is := range got {
		if is {
			sum.toggle(last[id], 1)
		}
	}
	whole := true
	err = ix.tree(c.dir, name).All(func(x index.Tuple) error {
		if _, newer := got[tupleName(x)]; !newer {
			sum.toggle(x, 1)
			whole = c.witness(recordKey{indexKind(name), x.ID}, name) && whole
		}
		return nil
	})
	if err != nil || !whole {
		return err
	}
	var want tally
	if c.listed[name] != nil {
		want = *c.listed[name]
	}
	if sum != want {
		c.indexDoubt(fmt.Sprintf("index %s lists %d entries, and not those that the %d entries of the records are", name, sum.count, want.count))
	}
	return nil
}

// witness says whether a record that an index lists is there. Where the frames that made it were trimmed, nothing else
// would miss it, and nothing can bring it back.
func (c *check) witness(key recordKey, name core.Index) bool {
	_, known := c.images[key]
	_, unpublished := c.overlay.images[key]
	if c.begun == 0 || known || unpublished || c.seen[key] {
		return true
	}
	if !c.missed[key] {
		c.missed[key] = true
		c.doubts = append(c.doubts, doubt{key, Finding{File: key.file(), Problem: fmt.Sprintf("it is missing: index %s lists the record, and what made it was trimmed", name)}})
	}
	return false
}

// indexDoubt notes what is wrong with the indexes, unless a commit has come between.
func (c *check) indexDoubt(problem string) {
	c.doubts = append(c.doubts, doubt{recordKey{protocol.Kind(indexDir), ""}, Finding{File: manifestFile, Problem: problem, Derived: true}})
}

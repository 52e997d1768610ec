package fsstore

import (
	"fmt"
	"slices"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/index"
)

// keysVersion counts the changes of core.Keys. A frame that was written by other rules cannot be laid over
// an index of these.
const keysVersion = 1

// listing is a change of one place in one index.
type listing struct {
	index core.Index
	tuple index.Tuple
	gone  bool
}

// change adds to e what a transaction did to a record.
func (e *entry) change(key recordKey, c *stagedRecord) {
	kind, id := string(key.kind), key.id
	existed := c.before.Record != nil
	before := placesOf(c.before.Record)
	if existed && (c.raw == nil || c.stored.Created != c.before.Created) { // gone, perhaps made again
		e.Removes = append(e.Removes, removal{kind, id, int64(c.before.Created), before})
		existed = false
	}
	if c.raw == nil {
		return
	}
	p := put{Kind: kind, ID: id, Created: int64(c.stored.Created), Record: c.raw}
	if existed {
		after := placesOf(c.stored.Record)
		p.Unlisted, p.Listed = without(before, after), without(after, before)
	}
	e.Puts = append(e.Puts, p)
}

// placesOf gives the places of a record in the indexes: the name of an index, then the parts of a key.
func placesOf(r protocol.Record) [][]string {
	if r == nil {
		return nil
	}
	keys := core.Keys(r)
	all := make([][]string, len(keys))
	for i, k := range keys {
		all[i] = append([]string{string(k.Index)}, k.Key...)
	}
	return all
}

// without gives the places of a that are not in b.
func without(a, b [][]string) [][]string {
	var left [][]string
	for _, place := range a {
		if !slices.ContainsFunc(b, func(other []string) bool { return slices.Equal(place, other) }) {
			left = append(left, place)
		}
	}
	return left
}

// listings gives, in order, every change that e made to indexes about kind, or to all if kind is "". decode
// reads a new record, which takes the places that core derives from it.
func (e *entry) listings(kind protocol.Kind, decode func(recordKey, image) (core.Stored, error), yield func(listing)) error {
	if e.Keys != keysVersion {
		return fmt.Errorf("generation %d lists its records by the rules of version %d, not %d", e.place.Generation, e.Keys, keysVersion)
	}
	change := func(places [][]string, created int64, id string, gone bool) {
		for _, place := range places {
			yield(listing{core.Index(place[0]), index.Tuple{Key: index.Key(place[1:]), At: created, ID: id}, gone})
		}
	}
	for _, r := range e.Removes {
		if kind == "" || r.Kind == string(kind) {
			change(r.Unlisted, r.Created, r.ID, true)
		}
	}
	for _, p := range e.Puts {
		if kind != "" && p.Kind != string(kind) {
			continue
		}
		change(p.Unlisted, p.Created, p.ID, true)
		if uint64(p.Created) != e.place.Generation {
			change(p.Listed, p.Created, p.ID, false)
			continue
		}
		stored, err := decode(recordKey{protocol.Kind(p.Kind), p.ID}, image{e.place.Generation, uint64(p.Created), p.Record})
		if err != nil {
			return err
		}
		change(placesOf(stored.Record), p.Created, p.ID, false)
	}
	return nil
}

// listings gives the changes that a transaction has made so far.
func (c *stagedRecord) listings(key recordKey, yield func(listing)) {
	each := func(stored core.Stored, gone bool) {
		for _, place := range placesOf(stored.Record) {
			yield(listing{core.Index(place[0]), index.Tuple{Key: index.Key(place[1:]), At: int64(stored.Created), ID: key.id}, gone})
		}
	}
	each(c.before, true)
	each(c.stored, false)
}

package fsstore

import (
	"slices"

	"github.com/acc-control-plane/acc/protocol"
)

// overlay holds what frames say that may not be in the state files yet: whoever reads a record looks
// here first.
type overlay struct {
	images  map[recordKey]image
	entries []entry
	bytes   int64 // of the frames
}

func newOverlay() *overlay { return &overlay{images: map[recordKey]image{}} }

// add lays later frames over earlier ones.
func (o *overlay) add(entries []entry) {
	for i := range entries {
		e := &entries[i]
		for _, r := range e.Removes {
			o.images[recordKey{protocol.Kind(r.Kind), r.ID}] = image{generation: e.place.Generation}
		}
		for _, p := range e.Puts {
			key := recordKey{protocol.Kind(p.Kind), p.ID}
			o.images[key] = image{e.place.Generation, uint64(p.Created), p.Record}
		}
		o.bytes += int64(e.Size)
	}
	o.entries = append(o.entries, entries...)
}

// keys gives the records that o knows, in order.
func (o *overlay) keys() []recordKey {
	keys := make([]recordKey, 0, len(o.images))
	for key := range o.images {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

// touched says whether any of entries changed a record or a kind that was read.
func (c *loads) touched(entries []entry) bool {
	for i := range entries {
		for _, p := range entries[i].Puts {
			if c.has(protocol.Kind(p.Kind), p.ID) {
				return true
			}
		}
		for _, r := range entries[i].Removes {
			if c.has(protocol.Kind(r.Kind), r.ID) {
				return true
			}
		}
	}
	return false
}

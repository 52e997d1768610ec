package fsstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/frame"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/index"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// RebuildIndexes makes the indexes again from the records, once these have been compared with the journal as far as
// it goes back: a record that differs, or is missing, is refused and not forgotten. It is for commands: it holds the
// writer lock for as long as it takes to read everything, and gives up at the deadline of ctx, leaving the old ones.
func (s *Store) RebuildIndexes(ctx context.Context) error {
	return s.write(ctx, func(w *writing) error { return w.rebuildIndexes(ctx) })
}

func (w *writing) rebuildIndexes(ctx context.Context) error {
	if w.last.Generation == 0 {
		return nil
	}
	w.store.step(StepRebuild)
	r := &rebuilding{writing: w, ctx: ctx, images: map[recordKey]digest{}, seen: map[recordKey]bool{}, tuples: map[core.Index][]index.Tuple{}}
	for _, step := range []func() error{r.readJournal, r.readRecords, r.missing, r.witnesses} {
		if err := step(); err != nil {
			return err
		}
	}
	ix := &indexes{manifest: &manifest{}, upTo: w.last, trees: map[core.Index]*index.Tree{}}
	for name, all := range r.tuples {
		slices.SortFunc(all, index.Compare) // ascending, so that the pages become full
		tree := ix.tree(w.dir, name)
		for _, x := range all {
			if err := tree.Insert(x); err != nil {
				return indexUnavailable(err.Error())
			}
		}
	}
	return w.saveIndexes(ix)
}

// rebuilding makes indexes from records that have been verified.
type rebuilding struct {
	*writing
	ctx    context.Context
	begun  uint64               // generation before the oldest segment: what is older was trimmed
	images map[recordKey]digest // what the journal says of each record
	seen   map[recordKey]bool   // records that exist
	tuples map[core.Index][]index.Tuple
}

// readJournal reads every frame that is left and remembers the last image of each record.
func (r *rebuilding) readJournal() error {
	oldest, err := r.journal.begin(place{})
	if err != nil {
		return err
	}
	r.begun = oldest.last.Generation
	err = r.journal.walk(place{}, r.last, func(e *entry) bool {
		for _, gone := range e.Removes {
			r.images[recordKey{protocol.Kind(gone.Kind), gone.ID}] = digest{generation: e.place.Generation, removed: true}
		}
		for _, p := range e.Puts {
			r.images[recordKey{protocol.Kind(p.Kind), p.ID}] = digest{generation: e.place.Generation, created: uint64(p.Created), crc: frame.Checksum(p.Record)}
		}
		return r.ctx.Err() == nil
	})
	if err == nil && r.ctx.Err() != nil {
		err = tooLate(r.ctx.Err())
	}
	return err
}

// readRecords reads every record as it is after the last frame.
func (r *rebuilding) readRecords() error {
	for _, kind := range protocol.Kinds {
		keys, err := listState(r.dir, kind)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := r.ctx.Err(); err != nil {
				return tooLate(err)
			}
			if _, unpublished := r.overlay.images[key]; unpublished {
				continue
			}
			if err := r.readFile(key); err != nil {
				return err
			}
		}
	}
	for _, key := range r.overlay.keys() {
		if m := r.overlay.images[key]; m.record != nil {
			if err := r.list(key, m, journalDir); err != nil {
				return err
			}
		}
	}
	return nil
}

// readFile reads a state file and compares it with the journal.
func (r *rebuilding) readFile(key recordKey) error {
	raw, err := r.dir.ReadFile(key.file(), maxState)
	if vfs.Missing(err) {
		return nil
	}
	if err != nil {
		return readError(key.file(), err)
	}
	m, err := decodeState(key, raw)
	if err != nil {
		return repairable(err)
	}
	want, known := r.images[key]
	switch got := (digest{generation: m.generation, created: m.created, crc: frame.Checksum(m.compact().record)}); {
	case known && want.removed:
		return differs(key, "the record was removed")
	case known && want != got:
		return differs(key, "it is not what the journal says")
	case !known && (r.begun == 0 || m.generation > r.begun):
		return differs(key, "the journal does not know the record")
	}
	return r.list(key, m, key.file())
}

// list notes a record and where it is listed.
func (r *rebuilding) list(key recordKey, m image, where string) error {
	stored, err := m.stored(key, where)
	if err != nil {
		return repairable(err)
	}
	r.seen[key] = true
	for _, k := range core.Keys(stored.Record) {
		r.tuples[k.Index] = append(r.tuples[k.Index], index.Tuple{Key: index.Key(k.Key), At: int64(stored.Created), ID: key.id})
	}
	return nil
}

// missing looks for records that the journal knows and that are not there.
func (r *rebuilding) missing() error {
	for key, want := range r.images {
		if !want.removed && !r.seen[key] {
			return lost(key, "the journal has the record")
		}
	}
	return nil
}

// witnesses asks the indexes that are there, damaged as they may be, for records that nobody else would miss, because
// the frames that made them were trimmed.
func (r *rebuilding) witnesses() error {
	if r.begun == 0 {
		return nil
	}
	for base := range bases {
		m, err := readBase(r.dir, base, r.journal.tag)
		if err != nil {
			return err
		}
		if m == nil || m.Generation < r.begun {
			continue
		}
		if err := r.listedBy(m); err != nil {
			return err
		}
	}
	return nil
}

func (r *rebuilding) listedBy(m *manifest) error {
	ix := &indexes{manifest: m, trees: map[core.Index]*index.Tree{}}
	var fault error
	for _, name := range core.Indexes {
		_ = ix.tree(r.dir, name).All(func(x index.Tuple) error { // as far as it can be read
			key := recordKey{indexKind(name), x.ID}
			if _, known := r.images[key]; !known && !r.seen[key] && fault == nil {
				fault = lost(key, fmt.Sprintf("index %s lists the record, and what made it was trimmed", name))
			}
			return fault
		})
		if fault != nil {
			return fault
		}
	}
	return nil
}

// differs says that a state file is not what it must be.
func differs(key recordKey, why string) error { return repairable(corrupt(key.file(), 0, why)) }

// repairable gives a fault of a state file the command that may mend it.
func repairable(err error) error {
	if e, ok := err.(*protocol.Error); ok {
		return e.WithHint("acc doctor --repair")
	}
	return err
}

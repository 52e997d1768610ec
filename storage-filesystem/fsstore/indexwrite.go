package fsstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/index"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// How far the indexes may fall behind before a commit brings them up to date. Readers lay the frames
// between over them, so this weighs what every read parses against what every commit writes.
const (
	lagFrames = 16
	lagBytes  = 48 << 10
)

// historyLevel is the height of the indexes that grow with history, so that looking something up in them
// costs the same from the first entry to some hundreds of thousands.
const historyLevel = 4

func leastLevel(name core.Index) int {
	switch name {
	case core.MessageByClientKey, core.MessagesInOrder, core.MessagesByKind, core.ThreadMessages, core.DecisionSuccessors,
		core.ReceiptsByMessage, core.SessionsByParticipant:
		return historyLevel
	}
	return 0
}

// updateIndexes brings the indexes up to the last frame when they have fallen far enough behind.
func (w *writing) updateIndexes() error {
	m := w.manifest.orEmpty()
	near := m.Segment == 0 || m.Segment == w.last.Segment
	if near && w.last.Generation-m.Generation < lagFrames && w.last.End-m.End < lagBytes {
		return nil
	}
	return w.catchUp()
}

// catchUp brings the indexes up to the last frame.
func (w *writing) catchUp() error {
	m := w.manifest.orEmpty()
	lag := w.last.Generation - m.Generation
	if lag == 0 {
		return nil
	}
	if lag > maxLag {
		return indexUnavailable(fmt.Sprintf("they are %d generations behind", lag))
	}
	w.store.step(StepIndex)
	snap := w.snapshot()
	snap.loads.indexes = &indexes{manifest: m, upTo: m.place, trees: map[core.Index]*index.Tree{}}
	ix, err := snap.openIndexes()
	if err != nil {
		return indexUnavailable(err.Error()).Because(err)
	}
	for i := range ix.frames {
		var failed error
		err := ix.frames[i].listings("", storedInFrame, func(l listing) {
			if failed == nil {
				failed = change(snap.tree(ix, l.index), l)
			}
		})
		if err = errors.Join(err, failed); err != nil {
			return indexUnavailable(err.Error()).Because(err)
		}
	}
	return w.saveIndexes(ix)
}

func storedInFrame(key recordKey, m image) (core.Stored, error) { return m.stored(key, journalDir) }

func change(t *index.Tree, l listing) error {
	if l.gone {
		return t.Delete(l.tuple)
	}
	return t.Insert(l.tuple)
}

// saveIndexes writes the pages that changed and then the manifest that names them.
func (w *writing) saveIndexes(ix *indexes) error {
	next := &manifest{place: w.last, roots: map[core.Index]string{}}
	for name, root := range ix.manifest.roots {
		next.roots[name] = root
	}
	for name, tree := range ix.trees {
		root, err := tree.Save(func(page string, content []byte) error {
			w.store.step(StepIndexPage)
			return replace(w.dir, "", pageFile(page), content)
		})
		if err != nil {
			return writeError(pagesDir, err)
		}
		next.roots[name] = root
	}
	raw, err := next.encode(w.journal.tag)
	if err == nil {
		w.store.step(StepManifest)
		err = replace(w.dir, "", manifestFile, raw)
	}
	if err != nil {
		return writeError(manifestFile, err)
	}
	w.manifest = next
	return nil
}

// RebuildIndexes makes the indexes again from the records. It is for commands: it holds the writer lock
// for as long as it takes to read every record, and gives up at the deadline of ctx, leaving the old ones.
func (s *Store) RebuildIndexes(ctx context.Context) error {
	return s.write(ctx, func(w *writing) error { return w.rebuildIndexes(ctx) })
}

func (w *writing) rebuildIndexes(ctx context.Context) error {
	if w.last.Generation == 0 {
		return nil
	}
	w.store.step(StepRebuild)
	tuples := map[core.Index][]index.Tuple{}
	for _, kind := range protocol.Kinds {
		err := w.eachRecord(ctx, kind, func(key recordKey, stored core.Stored) {
			for _, k := range core.Keys(stored.Record) {
				tuples[k.Index] = append(tuples[k.Index], index.Tuple{Key: index.Key(k.Key), At: int64(stored.Created), ID: key.id})
			}
		})
		if err != nil {
			return err
		}
	}
	ix := &indexes{manifest: &manifest{}, trees: map[core.Index]*index.Tree{}}
	for name, all := range tuples {
		slices.SortFunc(all, index.Compare) // ascending, so that the pages become full
		tree := index.Open("", leastLevel(name), nil)
		for _, x := range all {
			if err := tree.Insert(x); err != nil {
				return indexUnavailable(err.Error())
			}
		}
		ix.trees[name] = tree
	}
	return w.saveIndexes(ix)
}

// eachRecord gives every record of a kind as it is after the last frame.
func (w *writing) eachRecord(ctx context.Context, kind protocol.Kind, yield func(recordKey, core.Stored)) error {
	keys, err := listState(w.dir, kind)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return tooLate(err)
		}
		if _, newer := w.overlay.images[key]; newer {
			continue
		}
		raw, err := w.dir.ReadFile(key.file(), maxState)
		if vfs.Missing(err) {
			continue
		}
		if err != nil {
			return readError(key.file(), err)
		}
		m, err := decodeState(key, raw)
		if err != nil {
			return err
		}
		stored, err := m.stored(key, key.file())
		if err != nil {
			return err
		}
		yield(key, stored)
	}
	for _, key := range w.overlay.keys() {
		m := w.overlay.images[key]
		if key.kind != kind || m.record == nil {
			continue
		}
		stored, err := m.stored(key, journalDir)
		if err != nil {
			return err
		}
		yield(key, stored)
	}
	return nil
}

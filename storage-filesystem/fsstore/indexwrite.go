package fsstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/index"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
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

// What one catching up does, in frames.
const (
	catchUpMost = 1024 // behind which a commit leaves the indexes to a command
	catchUpStep = 4096 // after which the pages are written, so that not all of them are kept in memory
)

// updateIndexes brings the indexes up to the last frame when they have fallen far enough behind.
func (w *writing) updateIndexes() error {
	if !w.lagging(w.manifest.placeOf()) {
		return nil
	}
	return w.catchUp(context.Background(), w.manifest, catchUpMost, maxLag) // it is bounded, and the commit is decided
}

// catchUp brings the indexes up to the last frame, from m or, if that is nil or cannot be used, from an older base.
// None may be more than most frames behind, and no more than young frames are made into indexes from the beginning.
func (w *writing) catchUp(ctx context.Context, m *manifest, most, young uint64) error {
	fault := faultf("there is none that is at most %d generations behind", most)
	for base, name := range bases {
		if name == "" {
			most = young
		}
		if base > 0 {
			var err error
			if m, err = readBase(w.dir, base, w.journal.tag); err != nil {
				return err
			}
		}
		if m == nil || m.Generation > w.last.Generation || w.last.Generation-m.Generation > most {
			continue
		}
		err := w.rollForward(ctx, m)
		var unusable *indexFault
		if !errors.As(err, &unusable) {
			return err
		}
		fault = err
	}
	return indexUnavailable(fault.Error()).Because(fault)
}

// rollForward does to the indexes at m what the frames after it say.
func (w *writing) rollForward(ctx context.Context, m *manifest) error {
	for m.place != w.last {
		w.store.step(StepIndex)
		ix := &indexes{manifest: m, upTo: m.place, trees: map[core.Index]*index.Tree{}}
		frames := 0
		var failed error
		err := w.journal.walk(m.place, w.last, func(e *entry) bool {
			if frames++; e.place.Generation != ix.upTo.Generation+1 {
				failed = fmt.Errorf("generation %d is not in the journal any more", ix.upTo.Generation+1)
				return false
			}
			failed = w.apply(ix, e)
			ix.upTo = e.place
			return failed == nil && ctx.Err() == nil && frames < catchUpStep
		})
		switch err = errors.Join(err, failed); {
		case err != nil:
			return &indexFault{err}
		case ctx.Err() != nil:
			return tooLate(ctx.Err())
		case frames == 0:
			return faultf("generation %d, up to which they go, is not in the journal", m.Generation)
		}
		if err := w.saveIndexes(ix); err != nil {
			return err
		}
		m = w.manifest
	}
	return nil
}

// apply does to the indexes what a frame says.
func (w *writing) apply(ix *indexes, e *entry) (failed error) {
	err := e.listings("", storedInFrame, func(l listing) {
		if failed == nil {
			failed = change(ix.tree(w.dir, l.index), l)
		}
	})
	return errors.Join(err, failed)
}

func storedInFrame(key recordKey, m image) (core.Stored, error) { return m.stored(key, journalDir) }

func change(t *index.Tree, l listing) error {
	if l.gone {
		return t.Delete(l.tuple)
	}
	return t.Insert(l.tuple)
}

// saveIndexes writes the pages that changed and then the manifest that names them, after the frame up to which
// the indexes go.
func (w *writing) saveIndexes(ix *indexes) error {
	next := &manifest{place: ix.upTo, roots: map[core.Index]string{}}
	for name, root := range ix.manifest.roots {
		next.roots[name] = root
	}
	for name, tree := range ix.trees {
		root, err := tree.Save(w.savePage)
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

// savePage writes a page. One that is there stays, and only counts as new for the sweep: it may have been flushed,
// which what replaces it is not.
func (w *writing) savePage(page string, content []byte) error {
	w.store.step(StepIndexPage)
	if there, err := w.dir.ReadFile(pageFile(page), index.MaxBytes); err == nil && bytes.Equal(there, content) {
		if err := w.dir.Touch(pageFile(page)); !vfs.Missing(err) {
			return err
		}
	}
	return replaceNew(w.dir, "", pageFile(page), content)
}

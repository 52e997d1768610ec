package fsstore

import (
	"context"
	"path"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// RepairReport says what a repair did.
type RepairReport struct {
	State   int  // state files that were made again, or removed because the journal knows no such record
	Indexes bool // the indexes were made again
	Left    []Finding
}

// Repair makes every derived file again that differs from the journal. Primary data is never touched: if
// anything is wrong with it, nothing is changed at all and it is returned as what is left. It holds the writer
// lock for as long as a check of everything takes.
func (s *Store) Repair(ctx context.Context) (RepairReport, error) {
	var report RepairReport
	err := s.write(ctx, func(w *writing) error { return w.repair(ctx, &report) })
	return report, err
}

func (w *writing) repair(ctx context.Context, report *RepairReport) error {
	found, err := w.store.Fsck(ctx)
	if err != nil {
		return err
	}
	wrong := map[string]bool{}
	for _, f := range found.Findings {
		if !f.Derived {
			report.Left = found.Findings
			return nil
		}
		wrong[f.File] = true
	}
	if len(wrong) == 0 {
		return nil
	}
	if err := w.remakeState(ctx, wrong, report); err != nil {
		return err
	}
	if err := w.rebuildIndexes(ctx); err != nil {
		return err
	}
	report.Indexes = true
	after, err := w.store.Fsck(ctx)
	report.Left = after.Findings
	return err
}

// remakeState makes the state files that are wrong what the journal says, durably: the checkpoint may vouch
// for them already.
func (w *writing) remakeState(ctx context.Context, wrong map[string]bool, report *RepairReport) error {
	images := map[recordKey]image{}
	err := w.journal.walk(place{}, w.last, func(e *entry) bool {
		for _, r := range e.Removes {
			delete(images, recordKey{protocol.Kind(r.Kind), r.ID})
		}
		for _, p := range e.Puts {
			if key := (recordKey{protocol.Kind(p.Kind), p.ID}); wrong[key.file()] {
				images[key] = image{e.place.Generation, uint64(p.Created), append([]byte(nil), p.Record...)}
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	for key, m := range images {
		if err := ctx.Err(); err != nil {
			return tooLate(err)
		}
		data, err := m.state(key)
		if err != nil {
			return err
		}
		w.store.step(StepRepair)
		if err := makeBelow(w.dir, stateDir, key.dir()); err != nil {
			return writeError(key.file(), err)
		}
		if err := replaceDurably(w.dir, key.file(), data); err != nil {
			return writeError(key.file(), err)
		}
		if err := w.syncParents(key); err != nil {
			return err
		}
		delete(wrong, key.file())
		report.State++
	}
	return w.removeUnknown(wrong, report)
}

// syncParents makes the directories durable that may have been made for a state file.
func (w *writing) syncParents(key recordKey) error {
	for _, dir := range []string{path.Dir(key.dir()), stateDir, ""} {
		if err := w.dir.SyncDir(dir); err != nil {
			return writeError(key.file(), err)
		}
	}
	return nil
}

// removeUnknown removes the state files of records that the journal does not know.
func (w *writing) removeUnknown(wrong map[string]bool, report *RepairReport) error {
	for file := range wrong {
		if file == manifestFile {
			continue
		}
		w.store.step(StepRepair)
		if err := w.dir.Remove(file); err != nil && !vfs.Missing(err) {
			return writeError(file, err)
		}
		if err := w.dir.SyncDir(path.Dir(file)); err != nil && !vfs.Missing(err) {
			return writeError(file, err)
		}
		report.State++
	}
	return nil
}

package fsstore

import (
	"context"
	"fmt"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/frame"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// writing is one writer that holds the lock. Its steps are numbered in docs/storage.md.
type writing struct {
	store   *Store
	dir     vfs.Dir
	journal journal

	head, applied, checkpoint *mark
	manifest                  *manifest // of the indexes; nil: there is none that can be read

	last     place    // of the last frame
	segment  uint64   // where the next frame belongs; 0: in the first segment, which does not exist
	offset   int64    // ... and begins
	from     place    // state is published up to here
	overlay  *overlay // the frames after it
	gap      bool     // some frame up to last is not published
	solo     bool     // nothing was committed in this room yet, and it has no identity
	vanished bool     // the lock file of such a room was removed: the lock protects nothing any more
}

// recover makes the store what its last complete frame says, whatever the writers before this one and
// the power have left behind. Nothing may be appended before it has succeeded.
func (w *writing) recover(ctx context.Context) error {
	w.store.step(StepRecoverRead)
	if err := w.readMarks(); err != nil {
		return err
	}
	w.store.step(StepRecoverScan)
	found, err := w.scan()
	if err != nil {
		return err
	}
	if err := w.cutTorn(found); err != nil {
		return err
	}
	if err := w.adopt(found); err != nil {
		return err
	}
	if err := w.putHead(); err != nil {
		return err
	}
	if w.owes() {
		w.publish(ctx)
	}
	return nil
}

// readMarks reads what is said of the journal and decides from where state must be published.
func (w *writing) readMarks() (err error) {
	if w.head, err = readMark(w.dir, headFile); err != nil {
		return err
	}
	if w.applied, err = readMark(w.dir, appliedFile); err != nil {
		return err
	}
	if w.checkpoint, err = readMark(w.dir, checkpointFile); err != nil {
		return err
	}
	if w.manifest, err = readManifest(w.dir, manifestFile, w.journal.tag); err != nil {
		return err
	}
	if _, err := w.dir.Stat(stateDir); vfs.Missing(err) {
		return w.forgetState()
	}
	w.from = w.checkpoint.placeOf()
	if w.store.ours(w.applied) {
		w.from = w.applied.place
	}
	return nil
}

// forgetState takes back every promise about a state directory that is gone, so that everything is
// published again from the journal, by this writer or, if it is killed, by the next.
func (w *writing) forgetState() error {
	if err := w.journal.holdsEverything(); err != nil {
		return err
	}
	if w.checkpoint != nil {
		if err := w.dir.Remove(checkpointFile); err != nil && !vfs.Missing(err) {
			return writeError(checkpointFile, err)
		}
		if err := w.dir.SyncDir(journalDir); err != nil {
			return writeError(checkpointFile, err)
		}
		w.store.diagnose(protocol.DataError("", "the state directory is gone and is made again from the journal"))
	}
	if err := w.dir.Remove(appliedFile); err != nil && !vfs.Missing(err) {
		return writeError(appliedFile, err)
	}
	w.applied, w.checkpoint, w.from = nil, nil, place{}
	return mkdir(w.dir, stateDir)
}

// scan finds the last complete frame and refuses a journal that cannot have become so by a crash.
func (w *writing) scan() (scanned, error) {
	found, err := w.journal.scan(w.from)
	if vfs.Missing(err) {
		return found, corrupt(segmentFile(found.segment), 0, "the segment is gone")
	}
	if err != nil {
		return found, err
	}
	named := max(w.head.generationOf(), w.applied.generationOf(), w.checkpoint.generationOf(), w.manifest.placeOf().Generation)
	if found.tail.corrupt == "" && !w.store.ours(w.head) {
		if err := w.journal.lastSegment(&found); err != nil {
			return found, err
		}
	}
	switch {
	case found.tail.corrupt != "":
		return found, found.tail.corruption()
	case found.last.Generation < named:
		return found, missingFrames(found, named)
	case len(found.entries) == 0:
		if err := w.journal.holds(found.last); err != nil {
			return found, err
		}
	}
	w.last, w.segment, w.offset = found.last, found.segment, found.offset
	w.overlay = newOverlay()
	w.overlay.add(found.entries)
	return found, nil
}

// cutTorn removes the trace of a crash behind the last frame, after keeping a copy of it.
func (w *writing) cutTorn(found scanned) error {
	t := found.tail
	if t.file == "" {
		return nil
	}
	w.store.step(StepRecoverKeep)
	kept := fmt.Sprintf("%s/torn-%s-%08x", journalDir, protocol.FormatSequence(found.last.Generation+1), frame.Checksum(t.bytes))
	if err := replaceDurably(w.dir, kept, t.bytes); err != nil {
		return writeError(kept, err)
	}
	w.store.step(StepRecoverCut)
	f, err := w.dir.Open(t.file, vfs.Write)
	if err != nil {
		return writeError(t.file, err)
	}
	defer f.Close()
	if err := f.Truncate(t.offset); err != nil {
		return writeError(t.file, err)
	}
	w.store.step(StepRecoverCutSync)
	if err := f.Sync(); err != nil {
		return writeError(t.file, err)
	}
	return nil
}

// adopt makes sure of the last frame when nobody of this boot vouches for it: its writer may have been
// killed before the flush, or the flush may have failed and left pages that only look clean. The bytes
// are written again over themselves, so that at no moment less of them is there.
func (w *writing) adopt(found scanned) error {
	if w.last.Start == 0 || w.store.ours(w.head) && w.last.Generation <= w.head.Generation {
		return nil
	}
	w.store.step(StepRecoverAdopt)
	file := segmentFile(w.last.Segment)
	data, err := w.journal.readFrom(file, w.last.Start, w.last.End-w.last.Start)
	if err != nil {
		return err
	}
	if f, problem := frame.Parse(data, w.journal.tag, w.last.Generation, nil); problem != "" || f.CRC != w.last.CRC {
		return corrupt(file, w.last.Start, "the frame changed while it was read")
	}
	f, err := w.dir.Open(file, vfs.Write)
	if err != nil {
		return writeError(file, err)
	}
	defer f.Close()
	if _, err := f.WriteAt(data, w.last.Start); err != nil {
		return writeError(file, err)
	}
	w.store.step(StepRecoverFlush)
	if err := f.Sync(); err != nil {
		return writeError(file, err)
	}
	return nil
}

// putHead vouches for the last frame in the name of this boot, also in an empty store.
func (w *writing) putHead() error {
	if w.store.ours(w.head) && w.head.place == w.last {
		return nil
	}
	w.store.step(StepRecoverHead)
	return w.replaceMark(headFile, w.last)
}

func (w *writing) replaceMark(name string, at place) error {
	m := &mark{w.store.bootID, at}
	before := w.head
	if name == appliedFile {
		before = w.applied
	}
	if err := replaceMark(w.dir, name, m, w.store.ours(before)); err != nil {
		return writeError(name, err)
	}
	if name == headFile {
		w.head = m
	} else {
		w.applied = m
	}
	return nil
}

package fsstore

import (
	"context"
	"errors"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// Bounds of a read. A restart needs a first recovery of this boot, or a deletion, in between; a rerun
// needs a commit that touched what was read, and then nothing is read twice.
const (
	maxRestarts = 8
	maxReruns   = 32
)

// errRestart says that what was read cannot be made into one snapshot: everything is read again.
var errRestart = errors.New("the store was recovered or changed hands while it was read")

// errOvertaken says that a record on disk is newer than the snapshot: a writer has committed meanwhile.
var errOvertaken = errors.New("the snapshot was overtaken by a commit")

// errStateGone says that somebody has deleted the state directory: the journal alone has the answer.
var errStateGone = protocol.DataError(protocol.ReasonStoreCorrupt, "the state directory was deleted while it was read").
	WithHint("try again: it is made again from the journal")

// View implements core.Store.
func (s *Store) View(ctx context.Context, fn func(core.Reader) error) error {
	if err := s.usable(); err != nil {
		return err
	}
	stateGone := false
	for range maxRestarts {
		if err := ctx.Err(); err != nil {
			return protocol.TimeoutError("", "the deadline passed while the store was read").Because(err)
		}
		err := s.viewOnce(ctx, fn, stateGone)
		switch {
		case errors.Is(err, errStateGone) && !stateGone:
			stateGone = true
		case errors.Is(err, errRebuild):
			if err := s.RebuildIndexes(ctx); err != nil {
				return err
			}
		case errors.Is(err, errRestart) || errors.Is(err, errStateGone):
		default:
			return err
		}
	}
	return protocol.ConflictError("", "the store was recovered again and again while it was read").WithHint("acc doctor")
}

func (s *Store) viewOnce(ctx context.Context, fn func(core.Reader) error, stateGone bool) error {
	dir, err := s.openDir()
	if err != nil {
		return err
	}
	if dir == nil {
		return fn(emptySnapshot{})
	}
	defer dir.Close()
	id, found, err := s.settled(dir, false)
	if err != nil {
		return err
	}
	if !found {
		return s.viewSolo(dir, fn)
	}
	r := &reading{
		store: s, dir: dir, journal: journal{dir, id.tag()},
		loads: newLoads(dir), decoded: map[recordKey]core.Stored{}, stateGone: stateGone,
	}
	if err := r.start(); err != nil {
		return err
	}
	return r.run(ctx, fn)
}

// viewSolo runs fn on a room in which nothing was committed yet.
func (s *Store) viewSolo(dir vfs.Dir, fn func(core.Reader) error) error {
	snap := &snapshot{store: s, journal: journal{dir: dir}, overlay: newOverlay(), loads: newLoads(dir), decoded: map[recordKey]core.Stored{}}
	s.step(StepReadRun)
	answer := fn(snap)
	s.step(StepReadFinal)
	if _, found, err := s.settled(dir, false); err != nil {
		return err
	} else if found {
		return errRestart // somebody has shared the room: what was solo counts for nothing
	}
	return answer
}

// reading is one attempt to read a snapshot; the steps are numbered in docs/storage.md.
type reading struct {
	store     *Store
	dir       vfs.Dir
	journal   journal
	stateGone bool // the state directory is gone, or was a moment ago: it counts for nothing

	head     *mark
	headOurs bool
	end      place // of what is read
	overlay  *overlay
	loads    *loads
	decoded  map[recordKey]core.Stored
}

// start reads the marks and the frames between what is published and what is committed. The start
// comes from applied's boot alone, the end from head's boot alone.
func (r *reading) start() error {
	s := r.store
	s.step(StepReadHead)
	head, err := readMark(r.dir, headFile)
	if err != nil {
		return err
	}
	s.step(StepReadApplied)
	applied, err := readMark(r.dir, appliedFile)
	if err != nil {
		return err
	}
	r.head, r.headOurs = head, s.ours(head)
	var checkpoint *mark
	if !r.headOurs || !s.ours(applied) {
		if checkpoint, err = readMark(r.dir, checkpointFile); err != nil {
			return err
		}
	}
	from := checkpoint.placeOf()
	if s.ours(applied) {
		from = applied.place
	}
	if r.stateGone {
		if err := r.journal.holdsEverything(); err != nil {
			return err
		}
		from, r.loads.gone = place{}, true
	}
	if from.Generation > 0 {
		r.loads.promise = func() (bool, error) { return r.promised(from) }
	}
	r.overlay = newOverlay()
	s.step(StepReadParse)
	if r.headOurs {
		r.end = head.place
		entries, err := r.journal.between(from, r.end)
		if err != nil {
			return r.confirm(err)
		}
		r.overlay.add(entries)
		return nil
	}
	return r.startFromJournal(from, max(head.generationOf(), applied.generationOf(), checkpoint.generationOf()))
}

// promised says whether it is still promised that the state up to from is published.
func (r *reading) promised(from place) (bool, error) {
	applied, err := readMark(r.dir, appliedFile)
	if err != nil {
		return false, err
	}
	if r.store.ours(applied) {
		return applied.Generation >= from.Generation, nil
	}
	checkpoint, err := readMark(r.dir, checkpointFile)
	return checkpoint.generationOf() >= from.Generation, err
}

// startFromJournal reads to the last complete frame: nobody of this boot has said yet what is flushed,
// and nothing has been appended in this boot, so what can be read has survived.
func (r *reading) startFromJournal(from place, named uint64) error {
	found, err := r.journal.scan(from)
	r.end = found.last
	if err != nil {
		return r.confirm(err)
	}
	if found.tail.corrupt != "" {
		return r.confirm(found.tail.corruption())
	}
	if found.last.Generation < named {
		return r.confirm(missingFrames(found, named))
	}
	r.overlay.add(found.entries)
	return nil
}

// confirm reports a fault only if no writer has changed the ground meanwhile.
func (r *reading) confirm(fault error) error {
	if vfs.Missing(fault) { // a segment: trimmed, if a checkpoint has been raised since
		return errRestart
	}
	head, err := readMark(r.dir, headFile)
	if err != nil {
		return err
	}
	if r.store.ours(head) != r.headOurs || head.generationOf() != r.head.generationOf() {
		return errRestart
	}
	if !r.headOurs { // the first writer of this boot may be adopting or cutting right now
		again, err := r.journal.scan(r.end)
		if err == nil && again.tail.corrupt == "" && again.last != r.end {
			return errRestart
		}
	}
	return fault
}

// run runs fn until what it read is one snapshot.
func (r *reading) run(ctx context.Context, fn func(core.Reader) error) error {
	for range maxReruns {
		if err := ctx.Err(); err != nil {
			return protocol.TimeoutError("", "the deadline passed while the store was read").Because(err)
		}
		r.loads.fresh = 0
		snap := &snapshot{store: r.store, journal: r.journal, at: r.end, overlay: r.overlay, loads: r.loads, decoded: r.decoded}
		r.store.step(StepReadRun)
		answer := fn(snap)
		if errors.Is(snap.fault, errStateGone) || errors.Is(snap.fault, errRestart) || errors.Is(snap.fault, errRebuild) {
			return snap.fault
		}
		var gone *lostRecord
		if errors.As(snap.fault, &gone) {
			if err := r.explain(gone); err != nil {
				return err
			}
			continue
		}
		overtaken := errors.Is(snap.fault, errOvertaken)
		if !overtaken && r.loads.fresh == 0 && r.end.Generation > 0 && r.headOurs {
			return answer // nothing but what was already known to be of this snapshot
		}
		again, err := r.final()
		if err != nil {
			return err
		}
		if overtaken && !r.headOurs { // and the journal still ends where it did
			return corrupt(manifestFile, 0, "it names a frame that is not in the journal")
		}
		if !again && !overtaken {
			return answer
		}
	}
	return protocol.ConflictError("", "the store changes faster than it can be read").WithHint("try again")
}

// explain looks for the commit that has removed a record whose file is gone, or for a state directory that is being
// made again. The error is the fault if there is neither.
func (r *reading) explain(gone *lostRecord) error {
	before := r.end
	if _, err := r.final(); err != nil {
		return err
	}
	if r.end != before {
		return nil
	}
	raw, err := r.loads.lookAgain(gone.key)
	switch {
	case err != nil:
		return err
	case raw != nil:
		return errRestart
	}
	return gone.fault
}

// final reads head again and says whether fn must run again on the newer snapshot.
func (r *reading) final() (again bool, err error) {
	s := r.store
	s.step(StepReadFinal)
	head, err := readMark(r.dir, headFile)
	if err != nil {
		return false, err
	}
	if s.ours(head) != r.headOurs {
		return false, errRestart
	}
	if !r.headOurs {
		return false, r.sameEnd()
	}
	switch {
	case head.Generation == r.end.Generation:
		return false, nil
	case head.Generation < r.end.Generation:
		return false, errRestart
	case r.loads.solo != nil:
		return false, errRestart // the room has materialised: solo records count for nothing
	}
	entries, err := r.journal.between(r.end, head.place)
	if err != nil {
		return false, r.confirm(err)
	}
	touched := r.loads.touched(entries)
	r.head, r.end = head, head.place
	r.overlay.add(entries)
	return touched, nil
}

// sameEnd says whether the journal still ends with the frame that it ended with.
func (r *reading) sameEnd() error {
	if err := r.journal.holds(r.end); err != nil {
		return errRestart
	}
	found, err := r.journal.scan(r.end)
	if err != nil || found.tail.corrupt != "" || found.last != r.end {
		return errRestart
	}
	return nil
}

// emptySnapshot is the room of a store that does not exist yet.
type emptySnapshot struct{}

func (emptySnapshot) Get(protocol.Kind, string) (core.Stored, bool, error) {
	return core.Stored{}, false, nil
}
func (emptySnapshot) Find(core.Query) ([]core.Entry, error)        { return nil, nil }
func (emptySnapshot) Events(uint64, int) ([]protocol.Event, error) { return nil, nil }
func (emptySnapshot) Position() core.Commit                        { return core.Commit{} }
func (emptySnapshot) TrimmedThrough() uint64                       { return 0 }

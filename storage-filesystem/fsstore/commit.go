package fsstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/frame"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

const (
	rotateAt       = 8 << 20 // bytes of a segment after which the next frame begins a new one
	maxUnpublished = 8 << 20 // bytes of frames that may wait for a disk with room for their state
)

// Update implements core.Store.
func (s *Store) Update(ctx context.Context, fn func(core.Tx) error) (core.Commit, error) {
	var done core.Commit
	due := false
	err := s.write(ctx, func(w *writing) (err error) {
		done, err = w.transact(ctx, fn)
		due = err == nil && done.Generation > 0 && checkpointDue(w.applied.placeOf(), w.checkpoint.placeOf())
		return err
	})
	if due && s.opts.Rebuild {
		s.keepReplayShort(ctx)
	}
	return done, err
}

// write runs fn as the only writer, on a store that has been recovered, or in a room in which nothing was committed yet.
func (s *Store) write(ctx context.Context, fn func(*writing) error) error {
	for range maxVanished {
		if err := s.usable(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return tooLate(err)
		}
		if err := s.writeOnce(ctx, fn); !errors.Is(err, errVanished) {
			return err
		}
	}
	return s.vanishes()
}

func (s *Store) vanishes() error {
	return protocol.ConflictError("", s.opts.Dir+" was removed again and again").WithHint("try again")
}

// maxVanished bounds how often a room may vanish under somebody who begins there: each time somebody else has
// come, and gone, in between.
const maxVanished = 256

// errVanished says that the directory of a room that left no trace was removed while somebody began to write there.
var errVanished = errors.New("the room has vanished")

func (s *Store) writeOnce(ctx context.Context, fn func(*writing) error) error {
	dir, err := s.openForWriting()
	if err != nil {
		return err
	}
	defer dir.Close()
	_, found, err := s.settled(dir, false)
	if err != nil {
		return err
	}
	if !found && !s.opts.Create {
		return s.absent()
	}
	lock, err := s.acquire(ctx, dir)
	if vfs.Missing(err) {
		return errVanished
	}
	if err != nil {
		return err
	}
	defer func() {
		s.step(StepUnlock)
		lock.Close()
	}()
	id, found, err := s.settled(dir, false) // somebody may have shared the room meanwhile
	if err != nil {
		return err
	}
	w := &writing{store: s, dir: dir, overlay: newOverlay()}
	if !found {
		w.solo, w.journal.dir = true, dir
		err := fn(w)
		if w.solo && !w.vanished {
			if _, kept := dir.Stat(soloFile); vfs.Missing(kept) { // nobody is here, or not any more
				s.diagnose(w.vanish(nil))
			}
		}
		return err
	}
	w.journal = journal{dir, id.tag()}
	if err := w.recover(ctx); err != nil {
		return err
	}
	return fn(w)
}

// materialise makes the store of a room in which nothing was committed yet.
func (w *writing) materialise(ctx context.Context) error {
	id, _, err := w.store.settled(w.dir, true)
	if err != nil {
		return err
	}
	w.journal, w.solo = journal{w.dir, id.tag()}, false
	return w.recover(ctx)
}

// openForWriting opens the directory of the store and makes it where that is allowed; errVanished if it went meanwhile.
func (s *Store) openForWriting() (vfs.Dir, error) {
	dir, err := s.openDir()
	if dir != nil || err != nil {
		return dir, err
	}
	if !s.opts.Create {
		return nil, s.absent()
	}
	dir, err = s.fs.Create(s.opts.Base, s.opts.Dir)
	if vfs.Missing(err) {
		return nil, errVanished // between making the directory and opening it
	}
	if err != nil {
		return nil, ioError("cannot make the store "+s.opts.Dir, err)
	}
	return dir, nil
}

func (s *Store) absent() error {
	return protocol.DataError(protocol.ReasonStoreAbsent, "nothing was recorded here yet: there is no store in "+s.opts.Dir)
}

// transact runs fn and commits what it declares.
func (w *writing) transact(ctx context.Context, fn func(core.Tx) error) (core.Commit, error) {
	w.store.step(StepCallback)
	t := newTx(ctx, w)
	if err := fn(t); err != nil {
		return core.Commit{}, err
	}
	none := core.Commit{LastSequence: w.last.Sequence}
	switch {
	case t.fault != nil:
		return core.Commit{}, t.fault
	case !t.changed():
		return none, nil
	}
	if err := ctx.Err(); err != nil {
		return core.Commit{}, tooLate(err)
	}
	if t.keepSolo {
		return core.Commit{}, w.writeSolo(t)
	}
	return w.commit(t)
}

// commit appends, flushes and publishes one frame.
func (w *writing) commit(t *tx) (core.Commit, error) {
	if w.solo {
		if err := w.materialise(t.ctx); err != nil {
			return core.Commit{}, err
		}
	}
	if w.gap && w.overlay.bytes >= maxUnpublished {
		return core.Commit{}, notCommitted("too much is waiting for room on the disk", nil)
	}
	e, data, err := w.frame(t)
	if err != nil {
		return core.Commit{}, err
	}
	if err := w.withReserve(e, w.rotate); err != nil {
		return core.Commit{}, err
	}
	if err := w.withReserve(e, func() error { return w.append(data) }); err != nil {
		return core.Commit{}, err
	}
	e.Segment, e.Start, e.End = w.segment, w.offset, w.offset+int64(len(data))
	done := core.Commit{Generation: e.place.Generation, LastSequence: e.Sequence}
	w.store.step(StepHead)
	if err := w.withReserve(e, func() error { return w.replaceMark(headFile, e.place) }); err != nil {
		return done, protocol.DataError(protocol.ReasonCommittedNotVisible,
			"the change is recorded durably, but not visible before the next one: "+err.Error()).
			With("generation", done.Generation).Because(err)
	}
	w.last = e.place
	w.finish(t.ctx, e)
	return done, nil
}

// frame encodes what t changed as the next frame.
func (w *writing) frame(t *tx) (*entry, []byte, error) {
	generation := w.last.Generation + 1
	e := &entry{transaction: transaction{
		Generation: int64(generation), FirstSequence: protocol.FormatSequence(w.last.Sequence + 1),
		Keys: keysVersion, At: w.store.opts.now(),
	}}
	for i, event := range t.events {
		event.Sequence = w.last.Sequence + 1 + uint64(i)
		raw, err := protocol.AppendEvent(nil, event)
		if err != nil {
			return nil, nil, err
		}
		e.Events = append(e.Events, jsontext.Value(raw))
	}
	for _, key := range t.order {
		e.change(key, t.staged[key])
	}
	payload := e.encode()
	if len(payload) > frame.MaxPayload {
		return nil, nil, protocol.UsageError("", fmt.Sprintf("the change has %d bytes, more than one transaction can hold", len(payload)))
	}
	data, crc := frame.Append(nil, w.journal.tag, generation, w.last.CRC, payload)
	e.place = place{Generation: generation, Sequence: w.last.Sequence + uint64(len(t.events)), CRC: crc}
	e.Size = len(data)
	return e, data, nil
}

// rotate makes a new segment when there is none or when the last one is full. The name of a segment is
// its first sequence, so a segment without any event goes on.
func (w *writing) rotate() error {
	next := w.last.Sequence + 1
	if w.segment != 0 && (w.offset < w.store.opts.rotateAt || next == w.segment) {
		return nil
	}
	w.store.step(StepRotate)
	if err := mkdir(w.dir, journalDir); err != nil {
		return err
	}
	segment, err := w.journal.after(w.segment)
	if err != nil {
		return err
	}
	segment.FirstSequence, segment.Before = next, w.last.Generation
	header := frame.AppendSegment(nil, w.journal.tag, segment)
	if err := replaceDurably(w.dir, segmentFile(next), header); err != nil {
		return notCommitted("a new segment of the journal cannot be made", err)
	}
	if w.segment == 0 { // whoever made the directories may have been killed before it flushed them
		if err := w.dir.SyncDir(""); err != nil {
			return notCommitted("the directory of the store cannot be flushed", err)
		}
	}
	w.segment, w.offset = next, frame.SegmentSize
	return nil
}

// append writes and flushes a frame. When the flush has returned, the transaction is committed.
func (w *writing) append(data []byte) error {
	file := segmentFile(w.segment)
	f, err := w.dir.Open(file, vfs.Write)
	if err != nil {
		return notCommitted("the journal cannot be opened", err)
	}
	defer f.Close()
	w.store.step(StepAppend)
	_, err = f.WriteAt(data, w.offset)
	if err == nil {
		w.store.step(StepAppended)
		err = f.Datasync()
	}
	if err == nil {
		return nil
	}
	return w.takeBack(f, err)
}

// takeBack cuts a frame that this process has just appended and could not flush. If that cannot be made
// durable either, nobody knows what a power cut would leave.
func (w *writing) takeBack(f vfs.File, cause error) error {
	w.store.step(StepCut)
	err := f.Truncate(w.offset)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		return notCommitted("the journal cannot be written", cause)
	}
	unknown := protocol.DataError(protocol.ReasonCommitUnknown,
		fmt.Sprintf("it is not known whether the change was recorded: the journal cannot be flushed (%v) and the write cannot be taken back (%v)", cause, err)).
		WithHint("retry with the same client message id").Because(cause)
	w.store.refused.Store(unknown)
	return unknown
}

func tooLate(cause error) error {
	return protocol.TimeoutError(protocol.ReasonNotCommitted, "the deadline passed before anything was written").Because(cause)
}

// notCommitted says that nothing was recorded.
func notCommitted(what string, cause error) *protocol.Error {
	e := protocol.DataError(protocol.ReasonNotCommitted, "nothing was recorded: "+what)
	if cause == nil {
		return e
	}
	detail := ioError(what, cause)
	e.Message = "nothing was recorded: " + detail.Message
	e.Hint = detail.Hint
	if vfs.NoSpace(cause) {
		e.Hint = "free some disk space and try again"
	}
	return e.Because(cause)
}

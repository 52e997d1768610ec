package fsstore

import (
	"bytes"
	"context"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// How far the state files and the indexes may fall behind before a writer brings them up to date. Whoever reads lays
// the frames between over both, so this weighs what every read parses against what every commit writes: a record that
// changes in each of many commits is written once. An Awaited process leaves it to others until they are
// that many times as far behind.
const (
	lagFrames  = 16
	lagBytes   = 48 << 10
	awaitedLag = 2
)

// lagging says whether what was made of the journal up to p must be brought up to its last frame.
func (w *writing) lagging(p place) bool {
	frames, bytes := w.store.opts.lagFrames, int64(lagBytes)
	if w.store.opts.Awaited {
		frames, bytes = awaitedLag*frames, awaitedLag*bytes
	}
	near := p.Segment == 0 || p.Segment == w.last.Segment
	return !near || w.last.Generation-p.Generation >= frames || w.last.End-p.End >= bytes
}

// owes says whether this writer must publish. It must the first frame, and where nobody of this boot has: what was said
// before may have been lost with the power.
func (w *writing) owes() bool {
	return w.from.Generation == 0 || !w.store.ours(w.applied) || w.lagging(w.from) || w.lagging(w.manifest.placeOf())
}

// finish publishes a committed frame, and those before it that nobody has, if it is time. Its faults do not fail the commit:
// whoever reads finds what is missing in the frames.
func (w *writing) finish(ctx context.Context, e *entry) {
	w.overlay.add([]entry{*e})
	if w.gap || !w.owes() {
		return
	}
	w.publish(ctx)
	if w.last.Generation == 1 && !w.gap {
		w.forgetSolo()
		w.store.diagnose(makeReserve(w.dir))
	}
}

// publish publishes, of every record in the frames that are not published, the last image, unless its file holds it
// already, and brings the indexes up to date if they lag. A failure, or the end of the caller's time, leaves a gap: the
// frames go on standing for what is missing, and the next writer goes on.
func (w *writing) publish(ctx context.Context) {
	w.gap = true
	for _, key := range w.overlay.keys() {
		if ctx.Err() != nil {
			return
		}
		m := w.overlay.images[key]
		if w.published(key, m) {
			continue
		}
		w.store.step(StepPublish)
		if err := w.publishRecord(key, m); err != nil {
			w.store.diagnose(writeError(key.file(), err))
			return
		}
	}
	if w.store.ours(w.applied) && w.applied.Generation >= w.last.Generation {
		w.gap = false
		w.store.diagnose(w.updateIndexes())
		return
	}
	if !w.recoverIndexes(ctx) {
		return
	}
	w.store.diagnose(w.updateIndexes())
	w.store.step(StepApplied)
	if err := w.replaceMark(appliedFile, w.last); err != nil {
		w.store.diagnose(err)
		return
	}
	w.gap, w.from, w.overlay = false, w.last, newOverlay()
}

// recoverIndexes brings the indexes up to the last frame before the frames after the checkpoint are no longer laid
// over anything: the pages of the manifest may have been lost with the power, and those that the checkpoint has
// flushed may be too far behind for a reader. What cannot be brought up to date is left to a command. It says
// whether the caller's time has sufficed.
func (w *writing) recoverIndexes(ctx context.Context) bool {
	unread := uint64(len(w.overlay.entries)) + maxLag
	var from *manifest
	if w.store.ours(w.applied) {
		from = w.manifest
		if lag := w.last.Generation - from.placeOf().Generation; lag <= maxLag || lag > unread {
			return true // near enough, or out of reach already
		}
	}
	if len(w.overlay.entries) == 0 || w.last.Generation == 1 {
		return true
	}
	if err := w.catchUp(ctx, from, unread, unread); err != nil && ctx.Err() == nil {
		w.store.diagnose(err)
	}
	return ctx.Err() == nil
}

// published says whether the state file of key is what m says.
func (w *writing) published(key recordKey, m image) bool {
	raw, err := w.dir.ReadFile(key.file(), maxState)
	if m.record == nil {
		return vfs.Missing(err)
	}
	if err != nil {
		return false
	}
	want, err := m.state(key)
	return err == nil && bytes.Equal(raw, want)
}

// publishRecord makes the state file of key what m says.
func (w *writing) publishRecord(key recordKey, m image) error {
	if m.record == nil {
		if err := w.dir.Remove(key.file()); !vfs.Missing(err) {
			return err
		}
		return nil
	}
	data, err := m.state(key)
	if err != nil {
		return err
	}
	if m.created > w.from.Generation {
		return replaceNew(w.dir, stateDir, key.file(), data)
	}
	return replace(w.dir, stateDir, key.file(), data)
}

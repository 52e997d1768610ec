package fsstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/index"
)

// tx implements core.Tx on the latest committed state.
type tx struct {
	*snapshot
	ctx         context.Context
	writer      *writing
	workspaceID string
	looked      map[recordKey]bool
	staged      map[recordKey]*stagedRecord
	order       []recordKey // of staged, as first changed
	events      []protocol.Event
	keepSolo    bool
	fault       error // the first refused change; the commit fails with it
}

// stagedRecord is a record as the transaction has left it so far.
type stagedRecord struct {
	stored core.Stored    // Record nil: removed
	raw    jsontext.Value // nil: removed
	before core.Stored    // in the journal, before the transaction; Record nil: it did not exist
}

func newTx(ctx context.Context, w *writing) *tx {
	return &tx{
		snapshot: w.snapshot(), ctx: ctx, writer: w, workspaceID: w.store.opts.WorkspaceID,
		looked: map[recordKey]bool{}, staged: map[recordKey]*stagedRecord{},
	}
}

// snapshot gives the room after the last frame.
func (w *writing) snapshot() *snapshot {
	loads := newLoads(w.dir)
	if w.manifest != nil { // it was read under the lock
		loads.indexes = &indexes{manifest: w.manifest, upTo: w.manifest.place, trees: map[core.Index]*index.Tree{}}
	}
	return &snapshot{store: w.store, journal: w.journal, at: w.last, overlay: w.overlay, loads: loads, decoded: map[recordKey]core.Stored{}}
}

func (t *tx) changed() bool { return len(t.order) > 0 || len(t.events) > 0 }

// Get implements core.Reader and remembers that the record was looked at.
func (t *tx) Get(kind protocol.Kind, id string) (core.Stored, bool, error) {
	key := recordKey{kind, id}
	if change, ok := t.staged[key]; ok {
		return change.stored, change.raw != nil, nil
	}
	stored, found, err := t.snapshot.Get(kind, id)
	var gone *lostRecord
	if errors.Is(err, errStateGone) || errors.As(err, &gone) && t.loads.checkState() != nil {
		if err = t.readJournal(); err == nil {
			stored, found, err = t.snapshot.Get(kind, id)
		}
	}
	if err != nil {
		return stored, found, t.fail(err)
	}
	t.looked[key] = true
	return stored, found, nil
}

// readJournal goes on without the state directory, which somebody has deleted since this writer recovered: the
// journal knows everything. The next writer publishes it all again.
func (t *tx) readJournal() error {
	if err := t.journal.holdsEverything(); err != nil {
		return err
	}
	entries, err := t.journal.between(place{}, t.at)
	if err != nil {
		return err
	}
	t.overlay = newOverlay()
	t.overlay.add(entries)
	t.loads.gone, t.snapshot.fault = true, nil
	return nil
}

// Find implements core.Reader.
func (t *tx) Find(q core.Query) ([]core.Entry, error) {
	found, err := t.find(q, t.staged)
	if errors.Is(err, errRebuild) {
		if err = t.writer.rebuildIndexes(t.ctx); err == nil {
			t.loads.indexes = nil
			found, err = t.find(q, t.staged)
		}
	}
	if err != nil {
		return nil, t.fail(err)
	}
	return found, nil
}

// Put implements core.Tx.
func (t *tx) Put(r protocol.Record) error {
	key := recordKey{r.Kind(), r.Key()}
	if err := t.seen(key); err != nil {
		return err
	}
	raw, err := protocol.AppendRecord(nil, r)
	if err != nil {
		return t.fail(err)
	}
	detached, err := protocol.DecodeRecord(r.Kind(), raw)
	if err != nil {
		return t.fail(err)
	}
	next := t.at.Generation + 1
	change, err := t.change(key)
	if err != nil {
		return err
	}
	if change.stored.Record == nil && change.before.Record == nil && t.at.Generation > 0 {
		if err := t.neverThere(key, r); err != nil {
			return t.fail(err)
		}
	}
	created := change.stored.Created
	if created == 0 { // new, removed and made again, or solo until now
		created = next
	}
	change.raw = raw
	change.stored = core.Stored{Record: detached, Created: created, Generation: next}
	return nil
}

// Remove implements core.Tx.
func (t *tx) Remove(kind protocol.Kind, id string) error {
	key := recordKey{kind, id}
	if err := t.seen(key); err != nil {
		return err
	}
	change, err := t.change(key)
	if err != nil {
		return err
	}
	if change.stored.Record == nil {
		return t.fail(protocol.DataError(protocol.ReasonNotFound, fmt.Sprintf("there is no %s to remove", key)))
	}
	change.raw, change.stored = nil, core.Stored{}
	return nil
}

// change gives the staged form of a record, beginning with what is committed.
func (t *tx) change(key recordKey) (*stagedRecord, error) {
	if change, ok := t.staged[key]; ok {
		return change, nil
	}
	stored, found, err := t.get(key)
	if err != nil {
		return nil, t.fail(err)
	}
	change := &stagedRecord{stored: stored}
	if found && t.at.Generation > 0 {
		change.before = stored
	}
	t.staged[key] = change
	t.order = append(t.order, key)
	return change, nil
}

// Append implements core.Tx.
func (t *tx) Append(d core.Draft) {
	if d.Payload == nil {
		_ = t.fail(protocol.UsageError("", "an event needs a payload"))
		return
	}
	payload, err := protocol.EncodePayload(d.Payload)
	if err != nil {
		_ = t.fail(err)
		return
	}
	t.events = append(t.events, protocol.Event{
		EventID: d.EventID, WorkspaceID: t.workspaceID, ActorSessionID: d.ActorSessionID,
		Type: d.Payload.EventType(), OccurredAt: d.OccurredAt, Payload: payload,
	})
}

// KeepSolo implements core.Tx.
func (t *tx) KeepSolo() error {
	if t.at.Generation > 0 {
		return t.fail(protocol.ConflictError("", "the room has materialised: nothing can be kept solo"))
	}
	t.keepSolo = true
	return nil
}

func (t *tx) seen(key recordKey) error {
	if !t.looked[key] {
		return t.fail(protocol.DataError("", fmt.Sprintf("%s was not looked at in this transaction", key)))
	}
	return nil
}

func (t *tx) fail(err error) error {
	var gone *lostRecord
	if errors.As(err, &gone) {
		err = gone.fault
	}
	if t.fault == nil {
		t.fault = err
	}
	return err
}

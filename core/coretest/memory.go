package coretest

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// Memory is the model of a store: everything in one process, no fault, every rule of core.Store kept by
// the plainest means. Each commit makes a new snapshot; nothing is ever changed in place.
type Memory struct {
	workspaceID string
	writer      chan struct{} // holds one token: the writer lock
	head        atomic.Pointer[snapshot]
	ephemeral   *ephemeral
}

// NewMemory gives an empty store of a room.
func NewMemory(workspaceID string) *Memory {
	m := &Memory{workspaceID: workspaceID, writer: make(chan struct{}, 1), ephemeral: newEphemeral()}
	m.head.Store(newSnapshot())
	return m
}

// View implements core.Store.
func (m *Memory) View(ctx context.Context, fn func(core.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return protocol.TimeoutError("", "the deadline passed before the store was read").Because(err)
	}
	return fn(m.head.Load())
}

// Update implements core.Store.
func (m *Memory) Update(ctx context.Context, fn func(core.Tx) error) (core.Commit, error) {
	if ctx.Err() != nil {
		return core.Commit{}, lockTimeout(ctx)
	}
	select {
	case m.writer <- struct{}{}:
		defer func() { <-m.writer }()
	case <-ctx.Done():
		return core.Commit{}, lockTimeout(ctx)
	}
	base := m.head.Load()
	tx := &transaction{snapshot: base.clone(), base: base, workspaceID: m.workspaceID, looked: map[recordKey]bool{}, put: map[recordKey]bool{}}
	if err := fn(tx); err != nil {
		return core.Commit{}, err
	}
	if err := ctx.Err(); err != nil {
		return core.Commit{}, protocol.TimeoutError(protocol.ReasonNotCommitted, "the deadline passed before the decision point").Because(err)
	}
	next, commit, err := tx.finish()
	if err != nil {
		return core.Commit{}, err
	}
	m.head.Store(next)
	return commit, nil
}

// Ephemeral implements core.Store.
func (m *Memory) Ephemeral() core.Ephemeral { return m.ephemeral }

// Trim makes events up to a sequence unreadable, as retention does.
func (m *Memory) Trim(through uint64) {
	m.writer <- struct{}{}
	defer func() { <-m.writer }()
	next := m.head.Load().clone()
	next.trimmed = max(next.trimmed, min(through, next.last))
	m.head.Store(next)
}

func lockTimeout(ctx context.Context) error {
	return protocol.ConflictError(protocol.ReasonLockBusy, "the writer lock was not free before the deadline").Because(ctx.Err())
}

// transaction is a snapshot of its own that becomes the next one.
type transaction struct {
	*snapshot
	base        *snapshot
	workspaceID string
	looked, put map[recordKey]bool
	changed     bool
	solo        bool
	drafted     int
	fault       error // the first refused change; the commit fails with it
}

// Get implements core.Reader and remembers that the record was looked at.
func (t *transaction) Get(kind protocol.Kind, id string) (core.Stored, bool, error) {
	t.looked[recordKey{kind, id}] = true
	return t.snapshot.Get(kind, id)
}

// Put implements core.Tx.
func (t *transaction) Put(r protocol.Record) error {
	key := recordKey{r.Kind(), r.Key()}
	if err := t.seen(key); err != nil {
		return err
	}
	detached, err := detach(r)
	if err != nil {
		return t.fail(err)
	}
	stored := core.Stored{Record: detached, Created: t.base.generation + 1, Generation: t.base.generation + 1}
	if before, found := t.records[key]; found {
		stored.Created = before.Created
		if t.base.generation == 0 {
			stored.Created = 1 // a solo record has no place in the order of commits
		}
		t.drop(key, before)
	}
	t.add(key, stored)
	t.put[key], t.changed = true, true
	return nil
}

// Remove implements core.Tx.
func (t *transaction) Remove(kind protocol.Kind, id string) error {
	key := recordKey{kind, id}
	if err := t.seen(key); err != nil {
		return err
	}
	before, found := t.records[key]
	if !found {
		return t.fail(protocol.DataError(protocol.ReasonNotFound, fmt.Sprintf("there is no %s %q to remove", kind, id)))
	}
	t.drop(key, before)
	t.put[key], t.changed = false, true
	return nil
}

// Append implements core.Tx.
func (t *transaction) Append(d core.Draft) {
	payload, err := protocol.EncodePayload(d.Payload)
	if err != nil {
		_ = t.fail(err)
		return
	}
	t.last++
	t.drafted++
	t.changed = true
	t.events = append(t.events[:len(t.events):len(t.events)], protocol.Event{
		Sequence: t.last, EventID: d.EventID, WorkspaceID: t.workspaceID, ActorSessionID: d.ActorSessionID,
		Type: d.Payload.EventType(), OccurredAt: d.OccurredAt, Payload: payload,
	})
}

// KeepSolo implements core.Tx.
func (t *transaction) KeepSolo() error {
	if t.base.generation > 0 {
		return t.fail(protocol.ConflictError("", "the room has materialised: nothing can be kept solo"))
	}
	t.solo = true
	return nil
}

func (t *transaction) seen(key recordKey) error {
	if !t.looked[key] {
		return t.fail(protocol.DataError("", fmt.Sprintf("%s %q was not looked at in this transaction", key.kind, key.id)))
	}
	return nil
}

func (t *transaction) fail(err error) error {
	if t.fault == nil {
		t.fault = err
	}
	return err
}

// finish gives the snapshot that the transaction leaves behind.
func (t *transaction) finish() (*snapshot, core.Commit, error) {
	switch {
	case t.fault != nil:
		return nil, core.Commit{}, t.fault
	case !t.changed:
		return t.base, core.Commit{LastSequence: t.base.last}, nil
	case t.solo:
		next, err := t.keepSolo()
		return next, core.Commit{}, err
	}
	if t.base.generation == 0 {
		for key, stored := range t.records {
			if !t.put[key] {
				t.drop(key, stored) // a solo record that was not materialised
			}
		}
	}
	t.generation++
	return t.snapshot, core.Commit{Generation: t.generation, LastSequence: t.last}, nil
}

func (t *transaction) keepSolo() (*snapshot, error) {
	if t.drafted > 0 {
		return nil, protocol.DataError("", "a solo room has no events")
	}
	next := newSnapshot()
	for key, stored := range t.records {
		switch key.kind {
		case protocol.KindSession, protocol.KindParticipant, protocol.KindIntent:
			next.add(key, core.Stored{Record: stored.Record})
		default:
			return nil, protocol.DataError("", fmt.Sprintf("a %s cannot be kept solo", key.kind))
		}
	}
	return next, nil
}

// detach gives a record that shares nothing with r, by way of its stored form, so that a later change
// by the caller cannot reach the store.
func detach(r protocol.Record) (protocol.Record, error) {
	data, err := protocol.AppendRecord(nil, r)
	if err != nil {
		return nil, err
	}
	return protocol.DecodeRecord(r.Kind(), data)
}

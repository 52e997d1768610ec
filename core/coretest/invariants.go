package coretest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/resource"
	"github.com/acc-control-plane/acc/protocol"
)

// invariants checks what must hold at any time, in the snapshot of the store that is not the model.
func (m *model) invariants(t *rapid.T) {
	s := m.sides[1]
	err := s.store.View(m.ctx, func(r core.Reader) error {
		checkReceipts(t, m, r)
		checkClaims(t, r, s.clock)
		checkEvents(t, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkReceipts: no receipt without its message, none moves backward, each is listed where its state
// says.
func checkReceipts(t *rapid.T, m *model, r core.Reader) {
	for _, id := range m.messages {
		message, found, err := r.Get(protocol.KindMessage, id)
		if err != nil || !found {
			t.Fatalf("message %s: found %v, %v", id, found, err)
		}
		entries, err := r.Find(core.Query{Index: core.ReceiptsByMessage, Key: []string{id}})
		if err != nil {
			t.Fatal(err)
		}
		to := message.Record.(*protocol.Message).ToParticipantIDs
		if len(to) > 0 && len(entries) != len(to) {
			t.Fatalf("message %s to %v has %d receipts", id, to, len(entries))
		}
		for _, entry := range entries {
			stored, _, err := r.Get(protocol.KindReceipt, entry.ID)
			if err != nil {
				t.Fatal(err)
			}
			receipt := stored.Record.(*protocol.Receipt)
			if receipt.MessageID != id || stored.Created != message.Created {
				t.Fatalf("receipt %s of %s, created at %d, the message at %d", entry.ID, id, stored.Created, message.Created)
			}
			if before, seen := m.states[entry.ID]; seen && !receipt.State.AtLeast(before) {
				t.Fatalf("receipt %s went from %s to %s", entry.ID, before, receipt.State)
			}
			m.states[entry.ID] = receipt.State
			queued, err := r.Find(core.Query{Index: core.QueuedReceipts, Key: []string{receipt.RecipientParticipantID}})
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(queued, entry) != (receipt.State == protocol.Queued) {
				t.Fatalf("receipt %s is %s and listed as queued: %v", entry.ID, receipt.State, slices.Contains(queued, entry))
			}
		}
	}
}

// checkClaims: no two sessions hold one thing when either holds it alone, and who ended holds nothing.
func checkClaims(t *rapid.T, r core.Reader, clock *Clock) {
	entries, err := r.Find(core.Query{Index: core.LiveClaims})
	if err != nil {
		t.Fatal(err)
	}
	var live []*protocol.Claim
	for _, entry := range entries {
		stored, _, err := r.Get(protocol.KindClaim, entry.ID)
		if err != nil {
			t.Fatal(err)
		}
		claim := stored.Record.(*protocol.Claim)
		owner, found, err := r.Get(protocol.KindSession, claim.OwnerSessionID)
		if err != nil || !found || owner.Record.(*protocol.Session).State != protocol.SessionOpen {
			t.Fatalf("claim %s of a session that ended", claim.ClaimID)
		}
		if _, ended := claim.Extensions["ended"]; claim.ExpiresAt.After(clock.Now()) && !ended {
			live = append(live, claim)
		}
	}
	for i, a := range live {
		for _, b := range live[:i] {
			alone := a.Mode == protocol.Exclusive || b.Mode == protocol.Exclusive
			if alone && a.OwnerSessionID != b.OwnerSessionID && resource.Overlap(a.Resource, b.Resource) {
				t.Fatalf("two sessions hold %s and %s", a.Resource, b.Resource)
			}
		}
	}
}

// checkEvents: the order has no gap, and every actor is a session of the room.
func checkEvents(t *rapid.T, r core.Reader) {
	events, err := r.Events(0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range events {
		if e.Sequence != uint64(i)+1 {
			t.Fatalf("event %d has number %d", i+1, e.Sequence)
		}
		if _, found, err := r.Get(protocol.KindSession, e.ActorSessionID); err != nil || !found {
			t.Fatalf("event %d is by %q, found %v, %v", e.Sequence, e.ActorSessionID, found, err)
		}
	}
	if last := r.Position().LastSequence; last != uint64(len(events)) {
		t.Fatalf("%d events, the newest is %d", len(events), last)
	}
}

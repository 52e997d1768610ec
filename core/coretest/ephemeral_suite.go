package coretest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

func ephemeralBeats(t *testing.T, s *storeTest) {
	e := s.store.Ephemeral()
	older, newer := protocol.GenerationRef("older"), protocol.GenerationRef("newer")
	at := func(ref string) time.Time {
		t.Helper()
		b, _, err := e.Beat(s.ctx, "session-ada", ref)
		if err != nil {
			t.Fatal(err)
		}
		return b.HeartbeatAt
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if !at(older).IsZero() {
		t.Error("there is a beat before any was put")
	}
	must(e.PutBeat(s.ctx, protocol.PresenceBeat{SessionID: "session-ada", GenerationRef: older, HeartbeatAt: Start}))
	must(e.PutBeat(s.ctx, protocol.PresenceBeat{SessionID: "session-ada", GenerationRef: newer, HeartbeatAt: Start.Add(time.Second)}))
	must(e.PutBeat(s.ctx, protocol.PresenceBeat{SessionID: "session-bob", GenerationRef: older, HeartbeatAt: Start.Add(time.Hour)}))
	if got := at(older); !got.Equal(Start) {
		t.Errorf("the older generation beat at %v", got)
	}
	must(e.PutBeat(s.ctx, protocol.PresenceBeat{SessionID: "session-ada", GenerationRef: older, HeartbeatAt: Start.Add(-time.Minute)}))
	if got := at(older); !got.Equal(Start.Add(-time.Minute)) {
		t.Errorf("the last writer should win, the beat is of %v", got)
	}
	must(e.RemoveBeat(s.ctx, "session-ada", older))
	must(e.RemoveBeat(s.ctx, "session-ada", older)) // again is fine
	if !at(older).IsZero() || at(newer).IsZero() {
		t.Error("removing one generation's beat should touch no other")
	}
	s.view(func(r core.Reader) {
		if r.Position() != (core.Commit{}) {
			t.Errorf("beats made a commit: %+v", r.Position())
		}
	})
}

func ephemeralBindings(t *testing.T, s *storeTest) {
	e := s.store.Ephemeral()
	binding := func(generation, adapter string) protocol.DeliveryBinding {
		return protocol.DeliveryBinding{
			SessionID: "session-ada", Generation: generation, AdapterID: adapter, ClientVersion: "1.2.3",
			AvailableModes: []protocol.DeliveryMode{protocol.LivePush}, LivePolicy: protocol.LiveAll, OpaqueEndpointRef: "opaque", LeaseUntil: Start,
		}
	}
	check := func(what, generation string, want ...protocol.DeliveryBinding) {
		t.Helper()
		got, err := e.Bindings(s.ctx, "session-ada", protocol.GenerationRef(generation))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 && len(want) == 0 {
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	put := func(b protocol.DeliveryBinding) {
		t.Helper()
		if err := e.PutBinding(s.ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	check("before any", "one")
	put(binding("one", "second"))
	put(binding("one", "first"))
	put(binding("two", "first"))
	check("by adapter", "one", binding("one", "first"), binding("one", "second"))
	replaced := binding("one", "first")
	replaced.RetiredAt = Start
	put(replaced)
	check("last writer wins", "one", replaced, binding("one", "second"))
	if err := e.RemoveBinding(s.ctx, "session-ada", protocol.GenerationRef("one"), "first"); err != nil {
		t.Fatal(err)
	}
	check("removed", "one", binding("one", "second"))
	check("other generation", "two", binding("two", "first"))
}

// keepSolo writes records into the solo area.
func (s *storeTest) keepSolo(records ...protocol.Record) {
	s.Helper()
	commit := s.update(func(tx core.Tx) {
		s.put(tx, records...)
		if err := tx.KeepSolo(); err != nil {
			s.Fatalf("keep solo: %v", err)
		}
	})
	if commit != (core.Commit{}) {
		s.Fatalf("a solo room made a commit: %+v", commit)
	}
}

func soloRoom(t *testing.T, s *storeTest) {
	ada := session("session-ada", "ada")
	s.keepSolo(participant("ada"), ada, intent("session-ada", "alone"))
	s.view(func(r core.Reader) {
		stored, found := s.get(r, protocol.KindSession, "session-ada")
		if !found || stored.Created != 0 || stored.Generation != 0 {
			t.Errorf("the solo session is %v, found %v", stored, found)
		}
		want := []core.Entry{{ID: "session-ada"}}
		if diff := cmp.Diff(want, s.find(r, core.Query{Index: core.OpenSessions})); diff != "" {
			t.Errorf("open sessions of a solo room (-want +got):\n%s", diff)
		}
		if r.Position() != (core.Commit{}) || len(s.events(r, 0, 10)) > 0 {
			t.Errorf("a solo room is at %+v", r.Position())
		}
	})
	closed := *ada
	closed.HeartbeatAt = Start.Add(time.Second)
	s.keepSolo(&closed)
	s.view(func(r core.Reader) {
		stored, _ := s.get(r, protocol.KindSession, "session-ada")
		if diff := cmp.Diff(protocol.Record(&closed), stored.Record); diff != "" {
			t.Errorf("the solo session was not replaced:\n%s", diff)
		}
		if _, found := s.get(r, protocol.KindIntent, "session-ada"); !found {
			t.Error("a later solo change lost the intent")
		}
	})
	s.update(func(tx core.Tx) {
		s.remove(tx, ada)
		s.remove(tx, intent("session-ada", "alone"))
		s.remove(tx, participant("ada"))
		if err := tx.KeepSolo(); err != nil {
			t.Fatal(err)
		}
	})
	emptyStore(t, s)

	_, err := s.store.Update(s.ctx, func(tx core.Tx) error {
		s.put(tx, claim("claim-1", "session-ada", "file:a"))
		return tx.KeepSolo()
	})
	s.expectError("a claim in a solo room", err, protocol.Data, protocol.Conflict)
	_, err = s.store.Update(s.ctx, func(tx core.Tx) error {
		s.put(tx, ada)
		tx.Append(s.draft())
		return tx.KeepSolo()
	})
	s.expectError("an event in a solo room", err, protocol.Data, protocol.Conflict)
	emptyStore(t, s)
}

func soloEnds(t *testing.T, s *storeTest) {
	ada, bob := session("session-ada", "ada"), session("session-bob", "bob")
	s.keepSolo(participant("ada"), ada, participant("bob"), bob)
	commit := s.update(func(tx core.Tx) {
		s.put(tx, room(), participant("ada"), ada)
		tx.Append(s.draft())
	})
	if want := (core.Commit{Generation: 1, LastSequence: 1}); commit != want {
		t.Fatalf("the first durable commit: %+v, want %+v", commit, want)
	}
	s.view(func(r core.Reader) {
		stored, found := s.get(r, protocol.KindSession, "session-ada")
		if !found || stored.Created != 1 || stored.Generation != 1 {
			t.Errorf("the promoted session is %v, found %v", stored, found)
		}
		if _, found := s.get(r, protocol.KindSession, "session-bob"); found {
			t.Error("a solo record that nobody promoted is still there")
		}
		want := []core.Entry{{Position: 1, ID: "session-ada"}}
		if diff := cmp.Diff(want, s.find(r, core.Query{Index: core.OpenSessions})); diff != "" {
			t.Errorf("open sessions after promotion (-want +got):\n%s", diff)
		}
	})
	_, err := s.store.Update(s.ctx, func(tx core.Tx) error {
		s.put(tx, bob)
		return tx.KeepSolo()
	})
	s.expectError("keeping solo what has materialised", err, protocol.Data, protocol.Conflict)
}

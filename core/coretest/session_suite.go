package coretest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

func openRecords(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	r.tell(0, called(ada, bob), "workspace.materialised by bob", "session.opened by ada", "session.opened by bob")
	err := r.store.View(r.ctx, func(reader core.Reader) error {
		for kind, id := range map[protocol.Kind]string{protocol.KindWorkspace: WorkspaceID, protocol.KindParticipant: "ada", protocol.KindSession: ada.SessionID} {
			if _, found, err := reader.Get(kind, id); err != nil || !found {
				t.Errorf("%s %s: found %v, %v", kind, id, found, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.core.Session(r.ctx, ada.Owner)
	if err != nil {
		t.Fatal(err)
	}
	want := protocol.Session{
		SessionID: ada.SessionID, ParticipantID: "ada", WorkspaceID: WorkspaceID, Generation: ada.Generation, Harness: "ada", State: protocol.SessionOpen,
		Enforcement: protocol.Guarded, Lifecycle: protocol.Managed, HeartbeatCadence: protocol.HookCadence, StartedAt: Start, HeartbeatAt: Start,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("session (-want +got):\n%s", diff)
	}
	_, err = r.core.OpenSession(r.ctx, core.OpenSession{SessionID: "session-1", ParticipantID: "cyd", Harness: "cyd"})
	r.refused("half a pair", err, protocol.Usage, "")
	_, err = r.core.OpenSession(r.ctx, core.OpenSession{ParticipantID: "not an id", Harness: "cyd"})
	r.refused("a participant with spaces", err, protocol.Data, "")
	for name, req := range map[string]core.OpenSession{
		"an unknown parent":   {ParticipantID: "cyd", Harness: "cyd", ParentSessionID: "session-none"},
		"a parent of its own": {SessionID: "session-1", Generation: "generation-1", ParticipantID: "cyd", Harness: "cyd", ParentSessionID: "session-1"},
	} {
		_, err = r.core.OpenSession(r.ctx, req)
		r.refused(name, err, protocol.Data, protocol.ReasonNotFound)
	}
	child := r.openAs(core.OpenSession{ParticipantID: "cyd", Harness: "cyd", ParentSessionID: ada.SessionID})
	if s, err := r.core.Session(r.ctx, child.Owner); err != nil || s.ParentSessionID != ada.SessionID {
		t.Errorf("a child of ada: %+v, %v", s, err)
	}
}

func resume(t *testing.T, r *roomTest) {
	pair := core.OpenSession{SessionID: "session-1", Generation: "generation-1", ParticipantID: "ada", Harness: "tool", PID: 7, CheckoutRoot: "/a", Branch: "main"}
	ada := r.openAs(pair)
	if ada.Owner != (core.Owner{SessionID: "session-1", Generation: "generation-1"}) {
		t.Fatalf("the pair was not taken: %+v", ada.Owner)
	}
	before := len(r.journal())
	r.clock.Advance(time.Hour)
	pair.PID, pair.CheckoutRoot, pair.Branch = 8, "/b", "topic"
	s, err := r.core.OpenSession(r.ctx, pair)
	if err != nil {
		t.Fatal(err)
	}
	if s.PID != 8 || s.Branch != "topic" || s.CheckoutRoot != "/b" || !s.HeartbeatAt.Equal(Start.Add(time.Hour)) || !s.StartedAt.Equal(Start) {
		t.Errorf("resumed as %+v", s)
	}
	if after := len(r.journal()); after != before {
		t.Errorf("resuming appended %d events", after-before)
	}
	r.clock.Advance(protocol.HeartbeatEvery)
	if _, err := r.core.Heartbeat(r.ctx, ada.Owner); err != nil {
		t.Fatal(err)
	}
	r.clock.Advance(10 * time.Minute)
	if _, err := r.core.OpenSession(r.ctx, pair); err != nil {
		t.Fatal(err)
	}
	if got := r.presence(ada); got != protocol.Online {
		t.Errorf("resumed after its last beat it is %s", got)
	}
}

func replaceOnlyTheDead(t *testing.T, r *roomTest) {
	first := core.OpenSession{SessionID: "session-1", Generation: "generation-1", ParticipantID: "ada", Harness: "tool", PID: 7}
	ada := r.openAs(first)
	r.openAs(core.OpenSession{ParticipantID: "bob", Harness: "tool", PID: 8}) // nobody knows, so it stays
	second := first
	second.Generation = "generation-2"
	for _, c := range []struct {
		name  string
		state core.ProcessState
	}{{"unknown", core.ProcessUnknown}, {"alive", core.ProcessAlive}} {
		r.processes.Set(7, c.state)
		r.clock.Advance(48 * time.Hour) // age never decides
		_, err := r.core.OpenSession(r.ctx, second)
		r.refused("replacing a session whose process is "+c.name, err, protocol.Conflict, protocol.ReasonSessionLive)
	}
	since := r.position().LastSequence
	r.processes.StartedAt(7, r.clock.Now()) // the number was given to another process
	s, err := r.core.OpenSession(r.ctx, second)
	if err != nil {
		t.Fatalf("replacing a dead session: %v", err)
	}
	r.tell(since, called(ada), "session.opened by ada")
	payload, err := protocol.DecodePayload(r.journal()[since])
	if err != nil {
		t.Fatal(err)
	}
	if got := payload.(protocol.SessionOpenedPayload).Replaced; got != protocol.GenerationRef("generation-1") {
		t.Errorf("the event says that %q was replaced", got)
	}
	_, err = r.core.Heartbeat(r.ctx, ada.Owner)
	r.refused("the replaced generation", err, protocol.Conflict, protocol.ReasonCallerMismatch)
	if _, err := r.core.Heartbeat(r.ctx, core.Owner{SessionID: s.SessionID, Generation: s.Generation}); err != nil {
		t.Error(err)
	}
	noPID := r.open("cyd")
	r.processes.Set(0, core.ProcessDead) // the number that stands for no process is nobody's
	r.clock.Advance(48 * time.Hour)
	_, err = r.core.OpenSession(r.ctx, core.OpenSession{SessionID: noPID.SessionID, Generation: "generation-9", ParticipantID: "cyd", Harness: "tool"})
	r.refused("replacing a session without a process", err, protocol.Conflict, protocol.ReasonSessionLive)
}

func reopen(t *testing.T, r *roomTest) {
	r.open("bob")
	pair := core.OpenSession{SessionID: "session-1", Generation: "generation-1", ParticipantID: "ada", Harness: "tool"}
	ada := r.openAs(pair)
	r.close(ada)
	_, err := r.core.OpenSession(r.ctx, pair)
	r.refused("the generation that ended", err, protocol.Conflict, protocol.ReasonSessionClosed)
	pair.Generation = "generation-2"
	s, err := r.core.OpenSession(r.ctx, pair)
	if err != nil {
		t.Fatal(err)
	}
	if s.State != protocol.SessionOpen || s.EndReason != "" {
		t.Errorf("opened again as %+v", s)
	}
}

// ownersOnly runs every operation that takes an owner with strangers, wrong generations and ended
// sessions.
func ownersOnly(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	m := r.send(bob, protocol.Question, "q", "ada").Message.MessageID
	operations := map[string]func(core.Owner) error{
		"heartbeat": func(o core.Owner) error { _, err := r.core.Heartbeat(r.ctx, o); return err },
		"claim": func(o core.Owner) error {
			_, err := r.core.Claim(r.ctx, o, core.ClaimRequest{Resource: "file:a"})
			return err
		},
		"renew": func(o core.Owner) error {
			_, err := r.core.Renew(r.ctx, o, core.RenewRequest{Resource: "file:a"})
			return err
		},
		"release": func(o core.Owner) error {
			_, err := r.core.Release(r.ctx, o, core.ReleaseRequest{Resource: "file:a"})
			return err
		},
		"guard": func(o core.Owner) error { _, err := r.core.Guard(r.ctx, o, []string{"file:a"}); return err },
		"send": func(o core.Owner) error {
			_, err := r.core.Send(r.ctx, o, core.SendRequest{MessageKind: protocol.Note, Subject: "s", Body: "b"})
			return err
		},
		"reply": func(o core.Owner) error {
			_, err := r.core.Reply(r.ctx, o, core.ReplyRequest{MessageID: m, Body: "b"})
			return err
		},
		"ack":   func(o core.Owner) error { _, err := r.core.Ack(r.ctx, o, m); return err },
		"inbox": func(o core.Owner) error { _, err := r.core.Inbox(r.ctx, o, core.InboxQuery{}); return err },
		"read":  func(o core.Owner) error { _, err := r.core.Read(r.ctx, o, m); return err },
		"turn":  func(o core.Owner) error { _, err := r.core.Turn(r.ctx, o, 10); return err },
		"record offers": func(o core.Owner) error {
			_, err := r.core.RecordOffers(r.ctx, core.OfferSuccess{MessageIDs: []string{m}, Target: o, Transport: protocol.TransportNextTurn, AdapterID: "tool", ClientVersion: "1"})
			return err
		},
		"status": func(o core.Owner) error { _, err := r.core.Status(r.ctx, core.StatusQuery{Owner: &o}); return err },
		"sync":   func(o core.Owner) error { _, err := r.core.Sync(r.ctx, core.SyncQuery{Owner: &o}); return err },
		"publish intent": func(o core.Owner) error {
			_, err := r.core.PublishIntent(r.ctx, o, core.IntentRequest{Summary: "s"})
			return err
		},
		"clear intent": func(o core.Owner) error { return r.core.ClearIntent(r.ctx, o) },
		"finish":       func(o core.Owner) error { _, err := r.core.Finish(r.ctx, o, core.FinishRequest{Goal: "g"}); return err },
		"publish binding": func(o core.Owner) error {
			_, err := r.core.PublishBinding(r.ctx, o, endpoint("tool", "x"))
			return err
		},
		"retire binding": func(o core.Owner) error { return r.core.RetireBinding(r.ctx, o, "tool") },
	}
	ended := r.open("cyd")
	r.close(ended)
	for name, run := range operations {
		r.unchanged(name, func() {
			r.refused(name+" by a stranger", run(core.Owner{SessionID: "session-9", Generation: ada.Generation}), protocol.Conflict, protocol.ReasonCallerMismatch)
			r.refused(name+" by another generation", run(core.Owner{SessionID: ada.SessionID, Generation: bob.Generation}), protocol.Conflict, protocol.ReasonCallerMismatch)
			r.refused(name+" without an owner", run(core.Owner{}), protocol.Conflict, protocol.ReasonCallerMismatch)
			r.refused(name+" after the end", run(ended.Owner), protocol.Conflict, protocol.ReasonSessionClosed)
		})
	}
	for name, run := range map[string]func(core.Owner) error{
		"session": func(o core.Owner) error { _, err := r.core.Session(r.ctx, o); return err },
		"close":   func(o core.Owner) error { _, err := r.core.CloseSession(r.ctx, o, ""); return err },
	} {
		r.refused(name+" by another generation", run(core.Owner{SessionID: ada.SessionID, Generation: "x"}), protocol.Conflict, protocol.ReasonCallerMismatch)
		if err := run(ended.Owner); err != nil {
			t.Errorf("%s after the end: %v", name, err)
		}
	}
}

func heartbeat(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	r.open("bob")
	beat := func() time.Time {
		t.Helper()
		at, err := r.core.Heartbeat(r.ctx, ada.Owner)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	due := func(what string, want bool) {
		t.Helper()
		if got, err := r.core.BeatDue(r.ctx, ada.Owner); got != want || err != nil {
			t.Errorf("%s: due %v, %v", what, got, err)
		}
	}
	r.unchanged("heartbeats", func() {
		due("before the first beat", true)
		r.clock.Advance(protocol.HeartbeatEvery - time.Millisecond)
		if got := beat(); !got.Equal(Start) {
			t.Errorf("an early heartbeat gave %v", got)
		}
		r.clock.Advance(time.Millisecond)
		if got := beat(); !got.Equal(Start.Add(protocol.HeartbeatEvery)) {
			t.Errorf("a due heartbeat gave %v", got)
		}
		due("just after a beat", false)
		r.clock.Advance(protocol.HeartbeatEvery - time.Millisecond)
		due("before the next one", false)
		r.clock.Advance(time.Millisecond)
		due("when the next one is", true)
		r.clock.Advance(10*time.Second - protocol.HeartbeatEvery)
		if got := beat(); !got.Equal(Start.Add(protocol.HeartbeatEvery)) {
			t.Errorf("the next one is rare too, it gave %v", got)
		}
	})
	r.clock.Advance(3*protocol.HookCadence - 10*time.Second)
	if got := r.presence(ada); got != protocol.Online {
		t.Errorf("three cadences after the beat: %s", got)
	}
	r.clock.Advance(time.Millisecond)
	if got := r.presence(ada); got != protocol.Stale {
		t.Errorf("later: %s", got)
	}
	beat()
	if _, err := r.core.CloseSession(r.ctx, ada.Owner, ""); err != nil {
		t.Fatal(err)
	}
	due("after the end", true)
}

func jumpingClock(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	beat := func(a actor) {
		t.Helper()
		if _, err := r.core.Heartbeat(r.ctx, a.Owner); err != nil {
			t.Fatal(err)
		}
	}
	r.clock.Advance(24 * time.Hour) // forward
	beat(ada)
	r.clock.Advance(-24 * time.Hour) // and back: ada's beat lies in the future, its record does not
	if got := r.presence(ada); got != protocol.Online {
		t.Errorf("a beat from the future hides the record: %s", got)
	}
	r.clock.Advance(time.Minute)
	beat(ada) // replaces it
	r.clock.Advance(10 * time.Minute)
	if got := r.presence(ada); got != protocol.Stale {
		t.Errorf("ten minutes after the replaced beat: %s", got)
	}
	r.clock.Advance(-time.Hour) // before the start of everything
	if got := r.presence(bob); got != protocol.PresenceUnknown {
		t.Errorf("a session from the future is %s", got)
	}
	beat(bob)
	if got := r.presence(bob); got != protocol.Online {
		t.Errorf("a session that beats by the clock that was set back is %s", got)
	}
	r.clock.Advance(49*time.Minute + 30*time.Second) // 30 s before the start
	if got := r.presence(bob); got != protocol.Online {
		t.Errorf("a small negative age is %s", got)
	}
	q := r.send(ada, protocol.Question, "while the clock is wrong", "bob").Message
	if _, err := r.core.Reply(r.ctx, bob.Owner, core.ReplyRequest{MessageID: q.MessageID, Body: "fine"}); err != nil {
		t.Error(err)
	}
}

func closing(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	r.claim(ada, "file:a")
	r.claim(ada, "file:b")
	kept := r.claim(bob, "file:c")
	since := r.position().LastSequence
	s, err := r.core.CloseSession(r.ctx, ada.Owner, "clear")
	if err != nil {
		t.Fatal(err)
	}
	if s.State != protocol.SessionClosed || s.EndReason != "clear" {
		t.Errorf("closed as %+v", s)
	}
	r.tell(since, called(ada, bob), "claim.released by ada", "claim.released by ada", "session.closed by ada")
	r.unchanged("closing again", func() {
		again, err := r.core.CloseSession(r.ctx, ada.Owner, "another reason")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, again); diff != "" {
			t.Errorf("closing again (-first +second):\n%s", diff)
		}
	})
	got, err := r.core.Status(r.ctx, core.StatusQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Claims) != 1 || got.Claims[0].ClaimID != kept.Claim.ClaimID {
		t.Errorf("claims after closing: %+v", got.Claims)
	}
	if len(got.Sessions) != 1 || got.Sessions[0].ParticipantID != "bob" {
		t.Errorf("sessions after closing: %+v", got.Sessions)
	}
}

package router

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

const other = string(adapter.TransportOther)

// TestDecisions is the order of decisions, one row for each way out. Each begins with ada asking bob,
// who has one session with one endpoint.
func TestDecisions(t *testing.T) {
	type at struct {
		*scene
		ada, bob core.Owner
		id       string // the question
	}
	waiting := Outcome{RecipientParticipantID: "bob", State: Queued, Transport: TransportDurable}
	with := func(o Outcome, change func(*Outcome)) Outcome { change(&o); return o }
	code := func(c Code) Outcome { return with(waiting, func(o *Outcome) { o.Code = c }) }
	failed := func(c protocol.OfferFailure) Outcome {
		return with(waiting, func(o *Outcome) { o.Code, o.Transport = Code(c), other })
	}
	woken := with(waiting, func(o *Outcome) { o.State, o.Transport = Woken, other })
	committed := func(c protocol.OfferFailure) []string { return []string{"bob " + string(c) + " " + other} }
	expire := func(a *at) { a.clock.Advance(protocol.BindingLease) }
	tests := []struct {
		name     string
		kind     adapter.OfferKind
		set      func(*at)
		want     Outcome
		asked    int // offers that the adapter saw
		failures []string
	}{
		{"woken", adapter.OfferWake, func(*at) {}, woken, 1, nil},
		{"offered", adapter.OfferMessage, func(*at) {}, with(woken, func(o *Outcome) { o.State = Offered }), 1, nil},
		{"read already", adapter.OfferWake, func(a *at) {
			_, err := a.core.Read(a.ctx, a.bob, a.id)
			a.must(err)
		}, with(waiting, func(o *Outcome) { o.State = Retrieved }), 0, nil},
		{"nobody there", adapter.OfferWake, func(a *at) { a.close(a.bob, "clear") },
			with(code(CodeRecipientOffline), func(o *Outcome) { o.EndReason = "clear" }), 0, nil},
		{"two sessions", adapter.OfferWake, func(a *at) { a.bind(a.open("bob"), "two") }, code(Code(protocol.FailAmbiguousSessions)), 0, nil},
		{"no endpoint", adapter.OfferWake, func(a *at) { a.must(a.core.RetireBinding(a.ctx, a.bob, "tool")) },
			with(code(CodeNoLiveTransport), func(o *Outcome) { o.NativeReason, o.LaunchOption = "client_session_embedded", "--no-daemon" }), 0, nil},
		{"policy off", adapter.OfferWake, func(a *at) { a.policies.of["tool"] = protocol.LiveOff }, code(Code(protocol.FailDeliveryDisabled)), 0, nil},
		{"policy not recorded", adapter.OfferWake, func(a *at) { delete(a.policies.of, "tool") }, code(Code(protocol.FailDeliveryDisabled)), 0, nil},
		{"policy unreadable", adapter.OfferWake, func(a *at) { a.policies.err = errors.New("torn") }, code(Code(protocol.FailDeliveryDisabled)), 0, nil},
		{"a note is not actionable", adapter.OfferWake, func(a *at) { a.id = a.send(a.ada, protocol.Note, "bob") }, code(Code(protocol.FailDeliveryDisabled)), 0, nil},
		{"a note to who takes all", adapter.OfferWake, func(a *at) {
			a.id, a.policies.of["tool"] = a.send(a.ada, protocol.Note, "bob"), protocol.LiveAll
		}, woken, 1, nil},
		{"an endpoint that cannot be pushed to", adapter.OfferWake, func(a *at) { a.must(a.publish(a.bob, "tool", "one", protocol.BusyQueue)) },
			code(Code(protocol.FailUnsupportedVersion)), 0, nil},
		{"an adapter that is not in this build", adapter.OfferWake, func(a *at) {
			a.must(a.core.RetireBinding(a.ctx, a.bob, "tool"))
			a.must(a.publish(a.bob, "absent", "one", protocol.LivePush))
			a.policies.of["absent"] = protocol.LiveAll
		}, code(Code(protocol.FailUnsupportedVersion)), 0, nil},
		{"of two endpoints one can be used", adapter.OfferWake, func(a *at) {
			a.must(a.publish(a.bob, "absent", "one", protocol.LivePush))
			a.policies.of["absent"] = protocol.LiveAll
		}, woken, 1, nil},
		{"too many without a person", adapter.OfferWake, func(a *at) {
			a.ledger.exchange = map[[2]string]int{{"ada", "bob"}: 2, {"bob", "ada"}: 3}
		}, code(CodeLoopGuard), 0, nil},
		{"too many, then a person", adapter.OfferWake, func(a *at) {
			a.ledger.exchange = map[[2]string]int{{"ada", "bob"}: 2, {"bob", "ada"}: 3}
			a.must(a.ledger.HumanTurn("ada"))
		}, woken, 1, nil},
		{"a lapsed lease is verified", adapter.OfferWake, expire, woken, 1, nil},
		{"nothing answers any more", adapter.OfferWake, func(a *at) {
			expire(a)
			a.client.handshake.Reason = adapter.NativeEndpointUnavailable
		}, failed(protocol.FailRecipientGone), 0, committed(protocol.FailRecipientGone)},
		{"a sandbox keeps the look away", adapter.OfferWake, func(a *at) {
			expire(a)
			a.client.handshake.Reason = adapter.NativePermissionDenied
		}, failed(protocol.FailPermission), 0, committed(protocol.FailPermission)},
		{"another endpoint answers", adapter.OfferWake, func(a *at) { expire(a); a.client.handshake = shaken("two") },
			failed(protocol.FailRecipientGone), 0, committed(protocol.FailRecipientGone)},
		{"another version answers", adapter.OfferWake, func(a *at) {
			expire(a)
			a.client.handshake = shaken("one")
			a.client.handshake.ClientVersion = "2.0.1"
		}, failed(protocol.FailRecipientGone), 0, committed(protocol.FailRecipientGone)},
		{"a version answers that is too old", adapter.OfferWake, func(a *at) {
			expire(a)
			a.client.handshake = shaken("one")
			a.client.handshake.ClientVersion = "0.9.0"
		}, failed(protocol.FailUnsupportedVersion), 0, committed(protocol.FailUnsupportedVersion)},
		{"given up while it was verified", adapter.OfferWake, func(a *at) {
			expire(a)
			a.client.refreshed = func() { a.must(a.core.RetireBinding(a.ctx, a.bob, "tool")) }
		}, failed(protocol.FailRecipientGone), 0, committed(protocol.FailRecipientGone)},
		{"switched off while it was verified", adapter.OfferWake, func(a *at) {
			expire(a)
			a.client.refreshed = func() { a.policies.of["tool"] = protocol.LiveOff }
		}, code(Code(protocol.FailDeliveryDisabled)), 0, nil},
		{"a second session came while it was verified", adapter.OfferWake, func(a *at) {
			expire(a)
			a.client.refreshed = func() { a.open("bob") }
		}, code(Code(protocol.FailAmbiguousSessions)), 0, nil},
		{"read while it was verified", adapter.OfferWake, func(a *at) {
			expire(a)
			a.client.refreshed = func() {
				_, err := a.core.Read(a.ctx, a.bob, a.id)
				a.must(err)
			}
		}, with(waiting, func(o *Outcome) { o.State = Retrieved }), 0, nil},
		{"another endpoint came after the choice", adapter.OfferWake, func(a *at) { a.ledger.begun = func() { a.bind(a.bob, "two") } },
			code(Code(protocol.FailRecipientGone)), 0, nil},
		{"the lease ended after the choice", adapter.OfferWake, func(a *at) { a.ledger.begun = func() { expire(a) } },
			code(Code(protocol.FailRecipientGone)), 0, nil},
		{"another session came after the choice", adapter.OfferWake, func(a *at) {
			a.ledger.begun = func() { a.close(a.bob, ""); a.bind(a.open("bob"), "one") }
		}, code(Code(protocol.FailRecipientGone)), 0, nil},
		{"another wake is in flight", adapter.OfferWake, func(a *at) { a.offer(a.send(a.ada, protocol.Question, "bob")) }, code(CodeWakeInFlight), 1, nil},
		{"the wake in flight was lost", adapter.OfferWake, func(a *at) {
			a.offer(a.send(a.ada, protocol.Question, "bob"))
			a.clock.Advance(WakeExpires)
		}, woken, 2, nil},
		{"this wake was lost", adapter.OfferWake, func(a *at) { a.offer(a.id); a.clock.Advance(WakeExpires) }, woken, 2, nil},
		{"woken for it, and looked", adapter.OfferWake, func(a *at) {
			a.offer(a.id)
			a.must(a.ledger.EndWake(a.bob.SessionID, protocol.GenerationRef(a.bob.Generation)))
		}, code(CodeWakeSpent), 1, nil},
		{"another message is in flight", adapter.OfferMessage, func(a *at) { a.offer(a.send(a.ada, protocol.Question, "bob")) }, code(CodeWakeInFlight), 1, nil},
		{"a message that failed is not in flight", adapter.OfferMessage, func(a *at) {
			good := a.client.answer
			a.client.answer = adapter.OfferAnswer{Code: protocol.FailTransport}
			a.offer(a.id)
			a.client.answer = good
		}, with(woken, func(o *Outcome) { o.State = Offered }), 2, []string{"bob transport_error live-adapter"}},
		{"a ledger that cannot be written", adapter.OfferWake, func(a *at) { a.ledger.err = fs.ErrPermission }, code(Code(protocol.FailTransport)), 0, nil},
		{"held for a person", adapter.OfferWake, func(a *at) { a.client.answer.State = adapter.OfferPending },
			with(woken, func(o *Outcome) { o.PendingApproval = true }), 1, nil},
		{"a held message is not offered", adapter.OfferMessage, func(a *at) { a.client.answer.State = adapter.OfferPending },
			with(woken, func(o *Outcome) { o.PendingApproval = true }), 1, nil},
		{"refused with a code", adapter.OfferWake, func(a *at) { a.client.answer = adapter.OfferAnswer{Code: protocol.FailRecipientBusy} },
			failed(protocol.FailRecipientBusy), 1, committed(protocol.FailRecipientBusy)},
		{"refused with anything", adapter.OfferWake, func(a *at) { a.client.answer = adapter.OfferAnswer{Code: "/run/secret.sock: no"} },
			failed(protocol.FailRejected), 1, committed(protocol.FailRejected)},
		{"accepted by a version that is too old", adapter.OfferWake, func(a *at) { a.client.answer.ClientVersion = "0.9.0" },
			failed(protocol.FailUnsupportedVersion), 1, committed(protocol.FailUnsupportedVersion)},
		{"a panic", adapter.OfferWake, func(a *at) { a.client.during = func() { panic("vendor") } },
			failed(protocol.FailTransport), 1, committed(protocol.FailTransport)},
		{"the session ends while it takes the message", adapter.OfferMessage, func(a *at) { a.client.during = func() { a.close(a.bob, "") } },
			failed(protocol.FailTransport), 1, committed(protocol.FailTransport)},
		{"the body was shown while it was taken", adapter.OfferMessage, func(a *at) {
			a.client.during = func() {
				_, err := a.core.Read(a.ctx, a.bob, a.id)
				a.must(err)
			}
		}, with(woken, func(o *Outcome) { o.State = Retrieved }), 1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := &at{scene: newScene(t, tt.kind, nil)}
			a.ada, a.bob = a.open("ada"), a.open("bob")
			a.bind(a.bob, "one")
			a.id = a.send(a.ada, protocol.Question, "bob")
			tt.set(a)
			before := a.state(a.id)
			if diff := cmp.Diff(tt.want, a.offer(a.id)); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
			if len(a.client.offers) != tt.asked {
				t.Errorf("the adapter was asked %d times, want %d", len(a.client.offers), tt.asked)
			}
			if diff := cmp.Diff(tt.failures, a.failures()); diff != "" {
				t.Errorf("failures on record (-want +got):\n%s", diff)
			}
			if after := a.state(a.id); tt.want.State == Woken && after != protocol.Queued || tt.want.State == Queued && after != before {
				t.Errorf("the receipt went from %s to %s", before, after)
			}
		})
	}
}

// TestReplacedDecision: what a newer decision replaced wakes nobody.
func TestReplacedDecision(t *testing.T) {
	s := newScene(t, adapter.OfferWake, nil)
	ada, bob := s.open("ada"), s.open("bob")
	s.bind(bob, "one")
	old := s.send(ada, protocol.Decision, "bob")
	_, err := s.core.Send(s.ctx, ada, core.SendRequest{
		MessageKind: protocol.Decision, Subject: "new", Body: "b", Replaces: []string{old},
	})
	s.must(err)
	if o := s.offer(old); o.Code != CodeReplaced || o.State != Queued || len(s.client.offers) != 0 {
		t.Errorf("%+v", o)
	}
	last := s.send(ada, protocol.Decision, "bob")
	s.ledger.begun = func() { // after the choice, before the transport
		_, err := s.core.Send(s.ctx, ada, core.SendRequest{MessageKind: protocol.Decision, Subject: "newer", Body: "b", Replaces: []string{last}})
		s.must(err)
	}
	if o := s.offer(last); o.Code != CodeReplaced || o.State != Queued || len(s.client.offers) != 0 || len(s.ledger.flights) != 0 {
		t.Errorf("replaced meanwhile: %+v, %v", o, s.ledger.flights)
	}
}

// TestRoomMessagesWakeNobody: a message to the room has no outcomes.
func TestRoomMessagesWakeNobody(t *testing.T) {
	s := newScene(t, adapter.OfferMessage, nil)
	ada, bob := s.open("ada"), s.open("bob")
	s.bind(bob, "one")
	s.policies.of["tool"] = protocol.LiveAll
	outcomes, err := s.router.OfferNew(s.ctx, s.send(ada, protocol.Note))
	if err != nil || len(outcomes) != 0 || len(s.client.offers) != 0 {
		t.Errorf("%+v, %v", outcomes, err)
	}
	if _, err := s.router.OfferNew(s.ctx, "message_none"); protocol.ReasonOf(err) != protocol.ReasonNotFound {
		t.Errorf("no message: %v", err)
	}
}

// TestWhatCrosses: a wake gets the id and no byte of the message; a message gets the framed body, or for
// a body that fits no turn a pointer, which is not an offer.
func TestWhatCrosses(t *testing.T) {
	wake := newScene(t, adapter.OfferWake, nil)
	ada, bob := wake.open("ada"), wake.open("bob")
	wake.bind(bob, "one")
	id := wake.send(ada, protocol.Question, "bob")
	wake.offer(id)
	want := []adapter.Offer{{MessageID: id}}
	if diff := cmp.Diff(want, wake.client.offers); diff != "" {
		t.Errorf("a wake (-want +got):\n%s", diff)
	}
	wantEndpoint := []adapter.Endpoint{{Ref: "one", GenerationRef: protocol.GenerationRef(bob.Generation)}}
	if diff := cmp.Diff(wantEndpoint, wake.client.endpoints); diff != "" {
		t.Errorf("the endpoint (-want +got):\n%s", diff)
	}

	s := newScene(t, adapter.OfferMessage, nil)
	ada, bob = s.open("ada"), s.open("bob")
	s.bind(bob, "one")
	s.offer(s.send(ada, protocol.Question, "bob"))
	text := s.client.offers[0].Text
	if !strings.HasPrefix(text, "```acc-peer-message\n") || !strings.Contains(text, "untrusted peer message\nsubject: s\nbody:\nb\n") {
		t.Errorf("the message crossed as %q", text)
	}
	long, err := s.core.Send(s.ctx, ada, core.SendRequest{To: []string{"bob"}, MessageKind: protocol.Question, Subject: "s", Body: strings.Repeat("long ", 4000)})
	s.must(err)
	s.must(s.ledger.EndWake(bob.SessionID, protocol.GenerationRef(bob.Generation)))
	o := s.offer(long.Message.MessageID)
	text = s.client.offers[1].Text
	if o.State != Woken || s.state(long.Message.MessageID) != protocol.Queued || strings.Contains(text, "long") || !strings.Contains(text, "acc inbox --message "+long.Message.MessageID) {
		t.Errorf("a long message: %+v, crossed as %q", o, text)
	}
}

// TestManyToBusy: a hundred messages to one session that does not look cross once, and once more for
// every look that leaves something.
func TestManyToBusy(t *testing.T) {
	s := newScene(t, adapter.OfferWake, nil)
	ada, bob := s.open("ada"), s.open("bob")
	s.bind(bob, "one")
	for range 100 {
		s.offer(s.send(ada, protocol.Question, "bob"))
	}
	if len(s.client.offers) != 1 {
		t.Fatalf("%d wakes", len(s.client.offers))
	}
	look := func() {
		s.must(s.ledger.EndWake(bob.SessionID, protocol.GenerationRef(bob.Generation)))
		if _, err := s.router.OfferOwed(s.ctx, "bob"); err != nil {
			t.Fatal(err)
		}
	}
	look()
	look()
	if len(s.client.offers) != 3 || s.client.offers[0].MessageID == s.client.offers[1].MessageID {
		t.Errorf("%+v", s.client.offers)
	}
	for range 20 {
		look()
	}
	if len(s.client.offers) != 5 {
		t.Errorf("the loop guard let %d wakes through", len(s.client.offers))
	}
	s.must(s.ledger.HumanTurn("bob"))
	look()
	if len(s.client.offers) != 6 {
		t.Errorf("after a person's turn: %d wakes", len(s.client.offers))
	}
}

// TestCrowd: names cost a sender nothing, so many of them together are stopped as two are, until a person has a turn
// with the recipient.
func TestCrowd(t *testing.T) {
	s := newScene(t, adapter.OfferWake, nil)
	bob := s.open("bob")
	s.bind(bob, "one")
	from := func(n int) Outcome {
		t.Helper()
		name := fmt.Sprintf("invented-%d", n)
		o := s.offer(s.send(s.open(name), protocol.Question, "bob"))
		s.must(s.ledger.HumanTurn(name)) // whoever made the sender up
		s.must(s.ledger.EndWake(bob.SessionID, protocol.GenerationRef(bob.Generation)))
		return o
	}
	const most = 5 * 10
	for n := range most {
		if o := from(n); o.State != Woken {
			t.Fatalf("wake %d: %+v", n, o)
		}
	}
	if o := from(most); o.State != Queued || o.Code != CodeTurnGuard || len(s.client.offers) != most {
		t.Errorf("after %d wakes: %+v", len(s.client.offers), o)
	}
	if got, err := s.router.OfferOwed(s.ctx, "bob"); err != nil || len(got) != 1 {
		t.Errorf("what holds for all is looked at once: %+v, %v", got, err)
	}
	s.must(s.ledger.HumanTurn("bob"))
	if o := from(most + 1); o.State != Woken {
		t.Errorf("after a person's turn: %+v", o)
	}
}

// TestPersonUnseen: where the client never shows a person's turn, a new day begins the count anew; elsewhere it does not.
func TestPersonUnseen(t *testing.T) {
	for unseen, want := range map[bool]Outcome{
		true:  {RecipientParticipantID: "bob", State: Woken, Transport: string(adapter.TransportOther)},
		false: {RecipientParticipantID: "bob", State: Queued, Transport: TransportDurable, Code: CodeLoopGuard},
	} {
		s := newScene(t, adapter.OfferWake, nil)
		c := contract(adapter.OfferWake)
		c.PersonUnseen = unseen
		live, err := adapter.NewLive("tool", c, s.client)
		s.must(err)
		s.router, err = New(Config{Room: s.core, Lives: []*adapter.Live{live}, Vault: vault{}, Ledger: s.ledger, Policies: s.policies, Clock: s.clock, LoopLimit: 5})
		s.must(err)
		ada, bob := s.open("ada"), s.open("bob")
		wake := func() Outcome {
			t.Helper()
			s.bind(bob, "one")
			o := s.offer(s.send(ada, protocol.Question, "bob"))
			s.must(s.ledger.EndWake(bob.SessionID, protocol.GenerationRef(bob.Generation)))
			return o
		}
		for range 5 {
			wake()
		}
		if o := wake(); o.Code != CodeLoopGuard || len(s.client.offers) != 5 {
			t.Errorf("unseen %v: %+v after %d wakes", unseen, o, len(s.client.offers))
		}
		s.clock.Advance(24 * time.Hour)
		for _, o := range []core.Owner{ada, bob} {
			_, err := s.core.Heartbeat(s.ctx, o)
			s.must(err)
		}
		if o := wake(); o != want {
			t.Errorf("unseen %v, on the next day: %+v, want %+v", unseen, o, want)
		}
	}
}

// TestOwed: what is tried again, and where that stops.
func TestOwed(t *testing.T) {
	s := newScene(t, adapter.OfferMessage, nil)
	ada, bob := s.open("ada"), s.open("bob")
	s.send(ada, protocol.Note, "bob")
	first, second := s.send(ada, protocol.Question, "bob"), s.send(ada, protocol.Question, "bob")
	owed := func() []Outcome {
		t.Helper()
		outcomes, err := s.router.OfferOwed(s.ctx, "bob")
		s.must(err)
		return outcomes
	}
	if got := owed(); len(got) != 1 || got[0].Code != CodeNoLiveTransport {
		t.Errorf("without an endpoint: %+v", got)
	}
	s.bind(bob, "one")
	s.client.answer = adapter.OfferAnswer{Code: protocol.FailTransport}
	if got := owed(); len(got) != 2 || len(s.failures()) != 1 {
		t.Errorf("a transport that fails is asked once: %+v, on record %v", got, s.failures())
	}
	s.client.answer = adapter.OfferAnswer{State: adapter.OfferAccepted, ClientVersion: "2.0.0"}
	if got := owed(); len(got) != 2 || s.state(first) != protocol.Offered || s.state(second) != protocol.Queued {
		t.Errorf("one at a time: %+v", got)
	}
	s.must(s.ledger.EndWake(bob.SessionID, protocol.GenerationRef(bob.Generation)))
	if got := owed(); len(got) != 2 || s.state(second) != protocol.Offered {
		t.Errorf("%+v", got)
	}
	if got := owed(); len(got) != 1 || got[0].Code != Code(protocol.FailDeliveryDisabled) {
		t.Errorf("the note alone is left: %+v", got)
	}
}

// TestAsked: what a participant asked and whose sender died before the offer is offered by its next hook,
// a lost wake once more, and a recipient that fails is asked once.
func TestAsked(t *testing.T) {
	s := newScene(t, adapter.OfferWake, nil)
	ada, bob, eve := s.open("ada"), s.open("bob"), s.open("eve")
	s.bind(bob, "one")
	s.bind(eve, "two")
	first := s.send(ada, protocol.Question, "bob")
	s.send(ada, protocol.Question, "bob")
	s.send(ada, protocol.Question, "eve")
	s.send(bob, protocol.Question, "eve")
	asked := func(want int) {
		t.Helper()
		if _, err := s.router.OfferAsked(s.ctx, "ada"); err != nil || len(s.client.offers) != want {
			t.Errorf("%d offers, %v, want %d: %+v", len(s.client.offers), err, want, s.client.offers)
		}
	}
	asked(2) // one for each recipient
	asked(2) // both are on their way
	s.clock.Advance(WakeExpires)
	asked(4) // both were lost
	s.must(s.ledger.EndWake(bob.SessionID, protocol.GenerationRef(bob.Generation)))
	asked(5) // bob looked, and one that he was not woken for is left
	if last := s.client.offers[4].MessageID; last != first {
		t.Errorf("%s was offered, want %s", last, first)
	}
	f := newScene(t, adapter.OfferWake, nil)
	ada, bob = f.open("ada"), f.open("bob")
	f.bind(bob, "one")
	f.client.answer = adapter.OfferAnswer{Code: protocol.FailRecipientBusy}
	for range 3 {
		f.send(ada, protocol.Question, "bob")
	}
	if got, err := f.router.OfferAsked(f.ctx, "ada"); err != nil || len(got) != 1 || len(f.failures()) != 1 {
		t.Errorf("a recipient that fails: %+v, %v, %v", got, err, f.failures())
	}
}

// TestDenied: what a sandbox did not let through is tried once from outside of it, and no more.
func TestDenied(t *testing.T) {
	s := newScene(t, adapter.OfferWake, nil)
	ada, bob := s.open("ada"), s.open("bob")
	s.bind(bob, "one")
	s.client.answer = adapter.OfferAnswer{Code: protocol.FailPermission}
	id := s.send(ada, protocol.Question, "bob")
	if o := s.offer(id); o.Code != Code(protocol.FailPermission) || !cmp.Equal(s.ledger.denied["ada"], []string{id}) {
		t.Fatalf("%+v, %v", o, s.ledger.denied)
	}
	again := func() int {
		t.Helper()
		outcomes, err := s.router.OfferDenied(s.ctx, "ada")
		s.must(err)
		return len(outcomes)
	}
	if again() != 1 || len(s.ledger.denied["ada"]) != 0 || again() != 0 {
		t.Errorf("still denied: %v", s.ledger.denied)
	}
	s.client.answer = adapter.OfferAnswer{State: adapter.OfferAccepted, ClientVersion: "2.0.0"}
	s.must(s.ledger.Deny("ada", id))
	s.must(s.ledger.Deny("ada", "message_gone"))
	if again() != 1 || len(s.ledger.denied["ada"]) != 0 || s.ledger.flights[bob.SessionID+protocol.GenerationRef(bob.Generation)].messageID != id {
		t.Errorf("from outside: %v, %v", s.ledger.denied, s.ledger.flights)
	}
	if s.state(id) != protocol.Queued {
		t.Error("a wake is no offer")
	}
}

// TestRefusedWakesCanBeTriedAgain: a claim is given back when nothing crossed, and kept when that is not
// known.
func TestRefusedWakesCanBeTriedAgain(t *testing.T) {
	for failure, want := range map[protocol.OfferFailure]Code{
		protocol.FailRecipientBusy: Code(protocol.FailRecipientBusy),
		protocol.FailTransport:     CodeWakeInFlight,
	} {
		s := newScene(t, adapter.OfferWake, nil)
		ada, bob := s.open("ada"), s.open("bob")
		s.bind(bob, "one")
		s.client.answer = adapter.OfferAnswer{Code: failure}
		id := s.send(ada, protocol.Question, "bob")
		s.offer(id)
		if o := s.offer(id); o.Code != want {
			t.Errorf("after %s: %+v", failure, o)
		}
	}
}

// TestWhatIsNeeded: a router that lacks something is a mistake of its builder.
func TestWhatIsNeeded(t *testing.T) {
	s := newScene(t, adapter.OfferWake, nil)
	live, err := adapter.NewLive("tool", contract(adapter.OfferWake), s.client)
	s.must(err)
	whole := Config{Room: s.core, Vault: vault{}, Ledger: s.ledger, Policies: s.policies, Clock: s.clock}
	for name, change := range map[string]func(*Config){
		"room":     func(c *Config) { c.Room = nil },
		"vault":    func(c *Config) { c.Vault = nil },
		"ledger":   func(c *Config) { c.Ledger = nil },
		"policies": func(c *Config) { c.Policies = nil },
		"two":      func(c *Config) { c.Lives = []*adapter.Live{live, live} },
	} {
		cfg := whole
		change(&cfg)
		if _, err := New(cfg); protocol.CodeOf(err) != protocol.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r, err := New(whole); err != nil || r.loopLimit != DefaultLoopLimit || WakeExpires != 2*time.Minute {
		t.Errorf("%v", err)
	}
}

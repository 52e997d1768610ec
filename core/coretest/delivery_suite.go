package coretest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

func endpoint(adapter, name string) core.BindingRequest {
	return core.BindingRequest{
		AdapterID: adapter, ClientVersion: "1.2.3", Modes: []protocol.DeliveryMode{protocol.LivePush}, Policy: protocol.LiveActionable, Endpoint: name,
	}
}

// bindings gives what a router sees of the only session of a participant, as "adapter endpoint current".
func (r *roomTest) bindings(messageID, participantID string) string {
	r.Helper()
	recipient, err := r.core.Recipient(r.ctx, messageID, participantID)
	if err != nil {
		r.Fatal(err)
	}
	var all []string
	for _, b := range recipient.Bindings {
		all = append(all, fmt.Sprintf("%s %s %v", b.AdapterID, b.OpaqueEndpointRef, b.LeaseCurrent))
	}
	return strings.Join(all, ", ")
}

func deliveryBindings(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	m := r.send(bob, protocol.Question, "q", "ada").Message.MessageID
	publish := func(req core.BindingRequest) {
		t.Helper()
		if _, err := r.core.PublishBinding(r.ctx, ada.Owner, req); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what, want string) {
		t.Helper()
		if got := r.bindings(m, "ada"); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	r.unchanged("bindings", func() {
		check("none", "")
		publish(endpoint("tool", "one"))
		check("published", "tool one true")
		r.clock.Advance(protocol.BindingLease)
		check("lapsed", "tool one false")
		publish(endpoint("tool", "one"))
		check("renewed", "tool one true")
		publish(endpoint("tool", "two"))
		check("moved", "tool two true")
		publish(endpoint("other", "x"))
		check("of two adapters", "other x true, tool two true")
		if own, err := r.core.Published(r.ctx, ada.Owner); err != nil || len(own) != 2 || own[1].OpaqueEndpointRef != "two" || !own[1].LeaseCurrent {
			t.Errorf("its own: %+v, %v", own, err)
		}
		_, err := r.core.Published(r.ctx, core.Owner{SessionID: ada.SessionID, Generation: "x"})
		r.refused("those of another generation", err, protocol.Conflict, protocol.ReasonCallerMismatch)
		if err := r.core.RetireBinding(r.ctx, ada.Owner, "tool"); err != nil {
			t.Fatal(err)
		}
		check("retired", "other x true")
		_, err = r.core.PublishBinding(r.ctx, ada.Owner, endpoint("tool", "two"))
		r.refused("renewing what was given up", err, protocol.Conflict, "")
		// A renewal that read before the retirement and writes after it:
		late := protocol.DeliveryBinding{
			SessionID: ada.SessionID, Generation: ada.Generation, AdapterID: "tool", ClientVersion: "1.2.3", AvailableModes: []protocol.DeliveryMode{protocol.LivePush},
			LivePolicy: protocol.LiveAll, OpaqueEndpointRef: "two", LeaseUntil: r.clock.Now().Add(time.Minute),
		}
		if err := r.store.Ephemeral().PutBinding(r.ctx, late); err != nil {
			t.Fatal(err)
		}
		check("a late renewal", "other x true")
		publish(endpoint("tool", "three"))
		check("a new endpoint", "other x true, tool three true")
		if err := r.core.RetireBinding(r.ctx, ada.Owner, "nobody"); err != nil {
			t.Errorf("retiring nothing: %v", err)
		}
		r.clock.Advance(-time.Hour)
		check("a lease from the future vouches for nothing", "other x false, tool three false")
		r.clock.Advance(time.Hour)
		for name, change := range map[string]func(*core.BindingRequest){
			"a longer lease":        func(q *core.BindingRequest) { q.Lease = protocol.BindingLease + 1 },
			"a reserved adapter id": func(q *core.BindingRequest) { q.AdapterID = "tool.retired.0" },
		} {
			req := endpoint("tool", "four")
			change(&req)
			_, err := r.core.PublishBinding(r.ctx, ada.Owner, req)
			r.refused(name, err, protocol.Usage, "")
		}
		req := endpoint("tool", "four")
		req.Modes = []protocol.DeliveryMode{"telepathy"}
		_, err = r.core.PublishBinding(r.ctx, ada.Owner, req)
		r.refused("an unknown mode", err, protocol.Data, "")
		_, err = r.core.PublishBinding(r.ctx, core.Owner{SessionID: ada.SessionID, Generation: "x"}, endpoint("tool", "four"))
		r.refused("another generation", err, protocol.Conflict, protocol.ReasonCallerMismatch)
	})
	status, err := r.core.Status(r.ctx, core.StatusQuery{})
	if err != nil {
		t.Fatal(err)
	}
	want := core.BindingStatus{
		SessionID: ada.SessionID, ParticipantID: "ada", AdapterID: "other", ClientVersion: "1.2.3", Modes: []protocol.DeliveryMode{protocol.LivePush},
		LivePolicy: protocol.LiveActionable, Reachable: true, LeaseUntil: r.clock.Now().Add(protocol.BindingLease),
	}
	if diff := cmp.Diff(want, status.Bindings[0]); diff != "" || len(status.Bindings) != 2 || !status.Sessions[0].LiveDelivery || !status.Sessions[0].LiveLeaseCurrent {
		t.Errorf("status shows %+v (-want +got):\n%s", status.Bindings, diff)
	}
	r.close(ada)
	check("of a closed session", "")
	late := protocol.DeliveryBinding{
		SessionID: ada.SessionID, Generation: ada.Generation, AdapterID: "tool", ClientVersion: "1", LivePolicy: protocol.LiveAll, OpaqueEndpointRef: "x", LeaseUntil: r.clock.Now().Add(time.Minute),
	}
	ref := protocol.GenerationRef(ada.Generation)
	if err := r.store.Ephemeral().PutBinding(r.ctx, late); err != nil {
		t.Fatal(err)
	}
	if status, err := r.core.Status(r.ctx, core.StatusQuery{All: true}); err != nil || len(status.Bindings) > 0 {
		t.Errorf("status shows endpoints of a closed session: %+v, %v", status.Bindings, err)
	}
	if err := r.store.Ephemeral().RemoveBinding(r.ctx, ada.SessionID, ref, "tool"); err != nil {
		t.Fatal(err)
	}
	if left, err := r.store.Ephemeral().Bindings(r.ctx, ada.SessionID, protocol.GenerationRef(ada.Generation)); err != nil || len(left) > 0 {
		t.Errorf("a closed session leaves %v, %v", left, err)
	}
}

// manyPublishers: several processes of one session publish at once; each adapter's last word is whole.
func manyPublishers(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	m := r.send(bob, protocol.Question, "q", "ada").Message.MessageID
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for range 10 {
				if _, err := r.core.PublishBinding(r.ctx, ada.Owner, endpoint(fmt.Sprintf("tool-%d", i), "end")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got := r.bindings(m, "ada"); got != "tool-0 end true, tool-1 end true, tool-2 end true, tool-3 end true" {
		t.Errorf("published %q", got)
	}
}

func routing(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	q := r.send(bob, protocol.Question, "q", "ada").Message.MessageID
	all := r.send(bob, protocol.Note, "all").Message.MessageID
	second := r.openAs(core.OpenSession{ParticipantID: "ada", Harness: "tool", PID: 7})
	r.processes.Set(7, core.ProcessAlive)
	if _, err := r.core.PublishBinding(r.ctx, ada.Owner, endpoint("tool", "one")); err != nil {
		t.Fatal(err)
	}
	get := func() core.Recipient {
		t.Helper()
		to, err := r.core.Recipients(r.ctx, q)
		if err != nil || len(to) != 1 {
			t.Fatalf("%+v, %v", to, err)
		}
		return to[0]
	}
	present := func(of string, want protocol.Presence) {
		t.Helper()
		if got, err := r.core.Presences(r.ctx, []string{of, "bob"}); err != nil || got[of] != want || got["bob"] != protocol.Online {
			t.Errorf("presences %v, %v: want %s of %s", got, err, want, of)
		}
	}
	present("ada", protocol.Online)
	present("stranger", protocol.Offline)
	if to := get(); len(to.Sessions) != 2 || len(to.Bindings) != 0 || to.Replaced || to.Message.MessageID != q || to.Receipt.State != protocol.Queued {
		t.Errorf("several sessions: %+v", to)
	}
	r.processes.Set(7, core.ProcessDead)
	if to := get(); len(to.Sessions) != 1 || to.Sessions[0].Generation != ada.Generation || len(to.Bindings) != 1 {
		t.Errorf("the only live one: %+v", to)
	}
	present("ada", protocol.Online)
	if owed, err := r.core.OwedOffers(r.ctx, "ada", 10); err != nil || !cmp.Equal(owed, []string{q}) {
		t.Errorf("owed: %v, %v (the room's %s is not offered live)", owed, err, all)
	}
	note := r.send(bob, protocol.Note, "n", "ada").Message.MessageID
	later := r.send(bob, protocol.Question, "q2", "ada").Message.MessageID
	unanswered := func(author string, limit int, want ...string) {
		t.Helper()
		if got, err := r.core.UnansweredOffers(r.ctx, author, limit); err != nil || !cmp.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("unanswered of %s: %v, %v, want %v (%s obliges nobody)", author, got, err, want, note)
		}
	}
	unanswered("bob", 10, later, q)
	unanswered("bob", 1, later)
	unanswered("ada", 10)
	if _, err := r.core.Read(r.ctx, ada.Owner, later); err != nil {
		t.Fatal(err)
	}
	unanswered("bob", 10, q)
	if _, err := r.core.CloseSession(r.ctx, second.Owner, "clear"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.core.CloseSession(r.ctx, ada.Owner, "logout"); err != nil {
		t.Fatal(err)
	}
	if to := get(); len(to.Sessions) != 0 || to.EndReason != "clear" {
		t.Errorf("nobody there: %+v", to)
	}
	present("ada", protocol.Offline)
	_, err := r.core.Recipient(r.ctx, q, "bob")
	r.refused("somebody it is not for", err, protocol.Data, protocol.ReasonNotFound)
	_, err = r.core.Recipients(r.ctx, "message_none")
	r.refused("no message", err, protocol.Data, protocol.ReasonNotFound)
}

// wakeable: whoever can be woken is not unavailable.
func wakeable(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	r.send(bob, protocol.Question, "q", "ada")
	r.clock.Advance(10 * time.Minute) // ada is stale
	unavailable := func() int {
		t.Helper()
		status, err := r.core.Status(r.ctx, core.StatusQuery{Owner: &bob.Owner})
		if err != nil {
			t.Fatal(err)
		}
		return len(status.Attention)
	}
	if unavailable() != 1 {
		t.Error("a stale recipient without an endpoint is available")
	}
	off := endpoint("tool", "one")
	off.Policy = protocol.LiveOff
	if _, err := r.core.PublishBinding(r.ctx, ada.Owner, off); err != nil {
		t.Fatal(err)
	}
	if unavailable() != 1 {
		t.Error("an endpoint that is switched off makes nobody available")
	}
	if _, err := r.core.PublishBinding(r.ctx, ada.Owner, endpoint("tool", "one")); err != nil {
		t.Fatal(err)
	}
	if unavailable() != 0 {
		t.Error("a recipient that can be woken is called unavailable")
	}
	r.clock.Advance(protocol.OfflineAfter)
	if unavailable() != 1 {
		t.Error("nobody wakes a session that is offline")
	}
}

func repeats(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	live := core.OfferSuccess{Target: bob.Owner, Transport: "socket", AdapterID: "tool", ClientVersion: "1"}
	next := live
	next.Transport = protocol.TransportNextTurn
	one := r.send(ada, protocol.Note, "one", "bob").Message.MessageID
	two := r.send(ada, protocol.Note, "two", "bob").Message.MessageID
	shown := r.send(ada, protocol.Note, "shown", "bob").Message.MessageID
	read := r.send(ada, protocol.Note, "read", "bob").Message.MessageID
	offer := func(s core.OfferSuccess, ids ...string) []protocol.Receipt {
		t.Helper()
		s.MessageIDs = ids
		got, err := r.core.RecordOffers(r.ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	offer(live, one, two, read)
	offer(next, shown)
	if _, err := r.core.Read(r.ctx, bob.Owner, read); err != nil {
		t.Fatal(err)
	}
	due := func() string {
		t.Helper()
		turn, err := r.core.Turn(r.ctx, bob.Owner, 10)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, mail := range turn.Repeats {
			all = append(all, mail.Message.Subject)
		}
		return strings.Join(all, " ")
	}
	r.clock.Advance(protocol.RepeatLiveOffer - time.Millisecond)
	if got := due(); got != "" {
		t.Errorf("a millisecond early: %q", got)
	}
	r.unchanged("a repeat that is not due", func() {
		early := live
		early.Repeats = []string{one}
		_, err := r.core.RecordOffers(r.ctx, early)
		r.refused("a repeat by a live transport, due or not", err, protocol.Data, "")
		next.Repeats = []string{one}
		offer(next)
	})
	r.clock.Advance(time.Millisecond)
	if got := due(); got != "one two" {
		t.Errorf("after 15 minutes: %q", got)
	}
	live.Repeats = []string{one}
	_, err := r.core.RecordOffers(r.ctx, live)
	r.refused("a repeat by a live transport", err, protocol.Data, "")
	since := r.position().LastSequence
	next.Repeats = []string{one, read, shown}
	got := offer(next)
	if got[0].State != protocol.Offered || !got[0].UpdatedAt.Equal(Start) || !got[0].Offer.RepeatedAt.Equal(r.clock.Now()) || got[0].Offer.Transport != "socket" || !got[0].Offer.At.Equal(Start) {
		t.Errorf("a repeated receipt: %+v %+v", got[0], got[0].Offer)
	}
	r.tell(since, called(bob), "message.offer_succeeded by bob")
	payload, err := protocol.DecodePayload(r.journal()[since])
	if err != nil || !payload.(protocol.OfferSucceededPayload).Repeat {
		t.Errorf("payload %+v, %v", payload, err)
	}
	r.unchanged("a second repeat", func() { offer(next) })
	if got := due(); got != "two" {
		t.Errorf("at most once: %q", got)
	}
	r.clock.Advance(-time.Hour)
	if got := due(); got != "" {
		t.Errorf("when the clock was set back: %q", got)
	}
}

func offerFailures(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	m := r.send(ada, protocol.Question, "q", "bob").Message.MessageID
	all := r.send(ada, protocol.Note, "all").Message.MessageID
	failure := core.OfferFailure{
		MessageID: m, RecipientParticipantID: "bob", Target: bob.Owner, Transport: "socket", AdapterID: "tool", ClientVersion: "1", Code: protocol.FailRecipientBusy,
	}
	fail := func(change func(*core.OfferFailure)) error {
		f := failure
		change(&f)
		_, err := r.core.RecordOfferFailure(r.ctx, f)
		return err
	}
	r.unchanged("refused failures", func() {
		r.refused("an open vocabulary", fail(func(f *core.OfferFailure) { f.Code = "secret path" }), protocol.Data, "")
		r.refused("another generation", fail(func(f *core.OfferFailure) { f.Target.Generation = "x" }), protocol.Conflict, protocol.ReasonCallerMismatch)
		r.refused("another participant's session", fail(func(f *core.OfferFailure) { f.Target = ada.Owner }), protocol.Conflict, protocol.ReasonCallerMismatch)
		r.refused("a message to the room", fail(func(f *core.OfferFailure) { f.MessageID = all }), protocol.Data, "")
		r.refused("no message", fail(func(f *core.OfferFailure) { f.MessageID = "message_none" }), protocol.Data, protocol.ReasonNotFound)
	})
	r.close(bob) // the target need not be open any more
	since := r.position().LastSequence
	receipt, err := r.core.RecordOfferFailure(r.ctx, failure)
	if err != nil || receipt.State != protocol.Queued || receipt.Offer != nil {
		t.Errorf("%+v, %v", receipt, err)
	}
	r.tell(since, called(bob), "message.offer_failed by bob")
	payload, err := protocol.DecodePayload(r.journal()[since])
	want := protocol.OfferFailedPayload{
		MessageID: m, RecipientParticipantID: "bob", TargetSessionID: bob.SessionID, TargetGenerationRef: protocol.GenerationRef(bob.Generation),
		Transport: "socket", AdapterID: "tool", ClientVersion: "1", SafeErrorCode: protocol.FailRecipientBusy,
	}
	if diff := cmp.Diff(protocol.EventPayload(want), payload); diff != "" || err != nil {
		t.Errorf("payload, %v (-want +got):\n%s", err, diff)
	}
}

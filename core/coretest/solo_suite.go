package coretest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// untouched checks that the room holds nothing at all.
func (r *roomTest) untouched(what string) {
	r.Helper()
	if p := r.position(); p != (core.Commit{}) {
		r.Fatalf("%s made a commit: %+v", what, p)
	}
	err := r.store.View(r.ctx, func(reader core.Reader) error {
		for _, index := range []core.Index{core.OpenSessions, core.Participants, core.OpenIntents} {
			if entries, err := reader.Find(core.Query{Index: index}); err != nil || len(entries) > 0 {
				r.Fatalf("%s left %v in %s, %v", what, entries, index, err)
			}
		}
		return nil
	})
	if err != nil {
		r.Fatal(err)
	}
}

func soloLeavesNothing(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	if _, err := r.core.PublishIntent(r.ctx, ada.Owner, core.IntentRequest{Summary: "alone"}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.core.OpenSession(r.ctx, core.OpenSession{SessionID: ada.SessionID, Generation: ada.Generation, ParticipantID: "ada", Harness: "ada", Branch: "b", CheckoutRoot: "/c"}); err != nil {
		t.Fatalf("resume: %v", err)
	}
	r.clock.Advance(time.Minute)
	if _, err := r.core.Heartbeat(r.ctx, ada.Owner); err != nil {
		t.Fatal(err)
	}
	status, err := r.core.Status(r.ctx, core.StatusQuery{Owner: &ada.Owner})
	if err != nil || status.Materialised || len(status.Sessions) != 1 || status.Sessions[0].Intent != "alone" || status.Sessions[0].Branch != "b" {
		t.Errorf("status of a lone session: %+v, %v", status, err)
	}
	if got := r.position(); got != (core.Commit{}) {
		t.Errorf("a lone session made a commit: %+v", got)
	}
	if err := r.core.ClearIntent(r.ctx, ada.Owner); err != nil {
		t.Fatal(err)
	}
	if err := r.core.ClearIntent(r.ctx, ada.Owner); err != nil {
		t.Fatalf("clearing nothing: %v", err)
	}
	for range 3 {
		s, err := r.core.CloseSession(r.ctx, ada.Owner, "bye")
		if err != nil || s.State != protocol.SessionClosed {
			t.Fatalf("closing a lone session: %+v, %v", s, err)
		}
	}
	r.untouched("a lone session that ended")
	if _, found, _ := r.store.Ephemeral().Beat(r.ctx, ada.SessionID, protocol.GenerationRef(ada.Generation)); found {
		t.Error("its beat is still there")
	}
}

func soloMaterialises(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	if _, err := r.core.PublishIntent(r.ctx, ada.Owner, core.IntentRequest{Summary: "first"}); err != nil {
		t.Fatal(err)
	}
	r.clock.Advance(time.Minute)
	bob := r.open("bob")
	r.tell(0, called(ada, bob), "workspace.materialised by bob", "session.opened by ada", "intent.published by ada", "session.opened by bob")
	if p := r.position(); p.Generation != 1 {
		t.Errorf("materialising took %d commits", p.Generation)
	}
	s, err := r.core.Session(r.ctx, ada.Owner)
	if err != nil || !s.StartedAt.Equal(Start) {
		t.Errorf("the promoted session: %+v, %v", s, err)
	}
	r.send(bob, protocol.Question, "who are you", "ada")
	if status, err := r.core.Status(r.ctx, core.StatusQuery{}); err != nil || status.Sessions[0].Intent != "first" {
		t.Errorf("the promoted intent: %+v, %v", status.Sessions, err)
	}
	turn, err := r.core.Turn(r.ctx, ada.Owner, 10)
	if err != nil || len(turn.Mail) != 1 || len(turn.Peers) != 1 {
		t.Errorf("the first one needs nothing to be reached: %+v, %v", turn, err)
	}
}

// soloEndsWith checks each first durable act of a lone session.
func soloEndsWith(t *testing.T, r *roomTest, what string, act func(actor) error, tells ...string) {
	ada := r.open("ada")
	if err := act(ada); err != nil {
		t.Fatal(err)
	}
	r.tell(0, called(ada), append([]string{"workspace.materialised by ada", "session.opened by ada"}, tells...)...)
	if p := r.position(); p.Generation != 1 {
		t.Errorf("%s took %d commits", what, p.Generation)
	}
}

func soloClaims(t *testing.T, r *roomTest) {
	soloEndsWith(t, r, "a claim", func(a actor) error {
		_, err := r.core.Claim(r.ctx, a.Owner, core.ClaimRequest{Resource: "file:a"})
		return err
	}, "claim.acquired by ada")
}

func soloSends(t *testing.T, r *roomTest) {
	soloEndsWith(t, r, "a message", func(a actor) error {
		_, err := r.core.Send(r.ctx, a.Owner, core.SendRequest{MessageKind: protocol.Note, Subject: "s", Body: "b"})
		return err
	}, "message.recorded by ada")
}

func soloFinishes(t *testing.T, r *roomTest) {
	soloEndsWith(t, r, "a handoff", func(a actor) error {
		_, err := r.core.Finish(r.ctx, a.Owner, core.FinishRequest{Goal: "g"})
		return err
	}, "message.recorded by ada", "session.closed by ada")
}

// soloAfterSolo: what a dead or long silent lone session left is forgotten, what may live is promoted.
func soloAfterSolo(t *testing.T, r *roomTest) {
	dead := r.openAs(core.OpenSession{ParticipantID: "ada", Harness: "tool", PID: 7})
	r.processes.Set(7, core.ProcessDead)
	silent := r.open("bob")
	r.processes.Set(8, core.ProcessUnknown)
	if p := r.position(); p != (core.Commit{}) {
		t.Fatalf("opening beside a dead session made a commit: %+v", p)
	}
	_, err := r.core.Session(r.ctx, dead.Owner)
	r.refused("the forgotten session", err, protocol.Conflict, protocol.ReasonCallerMismatch)
	r.clock.Advance(protocol.OfflineAfter + time.Millisecond)
	unsure := r.openAs(core.OpenSession{ParticipantID: "cyd", Harness: "tool", PID: 8})
	_, err = r.core.Session(r.ctx, silent.Owner)
	r.refused("the silent session", err, protocol.Conflict, protocol.ReasonCallerMismatch)
	r.clock.Advance(protocol.OfflineAfter + time.Millisecond) // cyd's process cannot be seen: nobody knows
	dan := r.open("dan")
	r.tell(0, called(unsure, dan), "workspace.materialised by dan", "session.opened by cyd", "session.opened by dan")
}

// soloReplaced: the same id with a new generation is one session, not two.
func soloReplaced(t *testing.T, r *roomTest) {
	first := core.OpenSession{SessionID: "session-1", Generation: "generation-0", ParticipantID: "eve", Harness: "tool", PID: 7}
	r.openAs(first)
	r.processes.Set(7, core.ProcessDead)
	first.Generation, first.ParticipantID = "generation-1", "ada"
	r.openAs(first)
	second := first
	second.Generation, second.PID = "generation-2", 8
	eve := core.SendRequest{To: []string{"eve"}, MessageKind: protocol.Note, Subject: "s", Body: "b"}
	_, err := r.core.Send(r.ctx, core.Owner{SessionID: "session-1", Generation: "generation-1"}, eve)
	r.refused("whom nobody speaks for any more", err, protocol.Data, protocol.ReasonUnknownRecipient)
	ada := r.openAs(second)
	if p := r.position(); p != (core.Commit{}) {
		t.Fatalf("replacing a lone session made a commit: %+v", p)
	}
	bob := r.open("bob")
	r.tell(0, called(ada, bob), "workspace.materialised by bob", "session.opened by ada", "session.opened by bob")
	got, err := r.core.Status(r.ctx, core.StatusQuery{All: true})
	if err != nil || len(got.Sessions) != 2 {
		t.Errorf("roster: %+v, %v", got.Sessions, err)
	}
}

func intents(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	since := r.position().LastSequence
	got, err := r.core.PublishIntent(r.ctx, ada.Owner, core.IntentRequest{Summary: "porting", ResourceHints: []string{"file:./src//a", "file:src/a", "file:b/**"}})
	if err != nil {
		t.Fatal(err)
	}
	want := protocol.Intent{
		SessionID: ada.SessionID, WorkspaceID: WorkspaceID, Summary: "porting", Mode: protocol.ModeEdit, State: protocol.IntentActive,
		ResourceHints: []string{"file:b/**", "file:src/a"}, UpdatedAt: Start,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("intent (-want +got):\n%s", diff)
	}
	intentOf := func(a actor) string {
		t.Helper()
		status, err := r.core.Status(r.ctx, core.StatusQuery{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range status.Sessions {
			if row.SessionID == a.SessionID {
				return row.Intent
			}
		}
		return ""
	}
	if got := intentOf(ada); got != "porting" {
		t.Errorf("status shows %q", got)
	}
	if _, err := r.core.PublishIntent(r.ctx, ada.Owner, core.IntentRequest{Summary: "done", State: protocol.IntentDone}); err != nil {
		t.Fatal(err)
	}
	if got := intentOf(ada); got != "" {
		t.Errorf("a done intent is shown: %q", got)
	}
	if _, err := r.core.PublishIntent(r.ctx, ada.Owner, core.IntentRequest{Summary: "again"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.core.ClearIntent(r.ctx, ada.Owner); err != nil {
			t.Fatal(err)
		}
	}
	r.tell(since, called(ada, bob), "intent.published by ada", "intent.published by ada", "intent.published by ada", "intent.cleared by ada")
	if got := intentOf(ada); got != "" {
		t.Errorf("a cleared intent is shown: %q", got)
	}
	_, err = r.core.PublishIntent(r.ctx, ada.Owner, core.IntentRequest{Summary: "s", ResourceHints: []string{"file:*.go"}})
	r.refused("a hint that matches nothing", err, protocol.Usage, "")
	_, err = r.core.PublishIntent(r.ctx, ada.Owner, core.IntentRequest{Summary: "two\nlines"})
	r.refused("a summary of two lines", err, protocol.Data, "")
	if _, err := r.core.PublishIntent(r.ctx, ada.Owner, core.IntentRequest{Summary: "until the end"}); err != nil {
		t.Fatal(err)
	}
	since = r.position().LastSequence
	r.close(ada)
	r.tell(since, called(ada), "intent.cleared by ada", "session.closed by ada")
}

func intentAttention(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	held := r.claim(bob, "file:src/**").Claim
	intend := func(a actor, state protocol.IntentState, hints ...string) {
		t.Helper()
		if _, err := r.core.PublishIntent(r.ctx, a.Owner, core.IntentRequest{Summary: "s", State: state, ResourceHints: hints}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, a actor, want ...core.AttentionItem) {
		t.Helper()
		turn, err := r.core.Turn(r.ctx, a.Owner, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(want)+len(turn.Attention) == 0 {
			return
		}
		if diff := cmp.Diff(want, turn.Attention); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	conflict := core.AttentionItem{AttentionKind: core.ClaimConflict, Priority: 4, SourceID: held.ClaimID, Summary: "your intent on file:src/a meets file:src/** of bob"}
	contended := core.AttentionItem{AttentionKind: core.ClaimContended, Priority: 5, SourceID: held.ClaimID, Summary: "ada means to touch file:src/a, which you hold as file:src/**"}
	intend(ada, protocol.IntentActive, "file:docs/x")
	check("elsewhere", ada)
	check("elsewhere", bob)
	for _, state := range []protocol.IntentState{protocol.IntentActive, protocol.IntentBlocked, protocol.IntentWaiting} {
		intend(ada, state, "file:docs/x", "file:src/a", "file:src/b") // one claim is told once
		check(string(state), ada, conflict)
		check(string(state), bob, contended)
	}
	intend(bob, protocol.IntentActive, "file:src/**")
	check("one's own claim is no conflict", bob, contended)
	intend(ada, protocol.IntentDone, "file:src/a")
	check("done", ada)
	check("done", bob)
	intend(ada, protocol.IntentActive, "file:src/a")
	cyd := r.open("cyd")
	intend(cyd, protocol.IntentActive, "file:src/c")
	check("the first peer is named", bob, contended)
	r.close(ada)
	contended.Summary = "cyd means to touch file:src/c, which you hold as file:src/**"
	check("a peer that left is not", bob, contended)
	r.clock.Advance(protocol.DefaultLease)
	check("an expired claim meets nobody", cyd)
	check("an expired claim is only expired", bob, core.AttentionItem{AttentionKind: core.ClaimExpired, Priority: 6, SourceID: held.ClaimID, Summary: "the lease on file:src/** has run out"})

	told := core.OfferSuccess{Target: bob.Owner, Transport: protocol.TransportNextTurn, AdapterID: "tool", ClientVersion: "1", ExpiredClaims: []string{held.ClaimID, "claim_none"}}
	since := r.position().LastSequence
	if _, err := r.core.RecordOffers(r.ctx, told); err != nil {
		t.Fatal(err)
	}
	r.tell(since, called(bob), "claim.released by bob")
	check("told once", bob)
	live := r.claim(bob, "file:z").Claim
	told.ExpiredClaims = []string{live.ClaimID}
	r.unchanged("telling of a claim that was renewed meanwhile", func() {
		if _, err := r.core.RecordOffers(r.ctx, told); err != nil {
			t.Fatal(err)
		}
	})
}

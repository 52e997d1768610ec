package coretest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/decision"
	"github.com/acc-control-plane/acc/protocol"
)

func (r *roomTest) decide(a actor, subject string, req core.SendRequest) protocol.Message {
	r.Helper()
	req.MessageKind, req.Subject, req.Body = protocol.Decision, subject, "b"
	sent, err := r.core.Send(r.ctx, a.Owner, req)
	if err != nil {
		r.Fatalf("decide %q: %v", subject, err)
	}
	return sent.Message
}

func decisions(t *testing.T, r *roomTest) {
	ada, bob, cyd := r.open("ada"), r.open("bob"), r.open("cyd")
	must := core.SendRequest{To: []string{"bob"}, Obligation: protocol.ObligationAcknowledge}
	first := r.decide(ada, "first", must)
	r.close(bob) // away when it changes

	second := r.decide(cyd, "second", core.SendRequest{To: []string{"ada"}, Replaces: []string{first.MessageID}})
	if diff := cmp.Diff([]string{"ada", "bob"}, second.ToParticipantIDs); diff != "" {
		t.Errorf("who hears of the change: author and recipients, away or not, without the one who changes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&protocol.DecisionChange{Action: protocol.Replace, MessageIDs: []string{first.MessageID}}, second.DecisionChange); diff != "" {
		t.Errorf("link (-want +got):\n%s", diff)
	}
	bob = r.openAs(core.OpenSession{SessionID: bob.SessionID, Generation: "again", ParticipantID: "bob", Harness: "bob"})
	if got := subjects(r.inbox(bob, core.InboxQuery{})); got != "second" {
		t.Errorf("the inbox lists %q", got)
	}
	turn, err := r.core.Turn(r.ctx, bob.Owner, 10)
	if err != nil || len(turn.Mail) != 1 || turn.Mail[0].Message.Subject != "second" || len(turn.Attention) != 0 {
		t.Errorf("the turn carries %+v and %+v, %v", turn.Mail, turn.Attention, err)
	}
	room, err := r.core.Status(r.ctx, core.StatusQuery{Owner: &ada.Owner})
	if err != nil || len(room.Waiting) != 0 || len(room.Attention) != 0 {
		t.Errorf("the author still waits: %+v %+v, %v", room.Waiting, room.Attention, err)
	}
	for _, row := range room.Sessions {
		if row.ParticipantID == "bob" && (row.Queued != 1 || row.Waiting != 1) {
			t.Errorf("counts of bob: %+v", row)
		}
	}
	to, err := r.core.Recipients(r.ctx, first.MessageID)
	if err != nil || !to[0].Replaced {
		t.Errorf("a router is not told: %+v, %v", to, err)
	}
	if owed, err := r.core.OwedOffers(r.ctx, "bob", 10); err != nil || len(owed) != 1 || owed[0] != second.MessageID {
		t.Errorf("a router would offer %v, %v", owed, err)
	}
	mail, err := r.core.Read(r.ctx, bob.Owner, first.MessageID)
	if err != nil {
		t.Fatalf("an exact read of what was replaced: %v", err)
	}
	want := &decision.Status{State: decision.Superseded, HeadCount: 1, CurrentMessageID: second.MessageID, GroupID: first.MessageID}
	if diff := cmp.Diff(want, mail.Decision); diff != "" {
		t.Errorf("status of what was replaced (-want +got):\n%s", diff)
	}
	if _, err := r.core.Ack(r.ctx, bob.Owner, first.MessageID); err != nil {
		t.Errorf("acknowledging what was replaced: %v", err)
	}

	withdrawal := r.decide(bob, "withdrawn", core.SendRequest{Withdraws: []string{second.MessageID}})
	if diff := cmp.Diff([]string{"ada", "cyd"}, withdrawal.ToParticipantIDs); diff != "" {
		t.Errorf("who hears of the withdrawal (-want +got):\n%s", diff)
	}
	whole, err := r.core.Message(r.ctx, second.MessageID)
	if err != nil || whole.Decision.State != decision.Withdrawn || whole.Decision.IsHead {
		t.Errorf("%+v, %v", whole.Decision, err)
	}
	item := r.inbox(ada, core.InboxQuery{}).Items[0]
	if item.Message.Decision == nil || item.Message.Decision.State != decision.Withdrawn || !item.Message.Decision.IsHead {
		t.Errorf("the withdrawal in a summary: %+v", item.Message.Decision)
	}
}

// replacedMail: a replaced decision that was never shown is no mail that waits.
func replacedMail(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	first := r.decide(ada, "first", core.SendRequest{To: []string{"bob"}})
	second := r.decide(ada, "second", core.SendRequest{Replaces: []string{first.MessageID}})
	listed := func() int {
		t.Helper()
		status, err := r.core.Status(r.ctx, core.StatusQuery{})
		if err != nil {
			t.Fatal(err)
		}
		return len(status.Sessions)
	}
	r.close(bob)
	if listed() != 2 {
		t.Error("who left with mail is not listed")
	}
	again := r.openAs(core.OpenSession{SessionID: bob.SessionID, Generation: "again", ParticipantID: "bob", Harness: "bob"})
	if _, err := r.core.Read(r.ctx, again.Owner, second.MessageID); err != nil {
		t.Fatal(err)
	}
	r.close(again)
	if listed() != 1 {
		t.Error("who left with nothing but a replaced decision is listed")
	}
}

func decisionRefusals(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	d := r.decide(ada, "d", core.SendRequest{To: []string{"bob"}})
	n := r.send(ada, protocol.Note, "n", "bob").Message
	many := make([]string, protocol.MaxDecisionLinks+1)
	for i := range many {
		many[i] = fmt.Sprintf("message_%d", i)
	}
	for name, c := range map[string]struct {
		req    core.SendRequest
		code   protocol.Code
		reason protocol.Reason
	}{
		"both at once":       {core.SendRequest{MessageKind: protocol.Decision, Replaces: []string{d.MessageID}, Withdraws: []string{d.MessageID}}, protocol.Usage, ""},
		"a note that does":   {core.SendRequest{MessageKind: protocol.Note, Replaces: []string{d.MessageID}}, protocol.Usage, ""},
		"too many":           {core.SendRequest{MessageKind: protocol.Decision, Replaces: many}, protocol.Usage, ""},
		"an unknown message": {core.SendRequest{MessageKind: protocol.Decision, Replaces: []string{"message_none"}}, protocol.Data, protocol.ReasonNotFound},
		"a note":             {core.SendRequest{MessageKind: protocol.Decision, Withdraws: []string{n.MessageID}}, protocol.Data, ""},
	} {
		c.req.Subject, c.req.Body = "s", "b"
		r.unchanged(name, func() {
			_, err := r.core.Send(r.ctx, bob.Owner, c.req)
			r.refused(name, err, c.code, c.reason)
		})
	}
	req := core.SendRequest{MessageKind: protocol.Decision, Subject: "s", Body: "b", ClientMessageID: "key", Obligation: protocol.ObligationAcknowledge, Replaces: []string{d.MessageID, d.MessageID}}
	sent, err := r.core.Send(r.ctx, bob.Owner, req)
	if err != nil || len(sent.Message.DecisionChange.MessageIDs) != 1 || sent.Receipts[0].RecipientParticipantID != "ada" {
		t.Errorf("an obligation to who inherits: %+v, %v", sent, err)
	}
	r.unchanged("a retry", func() {
		if again, err := r.core.Send(r.ctx, bob.Owner, req); err != nil || !again.Duplicate {
			t.Errorf("%+v, %v", again, err)
		}
		req.Replaces = nil
		req.To = []string{"ada"}
		_, err := r.core.Send(r.ctx, bob.Owner, req)
		r.refused("the key without the link", err, protocol.Conflict, protocol.ReasonClientMessageIDConflict)
	})
}

// decisionConflict: two who change the same decision both stand until somebody settles it.
func decisionConflict(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	root := r.decide(ada, "root", core.SendRequest{})
	left := r.decide(ada, "left", core.SendRequest{Replaces: []string{root.MessageID}})
	right := r.decide(bob, "right", core.SendRequest{Replaces: []string{root.MessageID}})
	current := func() string {
		t.Helper()
		page, err := r.core.History(r.ctx, core.HistoryQuery{MessageKind: protocol.Decision, Current: true})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, s := range page.Items {
			all = append(all, fmt.Sprintf("%s conflicted=%v", s.Subject, s.Decision.Conflicted))
		}
		return strings.Join(all, ", ")
	}
	if got, want := current(), "right conflicted=true, left conflicted=true"; got != want {
		t.Errorf("heads: %s, want %s", got, want)
	}
	r.decide(bob, "settled", core.SendRequest{Replaces: []string{left.MessageID, right.MessageID}})
	if got, want := current(), "settled conflicted=false"; got != want {
		t.Errorf("heads: %s, want %s", got, want)
	}
	page, err := r.core.History(r.ctx, core.HistoryQuery{MessageKind: protocol.Decision})
	if err != nil || len(page.Items) != 4 || page.Items[3].Decision.State != decision.Superseded {
		t.Errorf("everything decided: %+v, %v", page.Items, err)
	}
}

func finishing(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	held := r.claim(ada, "file:a").Claim
	if _, err := r.core.PublishIntent(r.ctx, ada.Owner, core.IntentRequest{Summary: "s"}); err != nil {
		t.Fatal(err)
	}
	since := r.position()
	req := core.FinishRequest{
		Goal: "port the lock", To: []string{"bob"}, Completed: []string{"reading"}, Remaining: []string{"writing"}, ClientMessageID: "finish-1", Reason: "quit",
		Verification: []protocol.ArtifactRef{{ArtifactOf: protocol.ArtifactReport, URI: "file:report", Description: "tests"}},
	}
	got, err := r.core.Finish(r.ctx, ada.Owner, req)
	if err != nil {
		t.Fatal(err)
	}
	if p := r.position(); p.Generation != since.Generation+1 {
		t.Errorf("finishing took %d commits", p.Generation-since.Generation)
	}
	r.tell(since.LastSequence, called(ada, bob), "message.recorded by ada", "claim.released by ada", "intent.cleared by ada", "session.closed by ada")
	events := r.journal()
	payload, err := protocol.DecodePayload(events[len(events)-1])
	if err != nil {
		t.Fatal(err)
	}
	wantPayload := protocol.SessionClosedPayload{
		Cause: protocol.CauseFinish, MessageID: got.Message.MessageID, SessionGenerationRef: protocol.GenerationRef(ada.Generation), ReleasedClaimIDs: []string{held.ClaimID},
	}
	if diff := cmp.Diff(protocol.EventPayload(wantPayload), payload); diff != "" {
		t.Errorf("payload (-want +got):\n%s", diff)
	}
	m := got.Message
	wantHandoff := &protocol.HandoffPayload{Status: protocol.HandoffPartial, Completed: req.Completed, Remaining: req.Remaining, Verification: req.Verification}
	if diff := cmp.Diff(wantHandoff, m.Handoff); diff != "" || m.MessageKind != protocol.Handoff || m.Obligation != protocol.ObligationAcknowledge || m.Subject != "port the lock" {
		t.Errorf("handoff %+v (-want +got):\n%s", m, diff)
	}
	if want := "port the lock (partial)\ncompleted:\n- reading\nremaining:\n- writing"; m.Body != want {
		t.Errorf("body %q, want %q", m.Body, want)
	}
	if got.Session.State != protocol.SessionClosed || got.Session.EndReason != "quit" || !cmp.Equal(got.ReleasedClaimIDs, []string{held.ClaimID}) {
		t.Errorf("finished as %+v, released %v", got.Session, got.ReleasedClaimIDs)
	}
	r.unchanged("a retried finish", func() {
		again, err := r.core.Finish(r.ctx, ada.Owner, req)
		if err != nil {
			t.Fatal(err)
		}
		if !again.Duplicate || again.Message.MessageID != m.MessageID || !cmp.Equal(again.ReleasedClaimIDs, got.ReleasedClaimIDs) || len(again.Receipts) != 1 {
			t.Errorf("%+v", again)
		}
		other := req
		other.Goal = "something else"
		_, err = r.core.Finish(r.ctx, ada.Owner, other)
		r.refused("the key for another handoff", err, protocol.Conflict, protocol.ReasonClientMessageIDConflict)
		other = req
		other.Verification = nil
		_, err = r.core.Finish(r.ctx, ada.Owner, other)
		r.refused("the key for a handoff without evidence", err, protocol.Conflict, protocol.ReasonClientMessageIDConflict)
		other = req
		other.ClientMessageID = ""
		_, err = r.core.Finish(r.ctx, ada.Owner, other)
		r.refused("finishing twice without a key", err, protocol.Conflict, protocol.ReasonSessionClosed)
		other.ClientMessageID = "unused"
		_, err = r.core.Finish(r.ctx, ada.Owner, other)
		r.refused("finishing twice with another key", err, protocol.Conflict, protocol.ReasonSessionClosed)
	})
	ack, err := r.core.Ack(r.ctx, bob.Owner, m.MessageID)
	if err != nil || ack.State != protocol.Acknowledged {
		t.Errorf("acknowledging a handoff: %+v, %v", ack, err)
	}

	again := r.openAs(core.OpenSession{SessionID: ada.SessionID, Generation: "second", ParticipantID: "ada", Harness: "ada"})
	r.unchanged("the key of an earlier generation", func() {
		_, err = r.core.Finish(r.ctx, again.Owner, req)
		r.refused("an open session with that key", err, protocol.Conflict, protocol.ReasonClientMessageIDConflict)
		_, err = r.core.Finish(r.ctx, ada.Owner, req)
		r.refused("the earlier generation itself", err, protocol.Conflict, protocol.ReasonCallerMismatch)
	})
	r.close(again)
	last := r.openAs(core.OpenSession{SessionID: ada.SessionID, Generation: "third", ParticipantID: "ada", Harness: "ada"})
	second := req
	second.ClientMessageID = "finish-2"
	if _, err := r.core.Finish(r.ctx, last.Owner, second); err != nil {
		t.Fatal(err)
	}
	r.unchanged("the key of an earlier generation", func() {
		_, err = r.core.Finish(r.ctx, last.Owner, req)
		r.refused("a session that finished with another key", err, protocol.Conflict, protocol.ReasonClientMessageIDConflict)
	})
	last = r.openAs(core.OpenSession{SessionID: ada.SessionID, Generation: "fourth", ParticipantID: "ada", Harness: "ada"})
	r.close(last)
	r.unchanged("the key of an earlier generation", func() {
		_, err = r.core.Finish(r.ctx, last.Owner, second)
		r.refused("a session that was closed without it", err, protocol.Conflict, protocol.ReasonClientMessageIDConflict)
	})
	r.send(bob, protocol.Note, "to nobody")
	room, err := r.core.Finish(r.ctx, bob.Owner, core.FinishRequest{Goal: "g", Status: protocol.HandoffComplete})
	if err != nil || room.Message.Obligation != protocol.ObligationNone || len(room.Receipts)+len(room.ReleasedClaimIDs) != 0 {
		t.Errorf("a handoff to the room: %+v, %v", room, err)
	}
}

// longHandoff: whatever a payload may hold can be handed over, and its body says what it leaves out.
func longHandoff(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	line := strings.Repeat("\u00e9", protocol.MaxLine)
	req := core.FinishRequest{Goal: "everything", To: []string{"bob"}, ClientMessageID: "key", Blockers: []string{"none"}}
	for range 300 {
		req.Completed = append(req.Completed, line)
	}
	got, err := r.core.Finish(r.ctx, ada.Owner, req)
	if err != nil {
		t.Fatal(err)
	}
	m := got.Message
	if diff := cmp.Diff(req.Completed, m.Handoff.Completed); diff != "" {
		t.Errorf("the payload was cut:\n%s", diff)
	}
	whole := strings.Count(m.Body, "\n- "+line)
	if want := fmt.Sprintf("\n- and %d more in the handoff itself\nblockers:\n- none", 300-whole); len(m.Body) > protocol.MaxBody || whole < 50 || !strings.HasSuffix(m.Body, want) {
		t.Errorf("a body of %d bytes holds %d lines and ends %q", len(m.Body), whole, m.Body[len(m.Body)-80:])
	}
	if again, err := r.core.Finish(r.ctx, ada.Owner, req); err != nil || !again.Duplicate {
		t.Errorf("retried: %v, %v", again.Duplicate, err)
	}
	if mail, err := r.core.Read(r.ctx, bob.Owner, m.MessageID); err != nil || mail.Message.Body != m.Body {
		t.Errorf("read: %v", err)
	}
}

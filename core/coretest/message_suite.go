package coretest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

func sendKinds(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	r.open("bob")
	for _, c := range []struct {
		kind       protocol.MessageKind
		obligation protocol.Obligation
		to         string
		want       protocol.Obligation // empty: refused
	}{
		{protocol.Note, "", "bob", protocol.ObligationNone},
		{protocol.Note, "", "", protocol.ObligationNone},
		{protocol.Note, protocol.ObligationAcknowledge, "bob", ""},
		{protocol.Question, "", "bob", protocol.ObligationReply},
		{protocol.Question, "", "", ""},
		{protocol.Question, protocol.ObligationNone, "bob", ""},
		{protocol.Request, "", "bob", protocol.ObligationReply},
		{protocol.Request, "", "", ""},
		{protocol.Decision, "", "bob", protocol.ObligationNone},
		{protocol.Decision, "", "", protocol.ObligationNone},
		{protocol.Decision, protocol.ObligationAcknowledge, "bob", protocol.ObligationAcknowledge},
		{protocol.Decision, protocol.ObligationAcknowledge, "", ""},
		{protocol.Answer, "", "bob", ""},
		{protocol.Handoff, "", "bob", ""},
		{"rumour", "", "bob", ""},
	} {
		req := core.SendRequest{MessageKind: c.kind, Obligation: c.obligation, Subject: "s", Body: "b"}
		if c.to != "" {
			req.To = []string{c.to}
		}
		sent, err := r.core.Send(r.ctx, ada.Owner, req)
		name := fmt.Sprintf("%s to %q obliging to %q", c.kind, c.to, c.obligation)
		if c.want == "" {
			r.refused(name, err, protocol.Usage, "")
			continue
		}
		if err != nil || sent.Message.Obligation != c.want {
			t.Errorf("%s: %q, %v", name, sent.Message.Obligation, err)
		}
	}
	for name, req := range map[string]core.SendRequest{
		"a subject of two lines": {MessageKind: protocol.Note, Subject: "a\nb", Body: "b"},
		"a body over the limit":  {MessageKind: protocol.Note, Subject: "s", Body: strings.Repeat("x", protocol.MaxBody+1)},
		"a broken key":           {MessageKind: protocol.Note, Subject: "s", Body: "b", ClientMessageID: "not an id"},
	} {
		r.unchanged(name, func() {
			_, err := r.core.Send(r.ctx, ada.Owner, req)
			r.refused(name, err, protocol.Data, "")
		})
	}
}

func recipients(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	first := r.openAs(core.OpenSession{ParticipantID: "bob", Harness: "tool", PID: 6})
	r.openAs(core.OpenSession{ParticipantID: "ada", Harness: "tool"}) // oneself is never meant by a client's name
	to := func(names ...string) ([]string, error) {
		sent, err := r.core.Send(r.ctx, ada.Owner, core.SendRequest{To: names, MessageKind: protocol.Note, Subject: "s", Body: "b"})
		return sent.Message.ToParticipantIDs, err
	}
	resolves := func(want string, names ...string) {
		t.Helper()
		got, err := to(names...)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%v became %v, %v; want %s", names, got, err, want)
		}
	}
	resolves("bob", "bob")
	resolves("bob", "tool")
	resolves("ada bob", "bob", "ada")
	r.processes.Set(6, core.ProcessDead)
	resolves("bob", "tool") // nobody else can be meant, there or not
	r.processes.Set(6, core.ProcessAlive)
	_, err := to("bob", "bob")
	r.refused("the same name twice", err, protocol.Usage, "")
	_, err = to("bob", "tool")
	r.refused("the same participant by two names", err, protocol.Usage, "")
	_, err = to("bob", "codx", "ada", "nobody")
	e := r.refused("strangers", err, protocol.Data, protocol.ReasonUnknownRecipient)
	if diff := cmp.Diff(map[string]any{"strangers": []string{"codx", "nobody"}, "known": []string{"ada", "bob"}}, e.Details); diff != "" {
		t.Errorf("strangers (-want +got):\n%s", diff)
	}

	if second := r.openAs(core.OpenSession{ParticipantID: "bob", Harness: "tool"}); second.Owner == first.Owner { // no second participant
		t.Fatal("a second session is the first")
	}
	resolves("bob", "tool")
	r.openAs(core.OpenSession{ParticipantID: "cyd", Harness: "tool", PID: 7})
	_, err = to("tool")
	e = r.refused("one of several", err, protocol.Usage, protocol.ReasonAmbiguousRecipient)
	if diff := cmp.Diff([]string{"bob", "cyd"}, e.Details["candidates"]); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	r.processes.Set(7, core.ProcessDead)
	resolves("bob", "tool") // only one of them can be meant
	r.openAs(core.OpenSession{ParticipantID: "tool", Harness: "other"})
	resolves("tool", "tool") // an exact participant id wins
	_, err = to("ada-harness-of-nobody")
	r.refused("a client nobody runs", err, protocol.Data, protocol.ReasonUnknownRecipient)
	_, err = r.core.Send(r.ctx, ada.Owner, core.SendRequest{To: []string{"ada"}, MessageKind: protocol.Note, Subject: "s", Body: "b"})
	if err != nil {
		t.Errorf("a note to oneself: %v", err)
	}
	var many []string
	for i := range 12 {
		many = append(many, fmt.Sprint("stranger-", i))
	}
	_, err = r.core.Send(r.ctx, ada.Owner, core.SendRequest{To: many, MessageKind: protocol.Note, Subject: "s", Body: "b"})
	e = r.refused("many strangers", err, protocol.Data, protocol.ReasonUnknownRecipient)
	if named, _ := e.Details["strangers"].([]string); len(named) != 12 || !strings.HasSuffix(e.Message, `"stranger-9" and 2 more in this room`) {
		t.Errorf("many strangers: %s, %v", e.Message, e.Details)
	}
}

func roomMessages(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	r.openAs(core.OpenSession{ParticipantID: "ada", Harness: "tool"})
	r.openAs(core.OpenSession{ParticipantID: "bob", Harness: "tool"})
	gone := r.open("cyd")
	r.close(gone)
	since := r.position().LastSequence
	sent := r.send(ada, protocol.Note, "to all")
	late := r.open("dan")
	var got []string
	for _, receipt := range sent.Receipts {
		got = append(got, receipt.RecipientParticipantID+" "+string(receipt.State))
	}
	if diff := cmp.Diff([]string{"bob queued"}, got); diff != "" {
		t.Errorf("receipts of the room (-want +got):\n%s", diff)
	}
	if len(sent.Message.ToParticipantIDs) != 0 {
		t.Errorf("addressed to %v", sent.Message.ToParticipantIDs)
	}
	r.tell(since, called(ada, bob, late), "message.recorded by ada", "session.opened by dan")
	page, err := r.core.Inbox(r.ctx, late.Owner, core.InboxQuery{})
	if err != nil || len(page.Items) > 0 {
		t.Errorf("who came later has %v, %v", page.Items, err)
	}
	_, err = r.core.Read(r.ctx, late.Owner, sent.Message.MessageID)
	r.refused("reading what came before", err, protocol.Data, protocol.ReasonNotFound)
}

func idempotentSend(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	req := core.SendRequest{
		To: []string{"bob"}, MessageKind: protocol.Question, Subject: "s", Body: "b", ClientMessageID: "key",
		Artifacts: []protocol.ArtifactRef{{ArtifactOf: protocol.ArtifactFile, URI: "file:a", Description: "a"}},
	}
	first, err := r.core.Send(r.ctx, ada.Owner, req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.core.Read(r.ctx, bob.Owner, first.Message.MessageID); err != nil {
		t.Fatal(err)
	}
	r.unchanged("a retry", func() {
		again, err := r.core.Send(r.ctx, ada.Owner, req)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first.Message, again.Message); diff != "" || !again.Duplicate {
			t.Errorf("a retry (duplicate %v) gave another message:\n%s", again.Duplicate, diff)
		}
		if len(again.Receipts) != 1 || again.Receipts[0].State != protocol.Retrieved {
			t.Errorf("receipts of a retry: %+v", again.Receipts)
		}
	})
	r.unchanged("a retry by client name", func() {
		byName := req
		r.processes.Set(1, core.ProcessAlive)
		if again, err := r.core.Send(r.ctx, ada.Owner, byName); err != nil || !again.Duplicate {
			t.Errorf("%+v, %v", again, err)
		}
	})
	for name, change := range map[string]func(*core.SendRequest){
		"subject":   func(q *core.SendRequest) { q.Subject = "other" },
		"body":      func(q *core.SendRequest) { q.Body = "other" },
		"kind":      func(q *core.SendRequest) { q.MessageKind = protocol.Request },
		"audience":  func(q *core.SendRequest) { q.To = []string{"ada", "bob"} },
		"artifacts": func(q *core.SendRequest) { q.Artifacts = nil },
	} {
		other := req
		change(&other)
		r.unchanged(name, func() {
			_, err := r.core.Send(r.ctx, ada.Owner, other)
			e := r.refused("the key for another "+name, err, protocol.Conflict, protocol.ReasonClientMessageIDConflict)
			if e.Details["messageId"] != first.Message.MessageID || e.Details["clientMessageId"] != "key" {
				t.Errorf("details: %v", e.Details)
			}
		})
	}
	req.To = []string{"ada"}
	if other, err := r.core.Send(r.ctx, bob.Owner, req); err != nil || other.Duplicate {
		t.Errorf("the same key of another author: %+v, %v", other, err)
	}
	minted := r.send(ada, protocol.Note, "without a key", "bob").Message.ClientMessageID
	if minted == "" || minted == r.send(ada, protocol.Note, "without a key", "bob").Message.ClientMessageID {
		t.Errorf("minted key %q", minted)
	}
}

func nudges(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	r.open("bob")
	for subject, want := range map[string]int{"done": 0, "really?": 1, "本当？": 1, "⚠ build is red": 1} {
		sent, err := r.core.Send(r.ctx, ada.Owner, core.SendRequest{To: []string{"bob"}, MessageKind: protocol.Note, Subject: subject, Body: "b"})
		if err != nil || len(sent.Warnings) != want {
			t.Errorf("a note %q: %v, %v", subject, sent.Warnings, err)
		}
	}
	sent, err := r.core.Send(r.ctx, ada.Owner, core.SendRequest{To: []string{"bob"}, MessageKind: protocol.Question, Subject: "really?", Body: "b"})
	if err != nil || len(sent.Warnings) > 0 {
		t.Errorf("a question: %v, %v", sent.Warnings, err)
	}
}

func replies(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	q := r.send(ada, protocol.Question, "who owns it", "bob").Message
	since := r.position()
	got, err := r.core.Reply(r.ctx, bob.Owner, core.ReplyRequest{MessageID: q.MessageID, Body: "me", ClientMessageID: "answer"})
	if err != nil {
		t.Fatal(err)
	}
	if after := r.position(); after.Generation != since.Generation+1 {
		t.Errorf("a reply took %d commits", after.Generation-since.Generation)
	}
	r.tell(since.LastSequence, called(ada, bob), "message.recorded by bob", "message.acknowledged by bob")
	m := got.Message
	want := protocol.Message{
		MessageID: m.MessageID, ThreadID: q.MessageID, ClientMessageID: "answer", WorkspaceID: WorkspaceID, FromParticipantID: "bob", FromSessionID: bob.SessionID,
		ToParticipantIDs: []string{"ada"}, MessageKind: protocol.Answer, Obligation: protocol.ObligationNone, Subject: "Re: who owns it", Body: "me",
		InReplyTo: q.MessageID, SentAt: r.clock.Now(), Extensions: m.Extensions,
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	if got.Original.State != protocol.Acknowledged || got.Original.MessageID != q.MessageID || got.Original.RecipientParticipantID != "bob" {
		t.Errorf("the original's receipt: %+v", got.Original)
	}
	r.unchanged("a retried reply", func() {
		again, err := r.core.Reply(r.ctx, bob.Owner, core.ReplyRequest{MessageID: q.MessageID, Body: "me", ClientMessageID: "answer"})
		if err != nil || !again.Duplicate || again.Message.MessageID != m.MessageID {
			t.Errorf("%+v, %v", again, err)
		}
	})
	other := r.send(ada, protocol.Question, "who owns it", "bob").Message
	r.unchanged("the key of an answer for another question", func() {
		_, err := r.core.Reply(r.ctx, bob.Owner, core.ReplyRequest{MessageID: other.MessageID, Body: "me", ClientMessageID: "answer"})
		r.refused("the same words to another question", err, protocol.Conflict, protocol.ReasonClientMessageIDConflict)
	})
	r.clock.Advance(1000)
	second, err := r.core.Reply(r.ctx, bob.Owner, core.ReplyRequest{MessageID: q.MessageID, Subject: "more", Body: "and more"})
	if err != nil || second.Duplicate || second.Message.Subject != "more" || !second.Original.UpdatedAt.Equal(got.Original.UpdatedAt) {
		t.Errorf("a second answer: %+v, %v", second, err)
	}
	thread, err := r.core.Reply(r.ctx, ada.Owner, core.ReplyRequest{MessageID: m.MessageID, Body: "thanks"})
	if err != nil || thread.Message.ThreadID != q.MessageID || thread.Message.InReplyTo != m.MessageID {
		t.Errorf("an answer to an answer: %+v, %v", thread.Message, err)
	}
	long := r.send(ada, protocol.Question, strings.Repeat("é", protocol.MaxLine), "bob").Message
	if got, err := r.core.Reply(r.ctx, bob.Owner, core.ReplyRequest{MessageID: long.MessageID, Body: "b"}); err != nil || !strings.HasPrefix(got.Message.Subject, "Re: é") {
		t.Errorf("answering the longest subject: %v", err)
	}
	_, err = r.core.Reply(r.ctx, bob.Owner, core.ReplyRequest{MessageID: "message_none", Body: "b"})
	r.refused("answering nothing", err, protocol.Data, protocol.ReasonNotFound)
}

func acks(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	ack := func(id string) (protocol.Receipt, error) { return r.core.Ack(r.ctx, bob.Owner, id) }
	q := r.send(ada, protocol.Question, "q", "bob").Message.MessageID
	r.unchanged("refused acknowledgement", func() {
		_, err := ack(q)
		r.refused("acknowledging a question", err, protocol.Conflict, protocol.ReasonReplyRequired)
	})
	if _, err := r.core.Reply(r.ctx, bob.Owner, core.ReplyRequest{MessageID: q, Body: "a"}); err != nil {
		t.Fatal(err)
	}
	r.unchanged("acknowledging the answered", func() {
		if got, err := ack(q); err != nil || got.State != protocol.Acknowledged {
			t.Errorf("%+v, %v", got, err)
		}
	})
	n := r.send(ada, protocol.Note, "n", "bob").Message.MessageID
	since := r.position().LastSequence
	if got, err := ack(n); err != nil || got.State != protocol.Acknowledged {
		t.Errorf("%+v, %v", got, err)
	}
	r.tell(since, called(bob), "message.acknowledged by bob")
	r.unchanged("acknowledging twice", func() {
		if _, err := ack(n); err != nil {
			t.Error(err)
		}
	})
	if got, err := r.core.Reply(r.ctx, bob.Owner, core.ReplyRequest{MessageID: n, Body: "still"}); err != nil || got.Duplicate {
		t.Errorf("answering after an acknowledgement: %v", err)
	}
}

func reading(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	m := r.send(ada, protocol.Note, "n", "bob").Message
	since := r.position().LastSequence
	mail, err := r.core.Read(r.ctx, bob.Owner, m.MessageID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, mail.Message); diff != "" || mail.Receipt.State != protocol.Retrieved {
		t.Errorf("read as %s:\n%s", mail.Receipt.State, diff)
	}
	r.tell(since, called(bob), "message.retrieved by bob")
	r.unchanged("reading again", func() {
		if mail, err := r.core.Read(r.ctx, bob.Owner, m.MessageID); err != nil || mail.Receipt.State != protocol.Retrieved {
			t.Errorf("%+v, %v", mail.Receipt, err)
		}
	})
	if _, err := r.core.Ack(r.ctx, bob.Owner, m.MessageID); err != nil {
		t.Fatal(err)
	}
	r.unchanged("reading the acknowledged", func() {
		if mail, err := r.core.Read(r.ctx, bob.Owner, m.MessageID); err != nil || mail.Receipt.State != protocol.Acknowledged {
			t.Errorf("%+v, %v", mail.Receipt, err)
		}
	})
}

// overtaken is a store in which something else happens after each view.
type overtaken struct {
	core.Store
	then func()
}

func (o *overtaken) View(ctx context.Context, fn func(core.Reader) error) error {
	err := o.Store.View(ctx, fn)
	if then := o.then; then != nil {
		o.then = nil
		then()
	}
	return err
}

// readOvertaken: a read that is overtaken by an acknowledgement does not take it back.
func readOvertaken(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	m := r.send(ada, protocol.Note, "n", "bob").Message.MessageID
	slow := &overtaken{Store: r.store, then: func() {
		if _, err := r.core.Ack(r.ctx, bob.Owner, m); err != nil {
			t.Error(err)
		}
	}}
	mail, err := newRoom(t, slow).core.Read(r.ctx, bob.Owner, m)
	if err != nil || mail.Receipt.State != protocol.Acknowledged {
		t.Errorf("%+v, %v", mail.Receipt, err)
	}
}

// foreignReceipts: nobody moves the receipt of somebody else, the author included.
func foreignReceipts(t *testing.T, r *roomTest) {
	ada, cyd := r.open("ada"), r.open("cyd")
	r.open("bob")
	m := r.send(ada, protocol.Note, "n", "bob").Message.MessageID
	for _, a := range []actor{ada, cyd} {
		r.unchanged(a.name, func() {
			_, err := r.core.Ack(r.ctx, a.Owner, m)
			r.refused("ack by "+a.name, err, protocol.Data, protocol.ReasonNotFound)
			_, err = r.core.Read(r.ctx, a.Owner, m)
			r.refused("read by "+a.name, err, protocol.Data, protocol.ReasonNotFound)
			_, err = r.core.Reply(r.ctx, a.Owner, core.ReplyRequest{MessageID: m, Body: "b"})
			r.refused("reply by "+a.name, err, protocol.Data, protocol.ReasonNotFound)
			_, err = r.core.RecordOffers(r.ctx, core.OfferSuccess{MessageIDs: []string{m}, Target: a.Owner, Transport: protocol.TransportNextTurn, AdapterID: "tool", ClientVersion: "1"})
			r.refused("offer to "+a.name, err, protocol.Data, protocol.ReasonNotFound)
		})
	}
	receipts, err := r.core.Receipts(r.ctx, m)
	if err != nil || len(receipts) != 1 || receipts[0].State != protocol.Queued {
		t.Errorf("receipts: %+v, %v", receipts, err)
	}
	_, err = r.core.Receipts(r.ctx, "message_none")
	r.refused("receipts of nothing", err, protocol.Data, protocol.ReasonNotFound)
}

package coretest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

func (r *roomTest) inbox(a actor, q core.InboxQuery) core.InboxPage {
	r.Helper()
	page, err := r.core.Inbox(r.ctx, a.Owner, q)
	if err != nil {
		r.Fatalf("inbox of %s: %v", a.name, err)
	}
	return page
}

func subjects(page core.InboxPage) string {
	all := make([]string, len(page.Items))
	for i, item := range page.Items {
		all[i] = item.Message.Subject
	}
	return strings.Join(all, " ")
}

func inboxPages(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	var ids []string
	for i := range 7 {
		r.clock.Advance(-time.Minute) // order comes from the commit, not from the clock
		kind := protocol.Note
		if i == 1 {
			kind = protocol.Question
		}
		ids = append(ids, r.send(ada, kind, fmt.Sprintf("m%d", i), "bob").Message.MessageID)
	}
	first := r.inbox(bob, core.InboxQuery{Limit: 3})
	if got := subjects(first); got != "m6 m5 m4" || first.NextCursor != ids[4] {
		t.Errorf("first page %q, next %q", got, first.NextCursor)
	}
	// The anchor and others are read meanwhile: a note leaves the list, a question stays.
	for _, id := range []string{ids[4], ids[3], ids[1]} {
		if _, err := r.core.Read(r.ctx, bob.Owner, id); err != nil {
			t.Fatal(err)
		}
	}
	second := r.inbox(bob, core.InboxQuery{Cursor: first.NextCursor, Limit: 3})
	if got := subjects(second); got != "m2 m1 m0" || second.NextCursor != "" {
		t.Errorf("second page %q, next %q", got, second.NextCursor)
	}
	if got := subjects(r.inbox(bob, core.InboxQuery{})); got != "m6 m5 m2 m1 m0" {
		t.Errorf("everything that waits: %q", got)
	}
	item := second.Items[1]
	want := core.Summary{
		MessageID: ids[1], ThreadID: ids[1], FromParticipantID: "ada", FromSessionID: ada.SessionID, MessageKind: protocol.Question,
		Obligation: protocol.ObligationReply, Subject: "m1", SentAt: Start.Add(-2 * time.Minute), BodyBytes: len("body of m1"),
	}
	if diff := cmp.Diff(want, item.Message); diff != "" || item.Receipt.State != protocol.Retrieved {
		t.Errorf("item, %s (-want +got):\n%s", item.Receipt.State, diff)
	}
	_, err := r.core.Inbox(r.ctx, ada.Owner, core.InboxQuery{Cursor: ids[4]})
	r.refused("the cursor of somebody else's inbox", err, protocol.Usage, "")
	for _, limit := range []int{-1, protocol.InboxPageMax + 1} {
		_, err := r.core.Inbox(r.ctx, bob.Owner, core.InboxQuery{Limit: limit})
		r.refused("limit", err, protocol.Usage, "")
	}
	for i := range 20 {
		r.send(ada, protocol.Note, fmt.Sprintf("n%d", i), "bob")
	}
	if page := r.inbox(bob, core.InboxQuery{}); len(page.Items) != protocol.InboxPageDefault || page.NextCursor == "" {
		t.Errorf("a page holds %d by default", len(page.Items))
	}
}

func inboxBytes(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	const sent = 60
	for i := range sent {
		r.send(ada, protocol.Note, fmt.Sprintf("%02d %s", i, strings.Repeat("é", 300)), "bob")
	}
	var got, pages int
	cursor := ""
	for {
		page := r.inbox(bob, core.InboxQuery{Cursor: cursor, Limit: 100})
		size := len(`{"items":[],"nextCursor":""}`) + len(page.NextCursor)
		for i, item := range page.Items {
			encoded, err := core.InboxItemObject().Append(nil, &item)
			if err != nil {
				t.Fatal(err)
			}
			size += len(encoded)
			if i > 0 {
				size++
			}
			if want := fmt.Sprintf("%02d ", sent-1-got); !strings.HasPrefix(item.Message.Subject, want) || !strings.HasSuffix(item.Message.Subject, "é…") || len(item.Message.Subject) > protocol.SubjectPreview+len("…") {
				t.Fatalf("subject %q", item.Message.Subject)
			}
			got++
		}
		if size > protocol.InboxPageBytes {
			t.Errorf("a page of %d bytes", size)
		}
		if pages++; page.NextCursor == "" {
			break
		}
		if size < protocol.InboxPageBytes*3/4 {
			t.Errorf("a page that is not the last has only %d bytes", size)
		}
		cursor = page.NextCursor
	}
	if got != sent || pages < 3 {
		t.Errorf("%d items on %d pages", got, pages)
	}
}

func turns(t *testing.T, r *roomTest) {
	ada, bob, cyd := r.open("ada"), r.open("bob"), r.open("cyd")
	dead := r.openAs(core.OpenSession{ParticipantID: "dan", Harness: "tool", PID: 7})
	r.processes.Set(7, core.ProcessDead)
	r.close(cyd)
	var ids []string
	for _, subject := range []string{"one", "two", "three"} {
		ids = append(ids, r.send(ada, protocol.Note, subject, "bob").Message.MessageID)
	}
	ids = append(ids, r.send(ada, protocol.Question, "four", "bob").Message.MessageID)
	r.unchanged("a turn", func() {
		turn, err := r.core.Turn(r.ctx, bob.Owner, 2)
		if err != nil {
			t.Fatal(err)
		}
		if turn.Session.SessionID != bob.SessionID {
			t.Errorf("the turn of %s", turn.Session.SessionID)
		}
		if len(turn.Mail) != 2 || turn.Mail[0].Message.Subject != "one" || turn.Mail[1].Message.Subject != "two" || turn.More != 2 {
			t.Errorf("mail %+v and %d more", turn.Mail, turn.More)
		}
		want := []core.Peer{{SessionID: ada.SessionID, ParticipantID: "ada", Harness: "ada", Presence: protocol.Online}}
		if diff := cmp.Diff(want, turn.Peers); diff != "" {
			t.Errorf("peers without %s (-want +got):\n%s", dead.name, diff)
		}
		wantItems := []core.AttentionItem{{AttentionKind: core.ReplyRequired, Priority: 1, SourceID: ids[3], Summary: "four"}}
		if diff := cmp.Diff(wantItems, turn.Attention); diff != "" {
			t.Errorf("attention (-want +got):\n%s", diff)
		}
	})
	if _, err := r.core.Read(r.ctx, bob.Owner, ids[0]); err != nil {
		t.Fatal(err)
	}
	turn, err := r.core.Turn(r.ctx, bob.Owner, 10)
	if err != nil || len(turn.Mail) != 3 || turn.More != 0 {
		t.Errorf("what was read is not carried again: %d, %v", len(turn.Mail), err)
	}
	r.clock.Advance(protocol.HeartbeatEvery)
	alive, err := r.core.TurnAlive(r.ctx, bob.Owner, 10)
	if diff := cmp.Diff(turn, alive); err != nil || diff != "" {
		t.Errorf("a turn with a sign of life (-want +got):\n%s%v", diff, err)
	}
	at := r.clock.Now()
	r.clock.Advance(time.Second)
	if _, newest, err := r.core.Alive(r.ctx, bob.Owner); err != nil || !newest.Equal(at) {
		t.Errorf("the sign of life was %v, want %v, %v", newest, at, err)
	}
	r.close(bob)
	if _, err := r.core.TurnAlive(r.ctx, bob.Owner, 10); protocol.ReasonOf(err) != protocol.ReasonSessionClosed {
		t.Errorf("of a closed session: %v", err)
	}
}

func offers(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	one := r.send(ada, protocol.Note, "one", "bob").Message.MessageID
	two := r.send(ada, protocol.Note, "two", "bob").Message.MessageID
	read := r.send(ada, protocol.Note, "read", "bob").Message.MessageID
	all := r.send(ada, protocol.Note, "all").Message.MessageID
	if _, err := r.core.Read(r.ctx, bob.Owner, read); err != nil {
		t.Fatal(err)
	}
	success := core.OfferSuccess{MessageIDs: []string{two, read, one}, Target: bob.Owner, Transport: "socket", AdapterID: "tool", ClientVersion: "1.2"}
	since := r.position()
	r.clock.Advance(time.Second)
	receipts, err := r.core.RecordOffers(r.ctx, success)
	if err != nil {
		t.Fatal(err)
	}
	offer := &protocol.Offer{Transport: "socket", At: r.clock.Now()}
	for i, want := range []protocol.Receipt{
		{MessageID: two, State: protocol.Offered, UpdatedAt: r.clock.Now(), Offer: offer},
		{MessageID: read, State: protocol.Retrieved, UpdatedAt: Start},
		{MessageID: one, State: protocol.Offered, UpdatedAt: r.clock.Now(), Offer: offer},
	} {
		want.WorkspaceID, want.RecipientParticipantID, want.Obligation = WorkspaceID, "bob", protocol.ObligationNone
		if diff := cmp.Diff(want, receipts[i]); diff != "" {
			t.Errorf("receipt %d (-want +got):\n%s", i, diff)
		}
	}
	if after := r.position(); after.Generation != since.Generation+1 {
		t.Errorf("offers took %d commits", after.Generation-since.Generation)
	}
	r.tell(since.LastSequence, called(bob), "message.offer_succeeded by bob", "message.offer_succeeded by bob")
	payload, err := protocol.DecodePayload(r.journal()[since.LastSequence])
	if err != nil {
		t.Fatal(err)
	}
	want := protocol.OfferSucceededPayload{
		MessageID: two, RecipientParticipantID: "bob", TargetSessionID: bob.SessionID, TargetGenerationRef: protocol.GenerationRef(bob.Generation),
		Transport: "socket", AdapterID: "tool", ClientVersion: "1.2",
	}
	if diff := cmp.Diff(protocol.EventPayload(want), payload); diff != "" {
		t.Errorf("payload (-want +got):\n%s", diff)
	}
	r.unchanged("offering again", func() {
		if again, err := r.core.RecordOffers(r.ctx, success); err != nil || len(again) != 3 || again[0].State != protocol.Offered {
			t.Errorf("%+v, %v", again, err)
		}
	})
	r.unchanged("a room message over a live transport", func() {
		success.MessageIDs = []string{all}
		_, err := r.core.RecordOffers(r.ctx, success)
		r.refused("a room message", err, protocol.Data, "")
	})
	success.Transport = protocol.TransportNextTurn
	if got, err := r.core.RecordOffers(r.ctx, success); err != nil || got[0].State != protocol.Offered {
		t.Errorf("a room message by next turn: %+v, %v", got, err)
	}
	success.MessageIDs = []string{r.send(ada, protocol.Note, "three", "bob").Message.MessageID, "message_none"}
	r.unchanged("one unknown message among others", func() {
		_, err := r.core.RecordOffers(r.ctx, success)
		r.refused("an unknown message", err, protocol.Data, protocol.ReasonNotFound)
	})
}

func attention(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	bob := r.openAs(core.OpenSession{ParticipantID: "bob", Harness: "tool", PID: 7})
	r.processes.Set(7, core.ProcessAlive)
	check := func(what string, a actor, want ...core.AttentionItem) {
		t.Helper()
		status, err := r.core.Status(r.ctx, core.StatusQuery{Owner: &a.Owner})
		if err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 && len(status.Attention) == 0 {
			return
		}
		if diff := cmp.Diff(want, status.Attention); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	r.send(ada, protocol.Note, "a note owes nothing", "bob")
	check("a note", bob)
	decision, err := r.core.Send(r.ctx, ada.Owner, core.SendRequest{To: []string{"bob"}, MessageKind: protocol.Decision, Obligation: protocol.ObligationAcknowledge, Subject: "decided", Body: "b"})
	if err != nil {
		t.Fatal(err)
	}
	q := r.send(ada, protocol.Question, "asked", "bob").Message.MessageID
	d := decision.Message.MessageID
	reply := core.AttentionItem{AttentionKind: core.ReplyRequired, Priority: 1, SourceID: q, Summary: "asked"}
	acknowledge := core.AttentionItem{AttentionKind: core.AcknowledgementRequired, Priority: 2, SourceID: d, Summary: "decided"}
	check("owed by bob", bob, reply, acknowledge)
	check("bob is there", ada)
	r.processes.Set(7, core.ProcessDead)
	check("bob is gone", ada,
		core.AttentionItem{AttentionKind: core.RecipientUnavailable, Priority: 3, SourceID: d, Summary: "decided - bob is unavailable"},
		core.AttentionItem{AttentionKind: core.RecipientUnavailable, Priority: 3, SourceID: q, Summary: "asked - bob is unavailable"})
	r.processes.Set(7, core.ProcessAlive)
	if _, err := r.core.Read(r.ctx, bob.Owner, q); err != nil {
		t.Fatal(err)
	}
	check("reading settles nothing", bob, reply, acknowledge)
	if _, err := r.core.Ack(r.ctx, bob.Owner, d); err != nil {
		t.Fatal(err)
	}
	if _, err := r.core.Reply(r.ctx, bob.Owner, core.ReplyRequest{MessageID: q, Body: "b"}); err != nil {
		t.Fatal(err)
	}
	check("settled", bob)
	r.processes.Set(7, core.ProcessDead)
	check("nothing is owed by who is gone", ada)

	c := r.claim(ada, "file:a").Claim
	r.clock.Advance(protocol.DefaultLease - 1)
	check("a live lease", ada)
	r.clock.Advance(1)
	check("an expired lease", ada, core.AttentionItem{AttentionKind: core.ClaimExpired, Priority: 6, SourceID: c.ClaimID, Summary: "the lease on file:a has run out"})
	if _, err := r.core.Release(r.ctx, ada.Owner, core.ReleaseRequest{ClaimID: c.ClaimID}); err != nil {
		t.Fatal(err)
	}
	check("released", ada)
}

func status(t *testing.T, r *roomTest) {
	empty, err := r.core.Status(r.ctx, core.StatusQuery{})
	if err != nil {
		t.Fatal(err)
	}
	want := core.Status{WorkspaceID: WorkspaceID, DisplayName: "tests", Source: protocol.SourceDirectory, Protection: core.ProtectionNone, Cursor: "0000000000000000", Now: Start}
	if diff := cmp.Diff(want, empty); diff != "" {
		t.Errorf("an empty room (-want +got):\n%s", diff)
	}
	ada, bob := r.open("ada"), r.open("bob")
	gone := r.openAs(core.OpenSession{ParticipantID: "cyd", Harness: "tool", PID: 7, Enforcement: protocol.Advisory})
	r.processes.Set(7, core.ProcessDead)
	r.claim(ada, "file:a")
	r.send(ada, protocol.Note, "n", "bob")
	q := r.send(ada, protocol.Question, "q", "bob").Message
	if _, err := r.core.RecordOffers(r.ctx, core.OfferSuccess{MessageIDs: []string{q.MessageID}, Target: bob.Owner, Transport: "socket", AdapterID: "tool", ClientVersion: "1"}); err != nil {
		t.Fatal(err)
	}
	get := func(query core.StatusQuery) core.Status {
		t.Helper()
		s, err := r.core.Status(r.ctx, query)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	public := get(core.StatusQuery{})
	if !public.Materialised || public.Cursor != protocol.FormatSequence(r.position().LastSequence) || len(public.Attention)+len(public.Waiting) > 0 {
		t.Errorf("the public view: %+v", public)
	}
	var rows []string
	for _, s := range public.Sessions {
		rows = append(rows, fmt.Sprintf("%s %s %d queued %d offered", s.ParticipantID, s.Presence, s.Queued, s.Offered))
	}
	if diff := cmp.Diff([]string{"ada online 0 queued 0 offered", "bob online 1 queued 1 offered"}, rows); diff != "" {
		t.Errorf("roster (-want +got):\n%s", diff)
	}
	if got := get(core.StatusQuery{All: true}).Sessions; len(got) != 3 || got[2].SessionID != gone.SessionID || got[2].Presence != protocol.Offline || !got[2].ProcessTracked {
		t.Errorf("everybody: %+v", got)
	}
	waiting := []core.Waiting{{MessageID: q.MessageID, MessageKind: protocol.Question, Subject: "q", Recipient: "bob", State: protocol.Offered, Since: Start}}
	if diff := cmp.Diff(waiting, get(core.StatusQuery{Owner: &ada.Owner}).Waiting); diff != "" {
		t.Errorf("waiting (-want +got):\n%s", diff)
	}
	if got := get(core.StatusQuery{All: true}).Protection; got != core.ProtectionGuarded {
		t.Errorf("an advisory session that is gone still counts: %s", got)
	}
	if public.Protection != core.ProtectionGuarded {
		t.Errorf("guarded claims and guarded live sessions: %s", public.Protection)
	}
	if _, err := r.core.Claim(r.ctx, bob.Owner, core.ClaimRequest{Resource: "file:b", Enforcement: protocol.Advisory}); err != nil {
		t.Fatal(err)
	}
	if got := get(core.StatusQuery{}); got.Protection != core.ProtectionAdvisory || len(got.Claims) != 2 || got.Claims[1].OwnerParticipantID != "bob" {
		t.Errorf("with an advisory claim: %s %+v", got.Protection, got.Claims)
	}
	if _, err := r.core.Release(r.ctx, bob.Owner, core.ReleaseRequest{Resource: "file:b"}); err != nil {
		t.Fatal(err)
	}
	r.openAs(core.OpenSession{ParticipantID: "dan", Harness: "tool", Enforcement: protocol.Advisory})
	if got := get(core.StatusQuery{}).Protection; got != core.ProtectionAdvisory {
		t.Errorf("with an advisory session: %s", got)
	}
	r.clock.Advance(protocol.DefaultLease)
	if got := get(core.StatusQuery{}); got.Protection != core.ProtectionNone || len(got.Claims) != 0 {
		t.Errorf("with an expired claim only: %s %+v", got.Protection, got.Claims)
	}
}

// noGenerations runs a bit of everything and looks for credentials in what others can see.
func noGenerations(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	held := r.claim(ada, "file:a").Claim
	r.send(ada, protocol.Question, "q", "bob")
	_, err := r.core.Claim(r.ctx, bob.Owner, core.ClaimRequest{Resource: "file:a"})
	refusal := r.refused("claim", err, protocol.Conflict, protocol.ReasonClaimConflict)
	guard, err := r.core.Guard(r.ctx, bob.Owner, []string{"file:a"})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := r.core.Turn(r.ctx, bob.Owner, 10)
	if err != nil {
		t.Fatal(err)
	}
	room, err := r.core.Status(r.ctx, core.StatusQuery{Owner: &bob.Owner, All: true})
	if err != nil {
		t.Fatal(err)
	}
	forced, err := r.core.Release(r.ctx, bob.Owner, core.ReleaseRequest{ClaimID: held.ClaimID, Authority: protocol.AuthorityPolicy, Reason: "r"})
	if err != nil {
		t.Fatal(err)
	}
	r.close(ada)
	seen := fmt.Sprintf("%+v %+v %+v %+v %+v %+v", *refusal, guard, turn.Peers, turn.Mail, room, forced)
	for _, e := range r.journal() {
		seen += string(e.Payload)
	}
	for _, secret := range []string{ada.Generation, bob.Generation, held.Generation} {
		if strings.Contains(seen, secret) {
			t.Errorf("generation %s can be seen in %s", secret, seen)
		}
	}
}

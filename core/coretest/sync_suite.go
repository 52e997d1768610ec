package coretest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

func syncing(t *testing.T, r *roomTest) {
	get := func(q core.SyncQuery) core.SyncResult {
		t.Helper()
		got, err := r.core.Sync(r.ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := get(core.SyncQuery{}); !got.Solo || got.Cursor != "0000000000000000" || got.More || len(got.Events) > 0 {
		t.Errorf("an empty room: %+v", got)
	}
	ada := r.open("ada")
	if got := get(core.SyncQuery{Owner: &ada.Owner}); !got.Solo || len(got.Roster) != 1 {
		t.Errorf("a lone session: %+v", got)
	}
	bob := r.open("bob")
	r.send(ada, protocol.Question, "q", "bob")
	total := int(r.position().LastSequence)
	var cursor string
	var seen []string
	for page := 0; ; page++ {
		got := get(core.SyncQuery{Cursor: cursor, Limit: 2})
		for _, e := range got.Events {
			seen = append(seen, string(e.Type))
		}
		cursor = got.Cursor
		if !got.More {
			break
		}
		if len(got.Events) != 2 || page > total {
			t.Fatalf("page %d: %+v", page, got)
		}
	}
	if got := strings.Join(seen, " "); got != "workspace.materialised session.opened session.opened message.recorded" {
		t.Errorf("delta: %s", got)
	}
	if again := get(core.SyncQuery{Cursor: cursor}); len(again.Events) > 0 || again.Cursor != cursor {
		t.Errorf("nothing new: %+v", again)
	}
	own := get(core.SyncQuery{Owner: &bob.Owner, Cursor: cursor})
	if own.Solo || len(own.Attention) != 1 || own.Attention[0].AttentionKind != core.ReplyRequired {
		t.Errorf("bob's sync: %+v", own)
	}
	wantRoster := []core.RosterRow{
		{SessionID: ada.SessionID, ParticipantID: "ada", Harness: "ada", Presence: protocol.Online},
		{SessionID: bob.SessionID, ParticipantID: "bob", Harness: "bob", Presence: protocol.Online},
	}
	if diff := cmp.Diff(wantRoster, own.Roster); diff != "" {
		t.Errorf("roster (-want +got):\n%s", diff)
	}
	for _, cursor := range []string{"5", "x000000000000000", "00000000000000001", protocol.FormatSequence(uint64(total) + 1)} {
		_, err := r.core.Sync(r.ctx, core.SyncQuery{Cursor: cursor})
		r.refused("cursor "+cursor, err, protocol.Usage, "")
	}
	_, err := r.core.Sync(r.ctx, core.SyncQuery{Limit: protocol.EventsPageMax + 1})
	r.refused("limit", err, protocol.Usage, "")

	held := r.claim(ada, "file:a").Claim
	if _, err := r.core.PublishIntent(r.ctx, bob.Owner, core.IntentRequest{Summary: "s"}); err != nil {
		t.Fatal(err)
	}
	snap := get(core.SyncQuery{Full: true}).Snapshot
	if snap.Workspace.CreatedAt.IsZero() || len(snap.Participants) != 2 || len(snap.Intents) != 1 {
		t.Errorf("snapshot: %+v", snap)
	}
	if len(snap.Claims) != 1 || snap.Claims[0].ClaimID != held.ClaimID || snap.Claims[0].Generation != "" || snap.Sessions[0].SessionID != ada.SessionID || snap.Sessions[0].Generation != "" {
		t.Errorf("snapshot: claims %+v, sessions %+v", snap.Claims, snap.Sessions)
	}
	r.close(bob)
	if got := get(core.SyncQuery{Owner: &ada.Owner}); got.Solo || len(got.Attention) != 1 {
		t.Errorf("somebody who left owes a reply: %+v", got)
	}
}

// soloSync: a claim is something to know, also for who is alone.
func soloSync(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	solo := func() bool {
		t.Helper()
		got, err := r.core.Sync(r.ctx, core.SyncQuery{Owner: &ada.Owner})
		if err != nil {
			t.Fatal(err)
		}
		return got.Solo
	}
	r.claim(ada, "file:a")
	if solo() {
		t.Error("solo with a claim")
	}
	if _, err := r.core.Release(r.ctx, ada.Owner, core.ReleaseRequest{Resource: "file:a"}); err != nil {
		t.Fatal(err)
	}
	if !solo() {
		t.Error("not solo without a claim")
	}
}

func histories(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	q := r.send(ada, protocol.Question, "q", "bob").Message
	for i := range 4 {
		r.clock.Advance(-1000)
		r.send(bob, protocol.Note, fmt.Sprintf("n%d", i))
	}
	answer, err := r.core.Reply(r.ctx, bob.Owner, core.ReplyRequest{MessageID: q.MessageID, Subject: "a", Body: "b"})
	if err != nil {
		t.Fatal(err)
	}
	list := func(query core.HistoryQuery) (string, string) {
		t.Helper()
		page, err := r.core.History(r.ctx, query)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, s := range page.Items {
			all = append(all, s.Subject)
		}
		return strings.Join(all, " "), page.NextCursor
	}
	r.unchanged("reading history", func() {
		first, cursor := list(core.HistoryQuery{Limit: 4})
		second, end := list(core.HistoryQuery{Limit: 4, Cursor: cursor})
		if first != "a n3 n2 n1" || second != "n0 q" || end != "" {
			t.Errorf("pages %q and %q, end %q", first, second, end)
		}
		if got, _ := list(core.HistoryQuery{ThreadID: q.ThreadID}); got != "a q" {
			t.Errorf("thread: %q", got)
		}
		if got, _ := list(core.HistoryQuery{MessageKind: protocol.Note}); got != "n3 n2 n1 n0" {
			t.Errorf("notes: %q", got)
		}
		if got, _ := list(core.HistoryQuery{MessageKind: protocol.Answer, ThreadID: q.ThreadID}); got != "a" {
			t.Errorf("answers of the thread: %q", got)
		}
		_, err := r.core.History(r.ctx, core.HistoryQuery{MessageKind: protocol.Note, Cursor: q.MessageID})
		r.refused("a cursor of another list", err, protocol.Usage, "")
		_, err = r.core.History(r.ctx, core.HistoryQuery{Cursor: "message_none"})
		r.refused("a cursor of no message", err, protocol.Usage, "")
		_, err = r.core.History(r.ctx, core.HistoryQuery{Current: true})
		r.refused("current messages", err, protocol.Usage, "")
		whole, err := r.core.Message(r.ctx, q.MessageID)
		if err != nil || whole.Message.Body != q.Body || len(whole.Receipts) != 1 || whole.Receipts[0].State != protocol.Acknowledged || whole.Decision != nil {
			t.Errorf("exact: %+v, %v", whole, err)
		}
		whole, err = r.core.Message(r.ctx, answer.Message.MessageID)
		if err != nil || whole.Receipts[0].State != protocol.Queued {
			t.Errorf("exact reads of history retrieve nothing: %+v, %v", whole, err)
		}
		_, err = r.core.Message(r.ctx, "message_none")
		r.refused("no message", err, protocol.Data, protocol.ReasonNotFound)
	})
	for range 40 {
		r.send(bob, protocol.Note, strings.Repeat("é", 300))
	}
	page, err := r.core.History(r.ctx, core.HistoryQuery{Limit: 40})
	if err != nil {
		t.Fatal(err)
	}
	size := len(`{"items":[],"nextCursor":""}`) + len(page.NextCursor) + len(page.Items)
	for _, s := range page.Items {
		encoded, err := core.SummaryObject().Append(nil, &s)
		if err != nil {
			t.Fatal(err)
		}
		size += len(encoded)
	}
	if size > protocol.InboxPageBytes || size < protocol.InboxPageBytes*3/4 || page.NextCursor == "" {
		t.Errorf("a page of %d bytes, next %q", size, page.NextCursor)
	}
}

func fullStatus(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	r.open("bob")
	gone := r.open("cyd")
	r.send(ada, protocol.Note, "for the gone", "cyd")
	live := r.send(ada, protocol.Question, "live", "cyd").Message.MessageID
	if _, err := r.core.RecordOffers(r.ctx, core.OfferSuccess{MessageIDs: []string{live}, Target: gone.Owner, Transport: "socket", AdapterID: "tool", ClientVersion: "1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.core.CloseSession(r.ctx, gone.Owner, "clear"); err != nil {
		t.Fatal(err)
	}
	left := r.open("dan")
	r.close(left)
	rows := func(q core.StatusQuery) string {
		t.Helper()
		s, err := r.core.Status(r.ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, row := range s.Sessions {
			all = append(all, fmt.Sprintf("%s:%s:%d+%d/%d", row.ParticipantID, row.Presence, row.Queued, row.Offered, row.Waiting))
		}
		return strings.Join(all, " ")
	}
	if got, want := rows(core.StatusQuery{}), "ada:online:0+0/0 bob:online:0+0/0 cyd:offline:1+1/2"; got != want {
		t.Errorf("roster %q, want %q", got, want)
	}
	if got, want := rows(core.StatusQuery{All: true}), "ada:online:0+0/0 bob:online:0+0/0 cyd:offline:1+1/2 dan:offline:0+0/0"; got != want {
		t.Errorf("everybody %q, want %q", got, want)
	}
	for range 2 {
		r.openAs(core.OpenSession{ParticipantID: "eve", Harness: "tool", PID: 7})
	}
	r.processes.Set(7, core.ProcessDead)
	if got, want := rows(core.StatusQuery{All: true}), "ada:online:0+0/0 bob:online:0+0/0 eve:offline:0+0/0 eve:offline:0+0/0 cyd:offline:1+1/2 dan:offline:0+0/0"; got != want {
		t.Errorf("everybody with two dead sessions %q, want %q", got, want)
	}
	if status, _ := r.core.Status(r.ctx, core.StatusQuery{}); status.Sessions[2].EndReason != "clear" {
		t.Errorf("why it left: %+v", status.Sessions[2])
	}
	r.claim(ada, "file:a")
	r.clock.Advance(10 * protocol.HookCadence)
	if _, err := r.core.Heartbeat(r.ctx, ada.Owner); err != nil {
		t.Fatal(err)
	}
	status, err := r.core.Status(r.ctx, core.StatusQuery{})
	if err != nil {
		t.Fatal(err)
	}
	want := core.Counts{Live: 1, Stale: 1, Claims: 1, Messages: 2, Queued: 1, Offered: 1}
	if diff := cmp.Diff(want, status.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

// offeredSomehow: an offer of which nobody knows how it was made may not have been carried by a turn.
func offeredSomehow(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	m := r.send(ada, protocol.Question, "q", "bob").Message.MessageID
	_, err := r.store.Update(r.ctx, func(tx core.Tx) error {
		stored, _, err := tx.Get(protocol.KindReceipt, protocol.ReceiptID(m, "bob"))
		if err != nil {
			return err
		}
		receipt := *stored.Record.(*protocol.Receipt)
		receipt.State = protocol.Offered
		return tx.Put(&receipt)
	})
	if err != nil {
		t.Fatal(err)
	}
	r.close(bob)
	status, err := r.core.Status(r.ctx, core.StatusQuery{})
	if err != nil || len(status.Sessions) != 2 {
		t.Fatalf("%d rows, %v", len(status.Sessions), err)
	}
	if row := status.Sessions[1]; row.ParticipantID != "bob" || row.Queued != 0 || row.Offered != 1 || row.Waiting != 1 {
		t.Errorf("%+v", row)
	}
	again := r.openAs(core.OpenSession{ParticipantID: "bob", Harness: "bob"})
	r.clock.Advance(protocol.RepeatLiveOffer)
	if turn, err := r.core.Turn(r.ctx, again.Owner, 10); err != nil || len(turn.Mail)+len(turn.Repeats) > 0 {
		t.Errorf("a turn carries what it cannot judge: %+v, %v", turn, err)
	}
}

// defaultPages: whoever does not say how much gets twenty messages or a hundred events.
func defaultPages(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	for i := range protocol.EventsPageDefault {
		r.send(ada, protocol.Note, fmt.Sprint(i), "bob")
	}
	inbox := r.inbox(bob, core.InboxQuery{})
	history, err := r.core.History(r.ctx, core.HistoryQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if len(inbox.Items) != 20 || inbox.NextCursor == "" || len(history.Items) != 20 || history.NextCursor == "" {
		t.Errorf("%d messages of an inbox, %d of the history", len(inbox.Items), len(history.Items))
	}
	sync, err := r.core.Sync(r.ctx, core.SyncQuery{})
	if err != nil || len(sync.Events) != 100 || !sync.More || sync.Cursor != "0000000000000100" {
		t.Errorf("%d events, cursor %s, %v", len(sync.Events), sync.Cursor, err)
	}
}

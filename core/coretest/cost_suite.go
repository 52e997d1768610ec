package coretest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/decision"
	"github.com/acc-control-plane/acc/protocol"
)

// counting is a store that counts what is asked of it: records looked at and index entries given.
type counting struct {
	core.Store
	records, entries int
}

func (c *counting) View(ctx context.Context, fn func(core.Reader) error) error {
	return c.Store.View(ctx, func(r core.Reader) error { return fn(countingReader{r, c}) })
}

func (c *counting) Update(ctx context.Context, fn func(core.Tx) error) (core.Commit, error) {
	return c.Store.Update(ctx, func(tx core.Tx) error { return fn(countingTx{tx, c}) })
}

type countingReader struct {
	core.Reader
	counts *counting
}

func (c countingReader) Get(kind protocol.Kind, id string) (core.Stored, bool, error) {
	c.counts.records++
	return c.Reader.Get(kind, id)
}

func (c countingReader) Find(q core.Query) ([]core.Entry, error) {
	entries, err := c.Reader.Find(q)
	c.counts.entries += len(entries)
	return entries, err
}

type countingTx struct {
	core.Tx
	counts *counting
}

func (c countingTx) Get(kind protocol.Kind, id string) (core.Stored, bool, error) {
	return countingReader{c.Tx, c.counts}.Get(kind, id)
}

func (c countingTx) Find(q core.Query) ([]core.Entry, error) {
	return countingReader{c.Tx, c.counts}.Find(q)
}

// TestCost runs every operation of core in a room with some history and in one with twice as
// much, and compares what each asks of the store: it must be exactly the same. What is asked does not
// depend on the store, so one store is enough.
func TestCost(t *testing.T, newStore NewStore) {
	t.Run("a long chain of decisions is bounded", func(t *testing.T) { longDecision(t, newRoom(t, newStore(t))) })
	t.Run("a group of decisions is walked once a page", func(t *testing.T) { oneGroup(t, newStore(t)) })
	t.Run("one session's claims are bounded", func(t *testing.T) { manyClaims(t, newRoom(t, newStore(t))) })
	t.Run("participants that are away are bounded", func(t *testing.T) { manyAway(t, newRoom(t, newStore(t))) })
	t.Run("counting a backlog is bounded", func(t *testing.T) { backlog(t, newRoom(t, newStore(t))) })
	const some = 70 // beyond every bound on what one operation looks at
	little, much := costs(t, newStore(t), some), costs(t, newStore(t), 2*some)
	if diff := cmp.Diff(little, much); diff != "" {
		t.Errorf("cost grows with history (-little +much):\n%s", diff)
	}
}

// costs gives per operation "records looked at / index entries read" after some rounds of history:
// conversations that came to their end, decisions replaced, sessions closed, clients killed with claims in
// their hands, claims given up, or expired and taken over or left alone.
func costs(t *testing.T, store core.Store, rounds int) map[string]string {
	counts := &counting{Store: store}
	r := newRoom(t, counts)
	ada, bob := r.open("ada"), r.open("bob")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	last := r.decide(ada, "first", core.SendRequest{To: []string{"bob"}})
	next := core.OfferSuccess{Target: bob.Owner, Transport: protocol.TransportNextTurn, AdapterID: "tool", ClientVersion: "1"}
	for i := range rounds {
		for _, a := range []actor{ada, bob} {
			_, err := r.core.Heartbeat(r.ctx, a.Owner)
			must(err)
		}
		killed := r.openAs(core.OpenSession{ParticipantID: fmt.Sprintf("killed-%d", i), Harness: "tool", PID: 100 + i})
		_, err := r.core.PublishIntent(r.ctx, killed.Owner, core.IntentRequest{Summary: "s", ResourceHints: []string{"file:other/**"}})
		must(err)
		r.claim(killed, fmt.Sprintf("file:killed/%d", i))
		r.processes.Set(100+i, core.ProcessDead)
		passing := r.open(fmt.Sprintf("passing-%d", i))
		_, err = r.core.PublishIntent(r.ctx, passing.Owner, core.IntentRequest{Summary: "s", ResourceHints: []string{"file:mine"}})
		must(err)
		r.claim(passing, "file:kept") // expires and is taken over, round after round
		r.claim(passing, fmt.Sprintf("file:passing/%d", i))
		q := r.send(passing, protocol.Question, "q", "bob").Message.MessageID
		_, err = r.core.Reply(r.ctx, bob.Owner, core.ReplyRequest{MessageID: q, Body: "b"})
		must(err)
		note := r.send(passing, protocol.Note, "n", "bob").Message.MessageID
		_, err = r.core.Read(r.ctx, bob.Owner, note)
		must(err)
		shown := r.send(ada, protocol.Note, "offered and never read", "bob").Message.MessageID
		next.MessageIDs = []string{shown}
		_, err = r.core.RecordOffers(r.ctx, next)
		must(err)
		_, err = r.core.Ack(r.ctx, bob.Owner, shown)
		must(err)
		last = r.decide(ada, "d", core.SendRequest{Replaces: []string{last.MessageID}})
		_, err = r.core.Ack(r.ctx, bob.Owner, last.MessageID)
		must(err)
		r.clock.Advance(protocol.DefaultLease)
		_, err = r.core.Finish(r.ctx, passing.Owner, core.FinishRequest{Goal: "g", To: []string{"bob"}})
		must(err)
		mail := r.inbox(bob, core.InboxQuery{Limit: 1}).Items[0].Message.MessageID
		_, err = r.core.Ack(r.ctx, bob.Owner, mail)
		must(err)
	}
	_, err := r.core.PublishIntent(r.ctx, ada.Owner, core.IntentRequest{Summary: "s", ResourceHints: []string{"file:kept", "file:other/**"}})
	must(err)
	r.claim(bob, "file:other/x")
	waiting := r.send(ada, protocol.Question, "q", "bob").Message.MessageID
	measured := map[string]string{}
	measure := func(name string, run func() error) {
		t.Helper()
		counts.records, counts.entries = 0, 0
		if err := run(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		measured[name] = fmt.Sprintf("%d/%d", counts.records, counts.entries)
	}
	r.clock.Advance(time.Minute)
	measure("heartbeat", func() error { _, err := r.core.Heartbeat(r.ctx, bob.Owner); return err })
	measure("guard", func() error {
		_, err := r.core.Guard(r.ctx, ada.Owner, []string{"file:other/x", "file:kept"})
		return err
	})
	measure("turn", func() error { _, err := r.core.Turn(r.ctx, bob.Owner, 10); return err })
	measure("turn of the author", func() error { _, err := r.core.Turn(r.ctx, ada.Owner, 10); return err })
	measure("record offers", func() error {
		next.MessageIDs = []string{waiting}
		_, err := r.core.RecordOffers(r.ctx, next)
		return err
	})
	measure("inbox", func() error { _, err := r.core.Inbox(r.ctx, bob.Owner, core.InboxQuery{}); return err })
	measure("status", func() error { _, err := r.core.Status(r.ctx, core.StatusQuery{Owner: &bob.Owner}); return err })
	measure("sync", func() error {
		_, err := r.core.Sync(r.ctx, core.SyncQuery{Owner: &bob.Owner, Cursor: protocol.FormatSequence(r.position().LastSequence), Full: false})
		return err
	})
	measure("read", func() error { _, err := r.core.Read(r.ctx, bob.Owner, waiting); return err })
	measure("recipients", func() error { _, err := r.core.Recipients(r.ctx, waiting); return err })
	measure("presences", func() error { _, err := r.core.Presences(r.ctx, []string{"bob"}); return err })
	measure("owed offers", func() error { _, err := r.core.OwedOffers(r.ctx, "bob", 10); return err })
	measure("reply", func() error {
		_, err := r.core.Reply(r.ctx, bob.Owner, core.ReplyRequest{MessageID: waiting, Body: "b", ClientMessageID: "key"})
		return err
	})
	measure("send", func() error {
		_, err := r.core.Send(r.ctx, ada.Owner, core.SendRequest{To: []string{"bob"}, MessageKind: protocol.Note, Subject: "s", Body: "b", ClientMessageID: "key"})
		return err
	})
	measure("send to the room", func() error {
		_, err := r.core.Send(r.ctx, ada.Owner, core.SendRequest{MessageKind: protocol.Note, Subject: "s", Body: "b"})
		return err
	})
	measure("claim", func() error {
		_, err := r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "file:kept"})
		return err
	})
	measure("claim of a directory", func() error {
		_, err := r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "file:new/**"})
		return err
	})
	measure("history", func() error {
		_, err := r.core.History(r.ctx, core.HistoryQuery{Limit: 3, MessageKind: protocol.Note})
		return err
	})
	measure("open", func() error { r.open("new"); return nil })
	measure("finish", func() error {
		_, err := r.core.Finish(r.ctx, bob.Owner, core.FinishRequest{Goal: "g", To: []string{"ada"}})
		return err
	})
	return measured
}

// longDecision: a chain longer than one read walks says what it does not know.
func longDecision(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	r.open("bob")
	first := r.decide(ada, "0", core.SendRequest{To: []string{"bob"}})
	last := first
	for i := range 300 {
		last = r.decide(ada, fmt.Sprint(i+1), core.SendRequest{Replaces: []string{last.MessageID}})
	}
	old, err := r.core.Message(r.ctx, first.MessageID)
	if err != nil || old.Decision.IsHead || !old.Decision.Partial || old.Decision.CurrentMessageID != "" {
		t.Errorf("the first of a long chain: %+v, %v", old.Decision, err)
	}
	head, err := r.core.Message(r.ctx, last.MessageID)
	if err != nil || !head.Decision.IsHead || head.Decision.State != decision.Current {
		t.Errorf("the last of a long chain: %+v, %v", head.Decision, err)
	}
}

// oneGroup: a page that lists many decisions of one group reads the group once.
func oneGroup(t *testing.T, store core.Store) {
	counts := &counting{Store: store}
	r := newRoom(t, counts)
	ada := r.open("ada")
	const size = 40
	last := r.decide(ada, "0", core.SendRequest{})
	for range size - 1 {
		last = r.decide(ada, "n", core.SendRequest{Replaces: []string{last.MessageID}})
	}
	counts.records = 0
	page, err := r.core.History(r.ctx, core.HistoryQuery{MessageKind: protocol.Decision, Limit: 10})
	if err != nil || len(page.Items) != 10 {
		t.Fatalf("%d items, %v", len(page.Items), err)
	}
	if counts.records > 2*size {
		t.Errorf("a page of 10 out of a group of %d reads %d records", size, counts.records)
	}
}

// manyClaims: what one session holds fits the record of its end.
func manyClaims(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	for i := range protocol.MaxListItems {
		r.claim(ada, fmt.Sprintf("db:%d", i))
	}
	_, err := r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "db:more"})
	r.refused("one more claim", err, protocol.Usage, "")
	if got := r.claim(ada, "db:1"); !got.Renewed {
		t.Error("a renewal is no new claim")
	}
	if got, err := r.core.Finish(r.ctx, ada.Owner, core.FinishRequest{Goal: "g"}); err != nil || len(got.ReleasedClaimIDs) != protocol.MaxListItems {
		t.Errorf("finishing with every claim: %d released, %v", len(got.ReleasedClaimIDs), err)
	}
}

// manyAway: status lists some of many who left with mail, the latest first, and all when asked.
func manyAway(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	const left = 30
	for i := range left {
		gone := r.open(fmt.Sprintf("gone-%02d", i))
		r.send(ada, protocol.Note, "n", gone.name)
		r.close(gone)
	}
	some, err := r.core.Status(r.ctx, core.StatusQuery{})
	if err != nil || len(some.Sessions) >= left/2+5 || len(some.Sessions) < 10 || some.Sessions[1].ParticipantID != "gone-29" {
		t.Errorf("%d rows, the first away is %+v, %v", len(some.Sessions), some.Sessions[1], err)
	}
	everybody, err := r.core.Status(r.ctx, core.StatusQuery{All: true})
	if err != nil || len(everybody.Sessions) != 1+left {
		t.Errorf("%d rows of everybody, %v", len(everybody.Sessions), err)
	}
}

// backlog: what piles up for somebody is counted up to a bound.
func backlog(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	const sent = core.CountLimit + 5
	for range sent {
		r.send(ada, protocol.Note, "many", "bob")
	}
	status, err := r.core.Status(r.ctx, core.StatusQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if row := status.Sessions[1]; row.SessionID != bob.SessionID || row.Queued != core.CountLimit || !row.CountsCut {
		t.Errorf("a backlog is counted as %d, cut %v", row.Queued, row.CountsCut)
	}
	if status.Counts.Messages != sent {
		t.Errorf("%d messages", status.Counts.Messages)
	}
	turn, err := r.core.Turn(r.ctx, bob.Owner, 3)
	if err != nil || len(turn.Mail) != 3 || turn.More != core.CountLimit {
		t.Errorf("a turn with a backlog: %d and %d more, %v", len(turn.Mail), turn.More, err)
	}
}

package coretest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// TestModel runs random sequences of operations, with clocks that jump both ways and processes that come
// and go, against the model store and a store made by newStore. Both must give the same answers, and
// what holds at any time must hold after every step (see invariants).
func TestModel(t *testing.T, newStore NewStore) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{ctx: t.Context(), sides: [2]side{newSide(t, NewMemory(WorkspaceID)), newSide(t, newStore(t))}, states: map[string]protocol.ReceiptState{}}
		rt.Repeat(map[string]func(*rapid.T){
			"open": m.open, "reopen": m.reopen, "close": m.close, "finish": m.finish, "heartbeat": m.heartbeat,
			"claim": m.claim, "renew": m.renew, "release": m.release, "guard": m.guard, "intent": m.intent,
			"send": m.send, "decide": m.decide, "reply": m.reply, "ack": m.ack, "read": m.read,
			"inbox": m.inbox, "turn and offers": m.turn, "live offer": m.live, "binding": m.binding,
			"look": m.look, "clock": m.time, "process": m.process,
			"": m.invariants,
		})
	})
}

// side is one of the two rooms.
type side struct {
	store     core.Store
	core      *core.Core
	clock     *Clock
	processes *Processes
}

func newSide(t *testing.T, store core.Store) side {
	r := newRoom(t, store)
	return side{store: store, core: r.core, clock: r.clock, processes: r.processes}
}

// model is what the test knows of both rooms.
type model struct {
	ctx      context.Context
	sides    [2]side
	owners   []core.Owner // also of sessions that ended
	messages []string
	claims   []string
	opened   int
	states   map[string]protocol.ReceiptState // of receipts, as last seen
}

// both runs an operation on both sides and compares the answers; it gives the second.
func both[T any](m *model, t *rapid.T, what string, run func(*core.Core) (T, error)) (T, error) {
	t.Helper()
	want, wantErr := run(m.sides[0].core)
	got, gotErr := run(m.sides[1].core)
	if describe(wantErr) != describe(gotErr) {
		t.Fatalf("%s: the model says %q, the store %q", what, describe(wantErr), describe(gotErr))
	}
	var known *protocol.Error
	if gotErr != nil && (!errors.As(gotErr, &known) || known.Reason == protocol.ReasonStoreCorrupt) {
		t.Fatalf("%s: %v", what, gotErr)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.Comparer(sameJSON)); diff != "" {
		t.Fatalf("%s (-model +store):\n%s", what, diff)
	}
	return got, gotErr
}

// sameJSON compares values that nobody interprets; white space is not part of them.
func sameJSON(a, b jsontext.Value) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	return a.Compact() == nil && b.Compact() == nil && string(a) == string(b)
}

func describe(err error) string {
	var e *protocol.Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return fmt.Sprintf("%d %s %s %v", e.Code, e.Reason, e.Message, e.Details)
}

var (
	people    = []string{"ada", "bob", "cyd"}
	resources = []string{"file:a", "file:a/**", "file:a/b", "file:./**", "db:x"}
	keys      = []string{"", "", "", "key-1", "key-2"}
	pids      = []int{0, 11, 12}
)

func pick[T any](t *rapid.T, label string, from []T) T {
	if len(from) == 0 {
		t.Skip("nothing to pick from")
	}
	return rapid.SampledFrom(from).Draw(t, label)
}

func (m *model) owner(t *rapid.T) core.Owner { return pick(t, "owner", m.owners) }

func (m *model) open(t *rapid.T) {
	m.opened++
	req := core.OpenSession{
		SessionID: fmt.Sprintf("session-%d", m.opened), Generation: fmt.Sprintf("generation-%d", m.opened), ParticipantID: pick(t, "who", people),
		Harness: pick(t, "client", []string{"tool", "other"}), PID: pick(t, "pid", pids), Enforcement: protocol.Guarded,
	}
	m.openAs(t, req)
}

// reopen resumes a session, or tries to take its id with a new generation.
func (m *model) reopen(t *rapid.T) {
	o := m.owner(t)
	if rapid.Bool().Draw(t, "new generation") {
		m.opened++
		o.Generation = fmt.Sprintf("generation-%d", m.opened)
	}
	m.openAs(t, core.OpenSession{SessionID: o.SessionID, Generation: o.Generation, ParticipantID: pick(t, "who", people), Harness: "tool", PID: pick(t, "pid", pids)})
}

func (m *model) openAs(t *rapid.T, req core.OpenSession) {
	s, err := both(m, t, "open", func(c *core.Core) (protocol.Session, error) { return c.OpenSession(m.ctx, req) })
	if o := (core.Owner{SessionID: s.SessionID, Generation: s.Generation}); err == nil && !slices.Contains(m.owners, o) {
		m.owners = append(m.owners, o)
	}
}

func (m *model) close(t *rapid.T) {
	o := m.owner(t)
	_, _ = both(m, t, "close", func(c *core.Core) (protocol.Session, error) { return c.CloseSession(m.ctx, o, "bye") })
}

func (m *model) finish(t *rapid.T) {
	o, to := m.owner(t), m.to(t)
	req := core.FinishRequest{Goal: "goal", To: to, ClientMessageID: pick(t, "key", []string{"", "finish-1"})}
	got, err := both(m, t, "finish", func(c *core.Core) (core.FinishResult, error) { return c.Finish(m.ctx, o, req) })
	m.sent(got.SendResult, err)
	if err != nil || req.ClientMessageID == "" {
		return
	}
	again, err := both(m, t, "finish again", func(c *core.Core) (core.FinishResult, error) { return c.Finish(m.ctx, o, req) })
	if err == nil && (!again.Duplicate || again.Message.MessageID != got.Message.MessageID || !slices.Equal(again.ReleasedClaimIDs, got.ReleasedClaimIDs)) {
		t.Fatalf("a retried finish gave %+v after %+v", again, got)
	}
}

func (m *model) heartbeat(t *rapid.T) {
	o := m.owner(t)
	_, _ = both(m, t, "heartbeat", func(c *core.Core) (time.Time, error) { return c.Heartbeat(m.ctx, o) })
}

func (m *model) claim(t *rapid.T) {
	o := m.owner(t)
	req := core.ClaimRequest{
		Resource: pick(t, "resource", resources), Mode: pick(t, "mode", []protocol.ClaimMode{protocol.Exclusive, protocol.Exclusive, protocol.Shared}),
		Enforcement: protocol.Guarded, Lease: pick(t, "lease", []time.Duration{0, time.Minute}),
	}
	got, err := both(m, t, "claim", func(c *core.Core) (core.ClaimResult, error) { return c.Claim(m.ctx, o, req) })
	if err == nil && !got.Renewed {
		m.claims = append(m.claims, got.Claim.ClaimID)
	}
}

func (m *model) renew(t *rapid.T) {
	o := m.owner(t)
	req := core.RenewRequest{ClaimID: pick(t, "claim", m.claims), Mode: pick(t, "mode", []protocol.ClaimMode{"", protocol.Exclusive, protocol.Shared})}
	if rapid.Bool().Draw(t, "by resource") {
		req.ClaimID, req.Resource = "", pick(t, "resource", resources)
	}
	got, err := both(m, t, "renew", func(c *core.Core) (core.ClaimResult, error) { return c.Renew(m.ctx, o, req) })
	if err == nil && (!got.Renewed || got.Claim.OwnerSessionID != o.SessionID) {
		t.Fatalf("a renewal gave %+v", got)
	}
}

func (m *model) release(t *rapid.T) {
	o := m.owner(t)
	req := core.ReleaseRequest{ClaimID: pick(t, "claim", m.claims)}
	if rapid.Bool().Draw(t, "by force") {
		req.Authority, req.Reason = protocol.AuthorityHuman, "reason"
	}
	_, _ = both(m, t, "release", func(c *core.Core) (protocol.Claim, error) { return c.Release(m.ctx, o, req) })
}

func (m *model) guard(t *rapid.T) {
	o := m.owner(t)
	_, _ = both(m, t, "guard", func(c *core.Core) (core.GuardDecision, error) {
		return c.Guard(m.ctx, o, []string{"file:z", "file:a/b", "db:x"})
	})
}

func (m *model) intent(t *rapid.T) {
	o := m.owner(t)
	if rapid.IntRange(0, 3).Draw(t, "clear") == 0 {
		_, _ = both(m, t, "clear intent", func(c *core.Core) (bool, error) { return true, c.ClearIntent(m.ctx, o) })
		return
	}
	req := core.IntentRequest{
		Summary: "work", ResourceHints: []string{pick(t, "hint", resources)},
		State: pick(t, "state", []protocol.IntentState{protocol.IntentActive, protocol.IntentBlocked, protocol.IntentDone}),
	}
	_, _ = both(m, t, "intent", func(c *core.Core) (protocol.Intent, error) { return c.PublishIntent(m.ctx, o, req) })
}

func (m *model) to(t *rapid.T) []string {
	return pick(t, "to", [][]string{nil, {"ada"}, {"bob"}, {"cyd", "ada"}, {"tool"}, {"stranger"}})
}

func (m *model) send(t *rapid.T) {
	o := m.owner(t)
	req := core.SendRequest{
		To: m.to(t), MessageKind: pick(t, "kind", []protocol.MessageKind{protocol.Note, protocol.Question, protocol.Request}),
		Subject: pick(t, "subject", []string{"one", "two"}), Body: "body", ClientMessageID: pick(t, "key", keys),
	}
	m.sendAs(t, o, req)
}

func (m *model) decide(t *rapid.T) {
	o := m.owner(t)
	req := core.SendRequest{
		To: m.to(t), MessageKind: protocol.Decision, Subject: "decided", Body: "body", ClientMessageID: pick(t, "key", keys),
		Obligation: pick(t, "obligation", []protocol.Obligation{protocol.ObligationNone, protocol.ObligationAcknowledge}),
	}
	switch rapid.IntRange(0, 2).Draw(t, "change") {
	case 1:
		req.Replaces = []string{pick(t, "target", m.messages), pick(t, "target", m.messages)}
	case 2:
		req.Withdraws = []string{pick(t, "target", m.messages)}
	}
	m.sendAs(t, o, req)
}

func (m *model) sendAs(t *rapid.T, o core.Owner, req core.SendRequest) {
	got, err := both(m, t, "send", func(c *core.Core) (core.SendResult, error) { return c.Send(m.ctx, o, req) })
	m.sent(got, err)
	if err != nil || req.ClientMessageID == "" {
		return
	}
	again, err := both(m, t, "send again", func(c *core.Core) (core.SendResult, error) { return c.Send(m.ctx, o, req) })
	if err != nil || !again.Duplicate || again.Message.MessageID != got.Message.MessageID {
		t.Fatalf("a retry gave %+v, %v after %+v", again, err, got)
	}
}

func (m *model) sent(got core.SendResult, err error) {
	if err == nil && !got.Duplicate {
		m.messages = append(m.messages, got.Message.MessageID)
	}
}

func (m *model) reply(t *rapid.T) {
	o := m.owner(t)
	req := core.ReplyRequest{MessageID: pick(t, "message", m.messages), Body: "body", ClientMessageID: pick(t, "key", keys)}
	got, err := both(m, t, "reply", func(c *core.Core) (core.ReplyResult, error) { return c.Reply(m.ctx, o, req) })
	m.sent(got.SendResult, err)
	if err == nil && got.Original.State != protocol.Acknowledged {
		t.Fatalf("an answered message is %s", got.Original.State)
	}
}

func (m *model) ack(t *rapid.T) {
	o, id := m.owner(t), pick(t, "message", m.messages)
	_, _ = both(m, t, "ack", func(c *core.Core) (protocol.Receipt, error) { return c.Ack(m.ctx, o, id) })
}

func (m *model) read(t *rapid.T) {
	o, id := m.owner(t), pick(t, "message", m.messages)
	_, _ = both(m, t, "read", func(c *core.Core) (core.Mail, error) { return c.Read(m.ctx, o, id) })
}

// inbox reads every page and compares the order with that of history.
func (m *model) inbox(t *rapid.T) {
	o := m.owner(t)
	var listed []string
	q := core.InboxQuery{Limit: rapid.IntRange(1, 3).Draw(t, "limit")}
	for {
		page, err := both(m, t, "inbox", func(c *core.Core) (core.InboxPage, error) { return c.Inbox(m.ctx, o, q) })
		if err != nil {
			return
		}
		for _, item := range page.Items {
			listed = append(listed, item.Message.MessageID)
		}
		if page.NextCursor == "" {
			break
		}
		q.Cursor = page.NextCursor
	}
	last := len(m.messages)
	for _, id := range listed {
		i := slices.Index(m.messages, id)
		if i < 0 || i >= last {
			t.Fatalf("the inbox lists %v, recorded in the order %v", listed, m.messages)
		}
		last = i
	}
}

// turn reads what a turn would carry and commits that it was shown.
func (m *model) turn(t *rapid.T) {
	o := m.owner(t)
	turn, err := both(m, t, "turn", func(c *core.Core) (core.Turn, error) { return c.Turn(m.ctx, o, 2) })
	if err != nil {
		return
	}
	shown := core.OfferSuccess{Target: o, Transport: protocol.TransportNextTurn, AdapterID: "tool", ClientVersion: "1"}
	for _, mail := range turn.Mail {
		shown.MessageIDs = append(shown.MessageIDs, mail.Message.MessageID)
	}
	for _, mail := range turn.Repeats {
		shown.Repeats = append(shown.Repeats, mail.Message.MessageID)
	}
	for _, item := range turn.Attention {
		if item.AttentionKind == core.ClaimExpired {
			shown.ExpiredClaims = append(shown.ExpiredClaims, item.SourceID)
		}
	}
	if _, err := both(m, t, "record offers", func(c *core.Core) ([]protocol.Receipt, error) { return c.RecordOffers(m.ctx, shown) }); err != nil {
		t.Fatalf("what a turn carried cannot be committed: %v", err)
	}
	again, err := both(m, t, "turn again", func(c *core.Core) (core.Turn, error) { return c.Turn(m.ctx, o, 2) })
	if err != nil {
		t.Fatal(err)
	}
	for _, mail := range slices.Concat(again.Mail, again.Repeats) {
		if slices.Contains(shown.MessageIDs, mail.Message.MessageID) || slices.Contains(shown.Repeats, mail.Message.MessageID) {
			t.Fatalf("%s is carried twice", mail.Message.MessageID)
		}
	}
}

func (m *model) live(t *rapid.T) {
	o, id := m.owner(t), pick(t, "message", m.messages)
	if rapid.Bool().Draw(t, "fails") {
		failure := core.OfferFailure{MessageID: id, RecipientParticipantID: pick(t, "who", people), Target: o, Transport: "socket", AdapterID: "tool", ClientVersion: "1", Code: protocol.FailTransport}
		_, _ = both(m, t, "offer failure", func(c *core.Core) (protocol.Receipt, error) { return c.RecordOfferFailure(m.ctx, failure) })
		return
	}
	success := core.OfferSuccess{MessageIDs: []string{id}, Target: o, Transport: "socket", AdapterID: "tool", ClientVersion: "1"}
	_, _ = both(m, t, "live offer", func(c *core.Core) ([]protocol.Receipt, error) { return c.RecordOffers(m.ctx, success) })
}

func (m *model) binding(t *rapid.T) {
	o := m.owner(t)
	if rapid.IntRange(0, 2).Draw(t, "retire") == 0 {
		_, _ = both(m, t, "retire", func(c *core.Core) (bool, error) { return true, c.RetireBinding(m.ctx, o, "tool") })
		return
	}
	req := endpoint("tool", pick(t, "endpoint", []string{"one", "two"}))
	_, _ = both(m, t, "publish", func(c *core.Core) (protocol.DeliveryBinding, error) { return c.PublishBinding(m.ctx, o, req) })
}

// look compares every read that needs no message of its own.
func (m *model) look(t *rapid.T) {
	query := core.StatusQuery{All: rapid.Bool().Draw(t, "all")}
	sync := core.SyncQuery{Full: true, Limit: 3}
	if len(m.owners) > 0 && rapid.Bool().Draw(t, "owned") {
		o := m.owner(t)
		query.Owner, sync.Owner = &o, &o
	}
	status, err := both(m, t, "status", func(c *core.Core) (core.Status, error) { return c.Status(m.ctx, query) })
	if err == nil && status.Counts.Messages != len(m.messages) {
		t.Fatalf("status counts %d messages of %d", status.Counts.Messages, len(m.messages))
	}
	if !slices.IsSortedFunc(status.Attention, func(a, b core.AttentionItem) int { return a.Priority - b.Priority }) {
		t.Fatalf("attention out of order: %+v", status.Attention)
	}
	_, _ = both(m, t, "sync", func(c *core.Core) (core.SyncResult, error) { return c.Sync(m.ctx, sync) })
	_, _ = both(m, t, "presences", func(c *core.Core) (map[string]protocol.Presence, error) { return c.Presences(m.ctx, people) })
	current := core.HistoryQuery{MessageKind: protocol.Decision, Current: true, Limit: 2}
	_, _ = both(m, t, "current decisions", func(c *core.Core) (core.HistoryPage, error) { return c.History(m.ctx, current) })
	if len(m.messages) > 0 {
		id := pick(t, "message", m.messages)
		_, _ = both(m, t, "message", func(c *core.Core) (core.HistoryMessage, error) { return c.Message(m.ctx, id) })
		_, _ = both(m, t, "recipients", func(c *core.Core) ([]core.Recipient, error) { return c.Recipients(m.ctx, id) })
	}
}

func (m *model) time(t *rapid.T) {
	d := pick(t, "jump", []time.Duration{
		time.Second, protocol.HeartbeatEvery, 5 * time.Minute, protocol.RepeatLiveOffer, protocol.DefaultLease, protocol.OfflineAfter + time.Second, 25 * time.Hour,
		-time.Second, -5 * time.Minute, -time.Hour, -25 * time.Hour,
	})
	for _, s := range m.sides {
		s.clock.Advance(d)
	}
}

func (m *model) process(t *rapid.T) {
	pid := pick(t, "pid", pids[1:])
	state := pick(t, "state", []core.ProcessState{core.ProcessAlive, core.ProcessDead, core.ProcessUnknown})
	for _, s := range m.sides {
		s.processes.Set(pid, state)
	}
}

package router

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
)

// life is a random life of one room: participants come, go, send, look and switch live delivery on and
// off, clocks run, and the transport does whatever it likes. What it must never do is checked while the
// transport is asked, where the truth of that moment is known.
type life struct {
	*rapid.T
	scene    *scene
	ledger   Ledger
	router   *Router
	kind     adapter.OfferKind
	live     []living
	messages []string

	asked     map[string]int       // offers that crossed, by message
	flying    map[string]time.Time // by session: a wake that no hook has followed
	exchanged map[[2]string]int    // offers that crossed between two since a person's turn
	taken     map[string]int       // offers that crossed to a recipient since a person's turn with it
	senders   map[string]string
}

type living struct {
	participant string
	owner       core.Owner
	endpoint    string
}

const limit = 2

var names = []string{"ada", "bob", "eve"}

func pair(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

func newLife(t *rapid.T, s *scene, ledger Ledger, kind adapter.OfferKind) *life {
	l := &life{
		T: t, scene: s, ledger: ledger, kind: kind, asked: map[string]int{}, flying: map[string]time.Time{},
		exchanged: map[[2]string]int{}, taken: map[string]int{}, senders: map[string]string{},
	}
	live, err := adapter.NewLive("tool", contract(kind), crossing{l})
	l.must(err)
	l.router, err = New(Config{Room: s.core, Lives: []*adapter.Live{live}, Vault: vault{}, Ledger: ledger, Policies: s.policies, Clock: s.clock, LoopLimit: limit})
	l.must(err)
	for _, p := range names {
		l.come(p)
	}
	return l
}

func (l *life) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func (l *life) come(participant string) {
	l.live = append(l.live, living{participant: participant, owner: l.scene.open(participant)})
}

// of gives the sessions of a participant.
func (l *life) of(participant string) (all []*living) {
	for i := range l.live {
		if l.live[i].participant == participant {
			all = append(all, &l.live[i])
		}
	}
	return all
}

// crossing is the transport: at the moment of an offer it checks that the offer may be made.
type crossing struct{ l *life }

func (crossing) Bind(context.Context, adapter.BindRequest) adapter.Handshake {
	return adapter.Handshake{}
}
func (crossing) Retire(context.Context, adapter.Vault, string) error { return nil }

func (c crossing) Refresh(_ context.Context, _ adapter.Vault, e adapter.Endpoint) adapter.Handshake {
	return rapid.SampledFrom([]adapter.Handshake{
		shaken(e.Ref), shaken(e.Ref), shaken("elsewhere"), {Reason: adapter.NativeSessionUnavailable}, {Reason: "a secret"},
	}).Draw(c.l.T, "refreshed")
}

func (c crossing) Offer(ctx context.Context, _ adapter.Vault, e adapter.Endpoint, o adapter.Offer) adapter.OfferAnswer {
	l := c.l
	recipients, err := l.scene.core.Recipients(ctx, o.MessageID)
	l.must(err)
	to := recipients[0].Receipt.RecipientParticipantID
	sessions := l.of(to)
	switch {
	case recipients[0].Receipt.State != protocol.Queued:
		l.Fatalf("%s is %s and was offered again", o.MessageID, recipients[0].Receipt.State)
	case len(sessions) != 1 || sessions[0].endpoint != e.Ref || protocol.GenerationRef(sessions[0].owner.Generation) != e.GenerationRef:
		l.Fatalf("%s has %d sessions, and %q of %q was asked", to, len(sessions), e.Ref, e.GenerationRef)
	case l.scene.policies.of["tool"] == protocol.LiveOff, l.scene.policies.of["tool"] == protocol.LiveActionable && recipients[0].Message.MessageKind == protocol.Note:
		l.Fatalf("policy %s let a %s through", l.scene.policies.of["tool"], recipients[0].Message.MessageKind)
	case l.kind == adapter.OfferWake && o.Text != "":
		l.Fatalf("a wake carried %q", o.Text)
	}
	id, now := sessions[0].owner.SessionID, l.scene.clock.Now()
	if at, flying := l.flying[id]; flying && now.Sub(at) < WakeExpires {
		l.Fatalf("a second wake after %s", now.Sub(at))
	}
	answer := rapid.SampledFrom([]adapter.OfferAnswer{
		{State: adapter.OfferAccepted, ClientVersion: "2.0.0"}, {State: adapter.OfferAccepted, ClientVersion: "2.0.0"},
		{State: adapter.OfferPending, ClientVersion: "2.0.0"}, {State: adapter.OfferAccepted, ClientVersion: "0.1.0"},
		{Code: protocol.FailRecipientBusy}, {Code: protocol.FailTransport}, {Code: "a secret"},
	}).Draw(l.T, "answered")
	crossed := answer.State != adapter.OfferRefused && answer.ClientVersion == "2.0.0"
	if crossed {
		l.asked[o.MessageID]++
		p := pair(l.senders[o.MessageID], to)
		if l.exchanged[p]++; l.exchanged[p] > limit {
			l.Fatalf("offer number %d between %v without a person", l.exchanged[p], p)
		}
		if l.taken[to]++; l.taken[to] > crowd*limit {
			l.Fatalf("offer number %d to %s without a person", l.taken[to], to)
		}
	}
	if crossed || l.kind == adapter.OfferWake && answer.Code == protocol.FailTransport {
		l.flying[id] = now
	}
	return answer
}

func (l *life) send() {
	from := rapid.SampledFrom(l.live).Draw(l.T, "sender")
	to := rapid.SampledFrom(slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == from.participant })).Draw(l.T, "recipient")
	id := l.scene.send(from.owner, rapid.SampledFrom([]protocol.MessageKind{protocol.Note, protocol.Question}).Draw(l.T, "kind"), to)
	l.messages, l.senders[id] = append(l.messages, id), from.participant
	l.offerNew(id)
}

func (l *life) offerNew(id string) {
	before := l.receipt(id)
	outcomes, err := l.router.OfferNew(l.scene.ctx, id)
	l.must(err)
	l.truthful(before, outcomes, id)
}

// truthful compares an outcome with the receipt behind it.
func (l *life) truthful(before protocol.Receipt, outcomes []Outcome, id string) {
	after, o := l.receipt(id), outcomes[0]
	switch {
	case o.State == Woken && (after.State != protocol.Queued || l.asked[id] == 0):
		l.Fatalf("woken, and the receipt is %s after %d offers", after.State, l.asked[id])
	case o.State != Woken && string(o.State) != string(after.State):
		l.Fatalf("%+v, and the receipt is %s", o, after.State)
	case after.State != before.State && (l.kind == adapter.OfferWake || after.State != protocol.Offered || l.asked[id] == 0):
		l.Fatalf("the receipt went from %s to %s by a %s", before.State, after.State, l.kind)
	case o.Transport != TransportDurable && o.Transport != string(adapter.TransportOther) && o.Transport != protocol.TransportNextTurn:
		l.Fatalf("transport %q", o.Transport)
	case o.Code != "" && !slices.Contains(Codes(), o.Code):
		l.Fatalf("code %q", o.Code)
	}
}

func (l *life) receipt(id string) protocol.Receipt {
	l.Helper()
	to, err := l.scene.core.Recipients(l.scene.ctx, id)
	l.must(err)
	return to[0].Receipt
}

// look is a hook of a session that tells what waits.
func (l *life) look() {
	s := rapid.SampledFrom(l.live).Draw(l.T, "who looks")
	turn, err := l.scene.core.Turn(l.scene.ctx, s.owner, rapid.IntRange(0, 2).Draw(l.T, "bodies"))
	l.must(err)
	var ids []string
	for _, m := range turn.Mail {
		ids = append(ids, m.Message.MessageID)
	}
	if len(ids) > 0 {
		_, err = l.scene.core.RecordOffers(l.scene.ctx, core.OfferSuccess{MessageIDs: ids, Target: s.owner, Transport: protocol.TransportNextTurn, AdapterID: "tool", ClientVersion: "2.0.0"})
		l.must(err)
	}
	delete(l.flying, s.owner.SessionID)
	l.must(l.ledger.EndWake(s.owner.SessionID, protocol.GenerationRef(s.owner.Generation)))
	if rapid.Bool().Draw(l.T, "a person") {
		for p := range l.exchanged {
			if p[0] == s.participant || p[1] == s.participant {
				delete(l.exchanged, p)
			}
		}
		delete(l.taken, s.participant)
		l.must(l.ledger.HumanTurn(s.participant))
	}
	if rapid.Bool().Draw(l.T, "the turn ends") {
		_, err := l.router.OfferOwed(l.scene.ctx, s.participant)
		l.must(err)
	}
}

// actions are what can happen, in no order.
func (l *life) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"send":       func(*rapid.T) { l.send() },
		"send again": func(*rapid.T) { l.send() },
		"look":       func(*rapid.T) { l.look() },
		"offer": func(*rapid.T) {
			if len(l.messages) > 0 {
				l.offerNew(rapid.SampledFrom(l.messages).Draw(l.T, "again"))
			}
		},
		"bind": func(*rapid.T) {
			s := &l.live[rapid.IntRange(0, len(l.live)-1).Draw(l.T, "who binds")]
			if s.endpoint == "" {
				s.endpoint = "endpoint of " + s.owner.SessionID
			}
			l.scene.bind(s.owner, s.endpoint)
		},
		"come": func(*rapid.T) {
			if len(l.live) < 6 {
				l.come(rapid.SampledFrom(names).Draw(l.T, "who comes"))
			}
		},
		"go": func(*rapid.T) {
			if i := rapid.IntRange(0, len(l.live)-1).Draw(l.T, "who goes"); len(l.live) > 1 {
				l.scene.close(l.live[i].owner, "")
				l.live = slices.Delete(l.live, i, i+1)
			}
		},
		"time": func(*rapid.T) {
			l.scene.clock.Advance(rapid.SampledFrom([]time.Duration{time.Second, time.Minute, WakeExpires}).Draw(l.T, "passes"))
			for _, s := range l.live { // nobody goes stale by that
				_, err := l.scene.core.Heartbeat(l.scene.ctx, s.owner)
				l.must(err)
			}
		},
		"policy": func(*rapid.T) {
			l.scene.policies.of["tool"] = rapid.SampledFrom([]protocol.LivePolicy{protocol.LiveOff, protocol.LiveActionable, protocol.LiveAll, protocol.LiveAll}).Draw(l.T, "policy")
		},
	}
}

// settle says what holds at the end of every life: nothing is lost, and nothing was claimed of a live
// offer that did not cross.
func (l *life) settle() {
	for _, id := range l.messages {
		r := l.receipt(id)
		if r.Offer != nil && r.Offer.Transport != protocol.TransportNextTurn && (l.asked[id] == 0 || l.kind == adapter.OfferWake) {
			l.Fatalf("%s claims %s after %d offers", id, r.Offer.Transport, l.asked[id])
		}
	}
	for _, failure := range l.scene.failures() {
		if !slices.ContainsFunc(protocol.OfferFailures[:], func(f protocol.OfferFailure) bool {
			return slices.ContainsFunc(names, func(n string) bool { return failure == fmt.Sprintf("%s %s %s", n, f, adapter.TransportOther) })
		}) {
			l.Fatalf("on record: %s", failure)
		}
	}
}

func live(t *rapid.T, s *scene, ledger Ledger) {
	l := newLife(t, s, ledger, rapid.SampledFrom([]adapter.OfferKind{adapter.OfferWake, adapter.OfferMessage}).Draw(t, "kind of transport"))
	t.Repeat(l.actions())
	l.settle()
}

// TestEveryLife: on the model of a store.
func TestEveryLife(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newScene(t, adapter.OfferWake, nil)
		live(rt, s, s.ledger)
	})
}

// TestEveryLifeOnDisk: on the real store, with the real ledger. Fewer lives, since each commit is flushed;
// the rules are the same.
func TestEveryLifeOnDisk(t *testing.T) {
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	t.Cleanup(func() { _ = checks.Value.Set(before) })
	if err := checks.Value.Set("10"); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		home := datahome.Home{Root: filepath.Join(t.TempDir(), "data")}
		dir := home.Workspace(coretest.WorkspaceID)
		store, err := fsstore.Open(context.Background(), fsstore.Options{Base: home.Root, Dir: dir, WorkspaceID: coretest.WorkspaceID, Create: true})
		if err != nil {
			t.Fatal(err)
		}
		live(rt, newScene(t, adapter.OfferWake, store), livefiles.NewLedger(home, dir))
	})
}

package router

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
)

// client is a live client that answers what a test tells it and remembers what it was asked.
type client struct {
	answer    adapter.OfferAnswer
	handshake adapter.Handshake
	during    func() // runs while the client is asked for an offer
	refreshed func() // runs while it is asked to verify
	offers    []adapter.Offer
	endpoints []adapter.Endpoint
	refreshes int
}

func (c *client) Bind(context.Context, adapter.BindRequest) adapter.Handshake { return c.handshake }

func (c *client) Refresh(_ context.Context, _ adapter.Vault, e adapter.Endpoint) adapter.Handshake {
	c.refreshes++
	if c.refreshed != nil {
		c.refreshed()
	}
	h := c.handshake
	if h.Reason == adapter.NativeOK && h.Endpoint == "" {
		h = shaken(e.Ref)
	}
	return h
}

func (c *client) Offer(_ context.Context, _ adapter.Vault, e adapter.Endpoint, o adapter.Offer) adapter.OfferAnswer {
	c.offers, c.endpoints = append(c.offers, o), append(c.endpoints, e)
	if c.during != nil {
		c.during()
	}
	return c.answer
}

func (c *client) Retire(context.Context, adapter.Vault, string) error { return nil }

// shaken is a good handshake.
func shaken(ref string) adapter.Handshake {
	return adapter.Handshake{ClientVersion: "2.0.0", Protocol: "tool-v1", Modes: []protocol.DeliveryMode{protocol.LivePush, protocol.IdleWake}, Endpoint: ref}
}

// contract is of a transport that is not in the closed set of names.
func contract(kind adapter.OfferKind) adapter.Contract {
	return adapter.Contract{
		Transport: "/run/secret.sock", Protocol: "tool-v1", Kind: kind, Modes: []protocol.DeliveryMode{protocol.LivePush, protocol.IdleWake},
		Minimum: "1.0.0", OfferTime: time.Second,
	}
}

// vault keeps nothing.
type vault struct{}

func (vault) Keep(string, []byte) error     { return nil }
func (vault) Record(string) ([]byte, error) { return nil, errors.New("nothing is kept") }
func (vault) Drop(string) error             { return nil }

// policies is what the installation recorded.
type policies struct {
	mu    sync.Mutex
	of    map[string]protocol.LivePolicy
	err   error
	asked func()
}

func (p *policies) LivePolicy(id string) (protocol.LivePolicy, error) {
	if p.asked != nil {
		p.asked()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return "", p.err
	}
	return p.of[id], nil
}

type attempts struct{}

func (attempts) Attempt(string, string) (string, string) {
	return string(adapter.NativeSessionEmbedded), "--no-daemon"
}

// ledger is the plainest one.
type ledger struct {
	err      error
	begun    func() // runs when a wake was claimed
	flights  map[string]flight
	woken    map[string][]string
	exchange map[[2]string]int
	denied   map[string][]string
}

type flight struct {
	messageID string
	at        time.Time
}

func newLedger() *ledger {
	return &ledger{flights: map[string]flight{}, woken: map[string][]string{}, exchange: map[[2]string]int{}, denied: map[string][]string{}}
}

func (l *ledger) BeginWake(session, ref, message string, now time.Time, expires time.Duration) (inFlight, spent bool, err error) {
	key := session + ref
	f, flying := l.flights[key]
	switch {
	case l.err != nil:
		return false, false, l.err
	case flying && now.Sub(f.at) < expires:
		return true, false, nil
	case slices.Contains(l.woken[key], message) && !(flying && f.messageID == message):
		delete(l.flights, key)
		return false, true, nil
	}
	l.flights[key] = flight{message, now}
	l.woken[key] = append(l.woken[key], message)
	if l.begun != nil {
		l.begun()
	}
	return false, false, nil
}

func (l *ledger) CancelWake(session, ref, message string) error {
	key := session + ref
	delete(l.flights, key)
	l.woken[key] = slices.DeleteFunc(l.woken[key], func(id string) bool { return id == message })
	return nil
}

func (l *ledger) EndWake(session, ref string) error { delete(l.flights, session+ref); return nil }

func (l *ledger) Exchanges(a, b string) (int, error) {
	return l.exchange[[2]string{a, b}] + l.exchange[[2]string{b, a}], l.err
}

func (l *ledger) CountExchange(from, to string) error { l.exchange[[2]string{from, to}]++; return nil }

func (l *ledger) HumanTurn(p string) error {
	for pair := range l.exchange {
		if pair[0] == p || pair[1] == p {
			delete(l.exchange, pair)
		}
	}
	return nil
}

func (l *ledger) Denied(p string) ([]string, error) { return l.denied[p], nil }

func (l *ledger) Deny(p, id string) error { l.denied[p] = append(l.denied[p], id); return nil }

func (l *ledger) DropDenied(p string, ids []string) error {
	l.denied[p] = slices.DeleteFunc(slices.Clone(l.denied[p]), func(id string) bool { return slices.Contains(ids, id) })
	return nil
}

// scene is a room with one router and an adapter "tool" in it.
type scene struct {
	testing.TB
	ctx       context.Context
	store     core.Store
	core      *core.Core
	clock     *coretest.Clock
	processes *coretest.Processes
	client    *client
	policies  *policies
	ledger    *ledger
	router    *Router
	keys      int
}

// newScene makes a room on a store; nil is the model of a store.
func newScene(t testing.TB, kind adapter.OfferKind, store core.Store) *scene {
	if store == nil {
		store = coretest.NewMemory(coretest.WorkspaceID)
	}
	s := &scene{
		TB: t, ctx: context.Background(), store: store, clock: coretest.NewClock(), processes: &coretest.Processes{},
		client:   &client{answer: adapter.OfferAnswer{State: adapter.OfferAccepted, ClientVersion: "2.0.0"}},
		policies: &policies{of: map[string]protocol.LivePolicy{"tool": protocol.LiveActionable}}, ledger: newLedger(),
	}
	var err error
	s.core, err = core.New(core.Config{
		Store: store, Clock: s.clock, IDs: &coretest.IDs{}, Processes: s.processes,
		Workspace: protocol.Workspace{WorkspaceID: coretest.WorkspaceID, DisplayName: "test", Source: protocol.SourceDirectory, Roots: []string{"/test"}},
	})
	s.must(err)
	live, err := adapter.NewLive("tool", contract(kind), s.client)
	s.must(err)
	s.router, err = New(Config{
		Room: s.core, Lives: []*adapter.Live{live}, Vault: vault{}, Ledger: s.ledger, Policies: s.policies,
		Attempts: attempts{}, Clock: s.clock, LoopLimit: 5,
	})
	s.must(err)
	return s
}

func (s *scene) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *scene) open(participant string) core.Owner {
	s.Helper()
	opened, err := s.core.OpenSession(s.ctx, core.OpenSession{
		ParticipantID: participant, ParticipantOf: protocol.Agent, Harness: "tool",
		Enforcement: protocol.Advisory, Lifecycle: protocol.Manual, Cadence: protocol.HookCadence,
	})
	s.must(err)
	return core.Owner{SessionID: opened.SessionID, Generation: opened.Generation}
}

func (s *scene) bind(o core.Owner, ref string) {
	s.Helper()
	s.must(s.publish(o, "tool", ref, protocol.LivePush))
}

func (s *scene) publish(o core.Owner, adapterID, ref string, modes ...protocol.DeliveryMode) error {
	_, err := s.core.PublishBinding(s.ctx, o, core.BindingRequest{
		AdapterID: adapterID, ClientVersion: "2.0.0", Modes: modes, Policy: protocol.LiveActionable, Endpoint: ref,
	})
	return err
}

func (s *scene) send(from core.Owner, kind protocol.MessageKind, to ...string) string {
	s.Helper()
	s.keys++
	sent, err := s.core.Send(s.ctx, from, core.SendRequest{To: to, MessageKind: kind, Subject: "s", Body: "b", ClientMessageID: fmt.Sprintf("k%d", s.keys)})
	s.must(err)
	return sent.Message.MessageID
}

func (s *scene) close(o core.Owner, reason string) {
	s.Helper()
	_, err := s.core.CloseSession(s.ctx, o, reason)
	s.must(err)
}

// offer gives the outcome for the only recipient.
func (s *scene) offer(messageID string) Outcome {
	s.Helper()
	outcomes, err := s.router.OfferNew(s.ctx, messageID)
	s.must(err)
	if len(outcomes) != 1 {
		s.Fatalf("outcomes %+v", outcomes)
	}
	return outcomes[0]
}

// state gives the receipt of the only recipient.
func (s *scene) state(messageID string) protocol.ReceiptState {
	s.Helper()
	to, err := s.core.Recipients(s.ctx, messageID)
	s.must(err)
	return to[0].Receipt.State
}

// failures lists what was committed of failed offers, as "participant code transport".
func (s *scene) failures() []string {
	s.Helper()
	var all []string
	s.must(s.store.View(s.ctx, func(r core.Reader) error {
		all = nil
		events, err := r.Events(0, 100_000)
		for _, e := range events {
			payload, err := protocol.DecodePayload(e)
			if err != nil {
				return err
			}
			if f, ok := payload.(protocol.OfferFailedPayload); ok {
				all = append(all, fmt.Sprintf("%s %s %s", f.RecipientParticipantID, f.SafeErrorCode, f.Transport))
			}
		}
		return err
	}))
	return all
}

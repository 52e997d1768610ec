package hookrunner

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// transport is a live client that answers what a test tells it and remembers what it was asked.
type transport struct {
	reason  adapter.NativeReason
	binds   []adapter.BindRequest
	offers  []string
	answer  adapter.OfferAnswer
	retired []string
}

func (l *transport) Bind(_ context.Context, r adapter.BindRequest) adapter.Handshake {
	l.binds = append(l.binds, r)
	if l.reason != adapter.NativeOK {
		return adapter.Handshake{Reason: l.reason, LaunchOption: "--alone"}
	}
	ref := r.Previous
	if ref == "" {
		ref = "endpoint of " + r.SessionID
	}
	return shaken(ref)
}

func shaken(ref string) adapter.Handshake {
	return adapter.Handshake{ClientVersion: "1.0.0", Protocol: "v1", Modes: []protocol.DeliveryMode{protocol.LivePush}, Endpoint: ref}
}

func (l *transport) Refresh(_ context.Context, _ adapter.Vault, e adapter.Endpoint) adapter.Handshake {
	return shaken(e.Ref)
}

func (l *transport) Offer(_ context.Context, _ adapter.Vault, _ adapter.Endpoint, o adapter.Offer) adapter.OfferAnswer {
	l.offers = append(l.offers, o.MessageID)
	return l.answer
}

func (l *transport) Retire(_ context.Context, _ adapter.Vault, ref string) error {
	l.retired = append(l.retired, ref)
	return nil
}

// liveWorld is a world whose vendor has a live transport.
type liveWorld struct {
	*world
	transport *transport
	policies  livefiles.Policies
	owners    map[string]core.Owner // that hooks told, by the client's own id
	late      bool                  // the endpoint may appear during a turn
	aside     []func()              // what the last hook did not wait for, if it is held back
	holdBack  bool
}

func newLiveWorld(t *testing.T, policy protocol.LivePolicy) *liveWorld {
	t.Helper()
	w := newWorld(t)
	l := &liveWorld{
		world: w, transport: &transport{answer: adapter.OfferAnswer{State: adapter.OfferAccepted, ClientVersion: "1.0.0"}},
		policies: livefiles.NewPolicies(datahome.Home{Root: w.home}), owners: map[string]core.Owner{},
	}
	l.choose(policy)
	return l
}

func (w *liveWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *liveWorld) choose(policy protocol.LivePolicy) {
	w.t.Helper()
	if policy != protocol.LiveOff {
		w.must(w.policies.SetLivePolicy("vendor", policy))
	}
}

// hook runs one hook of a conversation; it must neither fail nor say anything on standard error.
func (w *liveWorld) hook(kind adapter.EventKind, native string, change ...func(*adapter.Event)) {
	w.t.Helper()
	e := adapter.Event{Kind: kind, SessionID: native, Cwd: w.project, Origin: adapter.OriginHuman}
	for _, c := range change {
		c(&e)
	}
	a, err := adapter.New("vendor", "Vendor", says(e), adapter.WithDeadline(kind, 10*time.Second))
	w.must(err)
	sealed, err := adapter.NewLive("vendor", adapter.Contract{
		Transport: "vendor", Protocol: "v1", Kind: adapter.OfferWake, Modes: []protocol.DeliveryMode{protocol.LivePush}, Minimum: "1.0.0", OfferTime: time.Second,
		AppearsLate: w.late,
	}, w.transport)
	w.must(err)
	a, err = a.Join(sealed)
	w.must(err)
	var out, errs bytes.Buffer
	code := Run(Process{Args: []string{"vendor"}, Stdin: strings.NewReader("{}"), Stdout: &out, Stderr: &errs, Env: w.env, Started: time.Now(),
		Aside: func(work func()) { w.aside = append(w.aside, work) }}, a)
	if !w.holdBack {
		w.doAside()
	}
	if header := regexp.MustCompile(`--session (\S+) --generation (\S+)`).FindStringSubmatch(out.String()); header != nil {
		w.owners[native] = core.Owner{SessionID: header[1], Generation: header[2]}
	}
	if code != 0 || errs.Len() != 0 {
		w.t.Fatalf("%s: exit %d, %q", kind, code, errs.String())
	}
}

// doAside does what hooks did not wait for.
func (w *liveWorld) doAside() {
	for _, work := range w.aside {
		work()
	}
	w.aside = nil
}

func (w *liveWorld) room() *room.Room {
	w.t.Helper()
	r, err := room.Enter(context.Background(), room.Request{Env: w.env, Dir: w.project})
	w.must(err)
	return r
}

// bindings gives what the room's status shows.
func (w *liveWorld) bindings() []core.BindingStatus {
	w.t.Helper()
	status, err := w.room().Core.Status(context.Background(), core.StatusQuery{})
	w.must(err)
	return status.Bindings
}

// session gives a participant's only open session.
func (w *liveWorld) session(native string) protocol.Session {
	w.t.Helper()
	status, err := w.room().Core.Status(context.Background(), core.StatusQuery{})
	w.must(err)
	for _, s := range status.Sessions {
		if s.ParticipantID == protocol.HookParticipantID("vendor", native) {
			return protocol.Session{SessionID: s.SessionID, ParticipantID: s.ParticipantID}
		}
	}
	w.t.Fatalf("no session of %s", native)
	return protocol.Session{}
}

// stranger opens a session that has no hooks, and gives how to send from it.
func (w *liveWorld) stranger() (send func(to string) string) {
	w.t.Helper()
	ctx, r := context.Background(), w.room()
	s, err := r.Core.OpenSession(ctx, core.OpenSession{
		ParticipantID: "stranger", ParticipantOf: protocol.Agent, Harness: "cli", Enforcement: protocol.Advisory, Lifecycle: protocol.Manual, Cadence: protocol.AttachCadence,
	})
	w.must(err)
	return func(to string) string {
		w.t.Helper()
		return w.send(core.Owner{SessionID: s.SessionID, Generation: s.Generation}, to)
	}
}

// send records a question and offers nothing, as if its sender had died then.
func (w *liveWorld) send(from core.Owner, to string) string {
	w.t.Helper()
	sent, err := w.room().Core.Send(context.Background(), from, core.SendRequest{
		To: []string{protocol.HookParticipantID("vendor", to)}, MessageKind: protocol.Question, Subject: "s", Body: "b",
	})
	w.must(err)
	return sent.Message.MessageID
}

func (w *liveWorld) ledger() *livefiles.Ledger {
	r := w.room()
	return livefiles.NewLedger(r.Home, r.Dir)
}

// TestBinding is the life of an endpoint: published, kept, given up, and gone with its session.
func TestBinding(t *testing.T) {
	w := newLiveWorld(t, protocol.LiveOff)
	w.hook(adapter.SessionStart, "one")
	w.hook(adapter.BeforeTurn, "one")
	if len(w.transport.binds) != 0 || len(w.bindings()) != 0 {
		t.Fatalf("never switched on: asked %d times, %+v", len(w.transport.binds), w.bindings())
	}
	w.choose(protocol.LiveActionable)
	w.hook(adapter.BeforeTurn, "one", func(e *adapter.Event) { e.PermissionMode = "plan" })
	first := w.bindings()
	if len(first) != 1 || first[0].LivePolicy != protocol.LiveActionable || first[0].ClientVersion != "1.0.0" || !first[0].Reachable {
		t.Fatalf("switched on: %+v", first)
	}
	r := w.transport.binds[0]
	if r.SessionID != "one" || r.Previous != "" || r.PermissionMode != "plan" || r.Cwd != w.project || len(r.GenerationRef) != protocol.GenerationRefLen {
		t.Errorf("asked with %+v", r)
	}
	w.hook(adapter.BeforeTurn, "one")
	if again := w.bindings(); !again[0].LeaseUntil.Equal(first[0].LeaseUntil) || w.transport.binds[1].Previous != "endpoint of one" {
		t.Errorf("a lease that has long to run was written again: %+v, asked with %+v", again, w.transport.binds[1])
	}
	w.transport.reason = adapter.NativeSessionEmbedded
	w.hook(adapter.BeforeTurn, "one")
	if len(w.bindings()) != 0 || !slices.Equal(w.transport.retired, []string{"endpoint of one"}) {
		t.Errorf("out of reach: %+v, given up %v", w.bindings(), w.transport.retired)
	}
	w.transport.reason = adapter.NativeOK
	w.hook(adapter.SessionStart, "two")
	w.must(w.policies.SetLivePolicy("vendor", protocol.LiveOff))
	w.hook(adapter.BeforeTurn, "two")
	if len(w.bindings()) != 0 || len(w.transport.retired) != 2 {
		t.Errorf("switched off: %+v, given up %v", w.bindings(), w.transport.retired)
	}
	w.must(w.policies.SetLivePolicy("vendor", protocol.LiveAll))
	w.hook(adapter.SessionStart, "three")
	w.hook(adapter.SessionEnd, "three")
	if len(w.bindings()) != 0 || len(w.transport.retired) != 3 {
		t.Errorf("ended: %+v, given up %v", w.bindings(), w.transport.retired)
	}
}

// TestLateEndpoint: where an endpoint may come to be during a turn, the end of the turn publishes it, and
// nowhere else does a hook spend time on that.
func TestLateEndpoint(t *testing.T) {
	for _, late := range []bool{false, true} {
		w := newLiveWorld(t, protocol.LiveAll)
		w.late, w.transport.reason = late, adapter.NativeEndpointUnavailable
		w.hook(adapter.SessionStart, "one")
		w.hook(adapter.BeforeTurn, "one")
		w.transport.reason = adapter.NativeOK
		w.hook(adapter.TurnEnd, "one")
		if got := len(w.bindings()) == 1; got != late {
			t.Errorf("late %v: published at the end of the turn: %v", late, got)
		}
	}
}

// TestAttempts: why a session has no endpoint is on file for its generation, and gone with it.
func TestAttempts(t *testing.T) {
	w := newLiveWorld(t, protocol.LiveAll)
	w.transport.reason, w.holdBack = adapter.NativeSessionEmbedded, true
	w.hook(adapter.SessionStart, "one")
	attempts := func() int {
		files, err := filepath.Glob(filepath.Join(w.room().Dir, "live", "attempt", "*"))
		w.must(err)
		return len(files)
	}
	if attempts() != 0 || len(w.aside) != 1 {
		t.Errorf("the hook waited until %d were on file, and left %d", attempts(), len(w.aside))
	}
	w.doAside()
	ref := w.transport.binds[0].GenerationRef
	a, found := w.ledger().LastAttempt(w.session("one").SessionID, ref)
	if !found || a.Reason != string(adapter.NativeSessionEmbedded) || a.LaunchOption != "--alone" || a.Event != string(adapter.SessionStart) || attempts() != 1 {
		t.Errorf("%+v, %v", a, found)
	}
	// It ends without a word of the client, and goes on as another generation.
	w.stranger()
	_, err := w.room().Core.CloseSession(context.Background(), w.owners["one"], "detached")
	w.must(err)
	w.hook(adapter.BeforeTurn, "one")
	if attempts() != 0 || len(w.aside) != 1 {
		t.Errorf("%d are on file of a generation that ended, %d to come", attempts(), len(w.aside))
	}
	w.doAside()
	w.hook(adapter.SessionEnd, "one")
	if attempts() != 0 {
		t.Error("left behind")
	}
}

// TestWakesEnd: the next hook that tells something ends the wake in flight; a subagent's does not.
func TestWakesEnd(t *testing.T) {
	w := newLiveWorld(t, protocol.LiveAll)
	w.hook(adapter.SessionStart, "one")
	id, ref := w.session("one").SessionID, w.transport.binds[0].GenerationRef
	flying := func(message string) bool {
		inFlight, _, err := w.ledger().BeginWake(id, ref, message, time.Now(), time.Minute)
		w.must(err)
		return inFlight
	}
	flying("m1")
	subagent := func(e *adapter.Event) { e.AgentID = "sub" }
	w.hook(adapter.AfterTool, "one", subagent)
	w.hook(adapter.BeforeTool, "one")
	w.hook(adapter.TurnEnd, "one")
	if !flying("m2") {
		t.Error("a hook that tells nothing ended the wake")
	}
	w.hook(adapter.AfterTool, "one")
	if flying("m3") {
		t.Error("a tool's end did not end the wake")
	}
	w.hook(adapter.BeforeTurn, "one")
	if flying("m4") {
		t.Error("a turn did not end the wake")
	}
}

// TestPersons: a person's turn begins the count of exchanged wakes again; a peer's does not.
func TestPersons(t *testing.T) {
	w := newLiveWorld(t, protocol.LiveAll)
	w.hook(adapter.SessionStart, "one")
	me := protocol.HookParticipantID("vendor", "one")
	count := func() int {
		n, err := w.ledger().Exchanges("stranger", me)
		w.must(err)
		return n
	}
	w.must(w.ledger().CountExchange("stranger", me))
	w.hook(adapter.BeforeTurn, "one", func(e *adapter.Event) { e.Origin = adapter.OriginPeer })
	if count() != 1 {
		t.Error("a peer's wake counts as a person")
	}
	w.hook(adapter.BeforeTurn, "one")
	if count() != 0 {
		t.Error("a person does not count")
	}
}

// TestCarried: what the prompt of a turn is, its hook does not tell again, and does not record; another message it does.
func TestCarried(t *testing.T) {
	w := newLiveWorld(t, protocol.LiveOff)
	w.hook(adapter.SessionStart, "one")
	send := w.stranger()
	carried, other := send("one"), send("one")
	w.hook(adapter.BeforeTurn, "one", func(e *adapter.Event) { e.Carries = carried })
	for id, want := range map[string]protocol.ReceiptState{carried: protocol.Queued, other: protocol.Offered} {
		to, err := w.room().Core.Recipients(t.Context(), id)
		w.must(err)
		if got := to[0].Receipt.State; got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
}

// TestTryingAgain: what still waits for a session is offered when its turn ends, and what its sandbox kept
// from others after its next tool.
func TestTryingAgain(t *testing.T) {
	w := newLiveWorld(t, protocol.LiveAll)
	w.hook(adapter.SessionStart, "one")
	w.hook(adapter.SessionStart, "two")
	send := w.stranger()
	id := send("one")
	w.hook(adapter.AfterTool, "two")
	if len(w.transport.offers) != 0 {
		t.Errorf("nobody was denied, and %v was offered", w.transport.offers)
	}
	w.hook(adapter.TurnEnd, "two")
	if len(w.transport.offers) != 0 {
		t.Errorf("nothing waits for two, and %v was offered", w.transport.offers)
	}
	w.hook(adapter.TurnEnd, "one")
	if !slices.Equal(w.transport.offers, []string{id}) {
		t.Errorf("at the end of its turn: %v", w.transport.offers)
	}
	sent := w.send(w.owners["two"], "one")
	w.must(w.ledger().EndWake(w.session("one").SessionID, w.transport.binds[0].GenerationRef))
	w.hook(adapter.TurnEnd, "two")
	if !slices.Equal(w.transport.offers, []string{id, sent}) {
		t.Errorf("what two asked before it could offer: %v", w.transport.offers)
	}
	w.must(w.ledger().Deny(protocol.HookParticipantID("vendor", "one"), send("two")))
	w.hook(adapter.AfterTool, "one")
	if len(w.transport.offers) != 3 {
		t.Errorf("after its tool: %v", w.transport.offers)
	}
	w.hook(adapter.AfterTool, "one")
	if len(w.transport.offers) != 3 {
		t.Errorf("offered twice: %v", w.transport.offers)
	}
}

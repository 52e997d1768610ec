package doctor

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
)

// answering is a transport whose client answers what a test tells it, at the one endpoint that there is.
type answering struct{ reason adapter.NativeReason }

func (a answering) Bind(context.Context, adapter.BindRequest) adapter.Handshake {
	return adapter.Handshake{Reason: adapter.NativeUnsupported}
}

func (a answering) Refresh(_ context.Context, v adapter.Vault, at adapter.Endpoint) adapter.Handshake {
	if _, err := v.Record(at.Ref); err == nil || at.Ref != "secret-endpoint" {
		return adapter.Handshake{Reason: adapter.NativeProtocolMismatch}
	}
	return adapter.Handshake{Reason: a.reason, ClientVersion: "2.1.0", Protocol: "p-v1", Modes: []protocol.DeliveryMode{protocol.LivePush}, Endpoint: at.Ref}
}

func (a answering) Offer(context.Context, adapter.Vault, adapter.Endpoint, adapter.Offer) adapter.OfferAnswer {
	panic("an examination offers nothing")
}

func (a answering) Retire(context.Context, adapter.Vault, string) error {
	panic("an examination retires nothing")
}

// reach gives this build a transport to a client, which answers with a reason.
func (p *patient) reach(id string, reason adapter.NativeReason) {
	p.Helper()
	l, err := adapter.NewLive(id, adapter.Contract{
		Transport: adapter.TransportClaudeInbox, Protocol: "p-v1", Kind: adapter.OfferWake, Modes: []protocol.DeliveryMode{protocol.LivePush},
		Minimum: "1.0.0", OfferTime: time.Second,
	}, answering{reason})
	p.must(err)
	p.lives = []*adapter.Live{l}
}

// TestEndpoints: modes, policy, lease and whether it is found are told of an endpoint, and never where it is.
func TestEndpoints(t *testing.T) {
	p := newPatient(t)
	r := p.talk(1)
	s := p.open(r, "ana")
	publish := func(lease time.Duration) {
		p.must(r.Store.Ephemeral().PutBinding(t.Context(), protocol.DeliveryBinding{
			SessionID: s.SessionID, Generation: s.Generation, AdapterID: "claude_code", ClientVersion: "2.1.0", AvailableModes: []protocol.DeliveryMode{protocol.LivePush, protocol.IdleWake},
			LivePolicy: protocol.LiveAll, OpaqueEndpointRef: "secret-endpoint", LeaseUntil: time.Now().Add(lease).UTC().Truncate(time.Millisecond),
		}))
	}
	first := func() string {
		t.Helper()
		got := p.examine(false)
		if strings.Contains(fmt.Sprint(got), "secret-endpoint") {
			t.Errorf("the endpoint is told: %v", got)
		}
		text := lines(got, "claude_code")
		if len(text) == 0 {
			t.Fatal("nothing is told of it")
		}
		return text[0]
	}
	const about, lapsed = " (livePush, idleWake; all); its lease ", "ran out, and the next send renews it"
	publish(protocol.BindingLease)
	if got := first(); !strings.HasPrefix(got, "ok an endpoint of ana is published"+about+"runs for ") || !strings.HasSuffix(got, "; nobody here can verify it") {
		t.Errorf("without its transport: %s", got)
	}
	p.reach("claude_code", adapter.NativeOK)
	if got := first(); !strings.HasPrefix(got, "ok the endpoint of ana is verified"+about+"runs for ") {
		t.Errorf("answering: %s", got)
	}
	publish(-time.Minute)
	if got, want := first(), "ok the endpoint of ana is verified"+about+lapsed; got != want {
		t.Errorf("lapsed: %s, want %s", got, want)
	}
	p.reach("claude_code", adapter.NativeSessionUnavailable)
	want := "warn the endpoint of ana cannot be reached: native_session_unavailable" + about + lapsed +
		" -> send anyway: a message waits for its next turn; docs/troubleshooting.md explains native_session_unavailable"
	if got := first(); got != want {
		t.Errorf("silent: %s, want %s", got, want)
	}
}

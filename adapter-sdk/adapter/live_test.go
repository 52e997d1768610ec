package adapter

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol"
)

// told is a live client that does what a test says.
type told struct {
	bind    func(context.Context, BindRequest) Handshake
	refresh func(context.Context) Handshake
	offer   func(context.Context, Offer) OfferAnswer
	retired *[]string
}

func (t told) Bind(ctx context.Context, r BindRequest) Handshake          { return t.bind(ctx, r) }
func (t told) Refresh(ctx context.Context, _ Vault, _ Endpoint) Handshake { return t.refresh(ctx) }
func (t told) Offer(ctx context.Context, _ Vault, _ Endpoint, o Offer) OfferAnswer {
	return t.offer(ctx, o)
}
func (t told) Retire(_ context.Context, _ Vault, ref string) error {
	*t.retired = append(*t.retired, ref)
	return nil
}

func goodContract() Contract {
	return Contract{
		Transport: "tool", Protocol: "tool-v1", Kind: OfferWake, Modes: []protocol.DeliveryMode{protocol.LivePush, protocol.IdleWake},
		Minimum: "2.1.0", KnownBad: []VersionRange{{From: "2.2.0"}, {From: "2.4.1", To: "2.4.3"}}, OfferTime: 100 * time.Millisecond,
	}
}

func goodHandshake() Handshake {
	return Handshake{
		ClientVersion: "2.3.0", Protocol: "tool-v1", Modes: []protocol.DeliveryMode{protocol.LivePush, protocol.IdleWake}, Endpoint: "e", Lease: time.Minute,
	}
}

func sealed(t *testing.T, c told) (*Live, *[]string) {
	t.Helper()
	c.retired = &[]string{}
	l, err := NewLive("tool", goodContract(), c, "TOOL_SOCKET")
	if err != nil {
		t.Fatal(err)
	}
	return l, c.retired
}

func TestContractsThatCannotBe(t *testing.T) {
	if _, err := NewLive("tool", goodContract(), told{}); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Contract){
		"no name":             func(c *Contract) { c.Transport = "" },
		"two lines":           func(c *Contract) { c.Transport = "a\nb" },
		"no protocol":         func(c *Contract) { c.Protocol = "" },
		"no kind":             func(c *Contract) { c.Kind = "shout" },
		"no push":             func(c *Contract) { c.Modes = []protocol.DeliveryMode{protocol.IdleWake} },
		"next turn":           func(c *Contract) { c.Modes = append(c.Modes, protocol.NextTurn) },
		"no minimum":          func(c *Contract) { c.Minimum = "2.1" },
		"a bad range":         func(c *Contract) { c.KnownBad = []VersionRange{{From: "2.2.0", To: "2.1.9"}} },
		"no time":             func(c *Contract) { c.OfferTime = 0 },
		"more time than ever": func(c *Contract) { c.OfferTime = MaxOfferTime + 1 },
	} {
		c := goodContract()
		change(&c)
		if _, err := NewLive("tool", c, told{}); protocol.CodeOf(err) != protocol.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewLive("tool", goodContract(), nil); err == nil {
		t.Error("no client is a client")
	}
}

func TestVersions(t *testing.T) {
	for version, want := range map[string]NativeReason{
		"2.1.0": NativeOK, "2.1.0-rc.1": NativeOK, "2.1.0+build": NativeOK, "10.0.0": NativeOK, "2.3.99": NativeOK,
		"2.0.99": NativeBelowMinimum, "1.9.9": NativeBelowMinimum,
		"2.2.0": NativeKnownBad, "2.2.0-beta": NativeKnownBad, "2.2.1": NativeOK,
		"2.4.0": NativeOK, "2.4.1": NativeKnownBad, "2.4.3": NativeKnownBad, "2.4.4": NativeOK,
		"": NativeVersionUnknown, "2.1": NativeVersionUnknown, "2.1.0.0": NativeVersionUnknown, "2.01.0": NativeVersionUnknown,
		"v2.1.0": NativeVersionUnknown, "2.-1.0": NativeVersionUnknown, "2.1.99999999999": NativeVersionUnknown,
	} {
		if got := goodContract().Judge(version); got != want {
			t.Errorf("%q: %q, want %q", version, got, want)
		}
	}
}

func TestTransportNames(t *testing.T) {
	for name, want := range map[Transport]Transport{
		TransportClaudeInbox: TransportClaudeInbox, TransportOther: TransportOther, "/tmp/x.sock": TransportOther, "": TransportOther,
	} {
		if got := name.Public(); got != want {
			t.Errorf("%q is shown as %q", name, got)
		}
	}
}

// TestHandshakes: what is outside the contract becomes a reason and nothing else, and its record goes.
func TestHandshakes(t *testing.T) {
	blocked := make(chan struct{})
	t.Cleanup(func() { close(blocked) })
	tests := []struct {
		name   string
		change func(*Handshake)
		want   NativeReason
	}{
		{"good", func(*Handshake) {}, NativeOK},
		{"another protocol", func(h *Handshake) { h.Protocol = "tool-v2" }, NativeProtocolMismatch},
		{"no endpoint", func(h *Handshake) { h.Endpoint = "" }, NativeHandshakeFailed},
		{"an endless endpoint", func(h *Handshake) { h.Endpoint = strings.Repeat("e", protocol.MaxEndpoint+1) }, NativeHandshakeFailed},
		{"a lease that is over", func(h *Handshake) { h.Lease = -1 }, NativeHandshakeFailed},
		{"too old", func(h *Handshake) { h.ClientVersion = "2.0.0" }, NativeBelowMinimum},
		{"nothing can be pushed", func(h *Handshake) { h.Modes = []protocol.DeliveryMode{protocol.IdleWake} }, NativeUnsupported},
		{"a reason of its own", func(h *Handshake) { h.Reason = "/tmp/x.sock is gone" }, NativeHandshakeFailed},
		{"a reason", func(h *Handshake) { h.Reason = NativeSessionEmbedded }, NativeSessionEmbedded},
	}
	for _, tt := range tests {
		h := goodHandshake()
		tt.change(&h)
		l, retired := sealed(t, told{bind: func(context.Context, BindRequest) Handshake { return h }})
		got := l.Bind(context.Background(), BindRequest{})
		want := Handshake{Reason: tt.want}
		if tt.want == NativeOK {
			want = h
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if dropped := len(*retired) == 1; dropped != (tt.want != NativeOK && h.Endpoint != "") {
			t.Errorf("%s: given up: %v", tt.name, *retired)
		}
	}
	h := goodHandshake()
	h.Lease, h.Modes, h.LaunchOption = time.Hour, append(h.Modes, protocol.ReplyRoute), "--x"
	want := goodHandshake()
	want.Lease = protocol.BindingLease
	l, _ := sealed(t, told{
		bind:    func(context.Context, BindRequest) Handshake { return h },
		refresh: func(context.Context) Handshake { return Handshake{Reason: NativeSessionEmbedded, LaunchOption: "a\nb"} },
	})
	if diff := cmp.Diff(want, l.Bind(context.Background(), BindRequest{})); diff != "" {
		t.Errorf("more than declared (-want +got):\n%s", diff)
	}
	if got := l.Refresh(context.Background(), nil, Endpoint{}); !cmp.Equal(got, Handshake{Reason: NativeSessionEmbedded}) {
		t.Errorf("a launch option of two lines: %+v", got)
	}
	l, _ = sealed(t, told{bind: func(context.Context, BindRequest) Handshake { panic("vendor") }, refresh: func(context.Context) Handshake { <-blocked; return goodHandshake() }})
	if got := l.Bind(context.Background(), BindRequest{}); got.Reason != NativeHandshakeTimeout {
		t.Errorf("a panic: %+v", got)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if got := l.Refresh(ctx, nil, Endpoint{Ref: "e"}); got.Reason != NativeHandshakeTimeout {
		t.Errorf("no answer: %+v", got)
	}
	l, _ = sealed(t, told{refresh: func(context.Context) Handshake { return goodHandshake() }})
	if got := l.Refresh(context.Background(), nil, Endpoint{Ref: "other"}); got.Reason != NativeSessionUnavailable {
		t.Errorf("another endpoint: %+v", got)
	}
}

// TestBindSeesWhatWasDeclared: no other variable of the environment.
func TestBindSeesWhatWasDeclared(t *testing.T) {
	seen := map[string]string{}
	l, _ := sealed(t, told{bind: func(_ context.Context, r BindRequest) Handshake {
		for _, name := range []string{"TOOL_SOCKET", "SECRET"} {
			seen[name] = r.Env(name)
		}
		return goodHandshake()
	}})
	l.Bind(context.Background(), BindRequest{Env: func(name string) string { return "value of " + name }})
	if diff := cmp.Diff(map[string]string{"TOOL_SOCKET": "value of TOOL_SOCKET", "SECRET": ""}, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	l.Bind(context.Background(), BindRequest{})
	if seen["TOOL_SOCKET"] != "" {
		t.Error("a value from nowhere")
	}
}

// TestOffers: only closed words come back, a wake carries no text, and silence is told as unknown.
func TestOffers(t *testing.T) {
	blocked := make(chan struct{})
	t.Cleanup(func() { close(blocked) })
	var got Offer
	answers := func(a OfferAnswer) func(context.Context, Offer) OfferAnswer {
		return func(_ context.Context, o Offer) OfferAnswer { got = o; return a }
	}
	tests := []struct {
		name  string
		offer func(context.Context, Offer) OfferAnswer
		want  OfferAnswer
	}{
		{"accepted", answers(OfferAnswer{State: OfferAccepted, ClientVersion: "2.3.0", Code: "x"}), OfferAnswer{State: OfferAccepted, ClientVersion: "2.3.0"}},
		{"held", answers(OfferAnswer{State: OfferPending, ClientVersion: "2.3.0"}), OfferAnswer{State: OfferPending, ClientVersion: "2.3.0"}},
		{"refused", answers(OfferAnswer{Code: protocol.FailRecipientBusy}), OfferAnswer{Code: protocol.FailRecipientBusy}},
		{"refused for a reason of its own", answers(OfferAnswer{Code: "/tmp/x.sock"}), OfferAnswer{Code: protocol.FailRejected}},
		{"a state that is none", answers(OfferAnswer{State: 7}), OfferAnswer{Code: protocol.FailRejected}},
		{"too old", answers(OfferAnswer{State: OfferAccepted, ClientVersion: "2.0.0"}), OfferAnswer{Code: protocol.FailUnsupportedVersion, ClientVersion: "2.0.0"}},
		{"a panic", func(context.Context, Offer) OfferAnswer { panic("vendor") }, OfferAnswer{Code: protocol.FailTransport}},
		{"silence", func(context.Context, Offer) OfferAnswer { <-blocked; return OfferAnswer{State: OfferAccepted} }, OfferAnswer{Code: protocol.FailTransport}},
	}
	for _, tt := range tests {
		l, _ := sealed(t, told{offer: tt.offer})
		if answer := l.Offer(context.Background(), nil, Endpoint{}, Offer{MessageID: "m", Text: "secret"}); answer != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, answer, tt.want)
		}
	}
	if got != (Offer{MessageID: "m"}) {
		t.Errorf("a wake carried %+v", got)
	}
	c := goodContract()
	c.Kind = OfferMessage
	l, err := NewLive("tool", c, told{offer: answers(OfferAnswer{State: OfferAccepted, ClientVersion: "2.3.0"})})
	if err != nil {
		t.Fatal(err)
	}
	if l.Offer(context.Background(), nil, Endpoint{}, Offer{MessageID: "m", Text: "body"}); got.Text != "body" {
		t.Errorf("a message carried %+v", got)
	}
}

func TestJoin(t *testing.T) {
	l, _ := sealed(t, told{})
	for id, want := range map[string]bool{"tool": true, "other": false} {
		a, err := New(id, "Tool", plainClient{})
		if err != nil {
			t.Fatal(err)
		}
		joined, err := a.Join(l)
		if (err == nil) != want || want && joined.Live() != l || a.Live() != nil {
			t.Errorf("%s: %v", id, err)
		}
		if _, err := a.Join(nil); err == nil {
			t.Error("joined with nothing")
		}
	}
}

// finds is a live client that can tell of sessions that wait for their first prompt.
type finds struct {
	told
	find func(context.Context, func(string) string) []Found
}

func (f finds) Find(ctx context.Context, env func(string) string) []Found { return f.find(ctx, env) }

// TestFind: an adapter sees what it declared, what it tells must name a session, and whatever it does instead of
// answering finds nothing.
func TestFind(t *testing.T) {
	env := func(name string) string { return "value of " + name }
	find := func(ctx context.Context, how func(context.Context, func(string) string) []Found) []Found {
		l, err := NewLive("tool", goodContract(), finds{find: how}, "TOOL_SOCKET")
		if err != nil {
			t.Fatal(err)
		}
		return l.Find(ctx, env)
	}
	got := find(t.Context(), func(_ context.Context, env func(string) string) []Found {
		return []Found{{SessionID: env("TOOL_SOCKET"), Cwd: "/p"}, {SessionID: env("HOME"), Cwd: "/p"}, {SessionID: "a\nb", Cwd: "/p"}, {SessionID: "c"},
			{SessionID: strings.Repeat("x", MaxSessionIDBytes+1), Cwd: "/p"}}
	})
	if diff := cmp.Diff([]Found{{SessionID: "value of TOOL_SOCKET", Cwd: "/p"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for name, got := range map[string][]Found{
		"a panic": find(t.Context(), func(context.Context, func(string) string) []Found { panic("vendor") }),
		"no answer": find(ended, func(ctx context.Context, _ func(string) string) []Found {
			time.Sleep(50 * time.Millisecond)
			return []Found{{SessionID: "s", Cwd: "/p"}}
		}),
	} {
		if len(got) != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
	l, _ := sealed(t, told{})
	if got := l.Find(t.Context(), env); got != nil {
		t.Errorf("of a client that cannot tell: %v", got)
	}
}

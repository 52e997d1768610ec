package adapter

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// LiveClient is implemented by a vendor whose client can be asked to look sooner while a session of it
// runs. It never starts, resumes, interrupts or ends a session. It must be free of state and safe for
// concurrent use; what it must remember of an endpoint it keeps in the Vault it is given. It lives apart
// from Client (an adapter's hook package links no transport) and is sealed by NewLive.
//
// Every method obeys the deadline of its context, and tells only words of closed vocabularies.
type LiveClient interface {
	// Bind finds the endpoint of the session that a hook is speaking for, verifies it, and keeps its
	// private record under a reference that says nothing. It runs at the start of a session and before
	// its turns, so it is also what renews a lease.
	Bind(ctx context.Context, r BindRequest) Handshake
	// Refresh verifies an endpoint again whose lease has passed. It must not change it: the handshake
	// names the same reference or none.
	Refresh(ctx context.Context, v Vault, e Endpoint) Handshake
	// Offer crosses the transport boundary once.
	Offer(ctx context.Context, v Vault, e Endpoint, o Offer) OfferAnswer
	// Retire forgets an endpoint: the session gave it up. It is no error if there is nothing to forget.
	Retire(ctx context.Context, v Vault, ref string) error
}

// Finder is implemented by a LiveClient whose client runs no hook before the first prompt of a session, and can tell
// which sessions wait for that.
type Finder interface {
	// Find gives the sessions in which nobody has said anything yet and whose hooks will run. Whatever is not certain
	// is left out; it starts nothing and changes nothing. env shows what Bind may read.
	Find(ctx context.Context, env func(name string) string) []Found
}

// Found is a session that waits for its first prompt.
type Found struct {
	SessionID     string // the client's own
	Cwd           string
	ClientVersion string
}

// Vault keeps the private records of endpoints, outside every directory that a sandboxed model may
// write. Its ids are those that adapters choose, portable and of at most 100 characters.
type Vault interface {
	Keep(id string, record []byte) error
	Record(id string) ([]byte, error) // os.ErrNotExist if there is none
	Drop(id string) error             // no error if there is none
}

// NewRef mints a reference that says nothing but its prefix, under which a Vault can keep a record.
func NewRef(prefix string) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + hex.EncodeToString(b[:])
}

// KeepRecord keeps a record in v and gives the reference to publish: previous, if that is what it leads to, otherwise
// a new one that begins with prefix; what previous led to is dropped then, because nobody is reached there any more.
// previous is "" where nothing is published.
func KeepRecord(v Vault, prefix, previous string, record []byte) (ref string, err error) {
	if previous != "" {
		if before, err := v.Record(previous); err == nil && bytes.Equal(before, record) {
			return previous, nil
		}
		_ = v.Drop(previous)
	}
	ref = NewRef(prefix)
	return ref, v.Keep(ref, record)
}

// BindRequest is what a hook knows of the session that it speaks for.
type BindRequest struct {
	SessionID      string // the client's own
	GenerationRef  string // of the acc session
	PID            int    // of the client; 0: unknown
	Cwd            string
	ClientVersion  string // "" is unknown
	PermissionMode string // the client's word, "" is unknown
	// Previous is the reference that is published now; "": none. An endpoint that is still the same keeps
	// it, so that senders who look twice see one endpoint.
	Previous string
	Env      func(name string) string
	Vault    Vault
}

// Handshake is what came of Bind or Refresh. Either Reason is NativeOK and everything else is set, or
// only Reason and LaunchOption matter.
type Handshake struct {
	Reason        NativeReason
	ClientVersion string // of what serves the endpoint, as it says itself
	Protocol      string
	Modes         []protocol.DeliveryMode
	Endpoint      string        // opaque reference
	Lease         time.Duration // at most protocol.BindingLease; 0 means that
	// LaunchOption names the option with which the client was started that keeps it from serving an
	// endpoint, if that is known.
	LaunchOption string
}

// Endpoint is the published endpoint of a session generation.
type Endpoint struct {
	Ref           string
	GenerationRef string
}

// Offer is what is asked of a session.
type Offer struct {
	MessageID string
	// Text is the framed message, for an OfferMessage. A wake gets none: what it says is fixed wording
	// and the message id.
	Text string
}

// OfferState is what came of an offer.
type OfferState int

// The offer states. The zero value is a refusal.
const (
	OfferRefused  OfferState = iota
	OfferAccepted            // the bytes crossed
	OfferPending             // the bytes crossed, and the client holds them until a person approves
)

// OfferAnswer is what an adapter tells of an offer.
type OfferAnswer struct {
	State         OfferState
	Code          protocol.OfferFailure // of a refusal
	ClientVersion string                // of what took it
}

// Live is a sealed live transport of one client. Its zero value is not usable; NewLive makes one.
type Live struct {
	id       string
	contract Contract
	client   LiveClient
	env      []string
}

// NewLive seals the live transport of the adapter id. env names the environment variables that Bind may
// read. It refuses what no client can mean.
func NewLive(id string, contract Contract, client LiveClient, env ...string) (*Live, error) {
	if !portable(id) || client == nil {
		return nil, protocol.UsageError("", "a live transport needs an adapter's id and a client")
	}
	if err := contract.check(id); err != nil {
		return nil, err
	}
	return &Live{id: id, contract: contract, client: client, env: env}, nil
}

// Join gives the adapter together with its live transport. It refuses another adapter's.
func (a *Adapter) Join(l *Live) (*Adapter, error) {
	if l == nil || l.id != a.id {
		return nil, protocol.UsageError("", "adapter "+a.id+" is joined with another one's live transport")
	}
	joined := *a
	joined.live = l
	return &joined, nil
}

// Live is the live transport that was joined; nil: the client has none, or none in this build.
func (a *Adapter) Live() *Live { return a.live }

// ID is the adapter's id.
func (l *Live) ID() string { return l.id }

// Contract is what was declared.
func (l *Live) Contract() Contract { return l.contract }

// Bind asks the adapter within BindTime and settles its answer: whatever is outside the contract becomes
// a handshake with a reason, and its record is dropped.
func (l *Live) Bind(ctx context.Context, r BindRequest) Handshake {
	r.Env = l.narrowed(r.Env)
	h := l.handshake(ctx, func(ctx context.Context) Handshake { return l.client.Bind(ctx, r) })
	if h.settled.Reason != NativeOK && h.raw.Endpoint != "" {
		_ = l.client.Retire(ctx, r.Vault, h.raw.Endpoint)
	}
	return h.settled
}

// Refresh verifies an endpoint again within BindTime and settles the answer: one that names another
// endpoint is refused.
func (l *Live) Refresh(ctx context.Context, v Vault, e Endpoint) Handshake {
	h := l.handshake(ctx, func(ctx context.Context) Handshake { return l.client.Refresh(ctx, v, e) }).settled
	if h.Reason == NativeOK && h.Endpoint != e.Ref {
		return Handshake{Reason: NativeSessionUnavailable}
	}
	return h
}

// Find asks an adapter that can tell for sessions that wait for their first prompt, within BindTime. Nothing found
// is the answer to everything that goes wrong.
func (l *Live) Find(ctx context.Context, env func(name string) string) []Found {
	finder, ok := l.client.(Finder)
	if !ok {
		return nil
	}
	found, _ := within(ctx, BindTime, func(ctx context.Context) []Found { return finder.Find(ctx, l.narrowed(env)) })
	return slices.DeleteFunc(found, func(f Found) bool {
		return f.SessionID == "" || len(f.SessionID) > MaxSessionIDBytes || !plain(f.SessionID) || f.Cwd == ""
	})
}

// narrowed lets an adapter see the variables that it declared.
func (l *Live) narrowed(env func(string) string) func(string) string {
	return func(name string) string {
		if env == nil || !slices.Contains(l.env, name) {
			return ""
		}
		return env(name)
	}
}

// Retire forgets an endpoint.
func (l *Live) Retire(ctx context.Context, v Vault, ref string) error {
	return l.client.Retire(ctx, v, ref)
}

// Offer crosses the boundary once, within the contract's OfferTime, and settles the answer. An adapter
// that does not answer in time may or may not have delivered: that is protocol.FailTransport.
func (l *Live) Offer(ctx context.Context, v Vault, e Endpoint, o Offer) OfferAnswer {
	if l.contract.Kind == OfferWake {
		o.Text = ""
	}
	answer, ok := within(ctx, l.contract.OfferTime, func(ctx context.Context) OfferAnswer { return l.client.Offer(ctx, v, e, o) })
	switch {
	case !ok:
		return OfferAnswer{Code: protocol.FailTransport}
	case answer.State != OfferAccepted && answer.State != OfferPending:
		return OfferAnswer{Code: protocol.SafeOfferFailure(string(answer.Code)), ClientVersion: answer.ClientVersion}
	case l.contract.Judge(answer.ClientVersion) != NativeOK:
		return OfferAnswer{Code: protocol.FailUnsupportedVersion, ClientVersion: answer.ClientVersion}
	}
	answer.Code = ""
	return answer
}

// handshakes is an answer before and after it was settled.
type handshakes struct{ raw, settled Handshake }

func (l *Live) handshake(ctx context.Context, ask func(context.Context) Handshake) handshakes {
	h, ok := within(ctx, BindTime, ask)
	if !ok {
		return handshakes{settled: Handshake{Reason: NativeHandshakeTimeout}}
	}
	return handshakes{raw: h, settled: l.settle(h)}
}

// settle makes an adapter's handshake what it must be or a refusal.
func (l *Live) settle(h Handshake) Handshake {
	if h.Reason != NativeOK {
		refused := Handshake{Reason: h.Reason.Closed()}
		if len(h.LaunchOption) <= MaxWordBytes && plain(h.LaunchOption) {
			refused.LaunchOption = h.LaunchOption
		}
		return refused
	}
	if h.Lease == 0 {
		h.Lease = protocol.BindingLease
	}
	switch {
	case h.Protocol != l.contract.Protocol:
		return Handshake{Reason: NativeProtocolMismatch}
	case h.Endpoint == "" || len(h.Endpoint) > protocol.MaxEndpoint || h.Lease < 0:
		return Handshake{Reason: NativeHandshakeFailed}
	}
	if reason := l.contract.Judge(h.ClientVersion); reason != NativeOK {
		return Handshake{Reason: reason}
	}
	h.Lease = min(h.Lease, protocol.BindingLease)
	h.Modes = slices.DeleteFunc(slices.Clone(h.Modes), func(m protocol.DeliveryMode) bool { return !slices.Contains(l.contract.Modes, m) })
	if !slices.Contains(h.Modes, protocol.LivePush) {
		return Handshake{Reason: NativeUnsupported}
	}
	h.LaunchOption = ""
	return h
}

// within asks a vendor's code and goes on without it when it does not come back: its context is over
// then, and acc's processes are short. A panic counts as no answer.
func within[T any](ctx context.Context, limit time.Duration, ask func(context.Context) T) (answer T, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan T, 1)
	failed := make(chan struct{})
	go func() {
		defer func() {
			if recover() != nil {
				close(failed)
			}
		}()
		done <- ask(ctx)
	}()
	select {
	case answer = <-done:
		return answer, true
	case <-failed:
	case <-ctx.Done():
	}
	return answer, false
}

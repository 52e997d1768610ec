package live

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/localsocket"
	"github.com/acc-control-plane/acc/adapters/antigravity/live/internal/wire"
	"github.com/acc-control-plane/acc/protocol"
)

// id is the adapter's id, as in package hook, which this package must not link.
const id = "antigravity"

// New gives the sealed transport.
func New() (*adapter.Live, error) {
	modes := []protocol.DeliveryMode{protocol.LivePush, protocol.IdleWake, protocol.BusyQueue}
	return adapter.NewLive(id, adapter.Contract{
		Transport: adapter.TransportAntigravityRelay, Protocol: wire.Contract, Kind: adapter.OfferWake, Modes: modes,
		Minimum: wire.MinimumVersion, OfferTime: 5 * time.Second, AppearsLate: true, PersonUnseen: true, Experimental: true,
	}, relayed{modes})
}

// relayed implements adapter.LiveClient.
type relayed struct{ modes []protocol.DeliveryMode }

// Bind implements adapter.LiveClient. What it finds is the relay of exactly this generation.
func (r relayed) Bind(ctx context.Context, b adapter.BindRequest) adapter.Handshake {
	if runtime.GOOS == "windows" { // its relay would need a named pipe
		return refused(adapter.NativeUnsupported)
	}
	e := endpoint{Conversation: b.SessionID, GenerationRef: b.GenerationRef}
	reply, err := e.ask(ctx, b.Vault, wire.Probe, "")
	if err != nil {
		return refused(reasonOf(err))
	}
	ref, err := e.keep(b.Vault, b.Previous)
	if err != nil {
		return refused(adapter.NativeHandshakeFailed)
	}
	return r.shaken(ref, reply)
}

// Refresh implements adapter.LiveClient.
func (r relayed) Refresh(ctx context.Context, v adapter.Vault, at adapter.Endpoint) adapter.Handshake {
	e, err := open(v, at)
	if err != nil {
		return refused(reasonOf(err))
	}
	reply, err := e.ask(ctx, v, wire.Probe, "")
	if err != nil {
		return refused(reasonOf(err))
	}
	return r.shaken(at.Ref, reply)
}

// Offer implements adapter.LiveClient.
func (relayed) Offer(ctx context.Context, v adapter.Vault, at adapter.Endpoint, o adapter.Offer) adapter.OfferAnswer {
	e, err := open(v, at)
	if err != nil {
		return adapter.OfferAnswer{Code: failureOf(err)}
	}
	reply, err := e.ask(ctx, v, wire.Wake, o.MessageID)
	if err != nil {
		return adapter.OfferAnswer{Code: failureOf(err), ClientVersion: reply.ClientVersion}
	}
	return adapter.OfferAnswer{State: adapter.OfferAccepted, ClientVersion: reply.ClientVersion}
}

// Retire implements adapter.LiveClient. The relay itself goes on: it ends with its client, and what the
// policy forbids does not reach it.
func (relayed) Retire(_ context.Context, v adapter.Vault, ref string) error { return v.Drop(ref) }

func (r relayed) shaken(ref string, reply wire.Reply) adapter.Handshake {
	return adapter.Handshake{ClientVersion: reply.ClientVersion, Protocol: wire.Contract, Modes: r.modes, Endpoint: ref}
}

func refused(reason adapter.NativeReason) adapter.Handshake { return adapter.Handshake{Reason: reason} }

// refusal is a relay that says no, and why.
type refusal struct{ code protocol.OfferFailure }

func (r refusal) Error() string { return "the relay refused: " + string(r.code) }

// ask finds the relay of the session, verifies its socket and asks it once. The deadline is ctx's.
func (e endpoint) ask(ctx context.Context, v adapter.Vault, what, messageID string) (wire.Reply, error) {
	relay, err := wire.ReadRelay(v, e.GenerationRef, time.Now())
	if err != nil {
		return wire.Reply{}, err
	}
	if err := localsocket.Verify(relay.Socket); err != nil {
		return wire.Reply{}, err
	}
	conn, err := localsocket.Dial(ctx, relay.Socket, localsocket.Peer{PID: relay.PID})
	if err != nil {
		return wire.Reply{}, err
	}
	defer func() { _ = conn.Close() }()
	reply, err := wire.Exchange(conn, wire.Ask{Nonce: relay.Nonce, Conversation: e.Conversation, What: what, MessageID: messageID})
	if err == nil && reply.Refusal != "" {
		err = refusal{reply.Refusal}
	}
	return reply, err
}

func reasonOf(err error) adapter.NativeReason {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return adapter.NativePermissionDenied
	case errors.Is(err, errStale):
		return adapter.NativeGenerationStale
	case errors.As(err, &refusal{}):
		return adapter.NativeSessionUnavailable // it serves another conversation
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return adapter.NativeHandshakeTimeout
	case errors.Is(err, wire.ErrReply):
		return adapter.NativeHandshakeFailed
	}
	return adapter.NativeEndpointUnavailable // no relay was started, or it has ended
}

func failureOf(err error) protocol.OfferFailure {
	var no refusal
	switch {
	case errors.Is(err, fs.ErrPermission):
		return protocol.FailPermission
	case errors.As(err, &no):
		return no.code
	case errors.Is(err, wire.ErrNone), errors.Is(err, errStale), errors.Is(err, errRecord), errors.Is(err, fs.ErrNotExist),
		errors.Is(err, localsocket.ErrRefused), errors.Is(err, localsocket.ErrForeign), errors.Is(err, localsocket.ErrUnsafe):
		return protocol.FailRecipientGone
	}
	return protocol.FailTransport // the client's command may have run
}

package live

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/adapter-sdk/localsocket"
	"github.com/acc-control-plane/acc/protocol"
)

// id is the adapter's id, as in package hook, which this package must not link.
const id = "echo"

// wire names the protocol of the inbox, as the client does in its replies.
const wire = "echo-inbox-1"

var modes = []protocol.DeliveryMode{protocol.LivePush, protocol.BusyQueue}

// New gives the sealed transport.
func New() (*adapter.Live, error) {
	return adapter.NewLive(id, adapter.Contract{
		// Names of transports are a closed list; one that is not on it is shown as live-adapter.
		Transport: adapter.TransportOther, Protocol: wire, Kind: adapter.OfferMessage, Modes: modes,
		Minimum: "1.0.0", OfferTime: 2 * time.Second,
	}, inbox{}, "ECHO_INBOX")
}

// inbox implements adapter.LiveClient. It has no state: what is known of an endpoint lies in the vault.
type inbox struct{}

// Bind implements adapter.LiveClient.
func (inbox) Bind(ctx context.Context, r adapter.BindRequest) adapter.Handshake {
	if runtime.GOOS == "windows" { // the client has no inbox there
		return refused(adapter.NativeUnsupported)
	}
	e := endpoint{Socket: r.Env("ECHO_INBOX"), PID: r.PID, Session: r.SessionID, GenerationRef: r.GenerationRef}
	switch {
	case e.Socket == "":
		return refused(adapter.NativeEndpointUnavailable)
	case e.PID == 0:
		return refused(adapter.NativeProcessUnknown)
	}
	said, err := e.ask(ctx, request{Ask: "hello"})
	if err != nil {
		return refused(reasonOf(err))
	}
	ref := r.Previous
	if before, err := recorded(r.Vault, ref); ref == "" || err != nil || before != e {
		ref = adapter.NewRef("echo_inbox_")
		if err := e.keep(r.Vault, ref); err != nil {
			return refused(adapter.NativeHandshakeFailed)
		}
		if r.Previous != "" {
			_ = r.Vault.Drop(r.Previous) // nobody is told of it any more
		}
	}
	return shaken(ref, said)
}

// Refresh implements adapter.LiveClient.
func (inbox) Refresh(ctx context.Context, v adapter.Vault, at adapter.Endpoint) adapter.Handshake {
	e, err := current(v, at)
	if err != nil {
		return refused(reasonOf(err))
	}
	said, err := e.ask(ctx, request{Ask: "hello"})
	if err != nil {
		return refused(reasonOf(err))
	}
	return shaken(at.Ref, said)
}

// Offer implements adapter.LiveClient. The mark at the beginning tells the hook of the turn that no
// person typed it.
func (inbox) Offer(ctx context.Context, v adapter.Vault, at adapter.Endpoint, o adapter.Offer) adapter.OfferAnswer {
	e, err := current(v, at)
	if err != nil {
		return adapter.OfferAnswer{Code: failureOf(err)}
	}
	text := hookkit.WakeMark + " From another session of this user, brought by acc:\n" + o.Text
	said, err := e.ask(ctx, request{Ask: "message", Session: e.Session, ID: o.MessageID, Text: text})
	if err != nil {
		return adapter.OfferAnswer{Code: failureOf(err)}
	}
	if !said.Taken { // more messages wait in it than it holds
		return adapter.OfferAnswer{Code: protocol.FailRecipientBusy, ClientVersion: said.Version}
	}
	return adapter.OfferAnswer{State: adapter.OfferAccepted, ClientVersion: said.Version}
}

// Retire implements adapter.LiveClient.
func (inbox) Retire(_ context.Context, v adapter.Vault, ref string) error { return v.Drop(ref) }

func shaken(ref string, said reply) adapter.Handshake {
	return adapter.Handshake{ClientVersion: said.Version, Protocol: said.Protocol, Modes: modes, Endpoint: ref}
}

func refused(reason adapter.NativeReason) adapter.Handshake { return adapter.Handshake{Reason: reason} }

// Errors that say which look failed.
var (
	errAnother = errors.New("the client serves another session")
	errStale   = errors.New("the endpoint is another generation's")
)

func reasonOf(err error) adapter.NativeReason {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return adapter.NativePermissionDenied
	case errors.Is(err, errStale):
		return adapter.NativeGenerationStale
	case errors.Is(err, errAnother):
		return adapter.NativeSessionUnavailable
	}
	return adapter.NativeEndpointUnavailable
}

// failureOf says why nothing was delivered. Where the bytes may have crossed, that is FailTransport.
func failureOf(err error) protocol.OfferFailure {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return protocol.FailPermission
	case errors.Is(err, errStale), errors.Is(err, errAnother), errors.Is(err, fs.ErrNotExist),
		errors.Is(err, localsocket.ErrRefused), errors.Is(err, localsocket.ErrForeign), errors.Is(err, localsocket.ErrUnsafe):
		return protocol.FailRecipientGone
	}
	return protocol.FailTransport
}

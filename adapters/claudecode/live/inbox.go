package live

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/localsocket"
	"github.com/acc-control-plane/acc/protocol"
)

// id is the adapter's id, as in package hook, which this package must not link.
const id = "claude_code"

// wire names the protocol of the socket.
const wire = "claude-code-inbox-socket-v1"

// Variables that the client sets for its hooks, and those that say where its configuration is.
const (
	envSocket = "CLAUDE_CODE_MESSAGING_SOCKET"
	envConfig = "CLAUDE_CONFIG_DIR"
	envHome   = "HOME"
)

// New gives the sealed transport.
func New() (*adapter.Live, error) {
	modes := []protocol.DeliveryMode{protocol.LivePush, protocol.IdleWake, protocol.BusyQueue}
	return adapter.NewLive(id, adapter.Contract{
		Transport: adapter.TransportClaudeInbox, Protocol: wire, Kind: adapter.OfferWake, Modes: modes,
		Minimum: "2.1.282", OfferTime: 2 * time.Second,
	}, inbox{modes: modes, managed: managedSettings()}, envSocket, envConfig, envHome)
}

// inbox implements adapter.LiveClient.
type inbox struct {
	modes   []protocol.DeliveryMode
	managed string // path of the settings that an administrator sets; "" is none
}

// Bind implements adapter.LiveClient. It does not compare the session: after a /resume the client corrects
// its registry only when its hooks have run.
func (b inbox) Bind(_ context.Context, r adapter.BindRequest) adapter.Handshake {
	if runtime.GOOS == "windows" { // a named pipe that wants a token: not spoken here
		return refused(adapter.NativeUnsupported)
	}
	config := r.Env(envConfig)
	if config == "" && r.Env(envHome) != "" {
		config = filepath.Join(r.Env(envHome), ".claude")
	}
	e := endpoint{
		Socket: r.Env(envSocket), Config: config, PID: r.PID, Session: r.SessionID, GenerationRef: r.GenerationRef, Mode: r.PermissionMode,
	}
	switch {
	case e.Socket == "":
		return refused(adapter.NativeEndpointUnavailable) // switched off, restricted, or not offered to this account
	case e.PID == 0:
		return refused(adapter.NativeProcessUnknown)
	case !filepath.IsAbs(e.Config) || !filepath.IsAbs(e.Socket):
		return refused(adapter.NativeEndpointUnavailable)
	}
	entry, err := e.verify()
	if err != nil {
		return refused(reasonOf(err))
	}
	if e.Mode == "" { // before the first prompt no hook is told
		e.Mode = b.firstMode(e.Config, entry)
	}
	ref, err := e.keep(r.Vault, r.Previous)
	if err != nil {
		return refused(adapter.NativeHandshakeFailed)
	}
	return b.shaken(ref, entry)
}

// Refresh implements adapter.LiveClient.
func (b inbox) Refresh(_ context.Context, v adapter.Vault, at adapter.Endpoint) adapter.Handshake {
	_, entry, err := open(v, at)
	if err != nil {
		return refused(reasonOf(err))
	}
	return b.shaken(at.Ref, entry)
}

// Offer implements adapter.LiveClient.
func (b inbox) Offer(ctx context.Context, v adapter.Vault, at adapter.Endpoint, o adapter.Offer) adapter.OfferAnswer {
	e, entry, err := open(v, at)
	if err != nil {
		return adapter.OfferAnswer{Code: failureOf(err)}
	}
	answer := adapter.OfferAnswer{State: adapter.OfferAccepted, ClientVersion: entry.Version}
	switch b.reception(e, entry) {
	case refuses:
		return adapter.OfferAnswer{Code: protocol.FailDeliveryDisabled, ClientVersion: entry.Version}
	case holds:
		answer.State = adapter.OfferPending
	}
	line, err := frame(e.Session, o.MessageID)
	if err == nil {
		err = localsocket.Send(ctx, e.Socket, entry.peer(), line)
	}
	if err != nil {
		return adapter.OfferAnswer{Code: failureOf(err), ClientVersion: entry.Version}
	}
	return answer
}

// Retire implements adapter.LiveClient.
func (inbox) Retire(_ context.Context, v adapter.Vault, ref string) error { return v.Drop(ref) }

func (b inbox) shaken(ref string, entry registryEntry) adapter.Handshake {
	return adapter.Handshake{ClientVersion: entry.Version, Protocol: wire, Modes: b.modes, Endpoint: ref}
}

func refused(reason adapter.NativeReason) adapter.Handshake { return adapter.Handshake{Reason: reason} }

// Errors that say which look failed.
var (
	errGone    = errors.New("the registry names no such session")
	errAnother = errors.New("the registry names another session, process or socket")
	errStale   = errors.New("the endpoint is another generation's")
	errRecord  = errors.New("there is no such endpoint record")
)

func reasonOf(err error) adapter.NativeReason {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return adapter.NativePermissionDenied
	case errors.Is(err, errStale):
		return adapter.NativeGenerationStale
	case errors.Is(err, errAnother), errors.Is(err, errGone):
		return adapter.NativeSessionUnavailable
	}
	return adapter.NativeEndpointUnavailable
}

func failureOf(err error) protocol.OfferFailure {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return protocol.FailPermission
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return protocol.FailTransport // some of it may have crossed
	case errors.Is(err, errGone), errors.Is(err, errAnother), errors.Is(err, errStale), errors.Is(err, errRecord), errors.Is(err, fs.ErrNotExist),
		errors.Is(err, localsocket.ErrRefused), errors.Is(err, localsocket.ErrForeign), errors.Is(err, localsocket.ErrUnsafe):
		return protocol.FailRecipientGone
	}
	return protocol.FailTransport
}

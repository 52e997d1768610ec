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
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/adapter-sdk/localsocket"
	"github.com/acc-control-plane/acc/protocol"
)

// id is the adapter's id, as in package hook, which this package must not link.
const id = "codex"

// wire names the protocol of the control socket.
const wire = "codex-app-server-queue-v1"

// Variables that say where the client's home is. The hooks of all terminals run in one server per home
// with the environment of whoever started it: these two are the same for all of them. Only where a process of
// its own runs the thread is another one looked at.
const (
	envCodexHome = "CODEX_HOME"
	envHome      = "HOME"
)

// New gives the sealed transport.
func New() (*adapter.Live, error) {
	modes := []protocol.DeliveryMode{protocol.LivePush, protocol.IdleWake, protocol.BusyQueue}
	return adapter.NewLive(id, adapter.Contract{
		Transport: adapter.TransportCodexAppServer, Protocol: wire, Kind: adapter.OfferMessage, Modes: modes,
		Minimum: "0.152.1", OfferTime: 5 * time.Second,
	}, daemon{modes}, envCodexHome, envHome, envExecServer)
}

// daemon implements adapter.LiveClient.
type daemon struct{ modes []protocol.DeliveryMode }

// Bind implements adapter.LiveClient.
func (d daemon) Bind(ctx context.Context, r adapter.BindRequest) adapter.Handshake {
	if runtime.GOOS == "windows" {
		return refused(adapter.NativeUnsupported)
	}
	home := HomeOf(r.Env)
	if home == "" || r.Cwd == "" {
		return refused(adapter.NativeEndpointUnavailable)
	}
	e := endpoint{Home: home, Thread: r.SessionID, Cwd: r.Cwd, GenerationRef: r.GenerationRef}
	srv, err := e.reach(ctx)
	if err != nil {
		return unreached(reasonOf(err), r)
	}
	defer srv.close()
	ref, err := e.keep(r.Vault, r.Previous)
	if err != nil {
		return refused(adapter.NativeHandshakeFailed)
	}
	return d.shaken(ref, srv)
}

// Refresh implements adapter.LiveClient.
func (d daemon) Refresh(ctx context.Context, v adapter.Vault, at adapter.Endpoint) adapter.Handshake {
	_, srv, err := open(ctx, v, at)
	if err != nil {
		return refused(reasonOf(err))
	}
	defer srv.close()
	return d.shaken(at.Ref, srv)
}

// Offer implements adapter.LiveClient. The server does not notice when it is given a message twice, so
// it is asked first.
func (d daemon) Offer(ctx context.Context, v adapter.Vault, at adapter.Endpoint, o adapter.Offer) adapter.OfferAnswer {
	e, srv, err := open(ctx, v, at)
	if err != nil {
		return adapter.OfferAnswer{Code: failureOf(err)}
	}
	defer srv.close()
	if err := e.put(srv, o); err != nil {
		return adapter.OfferAnswer{Code: failureOf(err), ClientVersion: srv.version}
	}
	return adapter.OfferAnswer{State: adapter.OfferAccepted, ClientVersion: srv.version}
}

// put adds a message to the queue of the thread unless it is there already, and takes it back when the
// thread was unloaded meanwhile.
func (e endpoint) put(srv *server, o adapter.Offer) error {
	client := "acc-" + o.MessageID
	held, err := srv.holds(e.Thread, client)
	if err != nil || held {
		return err
	}
	submission, err := srv.add(e.Thread, client, hookkit.WakeMark+hookkit.HandedOver+o.Text)
	if err != nil {
		return err
	}
	if _, err := srv.read(e.Thread); !errors.Is(err, errNotLoaded) {
		return nil // it was accepted; whatever the last look said is later than that
	}
	// A thread that takes up its very first message cannot be read for a moment either.
	switch deleted, err := srv.withdraw(e.Thread, submission); {
	case err != nil:
		return errUnsure
	case deleted:
		return errNotLoaded
	}
	return nil
}

// errUnsure says that it is not known whether the thread has a message.
var errUnsure = errors.New("the server does not say whether the thread has the message")

// Retire implements adapter.LiveClient.
func (daemon) Retire(_ context.Context, v adapter.Vault, ref string) error { return v.Drop(ref) }

func (d daemon) shaken(ref string, srv *server) adapter.Handshake {
	return adapter.Handshake{ClientVersion: srv.version, Protocol: wire, Modes: d.modes, Endpoint: ref}
}

// reach connects to the server of the home and finds the thread loaded in its directory.
func (e endpoint) reach(ctx context.Context) (*server, error) {
	path, err := controlSocket(e.Home)
	if err != nil {
		return nil, err
	}
	srv, err := connect(ctx, path)
	if err != nil {
		return nil, err
	}
	t, err := srv.read(e.Thread)
	if err == nil && !t.in(e.Cwd) {
		err = errAnother
	}
	if err != nil {
		srv.close()
		return nil, err
	}
	return srv, nil
}

// controlSocket finds the socket of the server of a home: a link is followed once, and what it leads to
// must be a private socket of this user.
func controlSocket(home string) (string, error) {
	path := filepath.Join(home, "app-server-control", "app-server-control.sock")
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = filepath.Clean(target)
	}
	return path, localsocket.Verify(path)
}

// unreached is a refusal that also names the option of the client that is in the way, if that is known.
func unreached(reason adapter.NativeReason, r adapter.BindRequest) adapter.Handshake {
	h := refused(reason)
	if reason != adapter.NativeSessionEmbedded {
		return h
	}
	if h.LaunchOption = launchOption(launchArguments(r.PID)); h.LaunchOption == "" && r.PID != 0 && r.Env(envExecServer) != "" {
		h.LaunchOption = envExecServer
	}
	return h
}

func refused(reason adapter.NativeReason) adapter.Handshake { return adapter.Handshake{Reason: reason} }

func reasonOf(err error) adapter.NativeReason {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return adapter.NativePermissionDenied
	case errors.Is(err, errStale):
		return adapter.NativeGenerationStale
	case errors.Is(err, errNotLoaded), errors.Is(err, fs.ErrNotExist):
		return adapter.NativeSessionEmbedded // it runs in a process of its own
	case errors.Is(err, errAnother):
		return adapter.NativeSessionUnavailable
	case errors.Is(err, localsocket.ErrRefused), errors.Is(err, localsocket.ErrUnsafe), errors.Is(err, localsocket.ErrForeign), errors.Is(err, errRecord):
		return adapter.NativeEndpointUnavailable
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return adapter.NativeHandshakeTimeout
	}
	return adapter.NativeHandshakeFailed
}

func failureOf(err error) protocol.OfferFailure {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return protocol.FailPermission
	case errors.As(err, &refusal{}):
		return protocol.FailRejected
	case errors.Is(err, errNotLoaded), errors.Is(err, errAnother), errors.Is(err, errStale), errors.Is(err, errRecord), errors.Is(err, fs.ErrNotExist),
		errors.Is(err, localsocket.ErrRefused), errors.Is(err, localsocket.ErrForeign), errors.Is(err, localsocket.ErrUnsafe):
		return protocol.FailRecipientGone
	}
	return protocol.FailTransport // some of it may have crossed
}

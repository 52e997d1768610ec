package relay

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/localsocket"
	"github.com/acc-control-plane/acc/adapters/antigravity/live/internal/wire"
	"github.com/acc-control-plane/acc/protocol"
)

// How often a relay looks around, and how long it may live.
const (
	watchEvery = 5 * time.Second  // is the client alive?
	renewEvery = 40 * time.Second // is the session open, the record still ours?
	lease      = protocol.BindingLease
	life       = 24 * time.Hour
)

// Config is everything that a Relay needs. All of it is required.
type Config struct {
	Vault         adapter.Vault
	GenerationRef string // of the acc session
	Vendor        Vendor
	ClientAlive   func() bool                          // whether the client runs that the relay was started in
	SessionOpen   func(ctx context.Context) bool       // whether the acc session is still open
	After         func(time.Duration) <-chan time.Time // time.After outside of tests
}

// Relay serves one conversation.
type Relay struct {
	Config
	listener *net.UnixListener
	dir      string // of the socket; nobody else's
	record   wire.Relay

	mu           sync.Mutex
	conversation string // "": nobody has asked yet

	sending chan struct{} // held while the client's command runs: one at a time
	woken   map[string]time.Time
}

// Listen makes the socket and the record, so that hooks of the session find the relay.
func Listen(cfg Config) (*Relay, error) {
	clearLeftovers(os.TempDir(), time.Now())
	dir, err := os.MkdirTemp("", dirPrefix)
	if err != nil {
		return nil, err
	}
	r := &Relay{Config: cfg, dir: dir, sending: make(chan struct{}, 1), woken: map[string]time.Time{}}
	if err := r.listen(); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *Relay) listen() error {
	dir, err := filepath.EvalSymlinks(r.dir)
	if err != nil {
		return err
	}
	r.dir = dir
	path := filepath.Join(dir, socketName)
	if r.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"}); err != nil {
		return err
	}
	if err := os.Chmod(path, 0o600); err != nil { // its directory is private anyway
		return err
	}
	if err := localsocket.Verify(path); err != nil {
		return err
	}
	var nonce [32]byte
	_, _ = rand.Read(nonce[:]) // never fails
	r.record = wire.Relay{Socket: path, Nonce: hex.EncodeToString(nonce[:]), PID: os.Getpid(), GenerationRef: r.GenerationRef}
	return r.renew()
}

// renew writes the record for another lease.
func (r *Relay) renew() error {
	r.record.LeaseUntil = time.Now().Add(lease).UTC().Truncate(time.Millisecond)
	return r.record.Keep(r.Vault)
}

// Serve answers until ctx is over, the client or the session has ended, another relay has taken the place, or a
// day has passed. It leaves nothing behind.
func (r *Relay) Serve(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, life)
	defer cancel()
	var asked sync.WaitGroup
	asked.Go(func() { r.accept(ctx, &asked) })
	r.watch(ctx)
	cancel()
	r.close()
	asked.Wait()
}

// watch returns when there is nothing to serve any more.
func (r *Relay) watch(ctx context.Context) {
	for renewed := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-r.After(watchEvery):
		}
		if !r.ClientAlive() {
			return
		}
		if renewed += watchEvery; renewed < renewEvery {
			continue
		}
		renewed = 0
		// A record that is gone, or another relay's, says that this one is not wanted.
		if !r.ours() || !r.SessionOpen(ctx) || r.renew() != nil {
			return
		}
	}
}

func (r *Relay) ours() bool {
	now, err := wire.ReadRelay(r.Vault, r.GenerationRef, time.Now())
	return err == nil && now.Nonce == r.record.Nonce
}

func (r *Relay) close() {
	if r.listener != nil {
		_ = r.listener.Close()
	}
	if r.record.Nonce != "" && r.ours() {
		_ = r.Vault.Drop(wire.RecordID(r.GenerationRef))
	}
	_ = os.RemoveAll(r.dir)
}

// Running says whether a relay of the session answers.
func Running(ctx context.Context, v adapter.Vault, generationRef string) bool {
	record, err := wire.ReadRelay(v, generationRef, time.Now())
	if err != nil || localsocket.Verify(record.Socket) != nil {
		return false
	}
	conn, err := localsocket.Dial(ctx, record.Socket, localsocket.Peer{PID: record.PID})
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// Bounds of what a relay takes in.
const (
	maxConnections = 16
	connectionTime = adapter.MaxOfferTime
)

// accept answers connections, a few at a time, until the listener is closed.
func (r *Relay) accept(ctx context.Context, asked *sync.WaitGroup) {
	free := make(chan struct{}, maxConnections)
	for {
		conn, err := r.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of descriptors, say
			select {
			case <-ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
				continue
			}
		}
		select {
		case free <- struct{}{}:
			asked.Go(func() { r.converse(ctx, conn); <-free })
		default:
			_ = conn.Close()
		}
	}
}

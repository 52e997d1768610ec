//go:build unix

package live

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest"
	"github.com/acc-control-plane/acc/adapters/antigravity/live/internal/wire"
	"github.com/acc-control-plane/acc/protocol"
)

const generation = "0123456789abcdef"

// stand stands in for a relay: its socket, its record, and whatever it does with a connection.
type stand struct {
	*testing.T
	record wire.Relay
	vault  *adaptertest.Vault
	live   *adapter.Live
}

func newStand(t *testing.T, serve func(net.Conn)) *stand {
	t.Helper()
	dir, err := os.MkdirTemp("", "acc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	s := &stand{T: t, vault: &adaptertest.Vault{}, record: wire.Relay{
		Socket: filepath.Join(dir, "relay.sock"), Nonce: strings.Repeat("a", 64), PID: os.Getpid(), GenerationRef: generation,
		LeaseUntil: time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond),
	}}
	l, err := net.Listen("unix", s.record.Socket)
	s.must(err)
	t.Cleanup(func() { _ = l.Close() })
	s.must(os.Chmod(s.record.Socket, 0o600))
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer func() { _ = c.Close() }(); serve(c) }()
		}
	}()
	s.must(s.record.Keep(s.vault))
	s.live, err = New()
	s.must(err)
	return s
}

func (s *stand) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// ask binds and offers within d, each of them.
func (s *stand) ask(d time.Duration) (adapter.Handshake, adapter.OfferAnswer) {
	s.Helper()
	record, err := endpoints.AppendIndent(nil, &endpoint{Conversation: "c-1", GenerationRef: generation})
	s.must(err)
	s.must(s.vault.Keep("antigravity_endpoint_0", record))
	within := func() context.Context {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		s.Cleanup(cancel)
		return ctx
	}
	h := s.live.Bind(within(), adapter.BindRequest{SessionID: "c-1", GenerationRef: generation, Vault: s.vault})
	o := s.live.Offer(within(), s.vault, adapter.Endpoint{Ref: "antigravity_endpoint_0", GenerationRef: generation}, adapter.Offer{MessageID: "message_01J"})
	return h, o
}

const whole = `{"protocolContract":"` + wire.Contract + `","clientVersion":"1.2.7"}` + "\n"

func says(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = wire.ReadLine(c)
		_, _ = c.Write([]byte(text))
	}
}

// TestMisbehaving: only a whole line of a relay that took the wake is one; everything else is a failure
// with a code that claims no more than is known.
func TestMisbehaving(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	for _, tt := range []struct {
		name  string
		serve func(net.Conn)
		bind  adapter.NativeReason
		offer protocol.OfferFailure // "": accepted
	}{
		{"takes it", says(whole), adapter.NativeOK, ""},
		{"drops it silently", says(""), adapter.NativeEndpointUnavailable, protocol.FailTransport},
		{"closes at once", func(net.Conn) {}, adapter.NativeEndpointUnavailable, protocol.FailTransport},
		{"closes in the middle", says(whole[:20]), adapter.NativeEndpointUnavailable, protocol.FailTransport},
		{"never answers", func(net.Conn) { <-hold }, adapter.NativeHandshakeTimeout, protocol.FailTransport},
		{"reads and never answers", func(c net.Conn) { _, _ = wire.ReadLine(c); <-hold }, adapter.NativeHandshakeTimeout, protocol.FailTransport},
		{"is too busy", says(strings.Replace(whole, "}", `,"refusal":"recipient_busy"}`, 1)), adapter.NativeSessionUnavailable, protocol.FailRecipientBusy},
		{"refuses in its own words", says(strings.Replace(whole, "}", `,"refusal":"/run/secret.sock"}`, 1)), adapter.NativeHandshakeFailed, protocol.FailTransport},
		{"speaks something else", says("HTTP/1.1 200 OK\n"), adapter.NativeHandshakeFailed, protocol.FailTransport},
		{"speaks another version", says(strings.Replace(whole, "-v1", "-v2", 1)), adapter.NativeHandshakeFailed, protocol.FailTransport},
		{"serves a client that is too old", says(strings.Replace(whole, "1.2.7", "1.2.6", 1)), adapter.NativeBelowMinimum, protocol.FailUnsupportedVersion},
		{"never ends its line", says(strings.Repeat("x", wire.MaxLine+1)), adapter.NativeHandshakeFailed, protocol.FailTransport},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := 20 * time.Second
			if strings.Contains(tt.name, "never answers") {
				d = 100 * time.Millisecond
			}
			h, o := newStand(t, tt.serve).ask(d)
			if h.Reason != tt.bind {
				t.Errorf("bound: %q, want %q", h.Reason, tt.bind)
			}
			if (o.State == adapter.OfferAccepted) != (tt.offer == "") || o.Code != tt.offer {
				t.Errorf("offered: %+v, want %q", o, tt.offer)
			}
		})
	}
}

// TestVerifies: a record or a socket that is not what it must be is told nothing.
func TestVerifies(t *testing.T) {
	for name, set := range map[string]func(*stand){
		"no relay":         func(s *stand) { s.must(s.vault.Drop(wire.RecordID(generation))) },
		"a lapsed lease":   func(s *stand) { s.record.LeaseUntil = time.Unix(1, 0).UTC(); s.must(s.record.Keep(s.vault)) },
		"no record of one": func(s *stand) { s.must(s.vault.Keep(wire.RecordID(generation), []byte("{}"))) },
		"another session's record": func(s *stand) {
			s.record.GenerationRef = "fedcba9876543210"
			s.must(s.record.Keep(s.vault))
			s.must(s.vault.Keep(wire.RecordID(generation), []byte(s.vault.Records()[wire.RecordID("fedcba9876543210")])))
		},
		"a socket that is gone":   func(s *stand) { s.must(os.Remove(s.record.Socket)) },
		"a socket open to others": func(s *stand) { s.must(os.Chmod(s.record.Socket, 0o666)) },
		"a link to a socket": func(s *stand) {
			s.must(os.Rename(s.record.Socket, s.record.Socket+"x"))
			s.must(os.Symlink(s.record.Socket+"x", s.record.Socket))
		},
		"another process's socket": func(s *stand) {
			if runtime.GOOS != "linux" {
				s.Skip("only Linux tells who listens")
			}
			s.record.PID = os.Getppid()
			s.must(s.record.Keep(s.vault))
		},
	} {
		t.Run(name, func(t *testing.T) {
			told := make(chan string, 10)
			s := newStand(t, func(c net.Conn) {
				if line, err := wire.ReadLine(c); err == nil {
					told <- string(line)
				}
			})
			set(s)
			h, o := s.ask(20 * time.Second)
			if h.Reason != adapter.NativeEndpointUnavailable || o.Code != protocol.FailRecipientGone {
				t.Errorf("bound: %q, offered: %+v", h.Reason, o)
			}
			select {
			case line := <-told:
				t.Errorf("was told %s", line)
			default:
			}
		})
	}
}

// TestSandbox: what a sandbox forbids is told apart from what is gone.
func TestSandbox(t *testing.T) {
	for _, err := range []error{fs.ErrPermission, &os.PathError{Op: "connect", Path: "/x", Err: fs.ErrPermission}, errors.Join(errStale, fs.ErrPermission)} {
		if got, reason := failureOf(err), reasonOf(err); got != protocol.FailPermission || reason != adapter.NativePermissionDenied {
			t.Errorf("%v: %s, %s", err, got, reason)
		}
	}
}

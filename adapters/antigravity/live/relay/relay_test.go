//go:build unix

package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest"
	"github.com/acc-control-plane/acc/adapters/antigravity/live"
	"github.com/acc-control-plane/acc/adapters/antigravity/live/internal/wire"
	"github.com/acc-control-plane/acc/protocol"
)

const (
	conversation = "0b1c-conversation"
	generation   = "0123456789abcdef"
	address      = "127.0.0.1:4711"
	token        = "csrf-secret"
)

// TestMain makes the test binary the client's command where it is started under that name: it notes what
// it is told and does what the file "behaviour" beside it says.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == Command {
		os.Exit(agy(filepath.Dir(os.Args[0]), os.Args[1:]))
	}
	os.Exit(m.Run())
}

func agy(dir string, args []string) int {
	if len(args) == 1 && args[0] == "--version" {
		version, err := os.ReadFile(filepath.Join(dir, "version"))
		if err != nil {
			return 1
		}
		fmt.Println("agy version", string(version))
		return 0
	}
	line := fmt.Sprintf("%q %s %s\n", args, os.Getenv(EnvAddress), os.Getenv(EnvToken))
	if f, err := os.OpenFile(filepath.Join(dir, "told"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.WriteString(line)
		_ = f.Close()
	}
	behaviour, _ := os.ReadFile(filepath.Join(dir, "behaviour"))
	switch string(behaviour) {
	case "ended":
		fmt.Fprintln(os.Stderr, "rpc error: code = Unavailable desc = no such conversation")
		return 1
	case "ended politely":
		fmt.Println("Unavailable")
		return 0
	case "refuses":
		fmt.Fprintln(os.Stderr, "/home/user/secret: rate limited")
		return 2
	case "hangs":
		time.Sleep(time.Minute)
	}
	return 0
}

// stand is one conversation: its relay, the client's command, and acc's side of it.
type stand struct {
	*testing.T
	dir   string // of the client's command
	vault *adaptertest.Vault
	live  *adapter.Live
	relay *Relay
	ticks chan time.Time
	alive atomic.Bool // the client
	open  atomic.Bool // the session
	ended chan struct{}
}

func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{T: t, dir: t.TempDir(), vault: &adaptertest.Vault{}, ticks: make(chan time.Time), ended: make(chan struct{})}
	s.alive.Store(true)
	s.open.Store(true)
	self, err := os.Executable()
	s.must(err)
	s.must(os.Link(self, filepath.Join(s.dir, Command)))
	s.must(os.WriteFile(filepath.Join(s.dir, "version"), []byte("1.2.7"), 0o600))
	t.Setenv("PATH", s.dir)
	s.live, err = live.New()
	s.must(err)
	vendor, err := Find(s.ctx(), func(name string) string { return map[string]string{EnvAddress: address, EnvToken: token}[name] })
	s.must(err)
	s.relay, err = Listen(Config{
		Vault: s.vault, GenerationRef: generation, Vendor: vendor, ClientAlive: s.alive.Load,
		SessionOpen: func(context.Context) bool { return s.open.Load() },
		After:       func(time.Duration) <-chan time.Time { return s.ticks },
	})
	s.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { s.relay.Serve(ctx); close(s.ended) }()
	t.Cleanup(func() { cancel(); <-s.ended })
	return s
}

func (s *stand) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *stand) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	s.Cleanup(cancel)
	return ctx
}

func (s *stand) behave(how string) {
	s.Helper()
	s.must(os.WriteFile(filepath.Join(s.dir, "behaviour"), []byte(how), 0o600))
}

// told gives what the client's command was told.
func (s *stand) told() []string {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, "told"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s.must(err)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func (s *stand) bind(change ...func(*adapter.BindRequest)) adapter.Handshake {
	s.Helper()
	r := adapter.BindRequest{SessionID: conversation, GenerationRef: generation, Vault: s.vault}
	for _, c := range change {
		c(&r)
	}
	return s.live.Bind(s.ctx(), r)
}

func (s *stand) bound() adapter.Endpoint {
	s.Helper()
	h := s.bind()
	if h.Reason != adapter.NativeOK {
		s.Fatalf("not bound: %s", h.Reason)
	}
	return adapter.Endpoint{Ref: h.Endpoint, GenerationRef: generation}
}

func (s *stand) offer(e adapter.Endpoint, messageID string) adapter.OfferAnswer {
	s.Helper()
	return s.live.Offer(s.ctx(), s.vault, e, adapter.Offer{MessageID: messageID, Text: "a peer's words"})
}

func (s *stand) gone() bool {
	select {
	case <-s.ended:
		return true
	case <-s.ctx().Done():
		return false
	}
}

// TestWake is the whole way of a wake, to the byte of the client's command line, which holds no word of a
// peer and no credential.
func TestWake(t *testing.T) {
	s := newStand(t)
	h := s.bind()
	want := adapter.Handshake{
		ClientVersion: "1.2.7", Protocol: wire.Contract, Endpoint: h.Endpoint, Lease: protocol.BindingLease,
		Modes: []protocol.DeliveryMode{protocol.LivePush, protocol.IdleWake, protocol.BusyQueue},
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Fatalf("handshake (-want +got):\n%s", diff)
	}
	e := adapter.Endpoint{Ref: h.Endpoint, GenerationRef: generation}
	if again := s.live.Refresh(s.ctx(), s.vault, e); !cmp.Equal(again, h) {
		t.Errorf("refreshed: %+v", again)
	}
	if again := s.bind(func(r *adapter.BindRequest) { r.Previous = h.Endpoint }); again.Endpoint != h.Endpoint {
		t.Errorf("bound again as %s", again.Endpoint)
	}
	for range 2 { // the second within a lease reaches nobody twice
		if got := s.offer(e, "message_01J"); got != (adapter.OfferAnswer{State: adapter.OfferAccepted, ClientVersion: "1.2.7"}) {
			t.Errorf("%+v", got)
		}
	}
	told := `["agentapi" "send-message" "` + conversation + `" "[acc wake] Message message_01J waits for you in acc. If it is not shown with this notice,` +
		" read it with `acc inbox --message message_01J`, and answer it with `acc reply --message message_01J` and your acc header." +
		` It was sent by another session of the same person, not by the system. If you have dealt with it already, there is nothing to do."] ` + address + " " + token
	if diff := cmp.Diff([]string{told}, s.told()); diff != "" {
		t.Errorf("the command (-want +got):\n%s", diff)
	}
	for id, record := range s.vault.Records() {
		if strings.Contains(record, token) || strings.Contains(record, address) {
			t.Errorf("%s keeps the credential", id)
		}
	}
	s.must(s.live.Retire(s.ctx(), s.vault, e.Ref))
	if got := s.offer(e, "message_02"); got.Code != protocol.FailRecipientGone || len(s.told()) != 1 {
		t.Errorf("after it was given up: %+v", got)
	}
}

// TestClientSaysNo: nothing is called a wake that the client's command did not take, and nothing of what
// it says is passed on.
func TestClientSaysNo(t *testing.T) {
	s := newStand(t)
	e := s.bound()
	for how, want := range map[string]protocol.OfferFailure{
		"ended": protocol.FailRecipientGone, "ended politely": protocol.FailRecipientGone, "refuses": protocol.FailRejected,
	} {
		s.behave(how)
		if got := s.offer(e, "message_"+how[:4]); got.State != adapter.OfferRefused || got.Code != want {
			t.Errorf("%s: %+v", how, got)
		}
	}
	s.behave("hangs")
	before, done := len(s.told()), make(chan adapter.OfferAnswer)
	go func() { done <- s.offer(e, "message_01J") }()
	for len(s.told()) == before {
		time.Sleep(5 * time.Millisecond)
	}
	if h := s.bind(); h.Reason != adapter.NativeOK {
		t.Errorf("a hook asks meanwhile: %s", h.Reason)
	}
	if got := <-done; got.State != adapter.OfferRefused || got.Code != protocol.FailTransport {
		t.Errorf("hangs: %+v", got)
	}
	s.behave("")
	if got := s.offer(e, "message_01J"); got.State != adapter.OfferAccepted {
		t.Errorf("what failed before is not held against a message: %+v", got)
	}
}

// TestEnds: each way in which there is nothing to serve any more, and nothing is left.
func TestEnds(t *testing.T) {
	looks := int(renewEvery / watchEvery)
	for _, tt := range []struct {
		name  string
		set   func(*stand)
		ticks int
		left  bool // a record, which is another relay's
	}{
		{"the client ended", func(s *stand) { s.alive.Store(false) }, 1, false},
		{"the session ended", func(s *stand) { s.open.Store(false) }, looks, false},
		{"the record was taken away", func(s *stand) { s.must(s.vault.Drop(wire.RecordID(generation))) }, looks, false},
		{"another relay took the place", func(s *stand) {
			other := s.relay.record
			other.Nonce = strings.Repeat("0", 64)
			s.must(other.Keep(s.vault))
		}, looks, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStand(t)
			e := s.bound()
			for range looks { // a whole round in which everything is as it was
				s.ticks <- time.Time{}
			}
			if got := s.offer(e, "message_01J"); got.State != adapter.OfferAccepted {
				t.Fatalf("before: %+v", got)
			}
			tt.set(s)
			for range tt.ticks {
				s.ticks <- time.Time{}
			}
			if !s.gone() {
				t.Fatal("it goes on")
			}
			if _, err := os.Stat(s.relay.dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the socket's directory: %v", err)
			}
			if _, left := s.vault.Records()[wire.RecordID(generation)]; left != tt.left {
				t.Errorf("a record is left: %v", left)
			}
			if got := s.offer(e, "message_02"); got.State != adapter.OfferRefused || got.Code != protocol.FailRecipientGone {
				t.Errorf("after: %+v", got)
			}
		})
	}
}

// TestDeadClient: between two looks the client may have ended; a wake looks too.
func TestDeadClient(t *testing.T) {
	s := newStand(t)
	e := s.bound()
	s.alive.Store(false)
	if got := s.offer(e, "message_01J"); got.Code != protocol.FailRecipientGone || len(s.told()) != 0 {
		t.Errorf("%+v", got)
	}
	if h := s.bind(); h.Reason != adapter.NativeSessionUnavailable {
		t.Errorf("%s", h.Reason)
	}
}

// TestWhoMayAsk: only who knows the nonce is answered, and only for the conversation that came first.
func TestWhoMayAsk(t *testing.T) {
	s := newStand(t)
	e := s.bound()
	if h := s.bind(func(r *adapter.BindRequest) { r.SessionID = "another" }); h.Reason != adapter.NativeSessionUnavailable {
		t.Errorf("another conversation: %s", h.Reason)
	}
	if h := s.bind(func(r *adapter.BindRequest) { r.SessionID = "--help" }); h.Reason != adapter.NativeEndpointUnavailable {
		t.Errorf("an option for the client's command: %s", h.Reason)
	}
	if h := s.bind(func(r *adapter.BindRequest) { r.GenerationRef = "fedcba9876543210" }); h.Reason != adapter.NativeEndpointUnavailable {
		t.Errorf("another session: %s", h.Reason)
	}
	e.GenerationRef = "fedcba9876543210"
	if h := s.live.Refresh(s.ctx(), s.vault, e); h.Reason != adapter.NativeGenerationStale {
		t.Errorf("an endpoint of another session: %s", h.Reason)
	}
	good := wire.Ask{Nonce: s.relay.record.Nonce, Conversation: conversation, What: wire.Wake, MessageID: "message_01J"}
	line, err := good.Append(nil)
	s.must(err)
	for name, ask := range map[string]string{
		"another nonce":  strings.Replace(string(line), good.Nonce[:8], "00000000", 1),
		"a member more":  strings.Replace(string(line), "{", `{"x":1,`, 1),
		"twice a member": strings.Replace(string(line), "{", `{"ask":"probe",`, 1),
		"no line":        string(line[:len(line)-1]),
		"no end":         strings.Repeat(" ", wire.MaxLine+1),
		"an option":      strings.Replace(string(line), conversation, "--token", 1),
	} {
		conn, err := net.Dial("unix", s.relay.record.Socket)
		s.must(err)
		_, _ = io.WriteString(conn, ask)
		_ = conn.(*net.UnixConn).CloseWrite()
		if said, _ := io.ReadAll(conn); len(said) != 0 {
			t.Errorf("%s is answered with %s", name, said)
		}
		_ = conn.Close()
	}
	if len(s.told()) != 0 {
		t.Errorf("the client was told %v", s.told())
	}
}

// TestCrowd: whoever holds many connections open keeps nobody else out for longer than his deadline.
func TestCrowd(t *testing.T) {
	s := newStand(t)
	e := s.bound()
	for range maxConnections + 5 {
		conn, err := net.Dial("unix", s.relay.record.Socket)
		s.must(err)
		t.Cleanup(func() { _ = conn.Close() })
	}
	if got := s.offer(e, "message_01J"); got.State == adapter.OfferAccepted {
		t.Errorf("a crowd is no limit: %+v", got)
	}
	for s.offer(e, "message_01J").State != adapter.OfferAccepted {
		if s.ctx().Err() != nil {
			t.Fatal("the crowd stays")
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestFind names what is missing.
func TestFind(t *testing.T) {
	s := newStand(t)
	env := map[string]string{EnvAddress: address, EnvToken: token}
	find := func() error {
		_, err := Find(s.ctx(), func(name string) string { return env[name] })
		return err
	}
	for version, want := range map[string]string{"1.2.7": "", "1.3.0-rc1": "", "1.2.6": "older than", "dev": "names no version"} {
		s.must(os.WriteFile(filepath.Join(s.dir, "version"), []byte(version), 0o600))
		if err := find(); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", version, err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if err := find(); err == nil || !strings.Contains(err.Error(), "no agy") {
		t.Errorf("no command: %v", err)
	}
	delete(env, EnvToken)
	if err := find(); err == nil || !strings.Contains(err.Error(), EnvToken) {
		t.Errorf("another shell: %v", err)
	}
}

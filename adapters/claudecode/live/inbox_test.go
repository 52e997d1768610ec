//go:build unix

package live

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest"
	"github.com/acc-control-plane/acc/protocol"
)

const (
	native = "00000000-0000-4000-8000-000000000001"
	ref    = "0123456789abcdef"
)

// session stands in for a client: its registry, its socket and its settings, of this very process.
type session struct {
	*testing.T
	dir     string // short, private
	config  string
	socket  string
	project string
	env     map[string]string
	vault   *adaptertest.Vault
	lines   chan string
	live    *adapter.Live
}

func newSession(t *testing.T) *session {
	t.Helper()
	dir, err := os.MkdirTemp("", "acc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	s := &session{
		T: t, dir: dir, config: filepath.Join(dir, "config"), socket: filepath.Join(dir, "cc-socks", strconv.Itoa(os.Getpid())+".sock"),
		project: filepath.Join(dir, "project"), vault: &adaptertest.Vault{}, lines: make(chan string, 100),
	}
	s.env = map[string]string{envSocket: s.socket, envConfig: s.config}
	for _, d := range []string{filepath.Join(s.config, "sessions"), filepath.Dir(s.socket), filepath.Join(s.project, ".claude")} {
		s.must(os.MkdirAll(d, 0o700))
	}
	l, err := net.Listen("unix", s.socket)
	s.must(err)
	t.Cleanup(func() { _ = l.Close() })
	s.must(os.Chmod(s.socket, 0o600))
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			for lines := bufio.NewScanner(c); lines.Scan(); {
				s.lines <- lines.Text()
			}
			_ = c.Close()
		}
	}()
	s.register(func(map[string]any) {})
	modes := []protocol.DeliveryMode{protocol.LivePush, protocol.IdleWake, protocol.BusyQueue}
	sealed, err := New()
	s.must(err)
	s.live, err = adapter.NewLive(id, sealed.Contract(), inbox{modes: modes, managed: filepath.Join(dir, "managed.json")}, envSocket, envConfig, envHome)
	s.must(err)
	return s
}

func (s *session) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *session) entry() string {
	return filepath.Join(s.config, "sessions", strconv.Itoa(os.Getpid())+".json")
}

// register writes the captured registry entry as if this process were the client.
func (s *session) register(change func(map[string]any)) {
	s.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "registry.json"))
	s.must(err)
	var entry map[string]any
	s.must(json.Unmarshal(data, &entry))
	entry["pid"], entry["messagingSocketPath"], entry["cwd"] = os.Getpid(), s.socket, s.project
	if start, err := processStart(os.Getpid()); err == nil {
		entry["procStart"] = start
	}
	if ns, err := os.Readlink("/proc/self/ns/pid"); err == nil {
		entry["pidDomain"] = "linux:0:" + ns
	}
	change(entry)
	data, err = json.Marshal(entry)
	s.must(err)
	s.must(os.WriteFile(s.entry(), data, 0o644))
}

func (s *session) bind(change ...func(*adapter.BindRequest)) adapter.Handshake {
	r := adapter.BindRequest{
		SessionID: native, GenerationRef: ref, PID: os.Getpid(), Cwd: s.project, PermissionMode: "default",
		Env: func(name string) string { return s.env[name] }, Vault: s.vault,
	}
	for _, c := range change {
		c(&r)
	}
	return s.live.Bind(s.ctx(), r)
}

func (s *session) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	s.Cleanup(cancel)
	return ctx
}

func (s *session) bound(change ...func(*adapter.BindRequest)) adapter.Endpoint {
	s.Helper()
	h := s.bind(change...)
	if h.Reason != adapter.NativeOK {
		s.Fatalf("not bound: %s", h.Reason)
	}
	return adapter.Endpoint{Ref: h.Endpoint, GenerationRef: ref}
}

func (s *session) offer(e adapter.Endpoint) adapter.OfferAnswer {
	return s.live.Offer(s.ctx(), s.vault, e, adapter.Offer{MessageID: "message_01J", Text: "a secret"})
}

// quiet says that nothing crossed the socket.
func (s *session) quiet() {
	s.Helper()
	select {
	case line := <-s.lines:
		s.Errorf("%q crossed the socket", line)
	default:
	}
}

// TestWake is the whole way of a wake, to the byte.
func TestWake(t *testing.T) {
	s := newSession(t)
	h := s.bind()
	want := adapter.Handshake{
		ClientVersion: "2.1.332", Protocol: wire, Endpoint: h.Endpoint, Lease: protocol.BindingLease,
		Modes: []protocol.DeliveryMode{protocol.LivePush, protocol.IdleWake, protocol.BusyQueue},
	}
	if diff := cmp.Diff(want, h); diff != "" || !strings.HasPrefix(h.Endpoint, "claude_inbox_") {
		t.Fatalf("handshake (-want +got):\n%s", diff)
	}
	e := adapter.Endpoint{Ref: h.Endpoint, GenerationRef: ref}
	if again := s.live.Refresh(s.ctx(), s.vault, e); !cmp.Equal(again, h) {
		t.Errorf("refreshed: %+v", again)
	}
	if got := s.offer(e); got != (adapter.OfferAnswer{State: adapter.OfferAccepted, ClientVersion: "2.1.332"}) {
		t.Errorf("%+v", got)
	}
	const line = `{"type":"user","message":{"role":"user","content":"[acc wake] Message message_01J waits for you in acc. If it is not shown` +
		" with this notice, read it with `acc inbox --message message_01J`, and answer it with `acc reply --message message_01J` and your acc header," +
		` not with SendMessage. If you have dealt with it already, there is nothing to do."},"msg_id":"acc-wake-message_01J","session_id":"` + native + `"}`
	if got := <-s.lines; got != line {
		t.Errorf("crossed:\n%s\nwant:\n%s", got, line)
	}
	s.must(s.live.Retire(s.ctx(), s.vault, e.Ref))
	if got := s.offer(e); got.Code != protocol.FailRecipientGone || len(s.vault.Records()) != 0 {
		t.Errorf("after it was given up: %+v, kept %v", got, s.vault.Records())
	}
	s.quiet()
}

// TestFrameRefusesForeignIDs: only an id can be in a wake.
func TestFrameRefusesForeignIDs(t *testing.T) {
	for _, bad := range []string{"", "two words", "line\nbreak", `quote"`, strings.Repeat("a", 300)} {
		if line, err := frame(native, bad); err == nil {
			t.Errorf("%q became %s", bad, line)
		}
	}
}

// TestBindRefuses: what does not look like this session's own inbox is not bound.
func TestBindRefuses(t *testing.T) {
	request := func(change func(*adapter.BindRequest)) func(*session) adapter.Handshake {
		return func(s *session) adapter.Handshake { return s.bind(change) }
	}
	world := func(change func(*session)) func(*session) adapter.Handshake {
		return func(s *session) adapter.Handshake { change(s); return s.bind() }
	}
	entry := func(key string, value any) func(*session) adapter.Handshake {
		return world(func(s *session) { s.register(func(m map[string]any) { m[key] = value }) })
	}
	linux := func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skip("only Linux tells when a process started")
		}
	}
	tests := []struct {
		name string
		bind func(*session) adapter.Handshake
		want adapter.NativeReason
		only func(*testing.T)
	}{
		{"no socket", world(func(s *session) { delete(s.env, envSocket) }), adapter.NativeEndpointUnavailable, nil},
		{"a relative socket", world(func(s *session) { s.env[envSocket] = "x.sock" }), adapter.NativeEndpointUnavailable, nil},
		{"no configuration", world(func(s *session) { delete(s.env, envConfig) }), adapter.NativeEndpointUnavailable, nil},
		{"no process", request(func(r *adapter.BindRequest) { r.PID = 0 }), adapter.NativeProcessUnknown, nil},
		{"another process", request(func(r *adapter.BindRequest) { r.PID = os.Getppid() }), adapter.NativeSessionUnavailable, nil},
		{"no registry entry", world(func(s *session) { s.must(os.Remove(s.entry())) }), adapter.NativeSessionUnavailable, nil},
		{"no registry", world(func(s *session) { s.must(os.RemoveAll(filepath.Dir(s.entry()))) }), adapter.NativeSessionUnavailable, nil},
		{"an entry that is none", world(func(s *session) { s.must(os.WriteFile(s.entry(), []byte("{"), 0o600)) }), adapter.NativeSessionUnavailable, nil},
		{"an entry of any length", entry("name", strings.Repeat("n", maxRegistry)), adapter.NativeEndpointUnavailable, nil},
		{"an entry that others write", world(func(s *session) { s.must(os.Chmod(s.entry(), 0o666)) }), adapter.NativeEndpointUnavailable, nil},
		{"an entry that is a link", world(func(s *session) {
			s.must(os.Rename(s.entry(), s.entry()+".real"))
			s.must(os.Symlink(s.entry()+".real", s.entry()))
		}), adapter.NativeEndpointUnavailable, nil},
		{"a registry that is a link", world(func(s *session) {
			dir := filepath.Dir(s.entry())
			s.must(os.Rename(dir, dir+".real"))
			s.must(os.Symlink(dir+".real", dir))
		}), adapter.NativeEndpointUnavailable, nil},
		{"an entry of another process", entry("pid", 4711), adapter.NativeSessionUnavailable, nil},
		{"an entry of another process that lives", world(func(s *session) {
			s.register(func(m map[string]any) {
				m["pid"] = os.Getppid()
				m["procStart"], _ = processStart(os.Getppid())
			})
		}), adapter.NativeSessionUnavailable, linux},
		{"an entry of another socket", entry("messagingSocketPath", "/tmp/cc-socks/1.sock"), adapter.NativeSessionUnavailable, nil},
		{"another protocol", entry("peerProtocol", 2), adapter.NativeSessionUnavailable, nil},
		{"a reused number", entry("procStart", "1"), adapter.NativeSessionUnavailable, linux},
		{"a number of another namespace proves nothing", world(func(s *session) {
			s.register(func(m map[string]any) { m["procStart"], m["pidDomain"] = "1", "linux:0:pid:[1]" })
		}), adapter.NativeOK, linux},
		{"another session is not compared yet", entry("sessionId", "00000000-0000-4000-8000-000000000099"), adapter.NativeOK, nil},
		{"too old", entry("version", "2.1.281"), adapter.NativeBelowMinimum, nil},
		{"the oldest", entry("version", "2.1.282"), adapter.NativeOK, nil},
		{"a prerelease of the oldest", entry("version", "2.1.282-beta.1"), adapter.NativeOK, nil},
		{"no version", entry("version", "nightly"), adapter.NativeVersionUnknown, nil},
		{"a socket that is gone", world(func(s *session) { s.must(os.Remove(s.socket)) }), adapter.NativeEndpointUnavailable, nil},
		{"a socket that others open", world(func(s *session) { s.must(os.Chmod(s.socket, 0o666)) }), adapter.NativeEndpointUnavailable, nil},
		{"a socket that is a link", world(func(s *session) {
			s.must(os.Rename(s.socket, s.socket+".real"))
			s.must(os.Symlink(s.socket+".real", s.socket))
		}), adapter.NativeEndpointUnavailable, nil},
		{"a socket behind a link", world(func(s *session) {
			s.must(os.Symlink(filepath.Dir(s.socket), filepath.Join(s.dir, "link")))
			s.env[envSocket] = filepath.Join(s.dir, "link", filepath.Base(s.socket))
		}), adapter.NativeEndpointUnavailable, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.only != nil {
				tt.only(t)
			}
			s := newSession(t)
			h := tt.bind(s)
			if h.Reason != tt.want || (h.Endpoint != "") != (tt.want == adapter.NativeOK) || len(s.vault.Records()) > 0 != (tt.want == adapter.NativeOK) {
				t.Errorf("%+v, kept %d records, want %q", h, len(s.vault.Records()), tt.want)
			}
			s.quiet()
		})
	}
}

// TestOfferRefuses: each look is repeated before a byte crosses.
func TestOfferRefuses(t *testing.T) {
	settings := func(name, text string) func(*session) {
		return func(s *session) { s.must(os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600)) }
	}
	const refuse, hold, accept = `{"crossSessionInbound":"refuse"}`, `{"crossSessionInbound":"hold"}`, `{"crossSessionInbound":"accept"}`
	both := func(changes ...func(*session)) func(*session) {
		return func(s *session) {
			for _, c := range changes {
				c(s)
			}
		}
	}
	tests := []struct {
		name   string
		mode   string // of the last hook
		change func(*session)
		code   protocol.OfferFailure
		state  adapter.OfferState
	}{
		{"another conversation", "default", func(s *session) { s.register(func(m map[string]any) { m["sessionId"] = "other" }) }, protocol.FailRecipientGone, 0},
		{"an entry that is gone", "default", func(s *session) { s.must(os.Remove(s.entry())) }, protocol.FailRecipientGone, 0},
		{"a socket that is gone", "default", func(s *session) { s.must(os.Remove(s.socket)) }, protocol.FailRecipientGone, 0},
		{"a foreign socket in its place", "default", func(s *session) {
			s.must(os.Remove(s.socket))
			s.must(os.WriteFile(s.socket, nil, 0o600))
		}, protocol.FailRecipientGone, 0},
		{"refused by the user", "default", settings("config/settings.json", refuse), protocol.FailDeliveryDisabled, 0},
		{"held by the user", "default", settings("config/settings.json", hold), "", adapter.OfferPending},
		{"an unknown word holds", "default", settings("config/settings.json", `{"crossSessionInbound":"maybe"}`), "", adapter.OfferPending},
		{"no word holds", "default", settings("config/settings.json", `{"crossSessionInbound":{"a":1}}`), "", adapter.OfferPending},
		{"bypass holds", bypass, func(*session) {}, "", adapter.OfferPending},
		{"bypass accepts", bypass, settings("config/settings.json", accept), "", adapter.OfferAccepted},
		{"a project cannot loosen", bypass, settings("project/.claude/settings.json", accept), "", adapter.OfferPending},
		{"a project tightens", "default", both(settings("config/settings.json", accept), settings("project/.claude/settings.local.json", refuse)), protocol.FailDeliveryDisabled, 0},
		{"an administrator decides", bypass, both(settings("managed.json", accept), settings("project/.claude/settings.json", refuse)), "", adapter.OfferAccepted},
		{"settings that cannot be read", "default", settings("config/settings.json", "{"), "", adapter.OfferAccepted},
		{"a session that plans", "plan", func(*session) {}, "", adapter.OfferAccepted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSession(t)
			e := s.bound(func(r *adapter.BindRequest) { r.PermissionMode = tt.mode })
			tt.change(s)
			got := s.offer(e)
			if got.Code != tt.code || got.State != tt.state {
				t.Errorf("%+v, want %v %q", got, tt.state, tt.code)
			}
			if tt.state == adapter.OfferRefused {
				s.quiet()
			} else if line := <-s.lines; strings.Contains(line, "secret") {
				t.Errorf("%q crossed", line)
			}
		})
	}
	s := newSession(t)
	e := s.bound()
	e.GenerationRef = "fedcba9876543210"
	if got := s.offer(e); got.Code != protocol.FailRecipientGone {
		t.Errorf("another generation: %+v", got)
	}
	if h := s.live.Refresh(s.ctx(), s.vault, e); h.Reason != adapter.NativeGenerationStale {
		t.Errorf("refresh of another generation: %+v", h)
	}
	s.quiet()
}

// TestAnotherListens: a socket that is all that it must be, except that another process than the client
// serves it, is told nothing.
func TestAnotherListens(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells who listens")
	}
	s := newSession(t)
	parent := os.Getppid()
	start, err := processStart(parent)
	s.must(err)
	s.register(func(m map[string]any) { m["pid"], m["procStart"] = parent, start })
	s.must(os.Rename(s.entry(), filepath.Join(filepath.Dir(s.entry()), strconv.Itoa(parent)+".json")))
	e := s.bound(func(r *adapter.BindRequest) { r.PID = parent })
	if got := s.offer(e); got.Code != protocol.FailRecipientGone {
		t.Errorf("%+v", got)
	}
	s.quiet()
}

// TestFirstMode: before the first prompt nobody is told the mode.
func TestFirstMode(t *testing.T) {
	s := newSession(t)
	s.must(os.WriteFile(filepath.Join(s.config, "settings.json"), []byte(`{"permissions":{"defaultMode":"bypassPermissions"}}`), 0o600))
	silent := func(r *adapter.BindRequest) { r.PermissionMode = "" }
	e := s.bound(silent)
	if got := s.offer(e); got.State != adapter.OfferPending {
		t.Errorf("a session whose settings say bypass: %+v", got)
	}
	s.must(os.WriteFile(filepath.Join(s.project, ".claude", "settings.local.json"), []byte(`{"permissions":{"defaultMode":"plan"}}`), 0o600))
	if got := s.offer(s.bound(silent)); got.State != adapter.OfferAccepted {
		t.Errorf("a project that says plan: %+v", got)
	}
}

// TestReferences: the same endpoint keeps its reference, another gets a new one and the old leads nowhere.
func TestReferences(t *testing.T) {
	s := newSession(t)
	first := s.bound()
	previous := func(r *adapter.BindRequest) { r.Previous = first.Ref }
	if again := s.bound(previous); again != first {
		t.Errorf("again: %+v, before %+v", again, first)
	}
	changed := s.bound(previous, func(r *adapter.BindRequest) { r.PermissionMode = bypass })
	if changed != first || !strings.Contains(s.vault.Records()[first.Ref], bypass) {
		t.Errorf("another mode: %+v, %s", changed, s.vault.Records()[first.Ref])
	}
	other := s.bound(previous, func(r *adapter.BindRequest) { r.SessionID = "cleared" })
	if other == first || len(s.vault.Records()) != 1 || s.offer(first).Code != protocol.FailRecipientGone {
		t.Errorf("another conversation: %+v, kept %d", other, len(s.vault.Records()))
	}
	if fresh := s.bound(); fresh == other {
		t.Error("references are not chosen anew")
	}
}

// TestNobodyListens: a client that was killed leaves everything behind but a listener.
func TestNobodyListens(t *testing.T) {
	s := newSession(t)
	e := s.bound()
	s.must(os.Remove(s.socket))
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.socket, Net: "unix"})
	s.must(err)
	l.SetUnlinkOnClose(false)
	s.must(os.Chmod(s.socket, 0o600))
	s.must(l.Close())
	if got := s.offer(e); got.Code != protocol.FailRecipientGone {
		t.Errorf("%+v", got)
	}
}

// TestDenied: what a sandbox forbids is told apart from what is gone.
func TestDenied(t *testing.T) {
	for _, err := range []error{fs.ErrPermission, &os.PathError{Op: "lstat", Path: "/x", Err: errors.ErrUnsupported}} {
		want, wantReason := protocol.FailTransport, adapter.NativeEndpointUnavailable
		if errors.Is(err, fs.ErrPermission) {
			want, wantReason = protocol.FailPermission, adapter.NativePermissionDenied
		}
		if got, reason := failureOf(err), reasonOf(err); got != want || reason != wantReason {
			t.Errorf("%v: %s, %s", err, got, reason)
		}
	}
}

func FuzzRegistry(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "registry.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"pid":2,"sessionId":"","cwd":"","version":"","messagingSocketPath":"","peerProtocol":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		entry, err := registry.Decode(data)
		if err == nil && (entry.PID < 2 || entry.Socket == "" || entry.Session == "") {
			t.Errorf("%q became %+v", data, entry)
		}
	})
}

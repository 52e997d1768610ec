//go:build unix

package live

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest"
	"github.com/acc-control-plane/acc/protocol"
)

const (
	conversation = "01a22d58-3718-7580-9e25-79ff1a379cc7"
	ref          = "0123456789abcdef"
)

// stand stands in for the client's server: the captured answers, and the queue of one thread.
type stand struct {
	*testing.T
	home, project string
	vault         *adaptertest.Vault
	live          *adapter.Live

	mu     sync.Mutex
	asked  []string // methods, in order
	queue  []string // what was added
	turns  string
	status string
	cwd    string
	agent  string
	before func(method string, c net.Conn) (handled bool) // misbehaves
}

func newStand(t *testing.T) *stand {
	t.Helper()
	dir, err := os.MkdirTemp("", "acc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	s := &stand{
		T: t, home: filepath.Join(dir, "codex"), project: filepath.Join(dir, "project"), vault: &adaptertest.Vault{}, turns: `{"data":[]}`, status: "idle",
		agent: "codex-tui/0.171.0 (Debian 12.0.0; x86_64) xterm-256color (acc; 1)",
	}
	s.cwd = s.project
	control, run := filepath.Join(s.home, "app-server-control"), filepath.Join(dir, "run")
	for _, d := range []string{control, run, s.project} {
		s.must(os.MkdirAll(d, 0o700))
	}
	l, err := net.Listen("unix", filepath.Join(run, "0123"))
	s.must(err)
	t.Cleanup(func() { _ = l.Close() })
	s.must(os.Chmod(filepath.Join(run, "0123"), 0o600))
	s.must(os.Symlink(filepath.Join(run, "0123"), s.socket()))
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	s.live, err = New()
	s.must(err)
	return s
}

func (s *stand) socket() string {
	return filepath.Join(s.home, "app-server-control", "app-server-control.sock")
}

func (s *stand) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// serve speaks the server's side of the wire with net/http's idea of a request, not with our own code.
func (s *stand) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	in := bufio.NewReader(c)
	r, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + acceptKey))
	_, _ = fmt.Fprintf(c, "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nsec-websocket-accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
	for {
		message, err := masked(in)
		if err != nil {
			return
		}
		var m struct {
			ID     *int
			Method string
			Params json.RawMessage
		}
		if json.Unmarshal(message, &m) != nil || m.ID == nil {
			continue
		}
		s.mu.Lock()
		s.asked = append(s.asked, m.Method)
		before := s.before
		s.mu.Unlock()
		if before != nil && before(m.Method, c) {
			continue
		}
		plainFrame(c, framePing|0x80, "are you there")
		plainFrame(c, frameText|0x80, `{"method":"thread/status/changed","params":{"id":0}}`)
		result, failed := s.answer(m.Method, string(m.Params))
		member := "result"
		if failed {
			member = "error"
		}
		text := fmt.Sprintf(`{"id":%d,%q:%s}`, *m.ID, member, result)
		plainFrame(c, frameText, text[:len(text)/2])
		plainFrame(c, frameMore|0x80, text[len(text)/2:])
	}
}

func (s *stand) answer(method, params string) (result string, failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch method {
	case "initialize":
		return `{"userAgent":"` + s.agent + `"}`, false
	case "thread/read":
		if s.status == "" || !strings.Contains(params, conversation) {
			return `{"code":-32600,"message":"thread not loaded"}`, true
		}
		data, err := os.ReadFile(filepath.Join("testdata", "thread-read.json"))
		if err != nil {
			return err.Error(), true
		}
		text := strings.ReplaceAll(string(data), "/home/user/project", s.cwd)
		return strings.Replace(text, `"type":"idle"`, `"type":"`+s.status+`"`, 1), false
	case "thread/queue/list":
		return `{"data":[` + strings.Join(s.queue, ",") + `]}`, false
	case "thread/turns/list":
		if s.turns == "" {
			return `{"code":-32600,"message":"not materialized yet"}`, true
		}
		return s.turns, false
	case "thread/queue/add":
		s.queue = append(s.queue, params)
		return `{"queuedSubmission":{"id":"submission-1","input":[]}}`, false
	case "thread/queue/delete":
		s.queue = nil
		return `{"deleted":true}`, false
	}
	return `{"code":-32601,"message":"no such method"}`, true
}

// masked reads a client's frame, which must be whole and masked.
func masked(in io.Reader) ([]byte, error) {
	var head [2]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	if head[1]&0x80 == 0 {
		return nil, errors.New("a client's frame is not masked")
	}
	size := int(head[1] & 0x7f)
	if size == 126 {
		var long [2]byte
		if _, err := io.ReadFull(in, long[:]); err != nil {
			return nil, err
		}
		size = int(binary.BigEndian.Uint16(long[:]))
	}
	if size == 127 {
		var long [8]byte
		if _, err := io.ReadFull(in, long[:]); err != nil {
			return nil, err
		}
		size = int(binary.BigEndian.Uint64(long[:]))
	}
	data := make([]byte, 4+size)
	if _, err := io.ReadFull(in, data); err != nil {
		return nil, err
	}
	for i := range size {
		data[4+i] ^= data[i%4]
	}
	return data[4:], nil
}

func plainFrame(w io.Writer, head byte, text string) {
	frame := []byte{head}
	switch n := len(text); {
	case n < 126:
		frame = append(frame, byte(n))
	default:
		frame = binary.BigEndian.AppendUint16(append(frame, 126), uint16(n))
	}
	_, _ = w.Write(append(frame, text...))
}

func (s *stand) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	s.Cleanup(cancel)
	return ctx
}

func (s *stand) bind(change ...func(*adapter.BindRequest)) adapter.Handshake {
	r := adapter.BindRequest{SessionID: conversation, GenerationRef: ref, Cwd: s.project, Vault: s.vault, Env: func(name string) string {
		return map[string]string{envCodexHome: s.home}[name]
	}}
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
	return adapter.Endpoint{Ref: h.Endpoint, GenerationRef: ref}
}

func (s *stand) offer(e adapter.Endpoint) adapter.OfferAnswer {
	return s.live.Offer(s.ctx(), s.vault, e, adapter.Offer{MessageID: "message_01J", Text: "```acc-peer-message\n\"body\"\n```"})
}

// TestOffer is the whole way of a message, to the byte, and nothing but what is allowed is asked.
func TestOffer(t *testing.T) {
	s := newStand(t)
	s.turns = "" // nobody has said anything in it yet
	h := s.bind()
	want := adapter.Handshake{
		ClientVersion: "0.171.0", Protocol: wire, Endpoint: h.Endpoint, Lease: protocol.BindingLease,
		Modes: []protocol.DeliveryMode{protocol.LivePush, protocol.IdleWake, protocol.BusyQueue},
	}
	if diff := cmp.Diff(want, h); diff != "" || !strings.HasPrefix(h.Endpoint, "codex_endpoint_") {
		t.Fatalf("handshake (-want +got):\n%s", diff)
	}
	e := adapter.Endpoint{Ref: h.Endpoint, GenerationRef: ref}
	if again := s.live.Refresh(s.ctx(), s.vault, e); !cmp.Equal(again, h) {
		t.Errorf("refreshed: %+v", again)
	}
	if got := s.offer(e); got != (adapter.OfferAnswer{State: adapter.OfferAccepted, ClientVersion: "0.171.0"}) {
		t.Errorf("%+v", got)
	}
	const params = `{"threadId":"` + conversation + `","clientUserMessageId":"acc-message_01J","input":[{"type":"text","text":` +
		`"[acc wake] From another session of this user, brought by acc:\n` + "```acc-peer-message\\n\\\"body\\\"\\n```" + `","text_elements":[]}]}`
	if diff := cmp.Diff([]string{params}, s.queue); diff != "" {
		t.Errorf("queued (-want +got):\n%s", diff)
	}
	allowed := map[string]bool{"initialize": true, "thread/read": true, "thread/queue/list": true, "thread/turns/list": true, "thread/queue/add": true}
	for _, method := range s.asked {
		if !allowed[method] {
			t.Errorf("%s was asked", method)
		}
	}
	if got := s.offer(e); got.State != adapter.OfferAccepted || len(s.queue) != 1 {
		t.Errorf("again, while it waits: %+v, queued %d times", got, len(s.queue))
	}
	s.queue, s.turns = nil, `{"data":[{"items":[{"type":"userMessage","clientId":"acc-message_01J"}]}]}`
	if got := s.offer(e); got.State != adapter.OfferAccepted || len(s.queue) != 0 {
		t.Errorf("again, after a turn took it up: %+v, queued %d times", got, len(s.queue))
	}
	s.must(s.live.Retire(s.ctx(), s.vault, e.Ref))
	if got := s.offer(e); got.Code != protocol.FailRecipientGone || len(s.vault.Records()) != 0 {
		t.Errorf("after it was given up: %+v", got)
	}
}

func TestBindRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*stand)
		want   adapter.NativeReason
	}{
		{"no server", func(s *stand) { s.must(os.Remove(s.socket())) }, adapter.NativeSessionEmbedded},
		{"a server that holds no such thread", func(s *stand) { s.status = "" }, adapter.NativeSessionEmbedded},
		{"a thread that is not loaded", func(s *stand) { s.status = "notLoaded" }, adapter.NativeSessionEmbedded},
		{"another directory", func(s *stand) { s.cwd = s.home }, adapter.NativeSessionUnavailable},
		{"too old", func(s *stand) { s.agent = "codex-tui/0.152.0 (x)" }, adapter.NativeBelowMinimum},
		{"no version", func(s *stand) { s.agent = "codex" }, adapter.NativeVersionUnknown},
		{"a socket that others open", func(s *stand) { s.must(os.Chmod(s.socket(), 0o666)) }, adapter.NativeEndpointUnavailable},
		{"a link to a link", func(s *stand) {
			target, err := os.Readlink(s.socket())
			s.must(err)
			s.must(os.Remove(s.socket()))
			s.must(os.Symlink(target, target+".link"))
			s.must(os.Symlink(target+".link", s.socket()))
		}, adapter.NativeEndpointUnavailable},
		{"a server that hangs", func(s *stand) { s.before = func(string, net.Conn) bool { return true } }, adapter.NativeHandshakeTimeout},
		{"a server that hangs up", func(s *stand) {
			s.before = func(_ string, c net.Conn) bool { return c.Close() == nil }
		}, adapter.NativeHandshakeFailed},
		{"a server that stops within a frame", func(s *stand) {
			s.before = func(_ string, c net.Conn) bool {
				_, _ = c.Write([]byte{frameText | 0x80, 100, '{'})
				return c.Close() == nil
			}
		}, adapter.NativeHandshakeFailed},
		{"a server that answers nonsense", func(s *stand) {
			s.before = func(_ string, c net.Conn) bool { plainFrame(c, frameText|0x80, `[]`); return true }
		}, adapter.NativeHandshakeFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStand(t)
			tt.change(s)
			if h := s.bind(); h.Reason != tt.want || h.Endpoint != "" || len(s.vault.Records()) != 0 {
				t.Errorf("%+v, kept %d, want %q", h, len(s.vault.Records()), tt.want)
			}
		})
	}
	s := newStand(t)
	if h := s.bind(func(r *adapter.BindRequest) { r.Env = func(string) string { return "" } }); h.Reason != adapter.NativeEndpointUnavailable {
		t.Errorf("no home: %+v", h)
	}
}

// TestTakenUpAtOnce: a thread that takes up its first message cannot be read for a moment, which is not the same as
// one that was unloaded; and a server that does not say which it is leaves it open.
func TestTakenUpAtOnce(t *testing.T) {
	for answer, want := range map[string]adapter.OfferAnswer{
		`"result":{"deleted":false}`: {State: adapter.OfferAccepted, ClientVersion: "0.171.0"},
		`"result":{}`:                {Code: protocol.FailTransport, ClientVersion: "0.171.0"},
		`"error":{"code":-32603}`:    {Code: protocol.FailTransport, ClientVersion: "0.171.0"},
	} {
		s := newStand(t)
		e := s.bound()
		s.before = func(method string, c net.Conn) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			switch method {
			case "thread/queue/add":
				s.status = "" // refused
			case "thread/queue/delete":
				plainFrame(c, frameText|0x80, `{"id":6,`+answer+`}`)
				return true
			}
			return false
		}
		if got := s.offer(e); got != want {
			t.Errorf("%s: %+v, want %+v", answer, got, want)
		}
	}
}

func TestOfferRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*stand)
		want   protocol.OfferFailure
		queued int
	}{
		{"unloaded since", func(s *stand) { s.status = "notLoaded" }, protocol.FailRecipientGone, 0},
		{"the server is gone", func(s *stand) { s.must(os.Remove(s.socket())) }, protocol.FailRecipientGone, 0},
		{"unloaded while it was queued: withdrawn", func(s *stand) {
			s.before = func(method string, _ net.Conn) bool {
				if method == "thread/queue/add" {
					s.mu.Lock()
					s.status = "notLoaded"
					s.mu.Unlock()
				}
				return false
			}
		}, protocol.FailRecipientGone, 0},
		{"the server drops the offer silently", func(s *stand) {
			s.before = func(method string, c net.Conn) bool { return method == "thread/queue/add" && c.Close() == nil }
		}, protocol.FailTransport, 0},
		{"the server refuses", func(s *stand) {
			s.before = func(method string, c net.Conn) bool {
				if method != "thread/queue/add" {
					return false
				}
				plainFrame(c, frameText|0x80, `{"id":4,"error":{"code":-32603,"message":"/secret/path"}}`)
				return true
			}
		}, protocol.FailRejected, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStand(t)
			e := s.bound()
			tt.change(s)
			if got := s.offer(e); got.State != adapter.OfferRefused || got.Code != tt.want || len(s.queue) != tt.queued {
				t.Errorf("%+v, %d queued, want %s", got, len(s.queue), tt.want)
			}
		})
	}
	s := newStand(t)
	e := s.bound()
	e.GenerationRef = "fedcba9876543210"
	if got := s.offer(e); got.Code != protocol.FailRecipientGone {
		t.Errorf("another generation: %+v", got)
	}
}

// TestReferences: an endpoint that is still the same keeps its reference.
func TestReferences(t *testing.T) {
	s := newStand(t)
	first := s.bound()
	previous := func(r *adapter.BindRequest) { r.Previous = first.Ref }
	if h := s.bind(previous); h.Endpoint != first.Ref {
		t.Errorf("again: %+v", h)
	}
	h := s.bind(previous, func(r *adapter.BindRequest) { r.GenerationRef = "fedcba9876543210" })
	if h.Endpoint == first.Ref || len(s.vault.Records()) != 1 {
		t.Errorf("another generation: %+v, kept %d", h, len(s.vault.Records()))
	}
}

// pipe is a connection that answers what it was given.
type pipe struct {
	io.Reader
	bytes.Buffer
}

func (p *pipe) Read(b []byte) (int, error) { return p.Reader.Read(b) }
func (*pipe) Close() error                 { return nil }

func TestFrames(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want string
		err  error
	}{
		"text":           {"\x81\x02hi", "hi", nil},
		"in parts":       {"\x01\x01h\x89\x01p\x80\x01i", "hi", nil},
		"16 bits":        {"\x81\x7e\x00\x80" + strings.Repeat("a", 128), strings.Repeat("a", 128), nil},
		"close":          {"\x88\x00", "", io.EOF},
		"masked":         {"\x81\x82....hi", "", errWebSocket},
		"reserved bits":  {"\xc1\x02hi", "", errWebSocket},
		"binary":         {"\x82\x02hi", "", errWebSocket},
		"a long ping":    {"\x89\x7e\x00\x80" + strings.Repeat("a", 128), "", errWebSocket},
		"a cut ping":     {"\x09\x01p", "", errWebSocket},
		"endless":        {"\x81\x7f\x7f\xff\xff\xff\xff\xff\xff\xff", "", errWebSocket},
		"stops early":    {"\x81\x05hi", "", io.ErrUnexpectedEOF},
		"stops in head":  {"\x81", "", io.ErrUnexpectedEOF},
		"nothing at all": {"", "", io.EOF},
	} {
		s := &socket{conn: &pipe{}, in: bufio.NewReader(strings.NewReader(tt.in))}
		got, err := s.receive()
		if string(got) != tt.want || !errors.Is(err, tt.err) && !(errors.Is(tt.err, io.ErrUnexpectedEOF) && errors.Is(err, io.EOF)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestUpgradeRefuses(t *testing.T) {
	for _, answer := range []string{
		"", "HTTP/1.1 403 Forbidden\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n",
		"HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: wrong\r\n\r\n", "HTTP/1.1 101 x\r\nX: " + strings.Repeat("a", maxHead) + "\r\n\r\n",
	} {
		if _, err := upgrade(&pipe{Reader: strings.NewReader(answer)}); err == nil {
			t.Errorf("%q was taken for an upgrade", answer)
		}
	}
}

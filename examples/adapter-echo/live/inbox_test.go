//go:build unix

package live

import (
	"bufio"
	"context"
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest"
	"github.com/acc-control-plane/acc/protocol"
)

// server stands in for a client in this process, to do what the real one never does. The test of the
// module's root meets the real one.
type server struct {
	*testing.T
	path    string
	answers reply
	asked   chan request
	vault   *adaptertest.Vault
	live    *adapter.Live
}

func newServer(t *testing.T) *server {
	t.Helper()
	dir, err := os.MkdirTemp("", "echo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	s := &server{
		T: t, path: filepath.Join(dir, "s.sock"), vault: &adaptertest.Vault{}, asked: make(chan request, 10),
		answers: reply{Protocol: wire, Version: "1.0.0", Session: "echo-1", Taken: true},
	}
	l, err := net.Listen("unix", s.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if err := os.Chmod(s.path, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			line, _ := bufio.NewReader(c).ReadBytes('\n')
			var r request
			_ = json.Unmarshal(line, &r)
			s.asked <- r
			answer, _ := json.Marshal(map[string]any{"protocol": s.answers.Protocol, "version": s.answers.Version, "session": s.answers.Session, "taken": s.answers.Taken})
			_, _ = c.Write(append(answer, '\n'))
			_ = c.Close()
		}
	}()
	if s.live, err = New(); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *server) bind(change func(*adapter.BindRequest)) adapter.Handshake {
	r := adapter.BindRequest{
		SessionID: "echo-1", GenerationRef: "g", PID: os.Getpid(), Vault: s.vault,
		Env: func(name string) string { return map[string]string{"ECHO_INBOX": s.path}[name] },
	}
	change(&r)
	return s.live.Bind(s.ctx(), r)
}

func (s *server) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	s.Cleanup(cancel)
	return ctx
}

func TestOffer(t *testing.T) {
	s := newServer(t)
	h := s.bind(func(*adapter.BindRequest) {})
	if h.Reason != adapter.NativeOK {
		t.Fatalf("%+v", h)
	}
	<-s.asked
	again := s.bind(func(r *adapter.BindRequest) { r.Previous = h.Endpoint })
	if again.Endpoint != h.Endpoint || len(s.vault.Records()) != 1 {
		t.Errorf("an endpoint that is the same got another reference: %+v, %d records", again, len(s.vault.Records()))
	}
	<-s.asked
	at := adapter.Endpoint{Ref: h.Endpoint, GenerationRef: "g"}
	if a := s.live.Offer(s.ctx(), s.vault, at, adapter.Offer{MessageID: "message_1", Text: "framed"}); a.State != adapter.OfferAccepted || a.ClientVersion != "1.0.0" {
		t.Errorf("%+v", a)
	}
	if r := <-s.asked; r.Ask != "message" || r.Session != "echo-1" || r.ID != "message_1" || !strings.HasPrefix(r.Text, "[acc wake]") || !strings.HasSuffix(r.Text, "\nframed") {
		t.Errorf("the client was sent %+v", r)
	}
	s.answers.Taken = false
	if a := s.live.Offer(s.ctx(), s.vault, at, adapter.Offer{MessageID: "message_1"}); a.State != adapter.OfferRefused || a.Code != protocol.FailRecipientBusy {
		t.Errorf("a full inbox: %+v", a)
	}
	s.answers.Session = "echo-2"
	if a := s.live.Offer(s.ctx(), s.vault, at, adapter.Offer{MessageID: "message_1"}); a.Code != protocol.FailRecipientGone {
		t.Errorf("another session: %+v", a)
	}
	if err := s.live.Retire(s.ctx(), s.vault, h.Endpoint); err != nil || len(s.vault.Records()) != 0 {
		t.Errorf("%v, %d records", err, len(s.vault.Records()))
	}
	if a := s.live.Offer(s.ctx(), s.vault, at, adapter.Offer{MessageID: "message_1"}); a.Code != protocol.FailRecipientGone {
		t.Errorf("a retired endpoint: %+v", a)
	}
}

func TestBindRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*server, *adapter.BindRequest)
		want   adapter.NativeReason
	}{
		{"no inbox", func(_ *server, r *adapter.BindRequest) { r.Env = nil }, adapter.NativeEndpointUnavailable},
		{"an unknown process", func(_ *server, r *adapter.BindRequest) { r.PID = 0 }, adapter.NativeProcessUnknown},
		{"a socket that others may open", func(s *server, _ *adapter.BindRequest) { s.chmod(0o666) }, adapter.NativeEndpointUnavailable},
		{"a link to a socket", func(s *server, _ *adapter.BindRequest) { s.link() }, adapter.NativeEndpointUnavailable},
		{"another session", func(s *server, _ *adapter.BindRequest) { s.answers.Session = "echo-2" }, adapter.NativeSessionUnavailable},
		{"another protocol", func(s *server, _ *adapter.BindRequest) { s.answers.Protocol = "echo-inbox-2" }, adapter.NativeProtocolMismatch},
		{"an old client", func(s *server, _ *adapter.BindRequest) { s.answers.Version = "0.9.9" }, adapter.NativeBelowMinimum},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t)
			h := s.bind(func(r *adapter.BindRequest) { tt.change(s, r) })
			if h.Reason != tt.want || h.Endpoint != "" || len(s.vault.Records()) != 0 {
				t.Errorf("%+v, %d records; want %s and none", h, len(s.vault.Records()), tt.want)
			}
		})
	}
}

// chmod changes the mode of the socket.
func (s *server) chmod(mode fs.FileMode) {
	if err := os.Chmod(s.path, mode); err != nil {
		s.Fatal(err)
	}
}

// link puts a link where the client says that its socket is.
func (s *server) link() {
	to := s.path + "-link"
	if err := os.Symlink(s.path, to); err != nil {
		s.Fatal(err)
	}
	s.path = to
}

func TestStaleGeneration(t *testing.T) {
	s := newServer(t)
	h := s.bind(func(*adapter.BindRequest) {})
	if r := s.live.Refresh(s.ctx(), s.vault, adapter.Endpoint{Ref: h.Endpoint, GenerationRef: "g"}); r.Reason != adapter.NativeOK {
		t.Errorf("%+v", r)
	}
	if r := s.live.Refresh(s.ctx(), s.vault, adapter.Endpoint{Ref: h.Endpoint, GenerationRef: "h"}); r.Reason != adapter.NativeGenerationStale {
		t.Errorf("%+v", r)
	}
}

func FuzzReply(f *testing.F) {
	f.Add([]byte(`{"protocol":"echo-inbox-1","version":"1.0.0","session":"echo-1","taken":true}`))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = replies.Decode(data) })
}

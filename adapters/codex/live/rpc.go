package live

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/localsocket"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// server is an initialised connection to the app server.
type server struct {
	*socket
	next    int
	version string // of the server, as it says itself
}

// reply is what the server sends; a notification or a question of its own has a method.
type reply struct{ ID, Method, Result, Error jsontext.Value }

var replies = &strictjson.Object[reply]{
	Name: "reply", Open: true, MaxBytes: maxMessage,
	Members: func() []strictjson.Member[reply] {
		return []strictjson.Member[reply]{
			strictjson.Optional("id", "", func(r *reply) *jsontext.Value { return &r.ID }, strictjson.RawView()),
			strictjson.Optional("method", "", func(r *reply) *jsontext.Value { return &r.Method }, strictjson.RawView()),
			strictjson.Optional("result", "", func(r *reply) *jsontext.Value { return &r.Result }, strictjson.RawView()),
			strictjson.Optional("error", "", func(r *reply) *jsontext.Value { return &r.Error }, strictjson.RawView()),
		}
	},
}

// refusal is a JSON-RPC error: the server is there and says no. Its words are not kept.
type refusal struct{}

func (refusal) Error() string { return "the server refused" }

// connect opens a connection and says hello.
func connect(ctx context.Context, path string) (*server, error) {
	return connectTo(ctx, path, localsocket.Peer{})
}

// connectTo is connect to a process that is known.
func connectTo(ctx context.Context, path string, peer localsocket.Peer) (*server, error) {
	s, err := dial(ctx, path, peer)
	if err != nil {
		return nil, err
	}
	srv := &server{socket: s}
	if err := srv.hello(); err != nil {
		s.close()
		return nil, err
	}
	return srv, nil
}

// greeting is the answer to initialize.
type greeting struct{ UserAgent string }

var greetings = &strictjson.Object[greeting]{
	Name: "greeting", Open: true, MaxBytes: maxMessage,
	Members: func() []strictjson.Member[greeting] {
		return []strictjson.Member[greeting]{
			strictjson.Field("userAgent", "codex-tui/0.171.0 (...)", func(g *greeting) *string { return &g.UserAgent }, strictjson.Text(maxPath)),
		}
	},
}

// hello initialises the connection. The queue of a thread is in the experimental part of the protocol.
func (s *server) hello() error {
	result, err := s.call("initialize", `{"clientInfo":{"name":"acc","title":"acc","version":"1"},"capabilities":{"experimentalApi":true}}`)
	if err != nil {
		return err
	}
	g, err := greetings.Decode(result)
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(g.UserAgent, "/")
	s.version, _, _ = strings.Cut(rest, " ")
	return s.send([]byte(`{"method":"initialized"}`))
}

// call asks and waits for the answer; what the server says meanwhile is none of our business.
func (s *server) call(method, params string) (jsontext.Value, error) {
	id := strconv.Itoa(s.next)
	s.next++
	if err := s.send([]byte(`{"id":` + id + `,"method":"` + method + `","params":` + params + `}`)); err != nil {
		return nil, err
	}
	for {
		message, err := s.receive()
		if err != nil {
			return nil, err
		}
		r, err := replies.Decode(message)
		switch {
		case err != nil:
			return nil, err
		case len(r.Method) > 0 || string(r.ID) != id:
			continue
		case len(r.Error) > 0:
			return nil, refusal{}
		}
		return bytes.Clone(r.Result), nil
	}
}

// object writes a JSON object of strings: name, value, name, value.
func object(pairs ...string) string {
	out := []byte{'{'}
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, pairs[i])
		out = append(out, ':')
		out, _ = jsontext.AppendQuote(out, pairs[i+1]) // bytes that are no UTF-8 become U+FFFD
	}
	return string(append(out, '}'))
}

package live

import (
	"bufio"
	"context"
	"io"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/localsocket"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// endpoint is the private record of a bound session.
type endpoint struct {
	Socket        string
	PID           int // of the client
	Session       string
	GenerationRef string // of the acc session
}

const maxRecord = 16 << 10

var endpoints = &strictjson.Object[endpoint]{
	Name: "endpoint", MaxBytes: maxRecord,
	Members: func() []strictjson.Member[endpoint] {
		return []strictjson.Member[endpoint]{
			strictjson.Const[endpoint]("schemaVersion", "", 1),
			strictjson.Field("socket", "", func(e *endpoint) *string { return &e.Socket }, strictjson.Text(adapter.MaxPathBytes)),
			strictjson.Field("pid", "", func(e *endpoint) *int { return &e.PID }, strictjson.Int(1, 1<<31-1)),
			strictjson.Field("session", "", func(e *endpoint) *string { return &e.Session }, strictjson.Line(adapter.MaxSessionIDBytes)),
			strictjson.Field("generationRef", "", func(e *endpoint) *string { return &e.GenerationRef }, strictjson.Line(adapter.MaxWordBytes)),
		}
	},
}

func (e endpoint) keep(v adapter.Vault, ref string) error {
	record, err := endpoints.Append(nil, &e)
	if err != nil {
		return err
	}
	return v.Keep(ref, record)
}

func recorded(v adapter.Vault, ref string) (endpoint, error) {
	record, err := v.Record(ref)
	if err != nil {
		return endpoint{}, err
	}
	return endpoints.Decode(record)
}

// current gives the record of an endpoint if it is that generation's.
func current(v adapter.Vault, at adapter.Endpoint) (endpoint, error) {
	e, err := recorded(v, at.Ref)
	if err == nil && e.GenerationRef != at.GenerationRef {
		err = errStale
	}
	return e, err
}

// request and reply are the two lines of the client's protocol.
type request struct{ Ask, Session, ID, Text string }

type reply struct {
	Protocol, Version, Session string
	Taken                      bool
}

const maxLine = 1 << 20 // the client reads no longer one

func text[T any](name string, at func(*T) *string) strictjson.Member[T] {
	return strictjson.Optional(name, "", at, strictjson.Text(maxLine))
}

var requests = &strictjson.Object[request]{
	Name: "request", MaxBytes: maxLine,
	Members: func() []strictjson.Member[request] {
		return []strictjson.Member[request]{
			text("ask", func(r *request) *string { return &r.Ask }), text("session", func(r *request) *string { return &r.Session }),
			text("id", func(r *request) *string { return &r.ID }), text("text", func(r *request) *string { return &r.Text }),
		}
	},
}

var replies = &strictjson.Object[reply]{
	Name: "reply", Open: true, MaxBytes: maxRecord,
	Members: func() []strictjson.Member[reply] {
		return []strictjson.Member[reply]{
			text("protocol", func(r *reply) *string { return &r.Protocol }), text("version", func(r *reply) *string { return &r.Version }),
			text("session", func(r *reply) *string { return &r.Session }),
			strictjson.Optional("taken", "", func(r *reply) *bool { return &r.Taken }, strictjson.Bool()),
		}
	},
}

// ask verifies the socket and who listens at it, asks one question, and insists that the session answers
// that is meant. The deadline of ctx bounds all of it.
func (e endpoint) ask(ctx context.Context, r request) (reply, error) {
	line, err := requests.Append(nil, &r)
	if err != nil {
		return reply{}, err
	}
	if err := localsocket.Verify(e.Socket); err != nil {
		return reply{}, err
	}
	f, err := localsocket.Dial(ctx, e.Socket, localsocket.Peer{PID: e.PID})
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Write(append(line, '\n')); err != nil {
		return reply{}, err
	}
	answer, err := bufio.NewReader(io.LimitReader(f, maxRecord)).ReadBytes('\n')
	if err != nil {
		return reply{}, err
	}
	said, err := replies.Decode(answer)
	if err == nil && said.Session != e.Session {
		err = errAnother
	}
	return said, err
}

package live

import (
	"context"
	"errors"
	"io/fs"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// endpoint is the private record of a bound thread.
type endpoint struct {
	Home          string // CODEX_HOME
	Thread        string
	Cwd           string
	GenerationRef string // of the acc session
}

var endpoints = &strictjson.Object[endpoint]{
	Name: "endpoint", Doc: "A loaded Codex thread, as a hook of it found it.", MaxBytes: 16 << 10,
	Members: func() []strictjson.Member[endpoint] {
		return []strictjson.Member[endpoint]{
			strictjson.Const[endpoint]("schemaVersion", "always 1", 1),
			strictjson.Const[endpoint]("protocolContract", "of the socket", wire),
			strictjson.Field("codexHome", "whose server holds it", func(e *endpoint) *string { return &e.Home }, strictjson.Line(maxPath)),
			strictjson.Field("threadId", "the client's own id", func(e *endpoint) *string { return &e.Thread }, strictjson.Line(adapter.MaxSessionIDBytes)),
			strictjson.Field("cwd", "where it works", func(e *endpoint) *string { return &e.Cwd }, strictjson.Line(maxPath)),
			strictjson.Field("generationRef", "acc's session generation", func(e *endpoint) *string { return &e.GenerationRef }, strictjson.Line(maxWord)),
		}
	},
}

var (
	errStale  = errors.New("the endpoint is another generation's")
	errRecord = errors.New("there is no such endpoint record")
)

// keep writes the record, unless it is what is published now.
func (e endpoint) keep(v adapter.Vault, previous string) (string, error) {
	data, err := endpoints.AppendIndent(nil, &e)
	if err != nil {
		return "", err
	}
	return adapter.KeepRecord(v, "codex_endpoint_", previous, data)
}

// open reads a record and reaches what it leads to.
func open(ctx context.Context, v adapter.Vault, at adapter.Endpoint) (endpoint, *server, error) {
	data, err := v.Record(at.Ref)
	if errors.Is(err, fs.ErrPermission) {
		return endpoint{}, nil, err
	}
	if err != nil {
		return endpoint{}, nil, errRecord
	}
	e, err := endpoints.Decode(data)
	switch {
	case err != nil:
		return endpoint{}, nil, errRecord
	case e.GenerationRef != at.GenerationRef:
		return endpoint{}, nil, errStale
	}
	srv, err := e.reach(ctx)
	return e, srv, err
}

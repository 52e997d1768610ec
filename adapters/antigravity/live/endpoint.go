package live

import (
	"errors"
	"io/fs"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// endpoint is the private record of a bound session. Where its relay listens is in the relay's own record,
// so that another relay of the same session takes its place.
type endpoint struct {
	Conversation  string // the client's own id
	GenerationRef string // of the acc session
}

var endpoints = &strictjson.Object[endpoint]{
	Name: "endpoint", Doc: "An Antigravity conversation, as a hook of it found its relay.", MaxBytes: 4 << 10,
	Members: func() []strictjson.Member[endpoint] {
		return []strictjson.Member[endpoint]{
			strictjson.Const[endpoint]("schemaVersion", "always 1", 1),
			strictjson.Field("conversationId", "the client's own id", func(e *endpoint) *string { return &e.Conversation }, strictjson.Line(adapter.MaxSessionIDBytes)),
			strictjson.Field("generationRef", "acc's session generation", func(e *endpoint) *string { return &e.GenerationRef }, strictjson.Line(protocol.MaxIDLength)),
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
	return adapter.KeepRecord(v, "antigravity_endpoint_", previous, data)
}

// open reads the record of a published endpoint.
func open(v adapter.Vault, at adapter.Endpoint) (endpoint, error) {
	data, err := v.Record(at.Ref)
	if errors.Is(err, fs.ErrPermission) {
		return endpoint{}, err
	}
	if err != nil {
		return endpoint{}, errRecord
	}
	e, err := endpoints.Decode(data)
	switch {
	case err != nil:
		return endpoint{}, errRecord
	case e.GenerationRef != at.GenerationRef:
		return endpoint{}, errStale
	}
	return e, nil
}

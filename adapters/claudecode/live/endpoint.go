package live

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/localsocket"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// endpoint is the private record of a bound session.
type endpoint struct {
	Socket        string
	Config        string // the client's configuration directory
	PID           int    // of the client
	Session       string // the client's own id
	GenerationRef string // of the acc session
	Mode          string // the permission mode that the last hook was told; "" is unknown
}

const (
	maxRecord = 16 << 10
	maxPath   = 4096
	maxWord   = 200
)

var endpoints = &strictjson.Object[endpoint]{
	Name: "endpoint", Doc: "The inbox of a Claude Code session, as a hook of that session found it.", MaxBytes: maxRecord,
	Members: func() []strictjson.Member[endpoint] {
		return []strictjson.Member[endpoint]{
			strictjson.Const[endpoint]("schemaVersion", "always 1", 1),
			strictjson.Const[endpoint]("protocolContract", "of the socket", wire),
			strictjson.Field("socketPath", "the socket", func(e *endpoint) *string { return &e.Socket }, strictjson.Line(maxPath)),
			strictjson.Field("configDir", "where the registry is", func(e *endpoint) *string { return &e.Config }, strictjson.Line(maxPath)),
			strictjson.Field("clientPid", "the client", func(e *endpoint) *int { return &e.PID }, strictjson.Int(2, 1<<31-1)),
			strictjson.Field("sessionId", "the client's own id", func(e *endpoint) *string { return &e.Session }, strictjson.Line(adapter.MaxSessionIDBytes)),
			strictjson.Field("generationRef", "acc's session generation", func(e *endpoint) *string { return &e.GenerationRef }, strictjson.Line(maxWord)),
			strictjson.Optional("permissionMode", "as the last hook was told", func(e *endpoint) *string { return &e.Mode }, strictjson.Line(maxWord)),
		}
	},
}

// keep writes the record, under the reference that is published now if it is still the same endpoint.
func (e endpoint) keep(v adapter.Vault, previous string) (string, error) {
	data, err := endpoints.AppendIndent(nil, &e)
	if err != nil {
		return "", err
	}
	if previous != "" {
		before, raw, err := record(v, previous)
		if same := e; err == nil {
			same.Mode = before.Mode
			if same == before {
				if bytes.Equal(raw, data) {
					return previous, nil
				}
				return previous, v.Keep(previous, data)
			}
		}
		_ = v.Drop(previous) // nobody is reached there any more
	}
	ref := adapter.NewRef("claude_inbox_")
	return ref, v.Keep(ref, data)
}

func record(v adapter.Vault, ref string) (endpoint, []byte, error) {
	data, err := v.Record(ref)
	if err != nil {
		return endpoint{}, nil, err
	}
	e, err := endpoints.Decode(data)
	return e, data, err
}

// open reads a record and verifies that it still leads to its session.
func open(v adapter.Vault, at adapter.Endpoint) (endpoint, registryEntry, error) {
	e, _, err := record(v, at.Ref)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return endpoint{}, registryEntry{}, err
	case err != nil:
		return endpoint{}, registryEntry{}, errRecord
	}
	if e.GenerationRef != at.GenerationRef {
		return endpoint{}, registryEntry{}, errStale
	}
	entry, err := e.verify()
	if err == nil && entry.Session != e.Session {
		err = errAnother
	}
	return e, entry, err
}

// verify compares the record with the registry and looks at the socket.
func (e endpoint) verify() (registryEntry, error) {
	entry, err := readRegistry(e.Config, e.PID)
	if err != nil {
		return registryEntry{}, err
	}
	if entry.PID != e.PID || entry.Socket == "" || entry.PeerProtocol != peerProtocol {
		return registryEntry{}, errAnother
	}
	if entry.Socket != e.Socket { // the same place may be written in two ways
		one, errOne := filepath.EvalSymlinks(filepath.Dir(entry.Socket))
		two, errTwo := filepath.EvalSymlinks(filepath.Dir(e.Socket))
		if errOne != nil || errTwo != nil || one != two || filepath.Base(entry.Socket) != filepath.Base(e.Socket) {
			return registryEntry{}, errAnother
		}
	}
	if err := entry.alive(); err != nil {
		return registryEntry{}, err
	}
	return entry, localsocket.Verify(e.Socket)
}

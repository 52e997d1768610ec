package live

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/localsocket"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// registryEntry is what the client says of one of its running sessions in <config>/sessions/<pid>.json.
// See testdata/registry.json.
type registryEntry struct {
	PID          int
	Session      string
	Cwd          string
	Version      string
	Socket       string
	ProcessStart string // field 22 of /proc/<pid>/stat; "" elsewhere
	PIDDomain    string // linux:<machine>:pid:[<namespace>]
	PeerProtocol int
}

const (
	maxRegistry  = 16_384
	peerProtocol = 1
)

var registry = &strictjson.Object[registryEntry]{
	Name: "registry entry", Doc: "A running session of the client.", Open: true, MaxBytes: maxRegistry,
	Members: func() []strictjson.Member[registryEntry] {
		return []strictjson.Member[registryEntry]{
			strictjson.Field("pid", "process", func(r *registryEntry) *int { return &r.PID }, strictjson.Int(2, 1<<31-1)),
			strictjson.Field("sessionId", "conversation", func(r *registryEntry) *string { return &r.Session }, strictjson.Line(adapter.MaxSessionIDBytes)),
			strictjson.Field("cwd", "directory", func(r *registryEntry) *string { return &r.Cwd }, strictjson.Text(maxPath)),
			strictjson.Field("version", "of the client", func(r *registryEntry) *string { return &r.Version }, strictjson.Line(maxWord)),
			strictjson.Field("messagingSocketPath", "inbox", func(r *registryEntry) *string { return &r.Socket }, strictjson.Line(maxPath)),
			strictjson.Field("peerProtocol", "of the inbox", func(r *registryEntry) *int { return &r.PeerProtocol }, strictjson.Int(0, 1<<20)),
			strictjson.Optional("procStart", "when the process started", func(r *registryEntry) *string { return &r.ProcessStart }, strictjson.Line(maxWord)),
			strictjson.Optional("pidDomain", "whose process numbers", func(r *registryEntry) *string { return &r.PIDDomain }, strictjson.Line(maxWord)),
		}
	},
}

// readRegistry reads the entry of a process. It must be a plain file of this user that nobody else may
// write, reached through no link in its last two steps.
func readRegistry(config string, pid int) (registryEntry, error) {
	data, err := readOwn(filepath.Join(config, "sessions"), strconv.Itoa(pid)+".json", maxRegistry)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return registryEntry{}, errGone
	case err != nil:
		return registryEntry{}, err
	}
	entry, err := registry.Decode(data)
	if err != nil {
		return registryEntry{}, errAnother
	}
	return entry, nil
}

// alive says whether the process of the entry is still the one that wrote it. After a kill the entry
// stays, and the number may be another's. Where that cannot be told, it is not held against it: nobody
// listens on the socket of a dead client.
func (r registryEntry) alive() error {
	if !r.visible() || r.ProcessStart == "" {
		return nil
	}
	start, err := processStart(r.PID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errGone
	case err != nil:
		return nil
	case start != r.ProcessStart:
		return errAnother
	}
	return nil
}

// visible says whether the numbers of this process's namespace are those of the entry.
func (r registryEntry) visible() bool { return pidDomain(r.PIDDomain) }

// peer is who must listen on the socket.
func (r registryEntry) peer() localsocket.Peer {
	if !r.visible() {
		return localsocket.Peer{}
	}
	return localsocket.Peer{PID: r.PID}
}

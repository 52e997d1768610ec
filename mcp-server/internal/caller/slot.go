package caller

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
)

// slots are the private files in which a participant of a room finds its sessions again, one session
// each: the first server takes the first, a second one at the same time the second. They hold no
// credential: each server brings its own.
//
//	bindings/mcp-<32 hex>.<n>.json
type slots struct {
	base string // the data home
	stem string // path without the number
	name string // the harness id that a slot must carry
}

// maxSlots is how many servers of one participant keep their sessions. More than that get one that
// nobody finds again.
const maxSlots = 16

// stemHex is how many hex digits of the harness id's SHA-256 name the files.
const stemHex = 32

func newSlots(base, storeDir, participant, workspaceID string) slots {
	name := Harness + ":" + participant + ":" + workspaceID
	sum := sha256.Sum256([]byte(name))
	return slots{base: base, stem: filepath.Join(storeDir, "bindings", Harness+"-"+hex.EncodeToString(sum[:])[:stemHex]), name: name}
}

func (s slots) path(n int) string { return s.stem + "." + strconv.Itoa(n) + ".json" }

// slot is the content of a file.
type slot struct{ name, sessionID string }

const maxSlotBytes = 4 << 10

var slotObject = &strictjson.Object[slot]{
	Name: "mcp continuity", Doc: "The session of an MCP participant.", MaxBytes: maxSlotBytes,
	Members: func() []strictjson.Member[slot] {
		return []strictjson.Member[slot]{
			strictjson.Const[slot]("schemaVersion", "always 1", 1),
			strictjson.Field("harnessSessionId", "participant and room", func(s *slot) *string { return &s.name }, strictjson.Line(3*protocol.MaxIDLength)),
			strictjson.Field("accSessionId", "session", func(s *slot) *string { return &s.sessionID }, strictjson.Line(protocol.MaxIDLength)),
		}
	},
}

// session gives the session of slot n. One that is empty gets fresh, unless somebody else is faster. A
// file that cannot be read as a slot is an error, never an empty one.
func (s slots) session(n int, fresh string) (string, error) {
	id, err := s.read(n)
	if !errors.Is(err, fs.ErrNotExist) {
		return id, err
	}
	data, err := slotObject.AppendIndent(nil, &slot{name: s.name, sessionID: fresh})
	if err != nil {
		return "", err
	}
	err = privatefile.WriteNew(s.base, s.path(n), data)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return s.read(n)
}

func (s slots) read(n int) (string, error) {
	data, err := privatefile.ReadBelow(s.base, s.path(n), maxSlotBytes)
	if err != nil {
		return "", err
	}
	kept, err := slotObject.Decode(data)
	if err != nil {
		return "", s.damaged(n, err.Error())
	}
	if kept.name != s.name {
		return "", s.damaged(n, "it is another participant's")
	}
	return kept.sessionID, nil
}

func (s slots) damaged(n int, why string) error {
	return protocol.DataError(protocol.ReasonMalformed, "cannot use "+s.path(n)+": "+why).WithHint("remove that file to begin a new session")
}

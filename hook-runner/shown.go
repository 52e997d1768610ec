package hookrunner

import (
	"errors"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// shown is what the model's present context holds of acc: whether the owner header is in it, and the
// facts that need not be said again. It is a hint: losing it costs a repeated line.
type shown struct {
	generationRef string
	clientPID     int
	known         []string
}

const (
	shownEnding   = ".shown.json"
	maxShownBytes = 64 << 10
	maxKnown      = 500
)

var shownFile = &strictjson.Object[shown]{
	Name: "shown", Doc: "What the model of a session was told in its present context.",
	MaxBytes: maxShownBytes,
	Members: func() []strictjson.Member[shown] {
		return []strictjson.Member[shown]{
			strictjson.Const[shown]("schemaVersion", "always 1", 1),
			strictjson.Field("generationRef", "whose owner header was shown", func(s *shown) *string { return &s.generationRef }, strictjson.Line(protocol.GenerationRefLen)),
			strictjson.Optional("clientPid", "process that was told", func(s *shown) *int { return &s.clientPID }, strictjson.Int(1, 1<<31-1)),
			strictjson.Optional("known", "keys of facts", func(s *shown) *[]string { return &s.known },
				strictjson.List(strictjson.Line(64), 0, maxKnown)),
		}
	},
}

// shownTo gives what the context of this owner in this client process holds. header is false when the
// owner header is not in it: another generation, another process, or nothing on file. A process that the
// caller does not know is taken from the file.
func (f ownerFiles) shownTo(o *opened) (known []string, header bool) {
	data, err := f.tree.Read(f.shown(), maxShownBytes)
	if err != nil {
		return nil, false
	}
	s, err := shownFile.Decode(data)
	if err != nil || s.generationRef != protocol.GenerationRef(o.owner.Generation) {
		return nil, false
	}
	if o.pid != 0 && s.clientPID != 0 && s.clientPID != o.pid {
		return nil, false
	}
	if o.pid == 0 {
		o.pid = s.clientPID
	}
	return s.known, true
}

// remember records what the context holds now.
func (f ownerFiles) remember(o opened, known []string) error {
	s := shown{generationRef: protocol.GenerationRef(o.owner.Generation), clientPID: o.pid, known: known}
	if len(s.known) > maxKnown {
		s.known = s.known[:maxKnown]
	}
	err := f.overwrite(shownEnding, maxShownBytes, func([]byte) ([]byte, error) { return shownFile.Append(nil, &s) })
	if errors.Is(err, errNotAlone) || vfs.Missing(err) {
		return nil
	}
	return advised(err, notRecorded)
}

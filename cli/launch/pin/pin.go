// Package pin is the record that a session of a client stays on the generation that it began with.
package pin

import (
	"time"

	"github.com/acc-control-plane/acc/cli/launch/lease"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// Record is pins/<32 hexadecimal digits>.json.
type Record struct {
	AdapterID     string
	SessionID     string // the client's own
	Generation    string
	BuildID       string // of its executables
	StoreContract int
	Client        process.Identity // whose death ends the pin
	CreatedAt     time.Time
}

// MaxBytes is the size of the largest record.
const MaxBytes = 8 << 10

// Form is its form. It is made when it is asked for: hooks link it and not all need it.
func Form() *strictjson.Object[Record] {
	return &strictjson.Object[Record]{
		Name: "pin", Doc: "A session that stays on the generation that it began with.", MaxBytes: MaxBytes,
		Members: func() []strictjson.Member[Record] {
			return []strictjson.Member[Record]{
				strictjson.Const[Record]("schemaVersion", "always 1", 1),
				strictjson.Field("adapterId", "the client", func(r *Record) *string { return &r.AdapterID }, strictjson.Line(64)),
				strictjson.Field("harnessSessionId", "the client's own id", func(r *Record) *string { return &r.SessionID }, strictjson.Text(4096)),
				strictjson.Field("generation", "on which it stays", func(r *Record) *string { return &r.Generation }, strictjson.Line(64)),
				strictjson.Field("buildId", "of its executables", func(r *Record) *string { return &r.BuildID }, strictjson.Line(64)),
				strictjson.Field("storeContract", "of its stores", func(r *Record) *int { return &r.StoreContract }, strictjson.Int(1, 1<<20)),
				strictjson.Field("client", "whose death ends the pin", func(r *Record) *process.Identity { return &r.Client }, strictjson.Nested(lease.ProcessForm())),
				strictjson.Field("createdAt", "when the session began", func(r *Record) *time.Time { return &r.CreatedAt }, strictjson.Time()),
			}
		},
	}
}

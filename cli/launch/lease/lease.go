// Package lease is the record in which a long-lived process of acc says who it is. It names the process to
// people and decides nothing: that a generation is in use is known from the lock that the process holds.
package lease

import (
	"strconv"

	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// Record is leases/<token>.json.
type Record struct {
	Process       process.Identity
	Kind          string
	Generation    string
	StoreContract int
}

// MaxBytes is the size of the largest record.
const MaxBytes = 4 << 10

// Form is its form. It is made when it is asked for: hooks link it and most never need it.
func Form() *strictjson.Object[Record] {
	return &strictjson.Object[Record]{
		Name: "lease", Doc: "Who runs.", MaxBytes: MaxBytes,
		Members: func() []strictjson.Member[Record] {
			return []strictjson.Member[Record]{
				strictjson.Const[Record]("schemaVersion", "always 1", 1),
				strictjson.Field("process", "that runs", func(r *Record) *process.Identity { return &r.Process }, strictjson.Nested(ProcessForm())),
				strictjson.Field("kind", "what it is", func(r *Record) *string { return &r.Kind }, strictjson.Line(32)),
				strictjson.Field("generation", "from which it runs", func(r *Record) *string { return &r.Generation }, strictjson.Line(64)),
				strictjson.Field("storeContract", "of the stores that it uses", func(r *Record) *int { return &r.StoreContract }, strictjson.Int(0, 1<<20)),
			}
		},
	}
}

const maxNumber = 1<<31 - 1

// ProcessForm is the form in which a process is named for good.
func ProcessForm() *strictjson.Object[process.Identity] {
	return &strictjson.Object[process.Identity]{
		Name: "process", Doc: "One process.",
		Members: func() []strictjson.Member[process.Identity] {
			return []strictjson.Member[process.Identity]{
				strictjson.Field("pid", "its number", func(p *process.Identity) *int { return &p.PID }, strictjson.Int(1, maxNumber)),
				strictjson.Field("startTime", "when it started, in units of the platform", func(p *process.Identity) *uint64 { return &p.StartTime }, strictjson.CodedString(&startTime)),
				strictjson.Optional("bootId", "of the kernel that ran it", func(p *process.Identity) *string { return &p.BootID }, strictjson.Line(100)),
				strictjson.Optional("pidNamespace", "in which the number is its", func(p *process.Identity) *string { return &p.PIDNamespace }, strictjson.Line(100)),
			}
		},
	}
}

// startTime is a string because it may need all of its 64 bits.
var startTime = strictjson.Coded[uint64]{
	Label: "number", Limits: "decimal digits", Pattern: `^(0|[1-9][0-9]{0,19})$`,
	Parse: func(text []byte) (uint64, string) {
		n, err := strconv.ParseUint(string(text), 10, 64)
		if err != nil || strconv.FormatUint(n, 10) != string(text) {
			return 0, "must be a decimal number of 64 bits"
		}
		return n, ""
	},
	Append: func(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 10) },
	Check:  func(uint64) string { return "" },
	Empty:  func(n uint64) bool { return n == 0 },
}

package launch

import (
	"errors"
	"io/fs"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// head is the part of control.json that every version of acc reads, whichever wrote it: layout, phase and active
// keep their meaning for ever, and what else is there is skipped.
type head struct {
	phase   string
	active  pointer
	pending *pointer
}

// pointer names a generation.
type pointer struct {
	generation string
	buildID    string
	contract   int // of its stores; 0: the record does not say
}

const (
	maxControl = 64 << 10
	ready      = "ready"
)

func pointerForm() *strictjson.Object[pointer] {
	return &strictjson.Object[pointer]{
		Name: "generation", Doc: "A pointer to an installed build.", Open: true,
		Members: func() []strictjson.Member[pointer] {
			return []strictjson.Member[pointer]{
				strictjson.Field("generation", "its name", func(p *pointer) *string { return &p.generation }, strictjson.String[string](&strictjson.Rule{
					Label: "generation", MaxBytes: 64, Check: func(name string) string {
						if _, _, ok := layout.SplitGeneration(name); !ok {
							return "must be the name of a generation"
						}
						return ""
					},
				})),
				strictjson.Field("buildId", "what its executables know of themselves", func(p *pointer) *string { return &p.buildID }, strictjson.Line(64)),
				strictjson.Optional("storeContract", "of its stores", func(p *pointer) *int { return &p.contract }, strictjson.Int(1, 1<<20)),
			}
		},
	}
}

// headForm is made when it is asked for: a hook that is not managed never needs it.
func headForm() *strictjson.Object[head] {
	return &strictjson.Object[head]{
		Name: "control", Doc: "What decides which generation runs.", Open: true, MaxBytes: maxControl,
		Members: func() []strictjson.Member[head] {
			return []strictjson.Member[head]{
				strictjson.Const[head]("layout", "of the directory", 1),
				strictjson.Field("phase", "whether anybody may start", func(h *head) *string { return &h.phase }, strictjson.Line(32)),
				strictjson.Field("active", "what runs", func(h *head) *pointer { return &h.active }, strictjson.Nested(pointerForm())),
				strictjson.Optional("pending", "what shall run next", func(h *head) **pointer { return &h.pending }, strictjson.Nullable(strictjson.Pointer(strictjson.Nested(pointerForm())))),
			}
		},
	}
}

// read reads control.json and keeps it open, so that its identity is not used again for another file.
func (a *admission) read() (*snapshot, error) {
	s, err := openSnapshot(a.at.Control(), maxControl)
	if err != nil {
		return nil, err
	}
	if a.head, err = headForm().Decode(s.data); err != nil {
		s.close()
		return nil, refuse(ReasonRuntimeDamaged, a.at.Control()+" is damaged: "+err.Error(), "acc doctor", err)
	}
	return s, nil
}

func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

package runtime

import (
	"path/filepath"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Phase says whether processes of acc may start.
type Phase string

// The phases.
const (
	Ready      Phase = "ready"      // the active generation may run
	Activating Phase = "activating" // clients are being brought from one generation to the next: nobody may
)

// Generation is one installed build of acc.
type Generation struct {
	Name    string // <version>-<24 hexadecimal digits of its content hash>, also of its directory
	Version string // x.y.z
	BuildID string // what its executables know of themselves
	// StoreContract is the contract of the stores that it reads and writes; 0: the record does not say, and
	// nobody may guess.
	StoreContract int
}

// control is control.json. launch reads layout, phase and active, in every version of acc that ever was
// installed here: what those mean never changes.
type control struct {
	Phase     Phase
	Active    Generation
	Pending   *Generation
	Auto      bool
	Pin       string // exact stable version that updates stay on; "": the newest
	CheckedAt time.Time
	Notice    string
	Home      string   // of the user whose clients are wired
	Targets   []string // ids of the adapters that are wired
	Downgrade bool     // the pending generation is older than the active one, and somebody asked for that
}

const (
	maxControl = 64 << 10
	maxTargets = 64
	maxNotice  = 4096
)

var generationName = strictjson.String[string](&strictjson.Rule{
	Label: "generation", MaxBytes: 64, Check: func(name string) string {
		if _, _, ok := layout.SplitGeneration(name); !ok {
			return "must be the name of a generation"
		}
		return ""
	},
})

var stableVersion = strictjson.String[string](&strictjson.Rule{
	Label: "stable version", MaxBytes: 32, Check: func(version string) string {
		if _, ok := release.ParseVersion(version); !ok {
			return "must be a stable version x.y.z"
		}
		return ""
	},
})

var absolutePath = strictjson.String[string](&strictjson.Rule{
	Label: "path", Limits: "absolute", MaxBytes: 16 << 10, Check: func(path string) string {
		if !filepath.IsAbs(path) {
			return "must be an absolute path"
		}
		return ""
	},
})

var portableID = strictjson.String[string](&strictjson.Rule{Label: "portable id", MaxChars: protocol.MaxIDLength, Check: protocol.PortableIDProblem})

const maxContract = 1 << 20

var generationObject = &strictjson.Object[Generation]{
	Name: "generation", Doc: "A pointer to an installed build.",
	Members: func() []strictjson.Member[Generation] {
		return []strictjson.Member[Generation]{
			strictjson.Field("generation", "its name", func(g *Generation) *string { return &g.Name }, generationName),
			strictjson.Field("version", "its version", func(g *Generation) *string { return &g.Version }, stableVersion),
			strictjson.Field("buildId", "what its executables know of themselves", func(g *Generation) *string { return &g.BuildID }, strictjson.Line(64)),
			strictjson.Optional("storeContract", "of its stores; absent: to be read from the generation", func(g *Generation) *int { return &g.StoreContract }, strictjson.Int(1, maxContract)),
		}
	},
	Check: func(g *Generation) *strictjson.Error {
		if version, _, _ := layout.SplitGeneration(g.Name); version != g.Version {
			return strictjson.Fail("$.version", "is not that of the generation")
		}
		return nil
	},
	Rules: []string{"The name begins with the version."},
}

var controlObject = &strictjson.Object[control]{
	Name: "control", Doc: "What decides which generation runs.", MaxBytes: maxControl,
	Members: func() []strictjson.Member[control] {
		return []strictjson.Member[control]{
			strictjson.Const[control]("layout", "of this file and of the directory", 1),
			strictjson.Field("phase", "whether anybody may start", func(c *control) *Phase { return &c.Phase }, strictjson.Enum(Ready, Activating)),
			strictjson.Field("active", "what runs", func(c *control) *Generation { return &c.Active }, strictjson.Nested(generationObject)),
			strictjson.Field("pending", "what shall run next, or null", func(c *control) **Generation { return &c.Pending }, strictjson.Nullable(strictjson.Pointer(strictjson.Nested(generationObject)))),
			strictjson.Field("auto", "whether updates are looked for", func(c *control) *bool { return &c.Auto }, strictjson.Bool()),
			strictjson.Field("pin", "the version that updates stay on, or null", func(c *control) *string { return &c.Pin }, strictjson.Nullable(stableVersion)),
			strictjson.Field("checkedAt", "when a later release was last looked for, or null", func(c *control) *time.Time { return &c.CheckedAt }, strictjson.Nullable(strictjson.Time())),
			strictjson.Field("notice", "what a person should know, or null", func(c *control) *string { return &c.Notice }, strictjson.Nullable(strictjson.Text(maxNotice))),
			strictjson.Field("home", "of the user whose clients are wired", func(c *control) *string { return &c.Home }, absolutePath),
			strictjson.Field("targets", "adapters that are wired", func(c *control) *[]string { return &c.Targets }, strictjson.Set(portableID, 0, maxTargets)),
			strictjson.Optional("downgrade", "whether pending may be older than active", func(c *control) *bool { return &c.Downgrade }, strictjson.Bool()),
		}
	},
	Check: func(c *control) *strictjson.Error {
		if c.Phase == Activating && c.Pending == nil {
			return strictjson.Fail("$.pending", "is missing while activating")
		}
		return nil
	},
	Rules: []string{"While activating there is a pending generation."},
}

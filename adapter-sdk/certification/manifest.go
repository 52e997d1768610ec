package certification

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/release"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Result is what a check came to. There is no third value: a check that did not run leaves no row.
type Result string

// The results.
const (
	Pass Result = "pass"
	Fail Result = "fail"
)

// Evidence is one observed fact.
type Evidence struct {
	Client        string // the client's certification name, for example "claude-code"
	Version       string // exactly what the client said: x.y.z with or without a suffix
	Platform      string // see Platform
	ObservedAt    string // a date, or a time in UTC
	Capability    Capability
	Fixture       string // file of the adapter's package that shows it: "fixtures/....json"
	Provenance    string // file of the adapter's package that says how it was recorded
	ProvenanceID  string // the run, within that file
	IdleBehavior  string // what happens when the session is idle
	BusyBehavior  string // what happens in the middle of a turn
	Authority     string // as whom the text reaches the model: system, developer, user, tool
	Limitations   []string
	ObservedState Result
}

// Manifest is the evidence of one adapter. Only Parse makes one that may be used.
type Manifest struct{ rows []Evidence }

// Rows gives the evidence in the order of the file.
func (m Manifest) Rows() []Evidence { return append([]Evidence(nil), m.rows...) }

const (
	maxRows  = 2000
	maxBytes = 1 << 20
)

type document struct{ evidence []Evidence }

var documents = &strictjson.Object[document]{
	Name: "certification manifest", Doc: "What was seen of a client, version by version.", MaxBytes: maxBytes,
	Members: func() []strictjson.Member[document] {
		return []strictjson.Member[document]{
			strictjson.Field("evidence", "rows", func(d *document) *[]Evidence { return &d.evidence },
				strictjson.List(strictjson.Nested(rowShape), 0, maxRows)),
		}
	},
}

var rowShape = &strictjson.Object[Evidence]{
	Name: "evidence", Doc: "One observed fact.", Check: checkRow,
	Members: func() []strictjson.Member[Evidence] {
		return []strictjson.Member[Evidence]{
			line("client", "certification name", func(e *Evidence) *string { return &e.Client }),
			line("version", "x.y.z with or without a suffix", func(e *Evidence) *string { return &e.Version }),
			line("platform", "operating system and architecture", func(e *Evidence) *string { return &e.Platform }),
			line("observedAt", "date or time in UTC", func(e *Evidence) *string { return &e.ObservedAt }),
			strictjson.Field("capability", "group and name", func(e *Evidence) *Capability { return &e.Capability }, strictjson.Enum(Capabilities[:]...)),
			line("fixture", "file that shows it", func(e *Evidence) *string { return &e.Fixture }),
			line("provenance", "file that says how it was recorded", func(e *Evidence) *string { return &e.Provenance }),
			line("provenanceId", "run within that file", func(e *Evidence) *string { return &e.ProvenanceID }),
			line("idleBehavior", "when the session is idle", func(e *Evidence) *string { return &e.IdleBehavior }),
			line("busyBehavior", "in the middle of a turn", func(e *Evidence) *string { return &e.BusyBehavior }),
			line("authorityLevel", "as whom the text reaches the model", func(e *Evidence) *string { return &e.Authority }),
			strictjson.Field("limitations", "what it does not show", func(e *Evidence) *[]string { return &e.Limitations },
				strictjson.List(strictjson.Line(protocol.MaxLine), 0, 50)),
			strictjson.Field("result", "pass or fail", func(e *Evidence) *Result { return &e.ObservedState }, strictjson.Enum(Pass, Fail)),
		}
	},
}

func line(name, doc string, at func(*Evidence) *string) strictjson.Member[Evidence] {
	return strictjson.Field(name, doc, at, strictjson.Line(protocol.MaxLine))
}

var platforms = [...]string{"darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-arm64", "win32-x64"}

// checkRow is what a row must be beyond the types of its members.
func checkRow(e *Evidence) *strictjson.Error {
	if _, ok := release.Parse(e.Version); !ok {
		return strictjson.Fail("$.version", "must be x.y.z with or without a suffix")
	}
	if !slices.Contains(platforms[:], e.Platform) {
		return strictjson.Fail("$.platform", "must be darwin, linux or win32 with arm64 or x64")
	}
	if _, err := time.Parse(time.DateOnly, e.ObservedAt); err != nil {
		if _, err := time.Parse("2006-01-02T15:04:05Z", e.ObservedAt); err != nil {
			return strictjson.Fail("$.observedAt", "must be a date or a time in UTC")
		}
	}
	for path, file := range map[string]string{"$.fixture": e.Fixture, "$.provenance": e.Provenance} {
		if !local(file) {
			return strictjson.Fail(path, "must be a JSON file below fixtures/ of the adapter")
		}
	}
	return nil
}

// local says that a path stays in the adapter's own fixtures.
func local(file string) bool {
	rest, ok := strings.CutPrefix(file, "fixtures/")
	if !ok || !strings.HasSuffix(file, ".json") || strings.Contains(file, `\`) {
		return false
	}
	for segment := range strings.SplitSeq(rest, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// Parse reads a manifest. It is closed: an unknown member, a missing one, a repeated row (the same
// client, version, platform and capability) or a wrong form is an error with Code Data.
func Parse(data []byte) (Manifest, error) {
	d, err := documents.Decode(data)
	if err != nil {
		return Manifest{}, protocol.DataError(protocol.ReasonMalformed, "the certification manifest is malformed: "+err.Error()).Because(err)
	}
	type key struct {
		client, version, platform string
		capability                Capability
	}
	seen := map[key]bool{}
	for i, e := range d.evidence {
		k := key{e.Client, e.Version, e.Platform, e.Capability}
		if seen[k] {
			return Manifest{}, protocol.DataError(protocol.ReasonMalformed, "the certification manifest repeats evidence "+strconv.Itoa(i)+": "+
				e.Client+" "+e.Version+" "+e.Platform+" "+string(e.Capability))
		}
		seen[k] = true
	}
	return Manifest{rows: d.evidence}, nil
}

// Format gives the bytes of a manifest with the given rows, which Parse takes. Rows that Parse would refuse
// are an error.
func Format(rows []Evidence) ([]byte, error) {
	data, err := documents.AppendIndent(nil, &document{rows})
	if err == nil {
		_, err = Parse(data)
	}
	return data, err
}

package adaptertest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Trial is a run of the real client in which capabilities were tried. A vendor's test makes it and says
// what it found; the adapter's evidence is then compared with that, or recorded.
type Trial struct {
	Dir       string // the package hook, with certification.json and fixtures
	Client    string // the certification name, as in adapter.WithEvidence
	Version   string // exactly what the client said, x.y.z
	Program   string // the client's executable, whose hash is kept
	Authority string // as whom text reaches the model: system, developer, user, tool
	Command   string // by which the run can be repeated
}

// Finding is what came of trying one capability. What was not tried is no finding.
type Finding struct {
	Capability  certification.Capability
	Passed      bool
	Saw         string   // what was seen, in a sentence
	Transcript  []string // what shows it: lines of the client, payloads, answers; nothing private
	Idle, Busy  string   // what happens when the session is idle, and in the middle of a turn
	Limitations []string
}

// Compare holds findings against the evidence on file: a capability that works and is not on file is as wrong
// as one that is on file and does not work. The newest version on file for the client counts.
func (r Trial) Compare(t T, findings []Finding) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.Dir, manifestFile))
	if err != nil {
		t.Fatalf("%v; record it first", err)
	}
	m, err := certification.Parse(data)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, f := range findings {
		verdict := m.Judge([]certification.Capability{f.Capability}, f.Capability, certification.Client{Name: r.Client, Version: r.Version, Platform: platform()})
		if verdict.On != f.Passed {
			t.Errorf("%s: passed now is %v, the evidence says %v (%s); look at it, then record it again\nsaw: %s", f.Capability, f.Passed, verdict.On, verdict.Text(), f.Saw)
		}
	}
}

// Record writes a row, and a fixture, for each finding, and how the run was made. Rows of the same client,
// version, platform and capability are replaced; all others stay.
func (r Trial) Record(t T, findings []Finding) {
	t.Helper()
	if err := r.record(findings); err != nil {
		t.Fatalf("the evidence cannot be recorded: %v", err)
	}
}

const (
	manifestFile   = "certification.json"
	provenanceFile = "fixtures/provenance.json"
)

func platform() string { return certification.Platform(runtime.GOOS, runtime.GOARCH) }

// run is one entry of the provenance.
type run struct{ ID, ObservedAt, Client, Version, Platform, SHA256, Command string }

type provenance struct{ runs []run }

func text[T any](name string, at func(*T) *string) strictjson.Member[T] {
	return strictjson.Optional(name, "", at, strictjson.Text(1<<20))
}

var provenances = &strictjson.Object[provenance]{
	Name: "provenance", Open: true,
	Members: func() []strictjson.Member[provenance] {
		return []strictjson.Member[provenance]{
			strictjson.Field("runs", "", func(p *provenance) *[]run { return &p.runs }, strictjson.List(strictjson.Nested(&strictjson.Object[run]{
				Name: "run", Open: true,
				Members: func() []strictjson.Member[run] {
					return []strictjson.Member[run]{
						text("provenanceId", func(r *run) *string { return &r.ID }), text("observedAt", func(r *run) *string { return &r.ObservedAt }),
						text("client", func(r *run) *string { return &r.Client }), text("version", func(r *run) *string { return &r.Version }),
						text("platform", func(r *run) *string { return &r.Platform }), text("clientSha256", func(r *run) *string { return &r.SHA256 }),
						text("tool", func(r *run) *string { return &r.Command }),
					}
				},
			}), 0, 1000)),
		}
	},
}

var fixtures = &strictjson.Object[Finding]{
	Name: "fixture", MaxBytes: 16 << 20,
	Members: func() []strictjson.Member[Finding] {
		return []strictjson.Member[Finding]{
			strictjson.Field("capability", "", func(f *Finding) *certification.Capability { return &f.Capability }, strictjson.Enum(certification.Capabilities[:]...)),
			text("saw", func(f *Finding) *string { return &f.Saw }),
			strictjson.Field("transcript", "", func(f *Finding) *[]string { return &f.Transcript }, strictjson.List(strictjson.Text(1<<20), 0, 10_000)),
		}
	},
}

func (r Trial) record(findings []Finding) error {
	program, err := os.ReadFile(r.Program)
	if err != nil {
		return err
	}
	sum, now := sha256.Sum256(program), time.Now().UTC()
	this := run{
		ID: r.Client + "-" + r.Version + "-" + platform() + "-" + now.Format("20060102T150405Z"), ObservedAt: now.Format("2006-01-02T15:04:05Z"),
		Client: r.Client, Version: r.Version, Platform: platform(), SHA256: hex.EncodeToString(sum[:]), Command: r.Command,
	}
	var m certification.Manifest
	if data, err := r.read(manifestFile); err != nil {
		return err
	} else if data != nil {
		if m, err = certification.Parse(data); err != nil {
			return err
		}
	}
	rows := slices.DeleteFunc(m.Rows(), func(e certification.Evidence) bool {
		return e.Client == r.Client && e.Version == r.Version && e.Platform == platform() &&
			slices.ContainsFunc(findings, func(f Finding) bool { return f.Capability == e.Capability })
	})
	for _, f := range findings {
		row := certification.Evidence{
			Client: r.Client, Version: r.Version, Platform: platform(), ObservedAt: this.ObservedAt, Capability: f.Capability,
			Fixture:    path.Join("fixtures", r.Version+"-"+platform(), string(f.Capability)+".json"),
			Provenance: provenanceFile, ProvenanceID: this.ID, IdleBehavior: f.Idle, BusyBehavior: f.Busy,
			Authority: r.Authority, Limitations: f.Limitations, ObservedState: certification.Fail,
		}
		if f.Passed {
			row.ObservedState = certification.Pass
		}
		rows = append(rows, row)
		data, err := fixtures.AppendIndent(nil, &f)
		if err := errors.Join(err, r.write(row.Fixture, data)); err != nil {
			return err
		}
	}
	if err := r.addRun(this, rows); err != nil {
		return err
	}
	data, err := certification.Format(rows)
	if err != nil {
		return err
	}
	return r.write(manifestFile, data)
}

// addRun keeps how the run was made, and forgets runs that no row names any more.
func (r Trial) addRun(this run, rows []certification.Evidence) error {
	var p provenance
	data, err := r.read(provenanceFile)
	if err == nil && data != nil {
		p, err = provenances.Decode(data)
	}
	if err != nil {
		return err
	}
	p.runs = slices.DeleteFunc(p.runs, func(known run) bool {
		return known.ID == this.ID || !slices.ContainsFunc(rows, func(e certification.Evidence) bool { return e.ProvenanceID == known.ID })
	})
	p.runs = append(p.runs, this)
	if data, err = provenances.AppendIndent(nil, &p); err != nil {
		return err
	}
	return r.write(provenanceFile, data)
}

// read gives a file of the package; nil if there is none.
func (r Trial) read(name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func (r Trial) write(name string, data []byte) error {
	file := filepath.Join(r.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
)

// row is certification.Evidence as the file has it.
type row struct {
	Client       string   `json:"client"`
	Version      string   `json:"version"`
	Platform     string   `json:"platform"`
	ObservedAt   string   `json:"observedAt"`
	Capability   string   `json:"capability"`
	Fixture      string   `json:"fixture"`
	Provenance   string   `json:"provenance"`
	ProvenanceID string   `json:"provenanceId"`
	Idle         string   `json:"idleBehavior"`
	Busy         string   `json:"busyBehavior"`
	Authority    string   `json:"authorityLevel"`
	Limitations  []string `json:"limitations"`
	Result       string   `json:"result"`
}

type manifest struct {
	Evidence []row `json:"evidence"`
}

// provenance says how the runs were made.
type provenance struct {
	Runs []madeBy `json:"runs"`
}

type madeBy struct {
	ID           string `json:"provenanceId"`
	ObservedAt   string `json:"observedAt"`
	Client       string `json:"client"`
	Version      string `json:"version"`
	Platform     string `json:"platform"`
	ClientSHA256 string `json:"clientSha256"`
	Tool         string `json:"tool"`
	Model        string `json:"model"`
}

// checks is what came of every check of one run, the skipped ones included.
type checks struct {
	ProvenanceID string  `json:"provenanceId"`
	ObservedAt   string  `json:"observedAt"`
	Checks       []check `json:"checks"`
}

type check struct {
	Check string `json:"check"`
	Mode  string `json:"mode,omitempty"`
	State state  `json:"state"`
	Saw   string `json:"saw"` // of a skipped one: why nobody looked
}

// shown is the fixture of one check: what was seen in each way of driving the client.
type shown struct {
	Check string `json:"check"`
	Seen  []seen `json:"seen"`
}

type seen struct {
	Mode     string      `json:"mode"`
	State    state       `json:"state"`
	Saw      string      `json:"saw"`
	Hook     *hookCall   `json:"hook,omitempty"`
	Received string      `json:"receivedByTheModel,omitempty"`
	Rows     []matrixRow `json:"answers,omitempty"`
}

// Files below the adapter's hook package, as all paths of a row are.
const (
	provenanceFile = "fixtures/provenance.json"
	checksFile     = "checks.json" // in the directory of the version
)

// writeEvidence replaces what is on record of this version: rows, fixtures, checks and provenance, all below
// the adapter's hook package.
func (v *visit) writeEvidence(dir string, found []finding) error {
	run, err := v.provenance()
	if err != nil {
		return err
	}
	version := path.Join("fixtures", run.Version+"-"+run.Platform)
	if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(version))); err != nil {
		return err
	}
	var all manifest
	if err := load(filepath.Join(dir, "certification.json"), &all); err != nil {
		return err
	}
	all.Evidence = slices.DeleteFunc(all.Evidence, func(r row) bool {
		return r.Client == run.Client && r.Version == run.Version && r.Platform == run.Platform
	})
	record := checks{ProvenanceID: run.ID, ObservedAt: run.ObservedAt}
	for _, name := range allChecks() {
		of := slices.DeleteFunc(slices.Clone(found), func(f finding) bool { return f.check != name })
		fixture := path.Join(version, name+".json")
		tried := false
		for _, f := range of {
			record.Checks = append(record.Checks, check{f.check, f.mode, f.state, f.saw})
			tried = tried || f.state != skipped
		}
		if !tried {
			continue // a check that did not run leaves no row
		}
		if err := v.store(filepath.Join(dir, filepath.FromSlash(fixture)), show(name, of)); err != nil {
			return err
		}
		if slices.Contains(certification.Capabilities[:], certification.Capability(name)) {
			all.Evidence = append(all.Evidence, v.row(run, fixture, of))
		}
	}
	if err := v.store(filepath.Join(dir, filepath.FromSlash(version), checksFile), record); err != nil {
		return err
	}
	return v.writeManifest(dir, run, all)
}

func (v *visit) provenance() (madeBy, error) {
	sum, err := digest(v.path)
	now, platform := time.Now().UTC(), certification.Platform(runtime.GOOS, runtime.GOARCH)
	return madeBy{
		ID:         fmt.Sprintf("%s-%s-%s-%s", v.client.name, v.version, platform, now.Format("20060102T150405Z")),
		ObservedAt: now.Format("2006-01-02T15:04:05Z"), Client: v.client.name, Version: v.version, Platform: platform, ClientSHA256: sum,
		Tool: "go run ./tools/certify -client " + v.client.name + " -write", Model: "scripted, on loopback",
	}, err
}

// row sums up what was seen of a capability: it passes if it passed in every way that was tried.
func (v *visit) row(run madeBy, fixture string, of []finding) row {
	r := row{
		Client: run.Client, Version: run.Version, Platform: run.Platform, ObservedAt: run.ObservedAt, Capability: of[0].check,
		Fixture: fixture, Provenance: provenanceFile, ProvenanceID: run.ID, Authority: v.client.authority,
		Limitations: []string{}, Result: string(certification.Pass),
	}
	terminal, print := false, false
	for _, f := range of {
		if f.state == skipped {
			continue
		}
		if f.state == failed {
			r.Result = string(certification.Fail)
		}
		terminal = terminal || strings.HasPrefix(f.mode, terminalMode)
		print = print || strings.HasPrefix(f.mode, printMode)
		r.Idle, r.Busy = f.idle, f.busy
		for _, limitation := range f.limitations {
			if !slices.Contains(r.Limitations, limitation) {
				r.Limitations = append(r.Limitations, limitation)
			}
		}
	}
	switch {
	case !terminal:
		r.Limitations = append(r.Limitations, "seen without a terminal only")
	case !print:
		r.Limitations = append(r.Limitations, "seen in a terminal only")
	}
	return r
}

func show(name string, of []finding) shown {
	out := shown{Check: name}
	for _, f := range of {
		if f.state != skipped {
			out.Seen = append(out.Seen, seen{f.mode, f.state, f.saw, f.call, f.received, f.rows})
		}
	}
	return out
}

// writeManifest writes the rows and the provenance of those runs that rows still rest on.
func (v *visit) writeManifest(dir string, run madeBy, all manifest) error {
	var runs provenance
	if err := load(filepath.Join(dir, provenanceFile), &runs); err != nil {
		return err
	}
	runs.Runs = slices.DeleteFunc(runs.Runs, func(r madeBy) bool {
		return !slices.ContainsFunc(all.Evidence, func(e row) bool { return e.ProvenanceID == r.ID })
	})
	runs.Runs = append(runs.Runs, run)
	if err := v.store(filepath.Join(dir, provenanceFile), runs); err != nil {
		return err
	}
	data, err := indent(all)
	if err != nil {
		return err
	}
	if _, err := certification.Parse(data); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "certification.json"), data, 0o644)
}

// generation is the one secret in what was seen; its session is gone, but nobody should get used to it.
var generation = regexp.MustCompile(`--generation [\w-]+`)

// cutRoot is what is left of a stage's directory whose beginning or end was cut off.
var cutRoot = regexp.MustCompile(`(var/)?(tmp/)?acc-certify-\d*`)

// store writes a file without the paths of this machine and without a credential.
func (v *visit) store(path string, what any) error {
	data, err := indent(what)
	if err != nil {
		return err
	}
	text := string(data)
	for _, root := range v.roots {
		text = strings.ReplaceAll(text, root, "/lab")
		text = strings.ReplaceAll(text, strings.ReplaceAll(root, "/", "-"), "-lab") // as clients name directories after it
	}
	text = cutRoot.ReplaceAllString(text, "lab") // where the cut went through a path
	text = generation.ReplaceAllString(text, "--generation GENERATION")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

func indent(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}

func load(path string, v any) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

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

// shown is the fixture of one capability.
type shown struct {
	Capability string    `json:"capability"`
	Saw        string    `json:"saw"`
	Hook       *hookCall `json:"hook,omitempty"`
	Received   string    `json:"receivedByTheModel,omitempty"`
}

// provenanceFile is below the adapter's hook package, as all paths of a row are.
const provenanceFile = "fixtures/provenance.json"

// writeEvidence writes rows, fixtures and provenance into the adapter's hook package.
func (s *stage) writeEvidence(dir string, found []finding) error {
	now, platform := time.Now().UTC(), certification.Platform(runtime.GOOS, runtime.GOARCH)
	sum, err := digest(s.path)
	if err != nil {
		return err
	}
	run := madeBy{
		ID: fmt.Sprintf("%s-%s-%s-%s", s.client.name, s.version, platform, now.Format("20060102T150405Z")), ObservedAt: now.Format("2006-01-02T15:04:05Z"),
		Client: s.client.name, Version: s.version, Platform: platform, ClientSHA256: sum,
		Tool: "go run ./tools/certify -client " + s.client.name + " -write", Model: "scripted, on loopback",
	}
	var all manifest
	if err := load(filepath.Join(dir, "certification.json"), &all); err != nil {
		return err
	}
	var runs provenance
	if err := load(filepath.Join(dir, provenanceFile), &runs); err != nil {
		return err
	}
	for _, f := range found {
		fixture := path.Join("fixtures", s.version+"-"+platform, string(f.capability)+".json")
		saw := f.saw
		if !f.passed {
			saw = "not: " + saw
		}
		if err := s.store(filepath.Join(dir, filepath.FromSlash(fixture)), shown{string(f.capability), saw, f.call, f.received}); err != nil {
			return err
		}
		all.Evidence = slices.DeleteFunc(all.Evidence, func(r row) bool {
			return r.Client == run.Client && r.Version == run.Version && r.Platform == platform && r.Capability == string(f.capability)
		})
		all.Evidence = append(all.Evidence, row{
			Client: run.Client, Version: run.Version, Platform: platform, ObservedAt: run.ObservedAt, Capability: string(f.capability),
			Fixture: fixture, Provenance: provenanceFile, ProvenanceID: run.ID, Idle: f.idle, Busy: f.busy,
			Authority: s.client.authority, Limitations: f.limitations, Result: result(f),
		})
	}
	runs.Runs = slices.DeleteFunc(runs.Runs, func(r madeBy) bool {
		return !slices.ContainsFunc(all.Evidence, func(e row) bool { return e.ProvenanceID == r.ID })
	})
	runs.Runs = append(runs.Runs, run)
	if err := s.store(filepath.Join(dir, provenanceFile), runs); err != nil {
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

func result(f finding) string {
	if f.passed {
		return string(certification.Pass)
	}
	return string(certification.Fail)
}

// generation is the one secret in what was seen; its session is gone, but nobody should get used to it.
var generation = regexp.MustCompile(`--generation [\w-]+`)

// store writes a file without the paths of this machine and without a credential.
func (s *stage) store(path string, v any) error {
	data, err := indent(v)
	if err != nil {
		return err
	}
	text := strings.ReplaceAll(string(data), s.root, "/lab")
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

package adaptertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
)

func TestTrial(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	first := Trial{Dir: t.TempDir(), Client: "tool", Version: "1.0.0", Program: self, Authority: "user", Command: "go test"}
	findings := []Finding{
		{Capability: certification.GuardWrite, Passed: true, Saw: "a refused write left no file", Transcript: []string{"refused"}, Idle: "does not occur", Busy: "before the tool"},
		{Capability: certification.TurnContext, Saw: "the model read nothing", Idle: "x", Busy: "x", Limitations: []string{"seen once"}},
	}
	first.Record(t, findings)
	first.Compare(t, findings)

	second := first
	second.Version = "1.1.0"
	findings[1].Passed = true
	second.Record(t, findings[1:])
	second.Compare(t, findings)
	data, err := os.ReadFile(filepath.Join(first.Dir, "certification.json"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := certification.Parse(data)
	if err != nil || len(m.Rows()) != 3 {
		t.Fatalf("%d rows, %v; want those of both versions", len(m.Rows()), err)
	}
	for _, row := range m.Rows() {
		for _, file := range []string{row.Fixture, row.Provenance} {
			text, err := os.ReadFile(filepath.Join(first.Dir, file))
			if err != nil || file == row.Provenance && !strings.Contains(string(text), row.ProvenanceID) {
				t.Errorf("%s %s: %s does not show it: %v", row.Version, row.Capability, file, err)
			}
		}
	}

	// Another run of a version takes the place of its rows, and the run that nothing names is forgotten.
	findings[1].Passed = false
	second.Record(t, findings)
	if text, err := os.ReadFile(filepath.Join(first.Dir, "fixtures", "provenance.json")); err != nil || strings.Count(string(text), `"version": "1.1.0"`) != 1 {
		t.Errorf("%v\n%s", err, text)
	}
	found := &recorder{}
	findings[0].Passed, findings[1].Passed = false, true
	second.Compare(found, findings)
	if len(found.faults) != 2 {
		t.Errorf("found %q; want both", found.faults)
	}
}

package capabilities

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/cli/registry"
	"github.com/acc-control-plane/acc/tools/worktree"
)

var update = flag.Bool("update", false, "write docs/capabilities.md instead of comparing it")

func TestThePageSaysWhatWasSeen(t *testing.T) {
	worktree.Uncached()
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	adapters, err := registry.Hooks()
	if err != nil {
		t.Fatal(err)
	}
	want, err := Page(adapters)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "docs", "capabilities.md")
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("docs/capabilities.md is not what the evidence says; run go test ./tools/capabilities -update (-want +got):\n%s", diff)
	}
}

// client injects before a turn and refuses nothing.
type client struct{}

func (client) Normalize(adapter.Call) (adapter.Event, error)        { return adapter.Event{}, nil }
func (client) Injects(e adapter.Event) bool                         { return e.Kind == adapter.BeforeTurn }
func (client) Inject(adapter.Event, string) (adapter.Output, error) { return adapter.Output{}, nil }

func row(version, platform, capability, result, limits string) string {
	return `{"client":"c","version":"` + version + `","platform":"` + platform + `","observedAt":"2026-11-30","capability":"` + capability +
		`","fixture":"fixtures/a.json","provenance":"fixtures/p.json","provenanceId":"r","idleBehavior":"x","busyBehavior":"x","authorityLevel":"user",` +
		`"limitations":[` + limits + `],"result":"` + result + `"}`
}

func TestCells(t *testing.T) {
	const turn, start = "context.beforeTurnInjection", "lifecycle.sessionStart"
	tests := []struct {
		name string
		rows []string
		want string // of before a turn
	}{
		{"never tried", []string{row("1.0.0", "linux-x64", start, "pass", "")}, "–"},
		{"seen", []string{row("1.0.0", "linux-x64", turn, "pass", "")}, "1.0.0, linux-x64"},
		{"the newest version, by number", []string{row("1.9.0", "linux-x64", turn, "fail", ""), row("1.10.0", "linux-x64", turn, "pass", "")}, "1.10.0, linux-x64"},
		{"on two platforms", []string{row("1.0.0", "linux-x64", turn, "pass", ""), row("1.0.0", "darwin-arm64", turn, "pass", "")}, "1.0.0, darwin-arm64, linux-x64"},
		{"it stopped", []string{row("1.0.0", "linux-x64", turn, "pass", ""), row("1.1.0", "linux-x64", turn, "fail", "")}, "**failed** in 1.1.0, linux-x64"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := adapter.New("c", "C", client{}, adapter.WithEvidence("c", []byte(`{"evidence":[`+strings.Join(tt.rows, ",")+`]}`), certification.TurnContext))
			if err != nil {
				t.Fatal(err)
			}
			page, err := Page([]*adapter.Adapter{a})
			if err != nil || !strings.Contains(page, "(`"+turn+"`) | "+tt.want+" |") {
				t.Errorf("want %q, %v, in\n%s", tt.want, err, page)
			}
		})
	}
	a, err := adapter.New("c", "C", client{}, adapter.WithEvidence("c", []byte(`{"evidence":[`+row("1.0.0", "linux-x64", turn, "pass", `"one","two"`)+`]}`)))
	if err != nil {
		t.Fatal(err)
	}
	page, err := Page([]*adapter.Adapter{a})
	if err != nil || !strings.Contains(page, "1.0.0, linux-x64, not relied on |") || !strings.Contains(page, "**C.** One; two.\n") {
		t.Errorf("%v\n%s", err, page)
	}
}

// TestWords: no capability is shown without words.
func TestWords(t *testing.T) {
	for _, c := range certification.Capabilities {
		if words[c] == "" {
			t.Errorf("%s has no words", c)
		}
	}
}

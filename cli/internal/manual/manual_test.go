package manual_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/command"
	"github.com/acc-control-plane/acc/cli/internal/manual"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated parts of docs/cli.md")

// TestThePageSaysWhatTheCodeDoes runs in a checkout; the module alone does not carry the page.
func TestThePageSaysWhatTheCodeDoes(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	if _, err := os.Stat(filepath.Join(root, "go.work")); errors.Is(err, os.ErrNotExist) {
		t.Skip("not in a checkout")
	}
	path := filepath.Join(root, "docs", "cli.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := manual.Fill(string(page), manual.Sections(command.Tables()))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("docs/cli.md is out of date; run go test ./cli/internal/manual -update\n-want +got:\n%s", diff)
	}
}

func TestFillRefusesMarkersThatDoNotMatch(t *testing.T) {
	sections := map[string]string{"a": "text\n"}
	for _, page := range []string{"", "<!-- begin b -->\n<!-- end b -->\n", "<!-- begin a -->\n", "<!-- begin a -->\n<!-- end b -->\n", "<!-- end a -->\n"} {
		if got, err := manual.Fill(page, sections); err == nil {
			t.Errorf("%q was filled: %q", page, got)
		}
	}
	got, err := manual.Fill("x\n<!-- begin a -->\nold\n<!-- end a -->\ny\n", sections)
	if diff := cmp.Diff("x\n<!-- begin a -->\n\ntext\n\n<!-- end a -->\ny\n", got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

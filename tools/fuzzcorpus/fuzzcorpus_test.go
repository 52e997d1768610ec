package fuzzcorpus

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// TestEveryParserIsFuzzed: the table of docs/security-model.md names the fuzz targets that there are, and
// each has inputs beside it.
func TestEveryParserIsFuzzed(t *testing.T) {
	worktree.Uncached()
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	targets, err := Targets(root)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "security-model.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(targets, Named(string(page))); diff != "" {
		t.Errorf("the parsers in docs/security-model.md are not those that are fuzzed (-fuzzed +named):\n%s", diff)
	}
	for _, target := range targets {
		inputs, err := Inputs(root, target)
		if err != nil {
			t.Errorf("%s: %v", target, err)
		}
		if inputs == 0 {
			t.Errorf("%s has no inputs in testdata/fuzz; run it for a while and keep some of what it finds in $(go env GOCACHE)/fuzz", target)
		}
	}
}

func TestTargets(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("core/a_test.go", "package core\n\nfunc FuzzB(f *testing.F) {}\n\nfunc FuzzA(f *testing.F) {}\n")
	write("core/testdata/x_test.go", "package x\n\nfunc FuzzX(f *testing.F) {}\n")
	write("core/testdata/fuzz/FuzzA/1", "go test fuzz v1\nstring(\"a\")\n")
	write("core/testdata/fuzz/FuzzB/1", "whatever\n")
	targets, err := Targets(root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"core.FuzzA", "core.FuzzB"}, targets); diff != "" {
		t.Error(diff)
	}
	if n, err := Inputs(root, "core.FuzzA"); n != 1 || err != nil {
		t.Errorf("%d inputs, %v", n, err)
	}
	if n, err := Inputs(root, "core.FuzzB"); err == nil {
		t.Errorf("a file that is no input counts: %d", n)
	}
	if n, err := Inputs(root, "core.FuzzC"); n != 0 || err != nil {
		t.Errorf("%d inputs, %v", n, err)
	}
	page := heading + "\n\n| `b.FuzzB`, `a/b.FuzzA` |\n\n## Next\n\n`c.FuzzC`\n"
	if diff := cmp.Diff([]string{"a/b.FuzzA", "b.FuzzB"}, Named(page)); diff != "" {
		t.Error(diff)
	}
}

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/tools/worktree"
)

func TestFragmentsOfTheTree(t *testing.T) {
	worktree.Uncached()
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Fragments(filepath.Join(root, "changes")); err != nil {
		t.Error(err)
	}
}

func TestFragmentsThatAreNone(t *testing.T) {
	for name, text := range map[string]string{
		"no-kind.md": "A sentence.\n", "another-kind.md": "kind: nice\n\nA sentence.\n", "empty.md": "kind: added\n\n", "heading.md": "kind: added\n\n# A title\n",
		"Upper.md": "kind: added\n\nA sentence.\n", "text.txt": "kind: added\n\nA sentence.\n",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if all, err := Fragments(dir); err == nil {
			t.Errorf("%s: read as %+v", name, all)
		}
	}
}

func TestWanted(t *testing.T) {
	for _, tt := range []struct {
		files []string
		want  bool
	}{
		{nil, false},
		{[]string{"docs/a.md", "tools/x/y.go", "core/a_test.go", "core/testdata/a.go"}, false},
		{[]string{"core/a.go"}, true},
		{[]string{"core/a.go", "changes/README.md"}, true},
		{[]string{"core/a.go", "changes/a.md"}, false},
	} {
		if got := Wanted(tt.files); got != tt.want {
			t.Errorf("%v: %v", tt.files, got)
		}
	}
}

func TestMerge(t *testing.T) {
	all := []Fragment{{Kind: "fixed", Text: "One."}, {Kind: "breaking", Text: "Two,\nin two lines."}, {Kind: "fixed", Text: "Three."}}
	first, err := Merge("", "0.1.0", "2026-11-30", all)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Merge(first, "0.2.0", "2026-12-24", all[:1])
	if err != nil {
		t.Fatal(err)
	}
	want := `# Changelog

## 0.2.0 (2026-12-24)

### Fixed

- One.

## 0.1.0 (2026-11-30)

### Breaking

- Two,
  in two lines.

### Fixed

- One.
- Three.
`
	if diff := cmp.Diff(want, second); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for name, before := range map[string]string{"twice": second, "another file": "# News\n"} {
		if _, err := Merge(before, "0.1.0", "2026-12-24", all); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

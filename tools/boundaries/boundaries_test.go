package boundaries

import (
	"context"
	"flag"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/tools/worktree"
)

var update = flag.Bool("update", false, "write the package lists in testdata instead of comparing them")

// theTree loads this work tree once for all tests: one graph per platform.
var theTree = sync.OnceValues(func() ([]*Graph, error) {
	root, err := worktree.FindRoot(".")
	if err != nil {
		return nil, err
	}
	modules, err := worktree.Modules(root)
	if err != nil {
		return nil, err
	}
	var graphs []*Graph
	for _, goos := range Platforms {
		// The go command ends by itself; the test binary's own deadline ends it otherwise.
		g, err := Load(context.Background(), root, goos)
		if err != nil {
			return nil, err
		}
		for _, m := range modules {
			if _, out := outside[m.Dir]; out {
				if err := g.AddOutside(context.Background(), m); err != nil {
					return nil, err
				}
			}
		}
		graphs = append(graphs, g)
	}
	return graphs, nil
})

func loadTree(t *testing.T) (root string, graphs []*Graph) {
	t.Helper()
	worktree.Uncached()
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	graphs, err = theTree()
	if err != nil {
		t.Fatal(err)
	}
	return root, graphs
}

// report fails the test once for each violation, whichever platforms it was found on.
func report(t *testing.T, graphs []*Graph, broken func(*Graph) []Violation) {
	t.Helper()
	seen := map[string]bool{}
	for _, g := range graphs {
		for _, v := range broken(g) {
			if text := v.String(); !seen[text] {
				seen[text] = true
				t.Errorf("on %s: %s", g.GOOS, text)
			}
		}
	}
}

func TestModules(t *testing.T) {
	root, graphs := loadTree(t)
	modules, err := worktree.Modules(root)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]ModuleRule{}
	for _, row := range Modules {
		rows[row.Dir] = row
	}
	for _, m := range modules {
		t.Run(m.Dir, func(t *testing.T) {
			row, ok := rows[m.Dir]
			if !ok {
				t.Fatalf("%s has no row in the table of rules.go; add one that says what it may import", m.Dir)
			}
			report(t, graphs, row.Direct)
			packages := graphs[0].Own(m.Dir)
			if len(packages) == 0 {
				t.Errorf("%s has no package; give it a doc.go that says what will be there", m.Dir)
			}
			for _, p := range packages {
				if p.Doc == "" && p.Name != "" && !strings.HasSuffix(p.Name, "_test") {
					t.Errorf("%s has no package comment; say in doc.go what lives there and where to start reading", p.Path)
				}
				if p.Problem != "" {
					t.Errorf("%s does not load: %s", p.Path, p.Problem)
				}
			}
			if text, err := os.ReadFile(filepath.Join(m.Abs, "README.md")); err != nil || len(text) == 0 {
				t.Errorf("%s/README.md is missing; one screen on what the module is for", m.Dir)
			}
		})
		delete(rows, m.Dir)
	}
	for _, dir := range sortedKeys(rows) {
		t.Errorf("rules.go has a row for %s, which is no module of the work tree", dir)
	}
}

func TestNothingReachesWhatItMustNot(t *testing.T) {
	_, graphs := loadTree(t)
	for _, rule := range Reaches {
		t.Run(rule.Name, func(t *testing.T) { report(t, graphs, rule.Broken) })
	}
	t.Run("no adapter reaches another", func(t *testing.T) {
		report(t, graphs, func(g *Graph) []Violation { return OtherAdapters(g, Modules) })
	})
}

func TestReservedImports(t *testing.T) {
	_, graphs := loadTree(t)
	for _, rule := range Onlys {
		t.Run(rule.Name, func(t *testing.T) { report(t, graphs, rule.Broken) })
	}
}

func TestModuleFilesAgree(t *testing.T) {
	root, _ := loadTree(t)
	faults, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
}

func TestThePictureShowsTheModulesAsTheyAre(t *testing.T) {
	root, graphs := loadTree(t)
	file := filepath.Join(root, "docs", "architecture.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := WithPicture(string(text), Picture(graphs))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(text), "\n")); diff != "" {
		t.Errorf("docs/architecture.md shows other modules than there are; run go test ./tools/boundaries -update (-want +got):\n%s", diff)
	}
}

func TestEveryDependencyIsExplained(t *testing.T) {
	root, _ := loadTree(t)
	text, err := os.ReadFile(filepath.Join(root, "docs", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	paths, err := DirectRequirements(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatal("no go.mod requires anything, which cannot be")
	}
	var rows []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if name, ok := strings.CutPrefix(line, "| `"); ok {
			name, _, _ = strings.Cut(name, "`")
			rows = append(rows, name)
		}
	}
	for _, p := range paths {
		if !slices.Contains(rows, p) {
			t.Errorf("docs/dependencies.md does not say why `%s` is there; add a row", p)
		}
	}
	for _, row := range rows {
		if !slices.Contains(paths, row) {
			t.Errorf("docs/dependencies.md has a row for `%s`, which no go.mod requires directly; remove it", row)
		}
	}
}

// TestLinterRules keeps what the linter's own schema does not: a pattern without the leading stars matches
// nothing, and an adapter without a rule is free to import the others.
func TestLinterRules(t *testing.T) {
	root, _ := loadTree(t)
	text, err := os.ReadFile(filepath.Join(root, ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var patterns int
	for line := range strings.SplitSeq(string(text), "\n") {
		list, ok := strings.CutPrefix(strings.TrimSpace(line), "files: [")
		if !ok {
			continue
		}
		for pattern := range strings.SplitSeq(strings.TrimSuffix(list, "]"), ", ") {
			patterns++
			if p := strings.Trim(pattern, `"`); !strings.HasPrefix(p, "**/") && !strings.HasPrefix(p, "!**/") && p != "!$test" {
				t.Errorf(".golangci.yml: the pattern %s matches no file; begin it with **/", pattern)
			}
		}
	}
	if patterns == 0 {
		t.Error(".golangci.yml has no import rules, or they are written otherwise than this test reads them")
	}
	for _, row := range Modules {
		if name, ok := strings.CutPrefix(row.Dir, "adapters/"); ok && !strings.Contains(string(text), " "+name+"-knows-no-other-adapter:") {
			t.Errorf(".golangci.yml has no rule %s-knows-no-other-adapter", name)
		}
	}
}

func TestPackageLists(t *testing.T) {
	_, graphs := loadTree(t)
	binaries := Binaries(graphs[0])
	var expected []string
	for _, dir := range binaries {
		file := filepath.Join("testdata", path.Base(dir)+".txt")
		expected = append(expected, file)
		t.Run(path.Base(dir), func(t *testing.T) {
			got := List(graphs, dir)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v; write it with: go test ./tools/boundaries -update", err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s links other packages than %s says; if that is meant, run go test ./tools/boundaries -update and commit the file (-want +got):\n%s", dir, file, diff)
			}
		})
	}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.Contains(expected, file) {
			t.Errorf("%s lists a binary that is not in cli/cmd; remove the file", file)
		}
	}
}

// TestOwners: a new module has somebody who reviews it, and no line speaks of what is gone.
func TestOwners(t *testing.T) {
	root, _ := loadTree(t)
	text, err := os.ReadFile(filepath.Join(root, "CODEOWNERS"))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for line := range strings.SplitSeq(string(text), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") || fields[0] == "*" {
			continue
		}
		if len(fields) < 2 || !strings.HasPrefix(fields[1], "@") {
			t.Errorf("CODEOWNERS: %q names nobody", line)
		}
		paths = append(paths, fields[0])
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(fields[0]))); err != nil {
			t.Errorf("CODEOWNERS speaks of %s, which is not there", fields[0])
		}
	}
	modules, err := worktree.Modules(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		if !slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix("/"+m.Dir+"/", p) }) {
			t.Errorf("CODEOWNERS has no line for %s", m.Dir)
		}
	}
}

// TestWhatAVendorInherits: the modules that an adapter's hook and live packages bring along by using the SDK.
func TestWhatAVendorInherits(t *testing.T) {
	_, graphs := loadTree(t)
	allowed := []Pattern{"./protocol/...", "./adapter-sdk/...", ulid, jsonTokens, "github.com/go-json-experiment/json/internal/...", system}
	for _, g := range graphs {
		for _, p := range g.Own("adapter-sdk") {
			dir := strings.TrimPrefix(p.Path, worktree.Prefix)
			if strings.HasPrefix(dir, "adapter-sdk/installkit") || strings.HasPrefix(dir, "adapter-sdk/skill") {
				continue // for installers, which read more formats
			}
			for _, path := range g.reachable(p.Path) {
				if isStandard(g, path) {
					continue
				}
				if !matchAny(allowed, path) {
					t.Errorf("on %s: %s brings %s along; a vendor inherits it", g.GOOS, dir, path)
				}
			}
		}
	}
}

package boundaries

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// brokenTree lays testdata/tree.txtar out, with the files of change written over it.
func brokenTree(t *testing.T, change string) string {
	t.Helper()
	root := t.TempDir()
	base, err := txtar.ParseFile(filepath.Join("testdata", "tree.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*txtar.Archive{base, txtar.Parse([]byte(change))} {
		for _, f := range a.Files {
			// Write refuses to replace a file.
			if err := os.RemoveAll(filepath.Join(root, f.Name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := txtar.Write(a, root); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// verdict applies every rule to the tree at root.
func verdict(t *testing.T, root, goos string) []string {
	t.Helper()
	g, err := Load(t.Context(), root, goos)
	if err != nil {
		t.Fatal(err)
	}
	var all []Violation
	for _, row := range Modules {
		all = append(all, row.Direct(g)...)
	}
	for _, rule := range Reaches {
		all = append(all, rule.Broken(g)...)
	}
	for _, rule := range Onlys {
		all = append(all, rule.Broken(g)...)
	}
	all = append(all, OtherAdapters(g, Modules)...)
	var sentences []string
	for _, v := range all {
		sentences = append(sentences, v.String())
	}
	return sentences
}

func TestALawfulTreePasses(t *testing.T) {
	root := brokenTree(t, "")
	if got := verdict(t, root, "linux"); len(got) > 0 {
		t.Errorf("a tree that breaks no rule is refused:\n%s", strings.Join(got, "\n"))
	}
	faults, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	// The two stand-ins for outside modules are in this go.work only so that no network is needed.
	faults = slices.DeleteFunc(faults, func(f string) bool { return strings.Contains(f, "vendored/") })
	if len(faults) > 0 {
		t.Errorf("a tree whose module files agree is refused:\n%s", strings.Join(faults, "\n"))
	}
}

func TestEachBreachIsFound(t *testing.T) {
	tests := []struct {
		name, change string
		goos         string   // linux when empty
		want         []string // parts of the sentences
	}{{
		name:   "core starts processes",
		change: "-- core/x.go --\npackage core\nimport _ \"os/exec\"\n",
		want: []string{
			"core is pure: core must not import os/exec (core → os/exec); instead: declare a port in core/ports.go",
			"processes are started in few places: core must not import os/exec",
		},
	}, {
		name:   "core starts processes through protocol",
		change: "-- protocol/x.go --\npackage protocol\nimport _ \"os/exec\"\n",
		want:   []string{"core is pure: core must not import os/exec (core → protocol → os/exec)"},
	}, {
		name:   "core starts processes through an outside module",
		change: "-- protocol/x.go --\npackage protocol\nimport _ \"example.com/helper/exec\"\n",
		want: []string{
			"core is pure: core must not import os/exec (core → protocol → example.com/helper/exec → os/exec)",
			"imports of protocol: protocol must not import example.com/helper/exec",
		},
	}, {
		name:   "core starts processes on one platform only",
		change: "-- core/x_windows.go --\npackage core\nimport _ \"os/exec\"\n",
		goos:   "windows",
		want:   []string{"core is pure: core must not import os/exec"},
	}, {
		name:   "core opens sockets",
		change: "-- core/x.go --\npackage core\nimport _ \"net\"\n",
		want:   []string{"core is pure: core must not import net (core → net)"},
	}, {
		name:   "core knows an adapter",
		change: "-- core/x.go --\npackage core\nimport _ \"github.com/acc-control-plane/acc/adapters/kimi\"\n",
		want: []string{
			"core is pure: core must not import adapters/kimi (core → adapters/kimi)",
			"imports of core: core must not import adapters/kimi",
			"only the registry names adapters: core must not import adapters/kimi",
		},
	}, {
		name: "core knows an adapter through a subpackage and protocol",
		change: "-- core/inner/x.go --\npackage inner\nimport _ \"github.com/acc-control-plane/acc/protocol/deep\"\n" +
			"-- protocol/deep/x.go --\npackage deep\nimport _ \"github.com/acc-control-plane/acc/adapters/kimi\"\n",
		want: []string{"core is pure: core/inner must not import adapters/kimi (core/inner → protocol/deep → adapters/kimi)"},
	}, {
		name:   "core knows the SDK",
		change: "-- core/x.go --\npackage core\nimport _ \"github.com/acc-control-plane/acc/adapter-sdk/adapter\"\n",
		want:   []string{"core is pure: core must not import adapter-sdk/adapter"},
	}, {
		name:   "core reads repositories",
		change: "-- core/x.go --\npackage core\nimport _ \"github.com/go-git/go-git/v5\"\n",
		want:   []string{"core is pure: core must not import github.com/go-git/go-git/v5"},
	}, {
		name:   "core reads repositories through an outside module",
		change: "-- protocol/x.go --\npackage protocol\nimport _ \"example.com/helper/git\"\n",
		want:   []string{"core is pure: core must not import example.com/helper/git (core → protocol → example.com/helper/git)"},
	}, {
		name:   "core reads repositories with a package of its own",
		change: "-- core/x.go --\npackage core\nimport _ \"github.com/acc-control-plane/acc/core/gitdir\"\n-- core/gitdir/x.go --\npackage gitdir\n",
		want:   []string{"core is pure: core must not import core/gitdir (core → core/gitdir)"},
	}, {
		name:   "core tests with the store",
		change: "-- core/x_test.go --\npackage core\nimport _ \"github.com/acc-control-plane/acc/storage-filesystem/fsstore\"\n",
		want:   []string{"imports of core (tests): core must not import storage-filesystem/fsstore"},
	}, {
		name:   "an adapter imports another",
		change: "-- adapters/codex/hook/x.go --\npackage hook\nimport _ \"github.com/acc-control-plane/acc/adapters/kimi\"\n",
		want: []string{
			"an adapter stands alone: adapters/codex must not import adapters/kimi (adapters/codex → adapters/codex/hook → adapters/kimi); instead: what two adapters share",
			"imports of adapters/codex: adapters/codex/hook must not import adapters/kimi",
		},
	}, {
		name:   "an adapter imports core",
		change: "-- adapters/kimi/x.go --\npackage kimi\nimport _ \"github.com/acc-control-plane/acc/core\"\n",
		want:   []string{"an adapter stands alone: adapters/kimi must not import core"},
	}, {
		name:   "an adapter imports the store through the SDK",
		change: "-- adapter-sdk/adapter/x.go --\npackage adapter\nimport _ \"github.com/acc-control-plane/acc/storage-filesystem/fsstore\"\n",
		want:   []string{"an adapter stands alone: adapters/codex must not import storage-filesystem/fsstore (adapters/codex → adapters/codex/hook → adapter-sdk/adapter → storage-filesystem/fsstore)"},
	}, {
		name:   "an adapter's hook opens sockets through its own transport",
		change: "-- adapters/codex/hook/x.go --\npackage hook\nimport _ \"github.com/acc-control-plane/acc/adapters/codex/live\"\n",
		want:   []string{"an adapter's hook is bare: adapters/codex/hook must not import adapters/codex/live"},
	}, {
		name:   "the hook binary links an installer",
		change: "-- cli/cmd/acc-hook/x.go --\npackage main\nimport _ \"github.com/acc-control-plane/acc/cli/registry\"\n",
		want:   []string{"the hook path starts nothing and links little: cli/cmd/acc-hook must not import os/exec (cli/cmd/acc-hook → cli/registry → adapters/codex → adapters/codex/install → os/exec)"},
	}, {
		name:   "the hook binary links HTTP",
		change: "-- storage-filesystem/fsstore/x.go --\npackage fsstore\nimport _ \"net/http\"\n",
		want: []string{
			"(cli/cmd/acc-hook → hook-runner → storage-filesystem/fsstore → net/http)",
			"only the updater uses the network: storage-filesystem/fsstore must not import net/http",
		},
	}, {
		name:   "the hook binary links a lenient decoder",
		change: "-- hook-runner/x.go --\npackage hookrunner\nimport _ \"encoding/json\"\n",
		want: []string{
			"(cli/cmd/acc-hook → hook-runner → encoding/json)",
			"strict JSON everywhere: hook-runner must not import encoding/json",
		},
	}, {
		name:   "the hook binary links templates",
		change: "-- hook-runner/x.go --\npackage hookrunner\nimport _ \"text/template\"\n",
		want:   []string{"(cli/cmd/acc-hook → hook-runner → text/template)"},
	}, {
		name:   "a command names an adapter",
		change: "-- cli/internal/x/x.go --\npackage x\nimport _ \"github.com/acc-control-plane/acc/adapters/codex\"\n",
		want:   []string{"only the registry names adapters: cli/internal/x must not import adapters/codex (cli/internal/x → adapters/codex); instead: ask cli/registry"},
	}, {
		name:   "a shipped binary links test code",
		change: "-- cli/cmd/acc/x.go --\npackage main\nimport _ \"testing\"\n",
		want:   []string{"shipped binaries carry no test code and no slow starters: cli/cmd/acc must not import testing"},
	}, {
		name:   "the product uses a tool",
		change: "-- cli/cmd/acc/x.go --\npackage main\nimport _ \"github.com/acc-control-plane/acc/tools/bench\"\n",
		want:   []string{"tools are for contributors: cli/cmd/acc must not import tools/bench"},
	}, {
		name:   "the store brings a library that nobody agreed to",
		change: "-- storage-filesystem/fsstore/x.go --\npackage fsstore\nimport _ \"example.com/helper/git\"\n",
		want:   []string{"imports of storage-filesystem: storage-filesystem/fsstore must not import example.com/helper/git"},
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			goos := tt.goos
			if goos == "" {
				goos = "linux"
			}
			got := strings.Join(verdict(t, brokenTree(t, tt.change), goos), "\n")
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("no sentence says %q; they say:\n%s", want, got)
				}
			}
		})
	}
}

func TestEachFaultOfTheModuleFilesIsFound(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"go.work:a module is left out", "\t./core\n", "", "go.work does not use core; add the line ./core"},
		{"go.work:a module is gone", "./core\n\t./hook-runner", "./core\n\t./gone\n\t./hook-runner", "go.work uses gone, which is no module"},
		{"go.work:a replace is missing", "\tgithub.com/acc-control-plane/acc/core v0.1.0 => ./core\n", "", "go.work does not replace github.com/acc-control-plane/acc/core v0.1.0"},
		{"go.work:a replace points elsewhere", "acc/core v0.1.0 => ./core", "acc/core v0.1.0 => ./protocol", "it must point at ./core"},
		{"go.work:a replace is of another version", "acc/core v0.1.0 => ./core", "acc/core v0.2.0 => ./core", "siblings are at v0.1.0"},
		{"go.work:a replace of an outside module", "replace (", "replace (\n\tgolang.org/x/sys => ./core", "only siblings may be replaced"},
		{"core/go.mod:another go line", "go 1.26.0", "go 1.25.0", "core/go.mod has not the go line of go.work"},
		{"core/go.mod:a toolchain", "go 1.26.0", "go 1.26.0\n\ntoolchain go1.26.8", "core/go.mod has a toolchain line"},
		{"core/go.mod:a replace", "go 1.26.0", "go 1.26.0\n\nreplace golang.org/x/sys => ../x", "core/go.mod replaces golang.org/x/sys"},
		{"core/go.mod:a sibling at another version", "go 1.26.0", "go 1.26.0\n\nrequire github.com/acc-control-plane/acc/protocol v0.0.9", "siblings are at v0.1.0"},
		{"core/go.mod:the wrong name", "module github.com/acc-control-plane/acc/core", "module github.com/acc-control-plane/acc/kernel", "its directory makes it github.com/acc-control-plane/acc/core"},
	}
	for _, tt := range tests {
		file, name, _ := strings.Cut(tt.name, ":")
		t.Run(name, func(t *testing.T) {
			root := brokenTree(t, "")
			text, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(text), tt.old, tt.new, 1)
			if changed == string(text) {
				t.Fatalf("%s has no %q to change", file, tt.old)
			}
			if err := os.WriteFile(filepath.Join(root, file), []byte(changed), 0o644); err != nil {
				t.Fatal(err)
			}
			faults, err := Files(root)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(faults, "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("no fault says %q; they say:\n%s", tt.want, got)
			}
		})
	}
}

func TestOneVersionForAll(t *testing.T) {
	root := brokenTree(t, "-- core/go.mod --\nmodule github.com/acc-control-plane/acc/core\n\ngo 1.26.0\n\nrequire golang.org/x/sys v0.49.0\n"+
		"-- protocol/go.mod --\nmodule github.com/acc-control-plane/acc/protocol\n\ngo 1.26.0\n\nrequire golang.org/x/sys v0.50.0\n")
	faults, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(faults, "\n"); !strings.Contains(got, "requires golang.org/x/sys@v0.50.0, another module requires v0.49.0") {
		t.Errorf("got %s", got)
	}
}

func TestPatterns(t *testing.T) {
	tests := []struct {
		pattern Pattern
		path    string
		want    bool
	}{
		{"os/exec", "os/exec", true},
		{"os/exec", "os/exec/internal", false},
		{"net/...", "net", true},
		{"net/...", "net/http/httptest", true},
		{"net/...", "netip", false},
		{"./core/...", worktree.Prefix + "core", true},
		{"./core/...", worktree.Prefix + "core/presence", true},
		{"./core/...", worktree.Prefix + "corelike", false},
		{"./core/...", "core/presence", false},
		{"./adapters/*/hook/...", worktree.Prefix + "adapters/kimi/hook", true},
		{"./adapters/*/hook/...", worktree.Prefix + "adapters/kimi/live", false},
		{"./adapters/*", worktree.Prefix + "adapters/kimi/hook", false},
		{AnythingOfGit, "github.com/go-git/go-git/v5/plumbing", true},
		{AnythingOfGit, "github.com/libgit2/git2go/v34", true},
		{AnythingOfGit, "example.com/gitfiles", true},
		{AnythingOfGit, worktree.Prefix + "storage-filesystem/internal/gitdir", true},
		{AnythingOfGit, "github.com/oklog/ulid/v2", false},
		{AnythingOfGit, "example.com/digits/legit", false},
		{AnythingOfGit, worktree.Prefix + "core", false},
	}
	for _, tt := range tests {
		if got := tt.pattern.Match(tt.path); got != tt.want {
			t.Errorf("%s selects %s: %v, want %v", tt.pattern, tt.path, got, tt.want)
		}
	}
}

func TestListsMarkWhatOnePlatformLinksAlone(t *testing.T) {
	root := brokenTree(t, "-- cli/cmd/acc/x_windows.go --\npackage main\nimport _ \"encoding/csv\"\n-- cli/cmd/acc/x_linux.go --\npackage main\nimport _ \"example.com/helper/exec\"\n")
	var graphs []*Graph
	for _, goos := range Platforms {
		g, err := Load(t.Context(), root, goos)
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, g)
	}
	if diff := cmp.Diff([]string{"cli/cmd/acc", "cli/cmd/acc-hook"}, Binaries(graphs[0])); diff != "" {
		t.Errorf("binaries (-want +got):\n%s", diff)
	}
	got := List(graphs, "cli/cmd/acc")
	for _, want := range []string{"\nW  encoding/csv\n", "\n   os/exec\n", "\nL  example.com/helper/exec\n", "# others: 1\n", "\n   " + worktree.Prefix + "adapters/codex/live\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the list has no line %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "internal/") {
		t.Errorf("the list has packages internal to the standard library:\n%s", got)
	}
}

func TestThePictureLeavesOutWhatFollows(t *testing.T) {
	g, err := Load(t.Context(), brokenTree(t, ""), "linux")
	if err != nil {
		t.Fatal(err)
	}
	got := Picture([]*Graph{g})
	for _, want := range []string{"    hook_runner --> storage_filesystem\n", "    storage_filesystem --> core\n", "    adapters_kimi[\"adapters/kimi\"]:::empty\n", "    core[\"core\"]\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the picture lacks %q:\n%s", want, got)
		}
	}
	for _, unwanted := range []string{"hook_runner --> core\n", "hook_runner --> protocol\n", "tools"} {
		if strings.Contains(got, unwanted) {
			t.Errorf("the picture has %q:\n%s", unwanted, got)
		}
	}
	if _, err := WithPicture("no marks", got); err == nil {
		t.Error("a document without marks was accepted")
	}
}

// A module that imports what imports it is found by the rules; drawing it has to end too.
func TestThePictureOfACycle(t *testing.T) {
	change := "-- core/core.go --\npackage core\n\nimport _ \"github.com/acc-control-plane/acc/storage-filesystem/fsstore\"\n"
	g, err := Load(t.Context(), brokenTree(t, change), "linux")
	if err != nil {
		t.Fatal(err)
	}
	if got := Picture([]*Graph{g}); !strings.Contains(got, "    core --> storage_filesystem\n") {
		t.Errorf("the picture lacks what core imports:\n%s", got)
	}
}

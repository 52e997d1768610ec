package boundaries

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// outside are the modules that go.work leaves out, with the reason.
var outside = map[string]string{
	"examples/adapter-echo": "it is built as a vendor would build it, against published modules",
}

// Files checks go.work and every go.mod of the work tree against one another and gives one sentence for
// each fault.
func Files(root string) ([]string, error) {
	modules, err := worktree.Modules(root)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return nil, err
	}
	faults := workspaceFaults(work, modules)
	versions := map[string]string{} // of outside modules, as first required
	for _, m := range modules {
		text, err := os.ReadFile(filepath.Join(m.Abs, "go.mod"))
		if err != nil {
			return nil, err
		}
		mod, err := modfile.Parse(m.Dir+"/go.mod", text, nil)
		if err != nil {
			return nil, err
		}
		faults = append(faults, moduleFaults(work, m, mod, versions)...)
	}
	return faults, nil
}

func workspaceFaults(work *modfile.WorkFile, modules []worktree.Module) []string {
	var faults []string
	used := map[string]bool{}
	for _, use := range work.Use {
		used[strings.TrimPrefix(use.Path, "./")] = true
	}
	replaced := map[string]bool{}
	for _, r := range work.Replace {
		dir, own := strings.CutPrefix(r.Old.Path, worktree.Prefix)
		switch {
		case !own:
			faults = append(faults, fmt.Sprintf("go.work replaces %s; only siblings may be replaced: require another version instead", r.Old.Path))
		case r.New.Path != "./"+dir || r.New.Version != "":
			faults = append(faults, fmt.Sprintf("go.work replaces %s by %s; it must point at ./%s", r.Old.Path, r.New.Path, dir))
		case r.Old.Version != worktree.Version:
			faults = append(faults, fmt.Sprintf("go.work replaces %s %s; siblings are at %s", r.Old.Path, r.Old.Version, worktree.Version))
		}
		replaced[dir] = true
	}
	for _, m := range modules {
		switch _, out := outside[m.Dir]; {
		case out && used[m.Dir]:
			faults = append(faults, fmt.Sprintf("go.work uses %s, but %s", m.Dir, outside[m.Dir]))
		case !out && !used[m.Dir]:
			faults = append(faults, fmt.Sprintf("go.work does not use %s; add the line ./%s", m.Dir, m.Dir))
		case !out && !replaced[m.Dir]:
			faults = append(faults, fmt.Sprintf("go.work does not replace %s %s => ./%s", m.Path, worktree.Version, m.Dir))
		}
		delete(used, m.Dir)
		delete(replaced, m.Dir)
	}
	for _, dir := range sortedKeys(used) {
		faults = append(faults, fmt.Sprintf("go.work uses %s, which is no module of the work tree", dir))
	}
	for _, dir := range sortedKeys(replaced) {
		faults = append(faults, fmt.Sprintf("go.work replaces %s, which is no module of the work tree", dir))
	}
	return faults
}

func moduleFaults(work *modfile.WorkFile, m worktree.Module, mod *modfile.File, versions map[string]string) []string {
	var faults []string
	fault := func(format string, args ...any) {
		faults = append(faults, m.Dir+"/go.mod "+fmt.Sprintf(format, args...))
	}
	if want := worktree.Prefix + m.Dir; m.Path != want {
		fault("names the module %s; its directory makes it %s", m.Path, want)
	}
	if mod.Go == nil || work.Go == nil || mod.Go.Version != work.Go.Version {
		fault("has not the go line of go.work")
	}
	if mod.Toolchain != nil {
		fault("has a toolchain line; the go line alone says what is needed")
	}
	for _, r := range mod.Replace {
		fault("replaces %s; go install refuses a module with a replace, so replace nothing or do it in go.work", r.Old.Path)
	}
	for _, r := range mod.Require {
		if strings.HasPrefix(r.Mod.Path, worktree.Prefix) {
			if r.Mod.Version != worktree.Version {
				fault("requires %s; siblings are at %s", r.Mod, worktree.Version)
			}
			continue
		}
		if first, ok := versions[r.Mod.Path]; ok && first != r.Mod.Version && !r.Indirect {
			fault("requires %s, another module requires %s; one version for all", r.Mod, first)
		}
		if !r.Indirect {
			versions[r.Mod.Path] = r.Mod.Version
		}
	}
	return faults
}

// DirectRequirements gives the path of every outside module that some module of the work tree requires
// for its own code or tests, in lexical order.
func DirectRequirements(root string) ([]string, error) {
	modules, err := worktree.Modules(root)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, m := range modules {
		text, err := os.ReadFile(filepath.Join(m.Abs, "go.mod"))
		if err != nil {
			return nil, err
		}
		mod, err := modfile.ParseLax(m.Dir+"/go.mod", text, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range mod.Require {
			if !r.Indirect && !strings.HasPrefix(r.Mod.Path, worktree.Prefix) {
				paths = append(paths, r.Mod.Path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

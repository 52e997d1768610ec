package boundaries

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// Binaries gives the directories of the commands that are shipped: cli/cmd/acc and so on.
func Binaries(g *Graph) []string {
	var dirs []string
	for _, p := range g.Own("cli") {
		dir := strings.TrimPrefix(p.Path, worktree.Prefix)
		if p.Name == "main" && strings.HasPrefix(dir, "cli/cmd/") {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// List writes what a binary links on each platform, one package a line: its own packages, those of
// others, then the public ones of the standard library. Packages that are internal to the standard
// library change with every release of Go and are left out. A package that not every platform links has
// the first letters of those that do before it.
func List(graphs []*Graph, dir string) string {
	on := map[string]string{}
	for _, g := range graphs {
		letter := strings.ToUpper(g.GOOS[:1])
		for _, path := range g.reachable(worktree.Prefix + dir) {
			if !internalToStandard(g, path) {
				on[path] += letter
			}
		}
	}
	var everywhere string
	for _, g := range graphs {
		everywhere += strings.ToUpper(g.GOOS[:1])
	}
	var own, others, standard []string
	for _, path := range sortedKeys(on) {
		mark := on[path]
		if mark == everywhere {
			mark = ""
		}
		line := fmt.Sprintf("%-2s %s", mark, path)
		switch {
		case strings.HasPrefix(path, worktree.Prefix):
			own = append(own, line)
		case slices.ContainsFunc(graphs, func(g *Graph) bool { return isStandard(g, path) }):
			standard = append(standard, line)
		default:
			others = append(others, line)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# What %s links. L, D, W: only on Linux, Darwin, Windows.\n# Written by: go test ./tools/boundaries -update\n", dir)
	for _, part := range []struct {
		title string
		lines []string
	}{{"own", own}, {"others", others}, {"standard library", standard}} {
		fmt.Fprintf(&b, "\n# %s: %d\n", part.title, len(part.lines))
		for _, line := range part.lines {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func internalToStandard(g *Graph, path string) bool {
	if !isStandard(g, path) {
		return false
	}
	elements := strings.Split(path, "/")
	return slices.Contains(elements, "internal") || elements[0] == "vendor"
}

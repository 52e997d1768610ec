package boundaries

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// Violation is one broken rule.
type Violation struct {
	Rule    string
	Chain   []string // import paths, from the package that must not to what it reaches
	Instead string
}

// String tells what is wrong, by which imports, and what to do instead.
func (v Violation) String() string {
	names := make([]string, len(v.Chain))
	for i, path := range v.Chain {
		names[i] = strings.TrimPrefix(path, worktree.Prefix)
	}
	first, last := names[0], names[len(names)-1]
	return fmt.Sprintf("%s: %s must not import %s (%s); instead: %s", v.Rule, first, last, strings.Join(names, " → "), v.Instead)
}

// Direct holds the imports of one module against its row.
func (r ModuleRule) Direct(g *Graph) []Violation {
	var found []Violation
	for _, p := range g.Own(r.Dir) {
		allowed := slices.Clone(r.May)
		if matchAny(testHelpers, p.Path) {
			allowed = append(allowed, TestLibraries...)
		}
		for _, e := range r.More {
			if matchAny(e.For, p.Path) {
				allowed = append(allowed, e.May...)
			}
		}
		found = append(found, r.refused(g, p, p.Imports, allowed, "")...)
		forTests := slices.Concat(allowed, r.Tests, TestLibraries)
		found = append(found, r.refused(g, p, p.TestImports, forTests, " (tests)")...)
	}
	return found
}

func (r ModuleRule) refused(g *Graph, p *Package, imports []string, allowed []Pattern, of string) []Violation {
	var found []Violation
	for _, path := range imports {
		if isStandard(g, path) || g.ownOf(path) == r.Dir || matchAny(allowed, path) {
			continue
		}
		found = append(found, Violation{Rule: "imports of " + r.Dir + of, Chain: []string{p.Path, path}, Instead: r.Instead})
	}
	return found
}

// Broken gives every forbidden import that is within reach, once per package that imports it, with the
// shortest chain that leads there.
func (r Reach) Broken(g *Graph) []Violation {
	var found []Violation
	seen := map[[2]string]bool{}
	for _, from := range sortedKeys(g.Packages) {
		if !matchAny(r.From, from) || matchAny(r.Except, from) {
			continue
		}
		for _, chain := range g.chains(from, r.Never) {
			edge := [2]string{chain[len(chain)-2], chain[len(chain)-1]}
			if !seen[edge] {
				seen[edge] = true
				found = append(found, Violation{Rule: r.Name, Chain: chain, Instead: r.Instead})
			}
		}
	}
	return found
}

// Broken gives every package that imports something reserved for others.
func (r Only) Broken(g *Graph) []Violation {
	var found []Violation
	for _, path := range sortedKeys(g.Packages) {
		if g.Packages[path].Own == "" || matchAny(r.Importers, path) {
			continue
		}
		for _, imported := range g.Packages[path].Imports {
			if matchAny(r.Import, imported) {
				found = append(found, Violation{Rule: r.Name, Chain: []string{path, imported}, Instead: r.Instead})
			}
		}
	}
	return found
}

// OtherAdapters gives every import of one adapter by another, however far.
func OtherAdapters(g *Graph, rows []ModuleRule) []Violation {
	var found []Violation
	for _, row := range rows {
		if !strings.HasPrefix(row.Dir, "adapters/") {
			continue
		}
		rule := Reach{Name: "an adapter stands alone", From: []Pattern{Pattern("./" + row.Dir + "/...")}, Instead: "what two adapters share belongs into adapter-sdk"}
		for _, other := range rows {
			if other.Dir != row.Dir && strings.HasPrefix(other.Dir, "adapters/") {
				rule.Never = append(rule.Never, Pattern("./"+other.Dir+"/..."))
			}
		}
		found = append(found, rule.Broken(g)...)
	}
	return found
}

// chains finds, breadth first, the shortest way from a package to each forbidden one. What lies behind a
// forbidden package is not looked at.
func (g *Graph) chains(from string, never []Pattern) [][]string {
	type step struct {
		path string
		via  *step
	}
	var found [][]string
	seen := map[string]bool{from: true}
	for queue := []*step{{path: from}}; len(queue) > 0; queue = queue[1:] {
		here := queue[0]
		p := g.Packages[here.path]
		if p == nil {
			continue
		}
		for _, next := range slices.Sorted(slices.Values(p.Imports)) {
			if seen[next] {
				continue
			}
			seen[next] = true
			there := &step{path: next, via: here}
			if !matchAny(never, next) {
				queue = append(queue, there)
				continue
			}
			var chain []string
			for s := there; s != nil; s = s.via {
				chain = append(chain, s.path)
			}
			slices.Reverse(chain)
			found = append(found, chain)
		}
	}
	return found
}

// reachable gives every package that a binary links, itself included.
func (g *Graph) reachable(from string) []string {
	seen := map[string]bool{from: true}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		p := g.Packages[queue[0]]
		if p == nil {
			continue
		}
		for _, next := range p.Imports {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return sortedKeys(seen)
}

// ownOf gives the directory of the module of this work tree that has the package.
func (g *Graph) ownOf(path string) string {
	if p := g.Packages[path]; p != nil {
		return p.Own
	}
	return ""
}

// isStandard knows the standard library also where a test imports a package that nothing else does.
func isStandard(g *Graph, path string) bool {
	if p := g.Packages[path]; p != nil {
		return p.Standard
	}
	host, _, _ := strings.Cut(path, "/")
	return !strings.Contains(host, ".")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

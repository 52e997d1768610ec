package boundaries

import (
	"fmt"
	"strings"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// The picture of the modules stands between these two lines of docs/architecture.md.
const (
	pictureBegin = "<!-- picture of the modules: written by go test ./tools/boundaries -update -->"
	pictureEnd   = "<!-- end of the picture -->"
)

// Picture draws the modules of the product as a Mermaid graph. An arrow means that some package of the one
// imports some package of the other, without tests; an arrow that follows from two others is left out. A
// module that holds nothing but its package comment is drawn with a broken line. Tools are left out.
func Picture(graphs []*Graph) string {
	imports := moduleImports(graphs)
	var nodes []string
	for _, dir := range sortedKeys(imports) {
		if dir != "tools" {
			nodes = append(nodes, dir)
		}
	}
	var b strings.Builder
	b.WriteString("```mermaid\ngraph TD\n")
	for _, dir := range nodes {
		fmt.Fprintf(&b, "    %s[\"%s\"]%s\n", nodeID(dir), dir, class(graphs, dir))
	}
	for _, from := range nodes {
		for _, to := range sortedKeys(imports[from]) {
			if !followsFromOthers(imports, from, to) {
				fmt.Fprintf(&b, "    %s --> %s\n", nodeID(from), nodeID(to))
			}
		}
	}
	b.WriteString("    classDef empty stroke-dasharray: 4 4\n```\n")
	return b.String()
}

// moduleImports gives for every module those that it imports directly.
func moduleImports(graphs []*Graph) map[string]map[string]bool {
	imports := map[string]map[string]bool{}
	for _, g := range graphs {
		for _, p := range g.Packages {
			if p.Own == "" {
				continue
			}
			if imports[p.Own] == nil {
				imports[p.Own] = map[string]bool{}
			}
			for _, path := range p.Imports {
				if own := g.ownOf(path); own != "" && own != p.Own {
					imports[p.Own][own] = true
				}
			}
		}
	}
	return imports
}

// followsFromOthers says whether to is also reached through another module that from imports.
func followsFromOthers(imports map[string]map[string]bool, from, to string) bool {
	for via := range imports[from] {
		if via != to && reaches(imports, via, to) {
			return true
		}
	}
	return false
}

// reaches says whether from imports to, directly or through others. A broken tree may have cycles.
func reaches(imports map[string]map[string]bool, from, to string) bool {
	seen, queue := map[string]bool{from: true}, []string{from}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if imports[at][to] {
			return true
		}
		for next := range imports[at] {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return false
}

// class marks a module whose only package imports nothing: it is a doc.go that waits.
func class(graphs []*Graph, dir string) string {
	for _, g := range graphs {
		own := g.Own(dir)
		if len(own) != 1 || len(own[0].Imports) > 0 || own[0].Path != worktree.Prefix+dir {
			return ""
		}
	}
	return ":::empty"
}

func nodeID(dir string) string { return strings.NewReplacer("/", "_", "-", "_").Replace(dir) }

// WithPicture gives a document with the picture put between its two marks.
func WithPicture(document, picture string) (string, error) {
	begin, end := strings.Index(document, pictureBegin), strings.Index(document, pictureEnd)
	if begin < 0 || end < begin {
		return "", fmt.Errorf("the document has no place for the picture: it needs the lines %s and %s", pictureBegin, pictureEnd)
	}
	return document[:begin] + pictureBegin + "\n" + picture + document[end:], nil
}

package boundaries

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// Platforms are the operating systems that acc runs on, by their GOOS.
var Platforms = []string{"linux", "darwin", "windows"}

// ShippedTags are the build tags of shipped binaries: they leave out what urfave/cli only needs to write
// its own manual pages.
const ShippedTags = "urfave_cli_no_docs"

// Graph is the import graph of the whole work tree on one platform, down to the standard library.
type Graph struct {
	GOOS     string
	Packages map[string]*Package // by import path
}

// Package is one node of a Graph.
type Package struct {
	Path        string
	Name        string // of the package clause
	Doc         string // first sentence of the package comment
	Dir         string // absolute
	Standard    bool
	Own         string   // directory of the module of this work tree that has the package; empty for others
	Imports     []string // of its files on this platform without tests
	TestImports []string // of its tests; only known for own packages
	Problem     string   // why the go command could not load it; empty if it could
}

// Load reads the graph of every module in the go.work of root, compiled for goos as shipped binaries
// are: without cgo and with ShippedTags. A package that does not load is in the graph with its Problem.
func Load(ctx context.Context, root, goos string) (*Graph, error) {
	g := &Graph{GOOS: goos, Packages: map[string]*Package{}}
	out, err := list(ctx, root, goos, filepath.Join(root, "go.work"), "-deps", "work")
	if err != nil {
		return nil, err
	}
	return g, g.add(out)
}

// AddOutside adds the packages of a module that is not in go.work. Of what it imports only the paths are
// known.
func (g *Graph) AddOutside(ctx context.Context, m worktree.Module) error {
	out, err := list(ctx, m.Abs, g.GOOS, "off", "./...")
	if err != nil {
		return err
	}
	for _, p := range out {
		p.Error = nil // it cannot load before its siblings are published
	}
	return g.add(out)
}

// Own gives the packages of the module at dir in the order of their paths.
func (g *Graph) Own(dir string) []*Package {
	var own []*Package
	for _, path := range sortedKeys(g.Packages) {
		if p := g.Packages[path]; p.Own == dir && p.Own != "" {
			own = append(own, p)
		}
	}
	return own
}

// listed is what go list prints of a package, as far as it is of use here.
type listed struct {
	ImportPath, Name, Doc, Dir string
	Standard, DepOnly          bool
	Imports                    []string
	TestImports, XTestImports  []string
	ImportMap                  map[string]string
	Module                     *struct{ Path string }
	Error                      *struct{ Err string }
}

func list(ctx context.Context, dir, goos, gowork string, args ...string) ([]*listed, error) {
	fields := "-json=ImportPath,Name,Doc,Dir,Standard,DepOnly,Imports,TestImports,XTestImports,ImportMap,Module,Error"
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-e", "-tags=" + ShippedTags, fields}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK="+gowork, "GOOS="+goos, "CGO_ENABLED=0", "GOFLAGS=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go list in %s: %w\n%s", dir, err, stderr.Bytes())
	}
	var packages []*listed
	for dec := json.NewDecoder(&stdout); ; {
		p := new(listed)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list in %s: %w", dir, err)
		}
		packages = append(packages, p)
	}
}

func (g *Graph) add(packages []*listed) error {
	for _, l := range packages {
		p := &Package{Path: l.ImportPath, Name: l.Name, Doc: l.Doc, Dir: l.Dir, Standard: l.Standard}
		if l.Module != nil {
			p.Own, _ = strings.CutPrefix(l.Module.Path, worktree.Prefix)
			if p.Own == l.Module.Path {
				p.Own = ""
			}
		}
		if l.Error != nil {
			p.Problem = l.Error.Err
		}
		for _, path := range l.Imports {
			if real, ok := l.ImportMap[path]; ok {
				path = real
			}
			p.Imports = append(p.Imports, path)
		}
		p.TestImports = append(l.TestImports, l.XTestImports...)
		g.Packages[p.Path] = p
	}
	if len(packages) == 0 {
		return errors.New("the work tree has no packages")
	}
	return nil
}

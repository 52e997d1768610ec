// Package worktree knows how this repository is laid out: where its root is, which modules it has and at
// which version they require each other. Every contributor tool asks here, so that a new module needs no
// change in any of them.
package worktree

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
)

// Prefix starts the path of every module of this repository.
const Prefix = "github.com/acc-control-plane/acc/"

// Version is the lockstep version under which siblings require each other until the next release.
const Version = "v0.1.0"

// pinned are modules that only pin programs: the linter, and the search for known vulnerabilities. They are
// tools, not a part of the product: in no workspace, never packed and never released.
var pinned = []string{"tools/lint", "tools/vuln"}

// FindRoot gives the directory of the go.work at or above dir.
func FindRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.work")); err == nil {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("no go.work at or above %s", dir)
		}
	}
}

// Module is one module of the work tree.
type Module struct {
	Path string // module path
	Dir  string // relative to the root, with slashes: "adapters/codex"
	Abs  string // absolute directory
}

// Modules lists every module below root but those that only pin programs, also those outside go.work, in lexical order
// of their directories.
func Modules(root string) ([]Module, error) {
	var found []Module
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || slices.Contains(pinned, rel)) {
			return fs.SkipDir
		}
		if d.Name() != "go.mod" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		modulePath := modfile.ModulePath(text)
		if modulePath == "" {
			return fmt.Errorf("%s names no module", path)
		}
		found = append(found, Module{Path: modulePath, Dir: filepath.ToSlash(filepath.Dir(rel)), Abs: filepath.Dir(path)})
		return nil
	})
	return found, err
}

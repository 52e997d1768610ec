package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// copyModule copies what go mod tidy looks at: go.mod, go.sum and the Go files of one module, without
// the modules nested in it.
func copyModule(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && (d.Name() == "testdata" || d.Name() == ".git" || isModule(path)) {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		if !strings.HasSuffix(d.Name(), ".go") && rel != "go.mod" && rel != "go.sum" {
			return nil
		}
		data, err := os.ReadFile(path)
		if rel == "go.sum" && errors.Is(err, fs.ErrNotExist) {
			return nil // another run found since the listing that nothing needs it
		}
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

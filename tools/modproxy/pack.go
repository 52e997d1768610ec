package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// Version is the lockstep version under which siblings require each other until the next release.
const Version = "v0.1.0"

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
	Dir  string // absolute directory
}

// Modules lists every module below root, also those outside go.work, in lexical order.
func Modules(root string) ([]Module, error) {
	var found []Module
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
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
		found = append(found, Module{Path: modulePath, Dir: filepath.Dir(path)})
		return nil
	})
	return found, err
}

// Pack writes a file-system module proxy with every module of the work tree at Version.
func Pack(root, proxy string) error {
	modules, err := Modules(root)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := packOne(m, proxy); err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
	}
	return nil
}

func packOne(m Module, proxy string) error {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	goMod, err := os.ReadFile(filepath.Join(m.Dir, "go.mod"))
	if err != nil {
		return err
	}
	info := fmt.Sprintf("{\"Version\":%q,\"Time\":%q}\n", Version, time.Unix(0, 0).UTC().Format(time.RFC3339))
	for name, text := range map[string][]byte{"list": []byte(Version + "\n"), Version + ".info": []byte(info), Version + ".mod": goMod} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	out, err := os.Create(filepath.Join(dir, Version+".zip"))
	if err != nil {
		return err
	}
	if err := zip.CreateFromDir(out, module.Version{Path: m.Path, Version: Version}, m.Dir); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// Package fileproxy serves modules of this work tree as a release would: it packs them into a module proxy
// made of files, and gives go commands the environment in which they are found there first. Start reading
// at Pack, then Environment.
package fileproxy

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// Pack writes every module of the work tree at root into the proxy at dir, at worktree.Version.
func Pack(root, dir string) error {
	modules, err := worktree.Modules(root)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := PackModule(module.Version{Path: m.Path, Version: worktree.Version}, m.Abs, dir); err != nil {
			return err
		}
	}
	return nil
}

// PackModule writes one module, whose files lie in from, into the proxy at dir.
func PackModule(m module.Version, from, dir string) error {
	if err := packModule(m, from, dir); err != nil {
		return fmt.Errorf("%s: %w", m.Path, err)
	}
	return nil
}

func packModule(m module.Version, from, dir string) error {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	goMod, err := os.ReadFile(filepath.Join(from, "go.mod"))
	if err != nil {
		return err
	}
	info := fmt.Sprintf("{\"Version\":%q,\"Time\":%q}\n", m.Version, time.Unix(0, 0).UTC().Format(time.RFC3339))
	for name, text := range map[string][]byte{"list": []byte(m.Version + "\n"), m.Version + ".info": []byte(info), m.Version + ".mod": goMod} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	out, err := os.Create(filepath.Join(dir, m.Version+".zip"))
	if err != nil {
		return err
	}
	if err := zip.CreateFromDir(out, m, from); err != nil {
		_ = out.Close() // the zip is of no use
		return err
	}
	return out.Close()
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// Pack writes a file-system module proxy with every module of the work tree at worktree.Version.
func Pack(root, proxy string) error {
	modules, err := worktree.Modules(root)
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

func packOne(m worktree.Module, proxy string) error {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	goMod, err := os.ReadFile(filepath.Join(m.Abs, "go.mod"))
	if err != nil {
		return err
	}
	const version = worktree.Version
	info := fmt.Sprintf("{\"Version\":%q,\"Time\":%q}\n", version, time.Unix(0, 0).UTC().Format(time.RFC3339))
	for name, text := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": []byte(info), version + ".mod": goMod} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	out, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		return err
	}
	if err := zip.CreateFromDir(out, module.Version{Path: m.Path, Version: version}, m.Abs); err != nil {
		_ = out.Close() // the zip is of no use
		return err
	}
	return out.Close()
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// siblings is the prefix of every module path of this repository.
const siblings = "github.com/acc-control-plane/acc/"

// Tidy runs go mod tidy in the modules at dirs (relative to root; none: every module), with siblings
// served from a packed proxy. With check it changes nothing and fails if something would change.
func Tidy(root string, check bool, dirs []string) error {
	modules, err := Modules(root)
	if err != nil {
		return err
	}
	modules, err = selected(modules, root, dirs)
	if err != nil {
		return err
	}
	proxy, err := os.MkdirTemp("", "acc-modproxy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(proxy)
	if err := Pack(root, proxy); err != nil {
		return err
	}
	var failures []error
	for _, m := range modules {
		if err := tidyOne(m, proxy, check); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", m.Path, err))
		}
	}
	return errors.Join(failures...)
}

func selected(modules []Module, root string, dirs []string) ([]Module, error) {
	if len(dirs) == 0 {
		return modules, nil
	}
	var chosen []Module
	for _, dir := range dirs {
		i := slices.IndexFunc(modules, func(m Module) bool { return m.Dir == filepath.Join(root, dir) })
		if i < 0 {
			return nil, fmt.Errorf("no module at %s", dir)
		}
		chosen = append(chosen, modules[i])
	}
	return chosen, nil
}

// tidyOne tidies a module where it stands, with its old files kept aside for check mode and for errors.
func tidyOne(m Module, proxy string, check bool) error {
	modPath, sumPath := filepath.Join(m.Dir, "go.mod"), filepath.Join(m.Dir, "go.sum")
	oldMod, err := os.ReadFile(modPath)
	if err != nil {
		return err
	}
	oldSum, err := os.ReadFile(sumPath)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	// Siblings of a packed tree live in a module cache of their own: the shared one would keep the
	// first packed contents of this version for ever.
	cache, err := os.MkdirTemp("", "acc-modcache-")
	if err != nil {
		return err
	}
	defer removeCache(cache)
	cmd := exec.Command("go", "mod", "tidy")
	cmd.Dir = m.Dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOMODCACHE="+cache,
		"GONOSUMDB="+siblings+"*", "GOPROXY="+proxyList(proxy))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return errors.Join(fmt.Errorf("go mod tidy: %w\n%s", err, out), restore(modPath, oldMod, sumPath, oldSum))
	}
	newMod, err := os.ReadFile(modPath)
	if err != nil {
		return err
	}
	newSum, err := os.ReadFile(sumPath)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	newSum = withoutSiblings(newSum)
	if check {
		if err := restore(modPath, oldMod, sumPath, oldSum); err != nil {
			return err
		}
		if !bytes.Equal(oldMod, newMod) || !bytes.Equal(oldSum, newSum) {
			return fmt.Errorf("not tidy; run: go run ./tools/modproxy tidy\ngo.mod wanted:\n%s\ngo.sum wanted:\n%s", newMod, newSum)
		}
		return nil
	}
	return restore(modPath, newMod, sumPath, newSum)
}

func restore(modPath string, mod []byte, sumPath string, sum []byte) error {
	err := os.WriteFile(modPath, mod, 0o644)
	if len(sum) == 0 {
		if rm := os.Remove(sumPath); rm != nil && !errors.Is(rm, os.ErrNotExist) {
			err = errors.Join(err, rm)
		}
		return err
	}
	return errors.Join(err, os.WriteFile(sumPath, sum, 0o644))
}

func withoutSiblings(sum []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(sum) {
		if !bytes.HasPrefix(line, []byte(siblings)) {
			kept = append(kept, line...)
		}
	}
	return kept
}

// proxyList puts the packed modules first, then this machine's module cache (so that a tidy needs no
// network for what was downloaded before), then the proxies of the environment.
func proxyList(proxy string) string {
	list := []string{"file://" + filepath.ToSlash(proxy)}
	if out, err := exec.Command("go", "env", "GOMODCACHE").Output(); err == nil {
		list = append(list, "file://"+filepath.ToSlash(filepath.Join(strings.TrimSpace(string(out)), "cache", "download")))
	}
	if out, err := exec.Command("go", "env", "GOPROXY").Output(); err == nil {
		list = append(list, strings.TrimSpace(string(out)))
	}
	return strings.Join(list, ",")
}

func removeCache(dir string) {
	cmd := exec.Command("go", "clean", "-modcache")
	cmd.Env = append(os.Environ(), "GOMODCACHE="+dir)
	_ = cmd.Run() // module files are read-only; go knows how to remove them
	_ = os.RemoveAll(dir)
}

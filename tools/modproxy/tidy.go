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

	"github.com/acc-control-plane/acc/tools/fileproxy"
	"github.com/acc-control-plane/acc/tools/worktree"
)

// Tidy runs go mod tidy for the modules at dirs (relative to root; none: every module), with siblings
// served from a packed proxy. With check it changes nothing and fails if something would change.
func Tidy(root string, check bool, dirs []string) error {
	modules, err := worktree.Modules(root)
	if err != nil {
		return err
	}
	modules, err = selected(modules, dirs)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "acc-modproxy-")
	if err != nil {
		return err
	}
	t := tidier{check: check, proxy: fileproxy.In(scratch), copies: filepath.Join(scratch, "copies")}
	defer func() {
		t.proxy.Clean()
		_ = os.RemoveAll(scratch) // litter in the temporary directory fails nothing
	}()
	if err := fileproxy.Pack(root, t.proxy.Dir); err != nil {
		return err
	}
	var failures []error
	for _, m := range modules {
		if err := t.tidy(m); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", m.Dir, err))
		}
	}
	return errors.Join(failures...)
}

func selected(modules []worktree.Module, dirs []string) ([]worktree.Module, error) {
	if len(dirs) == 0 {
		return modules, nil
	}
	var chosen []worktree.Module
	for _, dir := range dirs {
		want := filepath.ToSlash(filepath.Clean(dir))
		i := slices.IndexFunc(modules, func(m worktree.Module) bool { return m.Dir == want })
		if i < 0 {
			return nil, fmt.Errorf("no module at %s; name its directory below the root of the work tree", dir)
		}
		chosen = append(chosen, modules[i])
	}
	return chosen, nil
}

// tidier is one run.
type tidier struct {
	check  bool
	proxy  fileproxy.Proxy // has the siblings
	copies string          // modules are tidied here
}

func (t tidier) tidy(m worktree.Module) error {
	oldMod, oldSum, err := readModule(m.Abs)
	if err != nil {
		return err
	}
	dir := filepath.Join(t.copies, filepath.FromSlash(m.Dir))
	if err := copyModule(m.Abs, dir); err != nil {
		return err
	}
	cmd := exec.Command("go", "mod", "tidy")
	cmd.Dir = dir
	cmd.Env = t.proxy.Environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go mod tidy: %w\n%s", err, out)
	}
	newMod, newSum, err := readModule(dir)
	if err != nil {
		return err
	}
	newSum = withoutSiblings(newSum)
	if bytes.Equal(oldMod, newMod) && bytes.Equal(oldSum, newSum) {
		return nil
	}
	if t.check {
		return fmt.Errorf("not tidy; run: go run ./tools/modproxy tidy %s\n%s%s", m.Dir,
			difference("go.mod", oldMod, newMod), difference("go.sum", oldSum, newSum))
	}
	return errors.Join(replace(filepath.Join(m.Abs, "go.mod"), newMod), replace(filepath.Join(m.Abs, "go.sum"), newSum))
}

// readModule gives the two files of a module; an absent go.sum is empty.
func readModule(dir string) (mod, sum []byte, err error) {
	if mod, err = os.ReadFile(filepath.Join(dir, "go.mod")); err != nil {
		return nil, nil, err
	}
	sum, err = os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	return mod, sum, nil
}

// replace puts data at path in one step; empty data removes the file.
func replace(path string, data []byte) error {
	if len(data) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".modproxy-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // the first error is the one to tell
	}
	return err
}

func withoutSiblings(sum []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(sum) {
		if !bytes.HasPrefix(line, []byte(worktree.Prefix)) {
			kept = append(kept, line...)
		}
	}
	return kept
}

// difference lists the lines that tidying would drop and add, without their order: enough to see which
// requirement is meant.
func difference(name string, before, after []byte) string {
	var b strings.Builder
	old, wanted := slices.Collect(bytes.Lines(before)), slices.Collect(bytes.Lines(after))
	has := func(lines [][]byte, line []byte) bool {
		return slices.ContainsFunc(lines, func(l []byte) bool { return bytes.Equal(l, line) })
	}
	for _, line := range old {
		if !has(wanted, line) {
			fmt.Fprintf(&b, "%s: - %s\n", name, bytes.TrimRight(line, "\n"))
		}
	}
	for _, line := range wanted {
		if !has(old, line) {
			fmt.Fprintf(&b, "%s: + %s\n", name, bytes.TrimRight(line, "\n"))
		}
	}
	if b.Len() == 0 && !bytes.Equal(before, after) {
		fmt.Fprintf(&b, "%s: the same lines in another order\n", name)
	}
	return b.String()
}

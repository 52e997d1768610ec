package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/acc-control-plane/acc/tools/fileproxy"
	"github.com/acc-control-plane/acc/tools/worktree"
)

const (
	cliPath = worktree.Prefix + "cli"
	// checkoutVersion is what a build from a checkout says of itself: before the release that comes next.
	checkoutVersion = worktree.Version + "-devel"
	// directoryVersion is the version of an adapter that is taken from a directory.
	directoryVersion = "v0.0.0-devel"
)

// assembly is one run. Everything that it makes but the executables lies in scratch.
type assembly struct {
	scratch string
	copied  string // module cli, with other lists
	sums    []byte // the go.sum lines of everything that was taken in
	proxy   fileproxy.Proxy
	served  bool   // acc's own modules come from the checkout
	buildID string // of all executables; "": not stamped
}

func newAssembly(scratch string) *assembly {
	return &assembly{scratch: scratch, copied: filepath.Join(scratch, "cli"), proxy: fileproxy.In(scratch)}
}

func (a *assembly) remove() {
	a.proxy.Clean()
	_ = os.RemoveAll(a.scratch) // litter in the temporary directory fails nothing
}

// result is what was built.
type result struct {
	version  string   // of module cli
	adapters []string // names, in the order of the build
	commands []string
	leftOut  []string // commands
	ids      []string // of the adapters, as the manifest has them; nil: no manifest
}

func (a *assembly) build(ctx context.Context, o options) (result, error) {
	version, err := a.copyCLI(ctx, o.from)
	if err != nil {
		return result{}, err
	}
	text, err := os.ReadFile(filepath.Join(a.copied, filepath.FromSlash(hooksFile)))
	if err != nil {
		return result{}, err
	}
	all, err := parseList(text)
	if err != nil {
		return result{}, err
	}
	kept, dropped, err := without(all, o.without)
	if err != nil {
		return result{}, err
	}
	var added []module.Version
	for _, name := range o.with {
		m, adapter, err := a.fetch(ctx, name)
		if err != nil {
			return result{}, err
		}
		if slices.ContainsFunc(kept, func(l listed) bool { return l.module == m.Path }) {
			return result{}, fmt.Errorf("%s is in the build already", m.Path)
		}
		kept, added = append(kept, adapter), append(added, m)
	}
	if err := a.writeLists(kept); err != nil {
		return result{}, err
	}
	r := result{version: version}
	for _, l := range kept {
		r.adapters = append(r.adapters, l.name)
	}
	if r.commands, r.leftOut, err = a.commands(ctx, dropped); err != nil {
		return result{}, err
	}
	if err := a.require(added, dropped); err != nil {
		return result{}, err
	}
	if err := a.trust(a.copied); err != nil {
		return result{}, err
	}
	if err := fileproxy.PackModule(module.Version{Path: cliPath, Version: version}, a.copied, a.proxy.Dir); err != nil {
		return result{}, err
	}
	// The cache may have what was published at this version, which is not what is to be built.
	a.proxy.Clean()
	a.proxy.Cache += "-assembled"
	return r, a.compile(ctx, &r, o.output)
}

// copyCLI copies module cli from the checkout, whose modules the proxy then serves, or from a published
// version. It gives the version of the copy.
func (a *assembly) copyCLI(ctx context.Context, from string) (string, error) {
	root, err := worktree.FindRoot(".")
	if from == "" && err == nil && isOurs(root) {
		if err := fileproxy.Pack(root, a.proxy.Dir); err != nil {
			return "", err
		}
		a.served = true
		return checkoutVersion, os.CopyFS(a.copied, os.DirFS(filepath.Join(root, "cli")))
	}
	if from == "" {
		from = "latest"
	}
	m, err := a.download(ctx, cliPath+"@"+from)
	if err != nil {
		return "", err
	}
	return m.Version, os.CopyFS(a.copied, os.DirFS(m.Dir))
}

// isOurs says whether root is a checkout of this repository and not some other workspace.
func isOurs(root string) bool {
	text, err := os.ReadFile(filepath.Join(root, "cli", "go.mod"))
	return err == nil && modfile.ModulePath(text) == cliPath
}

// fetch gives an adapter's module, downloaded or packed from its directory, and what it has.
func (a *assembly) fetch(ctx context.Context, name string) (module.Version, listed, error) {
	var m downloaded
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		text, err := os.ReadFile(filepath.Join(name, "go.mod"))
		if err != nil {
			return module.Version{}, listed{}, err
		}
		m = downloaded{Path: modfile.ModulePath(text), Version: directoryVersion, Dir: name}
		a.proxy.Own = append(a.proxy.Own, m.Path)
		if err := fileproxy.PackModule(module.Version{Path: m.Path, Version: m.Version}, name, a.proxy.Dir); err != nil {
			return module.Version{}, listed{}, err
		}
	} else {
		if !strings.Contains(name, "@") {
			return module.Version{}, listed{}, fmt.Errorf("%s is neither a directory nor MODULE@VERSION", name)
		}
		var err error
		if m, err = a.download(ctx, name); err != nil {
			return module.Version{}, listed{}, err
		}
	}
	has := func(pkg string) bool {
		files, err := filepath.Glob(filepath.Join(m.Dir, pkg, "*.go"))
		return err == nil && len(files) > 0
	}
	for _, pkg := range []string{"hook", "install"} {
		if !has(pkg) {
			return module.Version{}, listed{}, fmt.Errorf("%s has no package %s; an adapter has hook and install, and live if it can reach a running session", name, pkg)
		}
	}
	return module.Version{Path: m.Path, Version: m.Version}, newListed(m.Path, has("live")), a.trust(m.Dir)
}

// trust takes over the checksums that a module was built with. Others are looked up in the database. Those of acc's
// own modules do not count where the checkout serves them: it may have changed since at the same version.
func (a *assembly) trust(dir string) error {
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(sums)) {
		if !a.served || !strings.HasPrefix(line, worktree.Prefix) {
			a.sums = append(a.sums, line...)
		}
	}
	a.sums = append(a.sums, '\n')
	return nil
}

// downloaded is what go mod download -json tells.
type downloaded struct{ Path, Version, Dir, Error string }

func (a *assembly) download(ctx context.Context, query string) (downloaded, error) {
	var m downloaded
	out, err := a.goCommand(ctx, a.scratch, "mod", "download", "-json", query)
	if jsonErr := json.Unmarshal(out, &m); jsonErr == nil && m.Error != "" {
		return m, fmt.Errorf("%s: %s", query, m.Error)
	} else if err != nil {
		return m, err
	} else if jsonErr != nil {
		return m, jsonErr
	}
	return m, nil
}

func (a *assembly) writeLists(all []listed) error {
	for file, text := range map[string]func([]listed) ([]byte, error){hooksFile: hooksText, installersFile: installersText} {
		data, err := text(all)
		if err != nil {
			return err
		}
		name := filepath.Join(a.copied, filepath.FromSlash(file))
		if err := os.Remove(name); err != nil { // a copy from the module cache is read-only
			return err
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// commands gives the names of the commands to build, and of those that import an adapter that was left
// out: they are that adapter's own.
func (a *assembly) commands(ctx context.Context, dropped []listed) (build, leftOut []string, err error) {
	directories, err := os.ReadDir(filepath.Join(a.copied, "cmd"))
	if err != nil {
		return nil, nil, err
	}
	var packages []string
	for _, d := range directories {
		if d.IsDir() {
			packages = append(packages, d.Name())
		}
	}
	if len(dropped) == 0 {
		return packages, nil, nil
	}
	for _, name := range packages {
		// The lists are written anew, so whatever still leads to an adapter is a command's own import.
		out, err := a.goCommand(ctx, a.copied, "list", "-e", "-deps", "./cmd/"+name)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(strings.Fields(string(out)), func(imported string) bool {
			return slices.ContainsFunc(dropped, func(l listed) bool { return imported == l.module || strings.HasPrefix(imported, l.module+"/") })
		}) {
			leftOut = append(leftOut, name)
		} else {
			build = append(build, name)
		}
	}
	return build, leftOut, nil
}

// require puts the adapters' modules into the copy's go.mod.
func (a *assembly) require(added []module.Version, dropped []listed) error {
	name := filepath.Join(a.copied, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(name, text, nil)
	if err != nil {
		return err
	}
	for _, m := range added {
		if err := mod.AddRequire(m.Path, m.Version); err != nil {
			return err
		}
	}
	for _, l := range dropped {
		if err := mod.DropRequire(l.module); err != nil {
			return err
		}
	}
	mod.Cleanup()
	if text, err = mod.Format(); err != nil {
		return err
	}
	if err := os.Remove(name); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// buildTags leave out a parser that no executable needs.
const buildTags = "urfave_cli_no_docs"

// compile builds the commands of the packed copy from a module that only requires it, so that each
// executable says which version it is of, and writes the manifest beside them.
func (a *assembly) compile(ctx context.Context, r *result, output string) error {
	dir := filepath.Join(a.scratch, "main")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module accbuild.invalid\n\ngo 1.26.0\n\nrequire "+cliPath+" "+r.version+"\n"), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), a.sums, 0o644); err != nil {
		return err
	}
	bin := filepath.Join(output, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	var packages []string
	for _, name := range r.commands {
		packages = append(packages, path.Join(cliPath, "cmd", name))
	}
	var err error
	if a.buildID, err = a.identify(ctx, r.version, packages); err != nil {
		return err
	}
	m, err := a.manifest(ctx, *r)
	if err != nil {
		return err
	}
	values := "-s -w -buildid="
	if m != nil {
		const stamped = cliPath + "/release/build"
		values += " -X " + stamped + ".id=" + m.BuildID + " -X " + stamped + ".version=" + m.Version
		r.ids = m.Adapters
	}
	if _, err := a.goCommand(ctx, dir, append([]string{"build", "-trimpath", "-tags", buildTags, "-ldflags", values, "-o", bin + string(filepath.Separator)}, packages...)...); err != nil {
		return err
	}
	if m == nil {
		return nil
	}
	return declare(m, r.commands, output)
}

// goCommand runs go with the modules of the proxy.
func (a *assembly) goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return a.runGo(ctx, dir, nil, args)
}

// goCommandHere does the same for this machine, whatever GOOS and GOARCH say.
func (a *assembly) goCommandHere(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return a.runGo(ctx, dir, []string{"GOOS=", "GOARCH="}, args)
}

func (a *assembly) runGo(ctx context.Context, dir string, env, args []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(a.proxy.Environment(), env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("go %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return out, err
}

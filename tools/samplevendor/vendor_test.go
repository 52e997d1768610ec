package samplevendor

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/tools/fileproxy"
	"github.com/acc-control-plane/acc/tools/worktree"
)

var asked = flag.Bool("vendor", false, "build, assemble and play as a vendor would; takes a minute")

const example = worktree.Prefix + "examples/adapter-echo"

// commandTime bounds one go command: a cold cache compiles everything.
const commandTime = 10 * time.Minute

// vendor is a stranger with a proxy, an empty module cache and no checkout.
type vendor struct {
	*testing.T
	root  string // of the work tree
	dir   string // scratch
	proxy fileproxy.Proxy
	bin   string // where executables are installed, and assembled ones take their place
}

func newVendor(t *testing.T) *vendor {
	t.Helper()
	if !*asked {
		t.Skip("it takes a minute; .ci/run asks for it with -vendor in a step of its own")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the scripts of the client are written for a POSIX shell")
	}
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "vendor") // short: a socket's path is at most a hundred bytes
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	v := &vendor{T: t, root: root, dir: dir, proxy: fileproxy.In(dir), bin: filepath.Join(dir, "bin")}
	t.Cleanup(func() {
		v.proxy.Clean()
		_ = os.RemoveAll(dir)
	})
	if err := fileproxy.Pack(root, v.proxy.Dir); err != nil {
		t.Fatal(err)
	}
	return v
}

// goCommand runs go as the vendor would, with our modules from the proxy alone. go install at a version has
// no go.sum, and the database of checksums cannot be reached everywhere: what is not ours was held against
// the go.sum files of the tree when it was downloaded.
func (v *vendor) goCommand(dir string, args ...string) {
	v.Helper()
	ctx, cancel := context.WithTimeout(v.Context(), commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(v.proxy.Environment(), "GONOSUMDB=*", "GOBIN="+v.bin)
	if out, err := cmd.CombinedOutput(); err != nil {
		v.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func TestVendor(t *testing.T) {
	v := newVendor(t)

	// The adapter builds and passes its tests where nobody knows of this repository.
	module := filepath.Join(v.dir, "adapter-echo")
	if err := os.CopyFS(module, os.DirFS(filepath.Join(v.root, "examples", "adapter-echo"))); err != nil {
		t.Fatal(err)
	}
	before := v.read(filepath.Join(module, "go.mod"))
	v.goCommand(module, "mod", "tidy") // its go.sum learns the siblings, as a vendor's does
	if after := v.read(filepath.Join(module, "go.mod")); after != before {
		t.Errorf("go.mod is not tidy; run: go run ./tools/modproxy tidy examples/adapter-echo\n%s", after)
	}
	v.goCommand(module, "vet", "./...")
	v.goCommand(module, "test", "./...")

	// Strangers install at a version: the client, and acc as it is released.
	v.goCommand(v.dir, "install", "-trimpath", example+"/echo-client@"+worktree.Version)
	v.goCommand(v.dir, "install", "-trimpath", "-tags", "urfave_cli_no_docs", worktree.Prefix+"cli/cmd/acc@"+worktree.Version)
	if out := v.output("acc", "version"); !strings.HasPrefix(out, "acc "+strings.TrimPrefix(worktree.Version, "v")+" ") {
		t.Errorf("acc installed at %s says %q", worktree.Version, out)
	}

	v.assemble()
	v.play()
}

func (v *vendor) read(path string) string {
	v.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		v.Fatal(err)
	}
	return string(data)
}

// assemble makes acc with the adapter and without two of ours, of which one has a command of its own, from
// what is published and with the builder that is. It takes the place of what was installed.
func (v *vendor) assemble() {
	v.Helper()
	v.goCommand(v.dir, "install", "-trimpath", worktree.Prefix+"tools/accbuild@"+worktree.Version)
	ctx, cancel := context.WithTimeout(v.Context(), commandTime)
	defer cancel()
	build := exec.CommandContext(ctx, filepath.Join(v.bin, "accbuild"), "--from", worktree.Version, "--with", example+"@"+worktree.Version,
		"--without", "grok", "--without", "antigravity", "--output", v.dir)
	build.Dir = v.dir
	build.Env = v.proxy.Environment()
	out, err := build.CombinedOutput()
	if err != nil {
		v.Fatalf("accbuild: %v\n%s", err, out)
	}
	commands, err := os.ReadDir(filepath.Join(v.root, "cli", "cmd"))
	if err != nil {
		v.Fatal(err)
	}
	for _, c := range commands {
		_, err := os.Stat(filepath.Join(v.bin, c.Name()))
		if ofAbsent := strings.HasPrefix(c.Name(), "acc-antigravity"); c.IsDir() && ofAbsent != (err != nil) {
			v.Errorf("%s is of an adapter that is left out: %v; looking for it: %v\n%s", c.Name(), ofAbsent, err, out)
		}
	}
	data, err := os.ReadFile(filepath.Join(v.dir, release.ManifestName))
	if err != nil && strings.Contains(string(out), "no manifest") {
		v.Log("accbuild wrote no manifest, because there is no acc-worker yet")
	} else if m, err := release.DecodeManifest(data); err != nil || !slices.Contains(m.Adapters, "echo") || slices.Contains(m.Adapters, "grok") {
		v.Errorf("manifest: %v\n%s", err, data)
	}
	if first, _, _ := strings.Cut(string(out), "\n"); !strings.HasSuffix(first, ", echo") || strings.Contains(first, "grok") {
		v.Errorf("accbuild says %q", first)
	}
}

// output runs an executable of v.bin in the scratch directory and gives what it prints.
func (v *vendor) output(name string, args ...string) string {
	v.Helper()
	cmd := exec.CommandContext(v.Context(), filepath.Join(v.bin, name), args...)
	cmd.Dir = v.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		v.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

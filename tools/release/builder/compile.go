package builder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/cli/release"
)

// commands is where the executables of a release are.
const commands = "./cli/cmd/..."

// stamped is the package whose variables the linker sets.
const stamped = "github.com/acc-control-plane/acc/cli/release/build"

// flags of every call of the compiler. The version control of the work tree is not asked: what it says depends
// on how the tree came here.
var flags = []string{"-trimpath", "-buildvcs=false", "-tags=urfave_cli_no_docs"}

// compiler runs the go command for one platform.
type compiler struct {
	root     string
	platform release.Platform
}

// run runs the go command and gives what it printed.
func (c compiler) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = c.root
	// What this shell is set up for must not decide what a release is.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{"GOFLAGS", "GOWORK", "GOEXPERIMENT", "GODEBUG", "CC", "CGO_CFLAGS", "GO386", "GOARM"}, name)
	})
	cmd.Env = append(cmd.Env, "GOOS="+c.platform.GOOS, "GOARCH="+c.platform.GOARCH, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0", "GOTOOLCHAIN=local", "GOFIPS140=off")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go %s for %s: %w\n%s", args[0], c.platform.Name, err, stderr.Bytes())
	}
	return stdout.Bytes(), nil
}

// identity gives the build id: a hash over the content of every package that the executables consist of and
// over all that they are stamped with.
func (c compiler) identity(ctx context.Context, o *Options) (string, error) {
	list, err := c.run(ctx, slices.Concat([]string{"list", "-deps", "-export"}, flags, []string{"-f", "{{.ImportPath}} {{.BuildID}}", commands})...)
	if err != nil {
		return "", err
	}
	compilerVersion, err := c.run(ctx, "env", "GOVERSION")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n%s\n%s\n%s\n%s\n%s", o.Name, o.Version, o.Registry, o.Commit, o.trusted(), c.platform.Name, compilerVersion)
	lines := strings.Split(strings.TrimSpace(string(list)), "\n")
	slices.Sort(lines)
	for _, line := range lines {
		path, id, _ := strings.Cut(line, " ")
		// A build id is "action/content": how it was made does not count, what came of it does.
		fmt.Fprintf(sum, "%s %s\n", path, id[strings.LastIndexByte(id, '/')+1:])
	}
	return hex.EncodeToString(sum.Sum(nil)[:12]), nil
}

// link builds the executables into a directory.
func (c compiler) link(ctx context.Context, o *Options, buildID, dir string) error {
	values := []string{"-s", "-w", "-buildid="}
	for _, v := range [][2]string{{"id", buildID}, {"version", o.Version}, {"name", o.Name}, {"registry", o.Registry}, {"publicKeys", o.trusted()}, {"commit", o.Commit}} {
		values = append(values, "-X", stamped+"."+v[0]+"="+v[1])
	}
	args := slices.Concat([]string{"build"}, flags, []string{"-ldflags=" + strings.Join(values, " "), "-o", dir + string(filepath.Separator), commands})
	_, err := c.run(ctx, args...)
	return err
}

// programs names the executables in a directory, without what the platform appends.
func programs(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".exe"))
	}
	return names, nil
}

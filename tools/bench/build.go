package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// programs are the executables that are measured, stripped as a release is.
type programs struct {
	acc, hook string
	empty     string // func main() {}
	starter   string
}

func build(ctx context.Context, dir string) (programs, error) {
	root, err := worktree(ctx)
	if err != nil {
		return programs{}, err
	}
	source := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return programs{}, err
	}
	p := programs{
		acc: filepath.Join(dir, "acc"), hook: filepath.Join(dir, "acc-hook"),
		empty: filepath.Join(dir, "empty"), starter: filepath.Join(dir, "starter"),
	}
	for to, from := range map[string]string{p.acc: "./cli/cmd/acc", p.hook: "./cli/cmd/acc-hook", p.empty: source, p.starter: "./tools/bench/starter"} {
		if err := goBuild(ctx, root, to, from); err != nil {
			return programs{}, err
		}
	}
	return p, nil
}

// goBuild builds a program as a release is built.
func goBuild(ctx context.Context, root, to, from string, more ...string) error {
	args := slices.Concat([]string{"build", "-trimpath", "-tags=urfave_cli_no_docs", "-ldflags=-s -w", "-o", to}, more, []string{from})
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", from, err, out)
	}
	return nil
}

// worktree gives the directory of go.work.
func worktree(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOWORK").Output()
	return filepath.Dir(strings.TrimSpace(string(out))), err
}

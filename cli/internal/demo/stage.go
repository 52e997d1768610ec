package demo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
)

// ReasonExecutableMissing says that a part of acc that the demo runs is neither installed nor can be built.
const ReasonExecutableMissing protocol.Reason = "executable_missing"

// stage is the place where the demo is played.
type stage struct {
	dir     string // temporary; everything lies below
	home    string // data home
	project string // checkout on branch main
	tests   string // second worktree, on branch tests
	acc     string // executable
	hook    string // executable
	env     []string
}

// claimed is the file that the demo is about, relative to a checkout.
const claimed = "src/clamp.go"

// prepare makes the stage. Whoever calls it removes dir.
func prepare(ctx context.Context, note func(string)) (*stage, error) {
	dir, err := os.MkdirTemp("", "acc-demo-")
	if err != nil {
		return nil, protocol.DataError("", "no temporary directory for the demo: "+err.Error()).Because(err)
	}
	// Clients report canonical directories; a temporary one may lie behind a symlink.
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	s := &stage{dir: dir, home: filepath.Join(dir, "data"), project: filepath.Join(dir, "project"), tests: filepath.Join(dir, "project-tests")}
	s.env = append(cleaned(os.Environ()), "ACC_DATA_HOME="+s.home)
	if err := s.executables(ctx, note); err != nil {
		return s, err
	}
	return s, s.repository(ctx)
}

// cleaned drops what would make a process of the demo act on somebody's real room or repository, or
// take itself for a hook of the client that runs the demo.
func cleaned(env []string) []string {
	var kept []string
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "ACC_") || strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "CLAUDE") ||
			strings.HasPrefix(name, "GROK_") || name == "AI_AGENT" {
			continue
		}
		kept = append(kept, entry)
	}
	return kept
}

// executables finds acc (this program) and acc-hook: its installed sibling, or else one built from the
// checkout that this program was built from.
func (s *stage) executables(ctx context.Context, note func(string)) error {
	self, err := os.Executable()
	if err != nil {
		return missing("acc", "this program does not know its own file").Because(err)
	}
	s.acc = self
	sibling := filepath.Join(filepath.Dir(self), withSuffix("acc-hook"))
	if info, err := os.Stat(sibling); err == nil && info.Mode().IsRegular() {
		s.hook = sibling
		return nil
	}
	root, found := checkout()
	if !found {
		return missing("acc-hook", "not beside "+self+", and there is no checkout to build it from").
			WithHint("run it from a checkout: go run ./cli/cmd/acc demo")
	}
	note("building acc-hook from " + root)
	s.hook = filepath.Join(s.dir, "bin", withSuffix("acc-hook"))
	build := exec.CommandContext(ctx, "go", "build", "-o", s.hook, "./cli/cmd/acc-hook")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return missing("acc-hook", fmt.Sprintf("go build in %s failed: %v: %s", root, err, strings.TrimSpace(string(out)))).Because(err)
	}
	return nil
}

func missing(name, why string) *protocol.Error {
	return protocol.DataError(ReasonExecutableMissing, "the demo needs the executable "+name+": "+why)
}

func withSuffix(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// checkout finds the work tree that this program was built from. A build with -trimpath has none.
func checkout() (string, bool) {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "", false
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, true
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

// repository makes a Git repository with a second worktree.
func (s *stage) repository(ctx context.Context) error {
	if _, err := exec.LookPath("git"); err != nil {
		return missing("git", err.Error()).Because(err)
	}
	if err := os.MkdirAll(filepath.Join(s.project, filepath.Dir(claimed)), 0o700); err != nil {
		return protocol.DataError("", "cannot make the demo's repository: "+err.Error()).Because(err)
	}
	if err := os.WriteFile(filepath.Join(s.project, claimed), []byte("package src\n\nfunc clamp(v int) int { return v }\n"), 0o600); err != nil {
		return protocol.DataError("", "cannot make the demo's repository: "+err.Error()).Because(err)
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "."},
		{"-c", "user.name=demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "Begin"},
		{"worktree", "add", "-q", "-b", "tests", s.tests},
	} {
		git := exec.CommandContext(ctx, "git", args...)
		git.Dir = s.project
		// The user's own configuration (hooks, templates, signing) has no part in the demo.
		git.Env = append(cleaned(os.Environ()), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := git.CombinedOutput(); err != nil {
			return protocol.DataError("", fmt.Sprintf("git %s failed: %v: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))).Because(err)
		}
	}
	return nil
}

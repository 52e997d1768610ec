package doctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// commandTime bounds one command of a document.
const commandTime = 2 * time.Minute

// Runner runs the blocks of one document, one after another.
type Runner struct {
	dir      string // scratch: the home and the states of the shells
	checkout string // root of the work tree
	ci       string // text of .ci/run
	env      []string
	names    Names
}

// NewRunner gives a runner with an empty home in dir. bin has the built executables, env the rest of the
// environment.
func NewRunner(dir, checkout, bin string, env []string) (*Runner, error) {
	ci, err := os.ReadFile(filepath.Join(checkout, ".ci", "run"))
	if err != nil {
		return nil, err
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	gitconfig := "[user]\n\tname = A Reader\n\temail = reader@example.com\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitconfig), 0o600); err != nil {
		return nil, err
	}
	env = append(env,
		"HOME="+home, "ACC_CHECKOUT="+checkout, "ACC_DATA_HOME="+filepath.Join(dir, "data"), "TMPDIR="+dir, "TZ=UTC", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1",
		"GOBIN="+bin, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return &Runner{dir: dir, checkout: checkout, ci: string(ci), env: env, names: Names{}}, nil
}

// Run runs a block and gives the first thing that is not as the document says.
func (r *Runner) Run(ctx context.Context, b Block) error {
	for _, c := range b.Commands {
		var err error
		switch b.Mode {
		case "skip":
		case "ci":
			if !hasLine(r.ci, c.Text) {
				err = errors.New(".ci/run has no such line")
			}
		default:
			err = r.command(ctx, b, c)
		}
		if err != nil {
			return fmt.Errorf("line %d: %s: %w", c.Line, c.Text, err)
		}
	}
	return nil
}

func (r *Runner) command(ctx context.Context, b Block, c Command) error {
	text, err := r.names.Fill(c.Text)
	if err != nil {
		return err
	}
	name, start := c.Shell, filepath.Join(r.dir, "home")
	if b.Mode == "checkout" {
		name, start = "checkout", r.checkout // a shell of its own: the others stay where they are
	}
	output, code, err := r.shell(ctx, name, start, text)
	if err != nil {
		return err
	}
	if code != c.Exit {
		return fmt.Errorf("exit code %d, want %d; it printed\n%s", code, c.Exit, output)
	}
	if !c.Compared {
		return nil
	}
	return r.names.Match(c.Output, strings.Split(output, "\n"))
}

// shell runs one command as the next one typed into the shell of that name: exported variables and the
// current directory are kept from one to the next.
func (r *Runner) shell(ctx context.Context, name, start, text string) (output string, code int, err error) {
	state := filepath.Join(r.dir, "shell-"+name)
	script := `if [ -f "$DOCTEST.env" ]; then . "$DOCTEST.env"; cd "$(cat "$DOCTEST.cwd")" || exit 125; fi
` + text + `
DOCTEST_CODE=$?
export -p >"$DOCTEST.env"; pwd >"$DOCTEST.cwd"; exit $DOCTEST_CODE`
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir = start
	cmd.Env = append(r.env, "DOCTEST="+state)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return string(out), 0, fmt.Errorf("not finished after %s; it printed\n%s", commandTime, out)
	case errors.As(err, &exit):
		return string(out), exit.ExitCode(), nil
	}
	return string(out), 0, err
}

// hasLine says whether a script has the command, alone on a line or as the argument of its step function.
func hasLine(script, command string) bool {
	for line := range strings.SplitSeq(script, "\n") {
		line = strings.TrimSpace(line)
		if line == command || strings.HasPrefix(line, "step ") && strings.HasSuffix(line, " "+command) {
			return true
		}
	}
	return false
}

package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// outcome is a process that has ended.
type outcome struct {
	program  string
	pid      int
	took     time.Duration
	code     int
	out, err []byte
}

// run runs one executable to its end.
func (s *stage) run(ctx context.Context, dir string, env []string, stdin []byte, program string, args ...string) (outcome, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, append(s.env[:len(s.env):len(s.env)], env...), bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return outcome{}, missing(filepath.Base(program), err.Error()).Because(err)
	}
	err := cmd.Wait()
	o := outcome{program: filepath.Base(program), pid: cmd.Process.Pid, took: time.Since(started), out: stdout.Bytes(), err: stderr.Bytes()}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		o.code = exit.ExitCode()
	} else if err != nil {
		return o, protocol.DataError("", fmt.Sprintf("%s: %v", o.program, err)).Because(err)
	}
	return o, nil
}

// wrong says that something is not as it should be, with what the process printed.
func (o outcome) wrong(format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	said := strings.TrimSpace(string(o.out) + "\n" + string(o.err))
	if said == "" {
		said = "nothing"
	}
	return protocol.DataError(ReasonUnexpected, fmt.Sprintf("%s (%s, pid %d, exit %d, printed: %s)", message, o.program, o.pid, o.code, said))
}

// ReasonUnexpected says that a step of the demo did not end as it must.
const ReasonUnexpected protocol.Reason = "demo_unexpected"

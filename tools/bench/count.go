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

// counted is what a run asks of the system. It does not depend on how busy the machine is.
type counted struct {
	known          bool // strace is installed and may trace
	calls, flushes int
}

// count runs a task under strace. The run is one more run of the task.
func (b *bench) count(ctx context.Context, dir string, t task) (counted, error) {
	lines, known, err := trace(ctx, dir, t, "-e", "signal=none")
	c := counted{known: known}
	for line := range strings.Lines(lines) {
		if strings.Contains(line, " resumed>") || !strings.Contains(line, "(") {
			continue // the second half of a call that another interrupted
		}
		c.calls++
		if strings.Contains(line, " fsync(") || strings.Contains(line, " fdatasync(") {
			c.flushes++
		}
	}
	return c, err
}

// trace gives what strace says of a run of a task; known is false without strace.
func trace(ctx context.Context, dir string, t task, options ...string) (lines string, known bool, err error) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return "", false, nil
	}
	log := filepath.Join(dir, "calls")
	cmd := exec.CommandContext(ctx, strace, slices.Concat([]string{"-f", "-qq", "-o", log}, options, []string{t.program}, t.args)...)
	cmd.Env, cmd.Dir, cmd.Stdin = t.env, t.dir, strings.NewReader(t.stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", true, fmt.Errorf("strace %s: %w: %s", t.program, err, out)
	}
	data, err := os.ReadFile(log)
	return string(data), true, err
}

// countCase counts a case once and insists on its flushes.
func (b *bench) countCase(ctx context.Context, dir string, c testCase, m *machine) (got counted, err error) {
	// The first command of a room also tidies it, which the next ones do not.
	if c.before == nil {
		if _, err := b.once(ctx, c, m); err != nil {
			return counted{}, err
		}
	}
	err = c.around(ctx, m, func() error {
		got, err = b.count(ctx, dir, c.task(m))
		if err == nil && got.known && got.flushes != c.flushes {
			err = fmt.Errorf("%s: %d flushes, not %d", c.name, got.flushes, c.flushes)
		}
		return err
	})
	return got, err
}

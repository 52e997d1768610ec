package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// counted is what a run asks of the system. It does not depend on how busy the machine is.
type counted struct {
	known          bool // strace is installed and may trace
	calls, flushes int
}

// count runs a task under strace. The run is one more run of the task.
func (b *bench) count(ctx context.Context, dir string, t task) (counted, error) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return counted{}, nil
	}
	log := filepath.Join(dir, "calls")
	cmd := exec.CommandContext(ctx, strace, append([]string{"-f", "-qq", "-e", "signal=none", "-o", log, t.program}, t.args...)...)
	cmd.Env, cmd.Dir, cmd.Stdin = t.env, t.dir, strings.NewReader(t.stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		return counted{}, fmt.Errorf("strace %s: %w: %s", t.program, err, out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		return counted{}, err
	}
	c := counted{known: true}
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, " resumed>") || !strings.Contains(line, "(") {
			continue // the second half of a call that another interrupted
		}
		c.calls++
		if strings.Contains(line, " fsync(") || strings.Contains(line, " fdatasync(") {
			c.flushes++
		}
	}
	return c, nil
}

// countCase counts a case once and insists on its flushes.
func (b *bench) countCase(ctx context.Context, dir string, c testCase, m *machine) (counted, error) {
	var ids []string
	var err error
	if c.before != nil {
		if ids, err = c.before(ctx, m); err != nil {
			return counted{}, err
		}
	}
	// The first command of a room also tidies it, which the next ones do not.
	if c.before == nil {
		if _, err := b.once(ctx, c, m); err != nil {
			return counted{}, err
		}
	}
	got, err := b.count(ctx, dir, c.task(m))
	if err == nil && got.known && got.flushes != c.flushes {
		err = fmt.Errorf("%s: %d flushes, not %d", c.name, got.flushes, c.flushes)
	}
	if c.after != nil {
		err = errors.Join(err, c.after(ctx, m, ids))
	}
	return got, err
}

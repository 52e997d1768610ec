package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// run is one start of a program.
type run struct {
	wall, cpu time.Duration
	rss       int64 // KiB, 0: unknown
	code      int
	output    int64  // bytes on standard output
	complaint string // on standard error
}

// task is a program as it is started.
type task struct {
	program string
	args    []string
	env     []string
	dir     string
	stdin   string
}

// start runs a task to its end. One that fails is an error: what it cost would say nothing.
func (p programs) start(ctx context.Context, t task) (run, error) {
	cmd := exec.CommandContext(ctx, p.starter, append([]string{t.stdin, t.program}, t.args...)...)
	cmd.Env, cmd.Dir = t.env, t.dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return run{}, fmt.Errorf("%s %v: %w: %s", t.program, t.args, err, stderr.Bytes())
	}
	var r run
	var wall, cpu int64
	if _, err := fmt.Sscan(stdout.String(), &wall, &cpu, &r.rss, &r.code, &r.output); err != nil {
		return run{}, fmt.Errorf("%s: %w", p.starter, err)
	}
	if r.code != 0 {
		return run{}, fmt.Errorf("%s %v: exit code %d: %s", t.program, t.args, r.code, stderr.Bytes())
	}
	r.wall, r.cpu, r.complaint = time.Duration(wall), time.Duration(cpu), stderr.String()
	return r, nil
}

// runs are several starts of one task.
type runs []run

// quantile of the wall times, 0 to 1.
func (rs runs) quantile(q float64) time.Duration {
	if len(rs) == 0 {
		return 0
	}
	walls := make([]time.Duration, 0, len(rs))
	for _, r := range rs {
		walls = append(walls, r.wall)
	}
	slices.Sort(walls)
	return walls[int(q*float64(len(walls)-1)+0.5)]
}

func (rs runs) median() time.Duration { return rs.quantile(0.5) }

// resident is the most memory that any run held, in KiB.
func (rs runs) resident() int64 {
	most := int64(0)
	for _, r := range rs {
		most = max(most, r.rss)
	}
	return most
}

// crowd keeps n processes busy until stop is called.
func (p programs) crowd(ctx context.Context, n int) (stop func(), err error) {
	var ends []io.Closer
	var started []*exec.Cmd
	stop = func() {
		for _, end := range ends {
			_ = end.Close()
		}
		for _, cmd := range started {
			_ = cmd.Wait()
		}
	}
	for range n {
		cmd := exec.CommandContext(ctx, p.starter, "busy")
		cmd.Stderr = os.Stderr
		end, err := cmd.StdinPipe()
		if err != nil {
			stop()
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			stop()
			return nil, err
		}
		ends, started = append(ends, end), append(started, cmd)
	}
	return stop, nil
}

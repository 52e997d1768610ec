package main

import (
	"context"
	"fmt"
	"time"
)

// bench is one measurement of everything.
type bench struct {
	programs
	rounds  int
	raw     rawFile
	gitTask task
	young   *machine // a room with a short history
	old     *machine // one with a long history
	busy    int      // processes beside the loaded runs
}

// testCase is one thing that a client or a person starts.
type testCase struct {
	name string
	task func(m *machine) task
	// before and after surround a run and are not measured.
	before, after func(ctx context.Context, m *machine) error
	// most is the target: so many starts of an empty program and so many flushes.
	most    bound
	silent  bool // there is nothing to say: no byte on standard output
	flushes int  // of the disk, exactly
}

// bound is a target as a sum of raw costs; the zero bound is none.
type bound struct{ starts, flushes float64 }

func (l bound) of(c costs) time.Duration {
	return time.Duration(l.starts*float64(c.empty) + l.flushes*float64(c.flush))
}

func (l bound) String() string {
	switch {
	case l == bound{}:
		return ""
	case l.flushes == 0:
		return fmt.Sprintf("%.1f starts", l.starts)
	}
	return fmt.Sprintf("%.1f starts + %.1f flushes", l.starts, l.flushes)
}

// inbox sizes of the cases.
const waiting = 20

func give(ctx context.Context, m *machine) error { return m.send(ctx, waiting) }
func take(ctx context.Context, m *machine) error { return m.settle(ctx, m.client) }

// read lets the recipient of sendTask settle what it was sent, so that nothing piles up that the next case would look at.
func read(ctx context.Context, m *machine) error { return m.settle(ctx, m.peer) }

func (m *machine) afterTool() string {
	return m.payload("PostToolUse", `"tool_name":"Bash"`, `"tool_input":{"command":"true"}`, `"tool_response":{"stdout":""}`)
}

func (m *machine) sendTask() task {
	return m.accTask("message", "--session", m.client.SessionID, "--generation", m.client.Generation, "--to", peerName, "--subject", "measuring", "--body", "One more message.")
}

func (m *machine) ownerTask(command string) task {
	return m.accTask(command, "--session", m.client.SessionID, "--generation", m.client.Generation)
}

// hookBound and friends are what we mean to keep.
var (
	hookBound    = bound{starts: 1.6}
	tellingBound = bound{starts: 2}
	sendBound    = bound{starts: 1.7, flushes: 1.5}
)

// pairs are measured on the young and on the old room; the ratio of the two is the price of history.
var pairs = []testCase{
	{name: "hook, prompt, nothing pending", task: func(m *machine) task { return m.hookTask(m.prompt()) }, most: hookBound, silent: true},
	{name: "hook, after a tool, nothing pending", task: func(m *machine) task { return m.hookTask(m.afterTool()) }, most: hookBound, silent: true},
	{name: "hook, guard that allows", task: func(m *machine) task { return m.hookTask(m.edit(freeFile)) }, most: hookBound, silent: true},
	{name: "hook, guard that refuses", task: func(m *machine) task { return m.hookTask(m.edit(heldFile)) }, most: hookBound},
	{name: "hook, end of a turn", task: func(m *machine) task { return m.hookTask(m.payload("Stop")) }, most: hookBound, silent: true},
	{name: "hook, prompt, 20 pending", task: func(m *machine) task { return m.hookTask(m.prompt()) }, most: tellingBound, before: give, after: take, flushes: 1},
	{name: "acc message", task: (*machine).sendTask, most: sendBound, after: read, flushes: 1},
	{name: "acc inbox, 20 of it", task: func(m *machine) task { return m.ownerTask("inbox") }, before: give, after: take},
	{name: "acc status", task: func(m *machine) task { return m.accTask("status") }},
}

// measured is what came of a case.
type measured struct {
	testCase
	quiet, loaded runs
	costs         costs // raw costs, measured in turn with the quiet runs
}

// costs are what the machine itself takes.
type costs struct{ empty, flush, git time.Duration }

// measure runs a case in turn with the raw costs, so that a drift of the machine's speed meets all of them.
func (b *bench) measure(ctx context.Context, c testCase, m *machine) (measured, error) {
	got := measured{testCase: c}
	var empty, git runs
	var flushes []time.Duration
	for round := -1; round < b.rounds; round++ { // the first warms up
		e, err := b.start(ctx, task{program: b.empty})
		if err != nil {
			return got, err
		}
		g, err := b.start(ctx, b.gitTask)
		if err != nil {
			return got, err
		}
		f, err := b.raw.flush()
		if err != nil {
			return got, err
		}
		r, err := b.once(ctx, c, m)
		if err != nil {
			return got, fmt.Errorf("%s: %w", c.name, err)
		}
		if round >= 0 {
			empty, git, flushes, got.quiet = append(empty, e), append(git, g), append(flushes, f), append(got.quiet, r)
		}
	}
	got.costs = costs{empty.median(), median(flushes), git.median()}
	return got, nil
}

// under measures a case while other processes compute.
func (b *bench) under(ctx context.Context, got *measured, m *machine) error {
	stop, err := b.crowd(ctx, b.busy)
	if err != nil {
		return err
	}
	defer stop()
	for range b.rounds {
		r, err := b.once(ctx, got.testCase, m)
		if err != nil {
			return fmt.Errorf("%s, beside %d busy processes: %w", got.name, b.busy, err)
		}
		got.loaded = append(got.loaded, r)
	}
	return nil
}

// around does what surrounds a run of a case.
func (c testCase) around(ctx context.Context, m *machine, run func() error) error {
	if c.before != nil {
		if err := c.before(ctx, m); err != nil {
			return err
		}
	}
	if err := run(); err != nil || c.after == nil {
		return err
	}
	return c.after(ctx, m)
}

func (b *bench) once(ctx context.Context, c testCase, m *machine) (r run, err error) {
	err = c.around(ctx, m, func() error {
		if r, err = b.start(ctx, c.task(m)); err != nil {
			return err
		}
		if r.complaint != "" {
			return fmt.Errorf("it complained: %s", r.complaint)
		}
		if c.silent && r.output != 0 {
			return fmt.Errorf("it said %d bytes, and there is nothing to say", r.output)
		}
		return nil
	})
	return r, err
}

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"
)

type options struct {
	rounds, history, busy int
	only                  *regexp.Regexp
	quick, write          bool
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "runs", 40, "runs of each case")
	flag.IntVar(&o.history, "history", 100_000, "messages of the old room")
	flag.IntVar(&o.busy, "busy", 8, "busy processes beside the loaded runs")
	flag.BoolVar(&o.quick, "quick", false, "small rooms and few runs: shows that it works, not what acc costs")
	flag.BoolVar(&o.write, "write", false, "put the tables into docs/performance.md")
	only := flag.String("only", "", "only cases whose name matches this `regexp`; leaves the rest out")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err == nil {
		if o.quick {
			o.rounds, o.history, o.busy = 3, 1000, 2
		}
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		err = measureAll(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measureAll(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "acc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := prepare(ctx, dir, o)
	if err != nil {
		return err
	}
	r := results{rounds: o.rounds, busy: o.busy, history: o.history, sizes: map[string]int64{}}
	for name, path := range map[string]string{"acc": b.acc, "acc-hook": b.hook} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		r.sizes[name] = info.Size()
	}
	if r.emptyCalls, err = b.count(ctx, dir, task{program: b.empty}); err != nil {
		return err
	}
	if err := b.all(ctx, dir, o, &r); err != nil {
		return err
	}
	tables := r.markdown()
	fmt.Print(tables)
	if !o.write {
		return nil
	}
	root, err := worktree(ctx)
	if err != nil {
		return err
	}
	return write(filepath.Join(root, "docs", "performance.md"), tables)
}

// progress tells the person who waits what is being measured.
func progress(what string) { fmt.Fprintln(os.Stderr, "measuring:", what) }

func prepare(ctx context.Context, dir string, o options) (*bench, error) {
	progress("builds")
	p, err := build(ctx, dir)
	if err != nil {
		return nil, err
	}
	b := &bench{programs: p, rounds: o.rounds, busy: o.busy}
	if b.raw, err = newRawFile(dir); err != nil {
		return nil, err
	}
	if b.young, err = b.makeRoom(ctx, dir, 100); err != nil {
		return nil, err
	}
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, err
	}
	b.gitTask = task{program: git, args: []string{"rev-parse", "--show-toplevel"}, dir: b.young.project}
	return b, nil
}

func (b *bench) makeRoom(ctx context.Context, dir string, history int) (*machine, error) {
	progress(fmt.Sprintf("making a room of %d messages", history))
	place := filepath.Join(dir, fmt.Sprint("room-", history))
	if err := os.Mkdir(place, 0o700); err != nil {
		return nil, err
	}
	return newMachine(ctx, b.programs, place, history)
}

// all measures everything. What writes much comes first: there are file systems on which a new file takes longer the
// more files were removed in the last half minute, and the cases that follow remove many.
func (b *bench) all(ctx context.Context, dir string, o options, r *results) error {
	if o.only.String() == "" {
		if err := b.writing(ctx, dir, o, r); err != nil {
			return err
		}
	}
	var err error
	if b.old, err = b.makeRoom(ctx, dir, o.history); err != nil {
		return err
	}
	for _, c := range pairs {
		if !o.only.MatchString(c.name) {
			continue
		}
		progress(c.name)
		p, err := b.pair(ctx, dir, c)
		if err != nil {
			return err
		}
		r.cases = append(r.cases, p)
	}
	if o.only.String() != "" {
		return nil
	}
	if r.floors, err = b.measureFloors(ctx, dir); err != nil {
		return err
	}
	if o.quick {
		return nil
	}
	if r.search, err = goBenchmark(ctx, "cli", "./internal/search", "BenchmarkSearch/common"); err != nil {
		return err
	}
	r.replay, err = goBenchmark(ctx, "storage-filesystem", "./fsstore", "BenchmarkReplay")
	return err
}

// writing measures what writes: one process that sends, and crowds.
func (b *bench) writing(ctx context.Context, dir string, o options, r *results) error {
	progress("one process")
	var err error
	if r.filed, err = b.filed(dir, filesOfSend, time.Second); err != nil {
		return err
	}
	if r.sends, r.flushes, err = b.rates(ctx, max(1, o.rounds/8)); err != nil {
		return err
	}
	if err := b.crowds(ctx, o, r); err != nil {
		return err
	}
	_, err = b.start(ctx, b.young.hookTask(b.young.prompt())) // the client is told who of the crowd is still there
	return err
}

func (b *bench) pair(ctx context.Context, dir string, c testCase) (p pairResult, err error) {
	if p.counted, err = b.countCase(ctx, dir, c, b.young); err != nil {
		return p, err
	}
	if p.young, err = b.measure(ctx, c, b.young); err != nil {
		return p, err
	}
	if p.old, err = b.measure(ctx, c, b.old); err != nil {
		return p, err
	}
	return p, b.under(ctx, &p.old, b.old)
}

func (b *bench) crowds(ctx context.Context, o options, r *results) error {
	processes, messages, sessions := 16, 100, 30
	if o.quick {
		processes, messages, sessions = 4, 5, 4
	}
	progress("many processes at once")
	senders, err := b.senders(ctx, processes, messages)
	if err != nil {
		return err
	}
	working, err := b.sessions(ctx, sessions, 5)
	r.crowds = []crowded{senders, working}
	return err
}

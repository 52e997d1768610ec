package fsstore

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/index"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

const (
	sweepFile  = locksDir + "/sweep.json"
	sweepEvery = 24 * time.Hour

	// SweepBudget is how many leftovers one sweep removes unless it is told otherwise.
	SweepBudget = 512

	leftoverAge = 24 * time.Hour // younger ones may be in use by somebody who holds no lock
)

// swept is locks/sweep.json.
type swept struct{ SweptAt time.Time }

var sweptFormat = &strictjson.Object[swept]{
	Name: "sweep", Doc: "When leftovers were last removed to the end.", MaxBytes: maxMark,
	Members: []strictjson.Member[swept]{
		strictjson.Field("sweptAt", "when", func(s *swept) *time.Time { return &s.SweptAt }, strictjson.Time()),
	},
}

// SweepReport says what a sweep removed.
type SweepReport struct {
	Temporaries int  // partial files of dead writers
	Ephemeral   int  // beats and bindings that have been silent for long
	Pages       int  // of indexes, that the manifest no longer reaches
	Finished    bool // nothing is left; otherwise the budget or the deadline ended it, and the next one goes on
}

// Sweep removes what nothing refers to any more, up to budget files (0: without a bound) or the deadline of
// ctx. It never touches primary data. It holds the writer lock.
func (s *Store) Sweep(ctx context.Context, budget int) (SweepReport, error) {
	var report SweepReport
	err := s.write(ctx, func(w *writing) error {
		b := &sweeping{writing: w, ctx: ctx, budget: budget, unbounded: budget == 0, before: s.opts.now().Add(-leftoverAge)}
		err := b.run(&report)
		if errors.Is(err, errSpent) {
			return nil
		}
		if err == nil {
			report.Finished = true
			err = b.record()
		}
		return err
	})
	return report, err
}

// SweepDue says whether a day has passed since the last sweep that came to its end.
func (s *Store) SweepDue() (bool, error) {
	dir, err := s.openDir()
	if dir == nil || err != nil {
		return false, err
	}
	defer dir.Close()
	raw, err := dir.ReadFile(sweepFile, maxMark)
	if err != nil && !vfs.Missing(err) {
		return false, readError(sweepFile, err)
	}
	last, err := sweptFormat.Decode(raw)
	now := s.opts.now()
	return err != nil || now.Sub(last.SweptAt) >= sweepEvery || last.SweptAt.After(now), nil
}

// errSpent ends a sweep whose budget or time is over.
var errSpent = errors.New("the budget of the sweep is spent")

type sweeping struct {
	*writing
	ctx       context.Context
	budget    int
	unbounded bool
	before    time.Time // files changed later stay
}

func (b *sweeping) run(report *SweepReport) error {
	any := func(string) bool { return true }
	if err := b.clear(tmpDir, any, &report.Temporaries); err != nil {
		return err
	}
	if b.last.Generation > 0 {
		b.forgetSolo()
	}
	if err := b.clear(presenceDir, any, &report.Ephemeral); err != nil {
		return err
	}
	if err := b.bindings(report); err != nil {
		return err
	}
	reached, err := b.reached()
	if err != nil {
		return nil // pages are removed only when it is known which ones are in use
	}
	return b.clear(pagesDir, func(name string) bool { return !reached[strings.TrimSuffix(name, ".json")] }, &report.Pages)
}

// clear removes the old files of a directory that are leftovers.
func (b *sweeping) clear(dir string, leftover func(name string) bool, count *int) error {
	listed, err := b.dir.List(dir)
	if vfs.Missing(err) {
		return nil
	}
	if err != nil {
		return readError(dir, err)
	}
	for _, e := range listed {
		name := dir + "/" + e.Name
		if e.Dir || !leftover(e.Name) {
			continue
		}
		st, err := b.dir.Stat(name)
		if vfs.Missing(err) || err == nil && !st.ModTime.Before(b.before) {
			continue
		}
		if err != nil {
			return readError(name, err)
		}
		if err := b.remove(name); err != nil {
			return err
		}
		*count++
	}
	return nil
}

func (b *sweeping) remove(name string) error {
	if b.ctx.Err() != nil || b.budget == 0 && !b.unbounded {
		return errSpent
	}
	b.budget--
	b.store.step(StepSweep)
	if err := b.dir.Remove(name); err != nil && !vfs.Missing(err) {
		return writeError(name, err)
	}
	return nil
}

// bindings clears the directory of each session generation, and removes the empty ones.
func (b *sweeping) bindings(report *SweepReport) error {
	listed, err := b.dir.List(bindingDir)
	if vfs.Missing(err) {
		return nil
	}
	if err != nil {
		return readError(bindingDir, err)
	}
	for _, e := range listed {
		of := path.Join(bindingDir, e.Name)
		if err := b.clear(of, func(string) bool { return true }, &report.Ephemeral); err != nil {
			return err
		}
		_ = b.dir.Remove(of) // fails unless it is empty
	}
	return nil
}

// reached gives every page below the manifest.
func (b *sweeping) reached() (map[string]bool, error) {
	reached := map[string]bool{}
	if b.manifest == nil {
		return nil, indexUnavailable("there is no manifest")
	}
	for _, name := range core.Indexes {
		tree := index.Open(b.manifest.roots[name], leastLevel(name), func(page string) ([]byte, error) { return readPage(b.dir, page) })
		if err := tree.Pages(func(page string) { reached[page] = true }); err != nil {
			return nil, err
		}
	}
	return reached, nil
}

func (b *sweeping) record() error {
	raw, err := sweptFormat.AppendIndent(nil, &swept{b.store.opts.now()})
	if err == nil {
		err = replace(b.dir, "", sweepFile, raw)
	}
	if err != nil {
		return writeError(sweepFile, err)
	}
	return nil
}

// Maintain does what is due, for commands and the worker: a checkpoint when a good part of a segment has
// been written since the last one, the reserve when it was given up, and once a day a sweep.
func (s *Store) Maintain(ctx context.Context) error {
	due, err := s.checkpointDue()
	if err != nil {
		return err
	}
	if due {
		if err := s.Checkpoint(ctx); err != nil {
			return err
		}
	}
	if due, err = s.SweepDue(); err != nil || !due {
		return err
	}
	if _, err := s.Sweep(ctx, SweepBudget); err != nil {
		return err
	}
	return s.write(ctx, func(w *writing) error { return makeReserve(w.dir) })
}

// checkpointDue compares what was published with what is durable.
func (s *Store) checkpointDue() (bool, error) {
	dir, err := s.openDir()
	if dir == nil || err != nil {
		return false, err
	}
	defer dir.Close()
	applied, err := readMark(dir, appliedFile)
	if err != nil {
		return false, err
	}
	checkpoint, err := readMark(dir, checkpointFile)
	if err != nil || applied == nil {
		return false, err
	}
	if checkpoint == nil {
		checkpoint = &mark{}
	}
	return applied.Segment != checkpoint.Segment || applied.End-checkpoint.End > checkpointBytes, nil
}

const checkpointBytes = 2 << 20 // of the journal after which a checkpoint is due

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
	marksFile  = locksDir + "/sweep-pages" // pages that an unfinished sweep knows to be in use
	maxMarks   = 64 << 20
	sweepEvery = 24 * time.Hour

	leftoverAge = 24 * time.Hour // younger ones may be in use by somebody who holds no lock
)

// swept is locks/sweep.json.
type swept struct{ SweptAt time.Time }

var sweptFormat = &strictjson.Object[swept]{
	Name: "sweep", Doc: "When leftovers were last removed to the end.", MaxBytes: maxMark,
	Members: func() []strictjson.Member[swept] {
		return []strictjson.Member[swept]{
			strictjson.Field("sweptAt", "when", func(s *swept) *time.Time { return &s.SweptAt }, strictjson.Time()),
		}
	},
}

// SweepReport says what a sweep removed.
type SweepReport struct {
	Temporaries int  // partial files of dead writers
	Ephemeral   int  // beats and bindings that have been silent for long
	Pages       int  // of indexes, that the manifest no longer reaches
	Finished    bool // nothing is left; otherwise the budget or the deadline ended it, and the next one goes on
}

// Sweep removes what nothing refers to any more, whether it is due or not. It reads and removes up to budget files
// (0: without a bound), or stops at the deadline of ctx. It never touches primary data. It holds the writer lock.
func (s *Store) Sweep(ctx context.Context, budget int) (SweepReport, error) {
	var report SweepReport
	err := s.write(ctx, func(w *writing) (err error) {
		report, err = w.sweep(&allowance{ctx: ctx, left: budget, unbounded: budget == 0})
		return err
	})
	return report, err
}

func (w *writing) sweep(left *allowance) (report SweepReport, err error) {
	if w.solo {
		report.Finished = true
		return report, nil
	}
	b := &sweeping{writing: w, left: left, before: w.store.opts.now().Add(-leftoverAge)}
	err = b.run(&report)
	if errors.Is(err, errSpent) {
		return report, b.remember()
	}
	if err == nil {
		report.Finished = true
		err = b.record()
	}
	return report, err
}

// sweepDue says whether a day has passed since the last sweep that came to its end.
func (s *Store) sweepDue(dir vfs.Dir) (bool, error) {
	raw, err := dir.ReadFile(sweepFile, maxMark)
	if err != nil && !vfs.Missing(err) {
		return false, readError(sweepFile, err)
	}
	last, err := sweptFormat.Decode(raw)
	now := s.opts.now()
	return err != nil || now.Sub(last.SweptAt) >= sweepEvery || last.SweptAt.After(now), nil
}

type sweeping struct {
	*writing
	left   *allowance
	before time.Time       // files changed later stay
	marked map[string]bool // pages that are in use, and all below them; nil: not known yet
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
	if err := b.mark(); errors.Is(err, errSpent) {
		return err
	} else if err != nil {
		return nil // pages are removed only when it is known which ones are in use
	}
	return b.clear(pagesDir, func(name string) bool { return !b.marked[strings.TrimSuffix(name, ".json")] }, &report.Pages)
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
	if err := b.left.take(); err != nil {
		return err
	}
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

// mark finds every page below the manifest and the durable one. What an unfinished sweep found before counts: pages are named by their
// content, so whatever lies below one of them is still the same, and a page that is no longer in use only stays
// until the next day.
func (b *sweeping) mark() error {
	if b.manifest == nil {
		return indexUnavailable("there is no manifest")
	}
	b.marked = readMarks(b.dir)
	load := func(page string) ([]byte, error) {
		if err := b.left.take(); err != nil {
			return nil, err
		}
		return readPage(b.dir, page)
	}
	durable, err := readManifest(b.dir, durableFile, b.journal.tag)
	if err != nil {
		return err
	}
	for _, m := range []*manifest{b.manifest, durable} {
		if m == nil {
			continue
		}
		for _, name := range core.Indexes {
			tree := index.Open(m.roots[name], leastLevel(name), load)
			if err := tree.Pages(func(page string) bool { return !b.marked[page] }, func(page string) { b.marked[page] = true }); err != nil {
				return err
			}
		}
	}
	return nil
}

// readMarks gives the pages that an unfinished sweep found; a file that was torn by a power cut holds none.
func readMarks(dir vfs.Dir) map[string]bool {
	raw, err := dir.ReadFile(marksFile, maxMarks)
	if err != nil {
		return map[string]bool{}
	}
	return decodeMarks(raw)
}

func decodeMarks(raw []byte) map[string]bool {
	marked := map[string]bool{}
	check, names, _ := strings.Cut(string(raw), "\n")
	if check != index.Name([]byte(names)) {
		return marked
	}
	for name := range strings.Lines(names) {
		marked[strings.TrimSuffix(name, "\n")] = true
	}
	return marked
}

// remember keeps what was found of the pages for the sweep that goes on.
func (b *sweeping) remember() error {
	if len(b.marked) == 0 {
		return nil
	}
	var names strings.Builder
	for name := range b.marked {
		names.WriteString(name + "\n")
	}
	raw := index.Name([]byte(names.String())) + "\n" + names.String()
	if err := replace(b.dir, "", marksFile, []byte(raw)); err != nil {
		return writeError(marksFile, err)
	}
	return nil
}

func (b *sweeping) record() error {
	if err := b.dir.Remove(marksFile); err != nil && !vfs.Missing(err) {
		return writeError(marksFile, err)
	}
	raw, err := sweptFormat.AppendIndent(nil, &swept{b.store.opts.now()})
	if err == nil {
		err = replace(b.dir, "", sweepFile, raw)
	}
	if err != nil {
		return writeError(sweepFile, err)
	}
	return nil
}

package fsstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// fault is a way in which operation k of a process, or every operation from k on, goes wrong.
type fault struct {
	name   string
	sticky bool
	effect func(op vfstest.Op) vfstest.Effect
}

func faults() []fault {
	always := func(e vfstest.Effect) func(vfstest.Op) vfstest.Effect {
		return func(vfstest.Op) vfstest.Effect { return e }
	}
	half := func(err error, kill bool) func(vfstest.Op) vfstest.Effect {
		return func(op vfstest.Op) vfstest.Effect {
			return vfstest.Effect{Err: err, Kill: kill, Bytes: (op.Size + 1) / 2}
		}
	}
	all := []fault{
		{"EIO", false, always(vfstest.Effect{Err: syscall.EIO})},
		{"EIO but done", false, always(vfstest.Effect{Err: syscall.EIO, Done: true})},
		{"ENOSPC", false, always(vfstest.Effect{Err: syscall.ENOSPC})},
		{"short write", false, half(syscall.ENOSPC, false)},
		{"kill before", false, always(vfstest.Effect{Kill: true})},
		{"kill after", false, always(vfstest.Effect{Kill: true, Done: true})},
		{"kill within", false, half(nil, true)},
	}
	for _, f := range all[:4] {
		f.name, f.sticky = f.name+" from then on", true
		all = append(all, f)
	}
	return all
}

// sweeper runs one scenario with each fault at operation 0, 1, 2, ... until none fires.
type sweeper struct {
	prepare func() *vfstest.Disk
	options func(fsstore.Options) fsstore.Options
	run     func(ctx context.Context, s *fsstore.Store) error // nil: set the pair to after
	before  int                                               // value of the pair before run
	hidden  int                                               // an older value that readers of this boot see until a writer has recovered; 0: none
	after   int                                               // ... and once run has succeeded
	rebuild bool                                              // stores may make the indexes again
	seeds   uint64                                            // power cuts tried after each fault
}

func (w sweeper) store(fs vfs.FS) (*fsstore.Store, error) {
	o := diskOptions(fs).LagFrames(1)
	if w.options != nil {
		o = w.options(o)
	}
	o.Rebuild = o.Rebuild || w.rebuild
	return fsstore.Open(context.Background(), o)
}

// sweep gives how many faults were tried.
func (w sweeper) sweep(t *testing.T) (tried int) {
	disk := w.prepare()
	for _, f := range faults() {
		for k := 0; ; k++ {
			d := disk.Clone()
			fired := ""
			s, err := w.store(vfstest.Wrap(d.Process(), func(op vfstest.Op) vfstest.Effect {
				if op.N < k || op.N > k && !f.sticky {
					return vfstest.Effect{}
				}
				e := f.effect(op)
				if fired == "" {
					fired = fmt.Sprintf("%s at operation %d: %s %s", f.name, k, op.Name, op.Path)
				}
				return e
			}))
			if err == nil {
				err = w.try(s)
			}
			if fired == "" {
				break
			}
			tried++
			w.judge(t, d, fired, err, f.effect(vfstest.Op{}).Kill)
			if t.Failed() {
				return tried
			}
		}
	}
	return tried
}

func (w sweeper) try(s *fsstore.Store) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if w.run != nil {
		return w.run(ctx, s)
	}
	_, err := s.Update(ctx, setPair(w.after))
	return err
}

// judge checks what a fault has left behind: for readers and writers of the same boot, and of the next
// after a power cut.
func (w sweeper) judge(t *testing.T, d *vfstest.Disk, what string, err error, killed bool) {
	t.Helper()
	var outcome *protocol.Error
	if err != nil && !errors.As(err, &outcome) {
		t.Errorf("%s: the error is no *protocol.Error: %v", what, err)
		return
	}
	var now, later []int // what a reader may see now, and after a writer has recovered
	switch {
	case err == nil:
		now = []int{w.after}
	case outcome.Reason == protocol.ReasonCommittedNotVisible && !killed:
		now, later = []int{w.before, w.after}, []int{w.after}
	case outcome.Reason == protocol.ReasonCommitUnknown || killed:
		now = []int{w.before, w.after}
	default:
		now = []int{w.before}
	}
	if later == nil {
		later = now
	}
	if w.hidden != 0 {
		now = append(slices.Clone(now), w.hidden)
	}
	what = fmt.Sprintf("%s (%v)", what, err)
	w.aftermath(t, d.Clone(), what, now, later)
	for seed := range w.seeds {
		c := d.Clone()
		c.PowerCut(seed)
		w.aftermath(t, c, fmt.Sprintf("%s, power cut with seed %d", what, seed), later, later)
	}
}

// aftermath reads, writes, reads and checks.
func (w sweeper) aftermath(t *testing.T, d *vfstest.Disk, what string, now, later []int) {
	t.Helper()
	s, err := w.store(d.Process())
	if err != nil {
		t.Errorf("%s: open: %v", what, err)
		return
	}
	seen, err := readPair(s)
	if err != nil || !slices.Contains(now, seen) {
		t.Errorf("%s: a reader sees %d, %v; want one of %v", what, seen, err, now)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	next := w.after + 100
	_, err = s.Update(ctx, func(tx core.Tx) error {
		found, err := pair(tx)
		if err != nil || !slices.Contains(later, found) || found < seen {
			return fmt.Errorf("a writer sees %d, %v; want one of %v, not before %d", found, err, later, seen)
		}
		if err := addNewcomer(tx); err != nil { // so that the indexes owe this commit something new
			return err
		}
		return setPair(next)(tx)
	})
	if err != nil {
		t.Errorf("%s: the next commit: %v", what, err)
		return
	}
	if got, err := readPair(s); err != nil || got != next {
		t.Errorf("%s: after the next commit a reader sees %d, %v", what, got, err)
	}
	report, err := s.Fsck(ctx)
	if err != nil || len(report.Findings) > 0 {
		t.Errorf("%s: fsck: %v, %v", what, report.Findings, err)
	}
}

// addNewcomer writes a record that was never there.
func addNewcomer(tx core.Tx) error {
	if _, _, err := tx.Get(protocol.KindParticipant, newcomer); err != nil {
		return err
	}
	return tx.Put(participant(newcomer, newcomer))
}

// TestFaultSweep lets every operation of every way to commit fail in every way. The counts are the
// numbers of faults that were tried when a scenario was last changed on purpose: fewer means that
// something has slipped out of the sweep.
func TestFaultSweep(t *testing.T) {
	simulated(t)
	warm := func(n int) func() *vfstest.Disk {
		return func() *vfstest.Disk { d, _ := pairs(t, n); return d }
	}
	rebooted := func() *vfstest.Disk { d, _ := pairs(t, 3); d.PowerCut(7); return d }
	late := func(frames uint64) func(fsstore.Options) fsstore.Options {
		return func(o fsstore.Options) fsstore.Options { return o.LagFrames(frames) }
	}
	left := func(n int) func() *vfstest.Disk { // of these frames only the first is published
		return func() *vfstest.Disk {
			d := vfstest.NewDisk()
			s := lazy(d.Process())
			for i := range n {
				mustSet(t, s, i+1)
			}
			return d
		}
	}
	for _, c := range []struct {
		name     string
		sweep    sweeper
		recorded int
	}{
		{"first commit", sweeper{prepare: vfstest.NewDisk, after: 1}, 1265},
		{"commit", sweeper{prepare: warm(3), before: 3, after: 4}, 583},
		{"commit after a reboot", sweeper{prepare: rebooted, before: 3, after: 4}, 1177},
		{"commit behind a torn tail", sweeper{prepare: tornTail(t), before: 3, after: 4}, 671},
		{"commit behind a frame that nobody vouches for", sweeper{prepare: invisible(t), hidden: 3, before: 4, after: 5}, 891},
		{"commit over unpublished frames", sweeper{prepare: unpublished(t), before: 4, after: 5}, 770},
		{"commit without a state directory", sweeper{prepare: withoutState(t), before: 3, after: 4}, 1023},
		{"commit into a new segment", sweeper{prepare: warm(3), before: 3, after: 4,
			options: func(o fsstore.Options) fsstore.Options { return o.RotateAt(100) }}, 704},
		{"commit that leaves its state to a later one", sweeper{prepare: left(3), before: 3, after: 4, options: late(fsstore.Lag)}, 330},
		{"commit that publishes what others have left", sweeper{prepare: left(fsstore.Lag - 1), before: fsstore.Lag - 1, after: fsstore.Lag, options: late(fsstore.Lag)}, 693},
		{"commit that finds too much left", sweeper{prepare: left(5), before: 5, after: 6, options: late(3)}, 715},
		{"checkpoint of what was left", sweeper{prepare: left(5), run: checkpoint, before: 5, after: 5, options: late(fsstore.Lag)}, 1364},
		{"read of what was left", sweeper{prepare: left(5), run: read(5), before: 5, after: 5, options: late(fsstore.Lag)}, 275},
		{"commit of a process that makes the indexes again", sweeper{prepare: withoutIndexes(t), run: rebuild, before: 70, after: 70, options: rebuilder}, 660},
		{"checkpoint", sweeper{prepare: warm(3), run: checkpoint, before: 3, after: 3}, 1023},
		{"checkpoint after one that failed", sweeper{prepare: failedCheckpoint(t), run: checkpoint, before: 5, after: 5}, 1023},
		{"commit after a checkpoint", sweeper{prepare: checkpointed(t), before: 3, after: 4}, 594},
		{"trim", sweeper{prepare: segmented(t), run: trim, before: 6, after: 6, options: small}, 517},
		{"trim of what the indexes do not know", sweeper{prepare: ahead(t), run: trim, before: 7, after: 7, options: small}, 616},
		{"commit of a hook after a reboot that has lost the indexes", sweeper{prepare: cutLate(t), before: 90, after: 91}, 1001},
		{"sweep", sweeper{prepare: littered(t), run: sweepUp, before: 43, after: 43}, 748},
		{"maintain", sweeper{prepare: neglected(t), run: maintain, before: 6, after: 6, options: small}, 2046},
		{"read", sweeper{prepare: warm(3), run: read(3), before: 3, after: 3}, 242},
		{"read over unpublished frames", sweeper{prepare: unpublished(t), run: read(4), before: 4, after: 4}, 209},
		{"read after a reboot", sweeper{prepare: rebooted, run: read(3), before: 3, after: 3}, 396},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.sweep.seeds = seeds(t)
			tried := c.sweep.sweep(t)
			t.Logf("%s: %d faults tried", c.name, tried)
			if tried < c.recorded {
				t.Errorf("%d faults were tried, %d when this was recorded", tried, c.recorded)
			}
		})
	}
}

// seeds is how many power cuts are tried after each fault; ACC_SWEEP_SEEDS asks for more.
func seeds(t *testing.T) uint64 {
	if more, err := strconv.ParseUint(os.Getenv("ACC_SWEEP_SEEDS"), 10, 16); err == nil {
		return more
	}
	if testing.Short() {
		return 1
	}
	return 2
}

// read is a View that answers right or not at all.
func read(want int) func(context.Context, *fsstore.Store) error {
	return func(_ context.Context, s *fsstore.Store) error {
		got, err := readPair(s)
		if err == nil && got != want {
			return fmt.Errorf("a reader saw %d, want %d", got, want)
		}
		return err
	}
}

// tornTail: a writer was killed while it appended.
func tornTail(t *testing.T) func() *vfstest.Disk {
	return func() *vfstest.Disk {
		d, frame := pairs(t, 3)
		d.WriteFile(journalFile, append(readFile(t, d, journalFile), frame[:len(frame)/2]...))
		return d
	}
}

// invisible: a frame was flushed, but head could not be replaced.
func invisible(t *testing.T) func() *vfstest.Disk {
	return func() *vfstest.Disk {
		d, _ := pairs(t, 3)
		_, err := onDisk(failing(d, syscall.ENOSPC, "Rename", "head.json")).Update(context.Background(), setPair(4))
		if reason(err) != protocol.ReasonCommittedNotVisible {
			t.Fatal(err)
		}
		return d
	}
}

// unpublished: a frame was committed, but the state could not be published.
func unpublished(t *testing.T) func() *vfstest.Disk {
	return func() *vfstest.Disk {
		d, _ := pairs(t, 3)
		if _, err := onDisk(failing(d, syscall.ENOSPC, "Rename", "")).Update(context.Background(), setPair(4)); err != nil {
			t.Fatal(err)
		}
		return d
	}
}

func withoutState(t *testing.T) func() *vfstest.Disk {
	return func() *vfstest.Disk {
		d, _ := pairs(t, 3)
		d.RemoveAll(diskDir + "/state")
		return d
	}
}

// failing gives a process for which one operation on one file always fails; on "", on any state file.
func failing(d *vfstest.Disk, err error, name, path string) vfs.FS {
	return vfstest.Wrap(d.Process(), func(op vfstest.Op) vfstest.Effect {
		exchange := name == "Rename" && op.Name == "Exchange"
		if (op.Name == name || exchange) && (op.Path == path || path == "" && len(op.Path) > 6 && op.Path[:6] == "state/") {
			return vfstest.Effect{Err: err}
		}
		return vfstest.Effect{}
	})
}

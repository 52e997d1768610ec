package fsstore

import (
	"context"
	"errors"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// checkpointBytes is how much of the journal may follow the checkpoint before another one is due: about what a
// power cut makes the next writer read and publish again.
const checkpointBytes = 2 << 20

// checkpointPatience is how many state files a commit makes durable that finds a checkpoint due.
const checkpointPatience = 1024

// MaintenanceBudget is how many files one call of Maintain makes durable, reads or removes unless it is
// told otherwise: some tens of milliseconds.
const MaintenanceBudget = 512

// MaintenanceReport says what one call of Maintain did.
type MaintenanceReport struct {
	Durable    int         // state files that the checkpoint was raised over
	Checkpoint uint64      // generation up to which the state is durable now; 0: nothing is
	Trim       TrimReport  // of segments that lie below the trim floor; the floor itself is not raised
	Sweep      SweepReport // of leftovers; all zero when none was due
	Reserve    bool        // the reserve that a full disk had used up was made again
	Finished   bool        // nothing more is due; otherwise another call goes on where this one ended
}

// Maintain is the upkeep of a store in one bounded call, for the worker and for commands, never for a hook: it
// raises the checkpoint when one is due, removes segments that were trimmed and waited for it, makes the reserve
// again, and once a day sweeps leftovers. It makes durable, reads or removes about budget files (0: without a
// bound), or stops at the deadline of ctx, and says whether to call again. No record and no event goes that
// somebody could still read. A room in which nothing was committed needs no upkeep.
func (s *Store) Maintain(ctx context.Context, budget int) (MaintenanceReport, error) {
	var report MaintenanceReport
	left := &allowance{ctx: ctx, left: budget, unbounded: budget == 0}
	due, err := s.due()
	if err != nil {
		return report, err
	}
	report.Checkpoint = due.checkpointed
	for due.checkpoint && left.any() {
		part, err := s.checkpointPart(ctx, left.most(checkpointFiles))
		if err != nil && ctx.Err() != nil {
			return report, nil
		}
		if err != nil {
			return report, err
		}
		left.spend(part.done)
		report.Durable += part.done
		due.checkpoint = part.more
	}
	report.Finished = !due.anything()
	if report.Finished || ctx.Err() != nil {
		return report, nil
	}
	err = s.write(ctx, func(w *writing) error { return w.maintain(ctx, left, due, &report) })
	return report, err
}

// maintain does what needs the writer lock.
func (w *writing) maintain(ctx context.Context, left *allowance, due upkeep, report *MaintenanceReport) (err error) {
	report.Checkpoint = w.checkpoint.generationOf()
	if due.trim && !due.checkpoint {
		if report.Trim, err = w.trim(ctx, 0); err != nil {
			return err
		}
	}
	if due.reserve {
		if err := makeReserve(w.dir); err != nil {
			return err
		}
		report.Reserve = true
	}
	swept := true
	if due.sweep {
		report.Sweep, err = w.sweep(left)
		swept = report.Sweep.Finished
	}
	report.Finished = err == nil && swept && !due.checkpoint
	return err
}

// upkeep says what a store is in need of.
type upkeep struct {
	checkpointed                     uint64
	checkpoint, trim, reserve, sweep bool
}

func (u upkeep) anything() bool { return u.checkpoint || u.trim || u.reserve || u.sweep }

// due looks, without a lock, at what there is to do.
func (s *Store) due() (u upkeep, err error) {
	dir, err := s.openDir()
	if dir == nil || err != nil {
		return u, err
	}
	defer dir.Close()
	id, found, err := s.settled(dir, false)
	if !found || err != nil {
		return u, err
	}
	applied, err := readMark(dir, appliedFile)
	if err != nil {
		return u, err
	}
	checkpoint, err := readMark(dir, checkpointFile)
	if err != nil {
		return u, err
	}
	if applied.generationOf() == 0 && checkpoint.generationOf() == 0 {
		return u, nil
	}
	u.checkpointed = checkpoint.generationOf()
	u.checkpoint = s.ours(applied) && checkpointDue(applied.placeOf(), checkpoint.placeOf())
	if u.trim, err = (journal{dir, id.tag()}).trimmable(); err != nil {
		return u, err
	}
	if u.trim && s.ours(applied) { // segments wait for the checkpoint
		u.checkpoint = u.checkpoint || applied.Segment > checkpoint.placeOf().Segment
	}
	_, err = dir.Stat(reserveFile)
	u.reserve = vfs.Missing(err)
	u.sweep, err = s.sweepDue(dir)
	return u, err
}

// checkpointDue compares what is published with what is durable.
func checkpointDue(published, durable place) bool {
	return published.Generation > durable.Generation &&
		(published.Segment != max(durable.Segment, 1) || published.End-durable.End > checkpointBytes)
}

// trimmable says whether a segment holds only events below the trim floor.
func (j journal) trimmable() (bool, error) {
	floor, err := readFloor(j.dir)
	if err != nil || floor == 0 {
		return false, err
	}
	all, err := j.segments()
	return len(all) > 1 && all[1]-1 <= floor, err
}

// keepReplayShort raises the checkpoint once a commit of a process that may take its time finds it due. What goes
// wrong there does not fail the commit.
func (s *Store) keepReplayShort(ctx context.Context) {
	if _, err := s.checkpointPart(ctx, checkpointPatience); err != nil && ctx.Err() == nil {
		s.diagnose(protocol.DataError("", "the checkpoint could not be raised: "+err.Error()).Because(err))
	}
}

// allowance bounds the work of one call of upkeep.
type allowance struct {
	ctx       context.Context
	left      int
	unbounded bool
}

// errSpent ends upkeep whose budget or time is over.
var errSpent = errors.New("the budget of the upkeep is spent")

func (a *allowance) any() bool { return a.ctx.Err() == nil && (a.unbounded || a.left > 0) }

// take spends one file, or says that none is left.
func (a *allowance) take() error {
	if !a.any() {
		return errSpent
	}
	a.spend(1)
	return nil
}

func (a *allowance) spend(files int) { a.left = max(a.left-files, 0) }

// most gives how many files may be used, up to a bound.
func (a *allowance) most(files int) int {
	if a.unbounded {
		return files
	}
	return min(files, a.left)
}

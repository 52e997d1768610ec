package doctor

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// MaxPaths is how many damaged files are named.
const MaxPaths = 10

// storeLimit is the time of reading everything, and of making derived data again.
const storeLimit = 2 * time.Minute

// checkRoom finds the room, diagnoses its store and, if that can be relied on, looks at who is there.
func (e *examination) checkRoom(ctx context.Context) {
	r, err := e.Enter(ctx)
	if err != nil {
		e.refused(err)
		return
	}
	e.WorkspaceID = r.Workspace.ID
	e.ok(subjectRoom, fmt.Sprintf("%s, found by %s, in %s", r.Workspace.DisplayName, r.Workspace.Source, r.Dir))
	e.checkRoomModes(r.Dir)
	e.checkLock(r)
	if !e.checkStore(ctx, r) {
		return
	}
	e.checkSessions(ctx, r)
}

// refused tells a directory that is no room from a store that cannot be used.
func (e *examination) refused(err error) {
	switch protocol.ReasonOf(err) {
	case protocol.ReasonWorkspaceContainsStore, protocol.ReasonNotFound:
		e.warn(subjectRoom, "none here: "+err.Error(), hint(err, "run acc in a directory of the project"))
	case protocol.ReasonStoreCorrupt, protocol.ReasonStoreForeign, protocol.ReasonStoreMigration, protocol.ReasonPathUnsafe:
		e.fail(subjectStore, err.Error(), hint(err, noRemedy))
	default:
		e.fail(subjectRoom, err.Error(), hint(err, "acc help doctor"))
	}
}

// checkLock tells who is writing at this moment. A writer needs milliseconds, so it is asked twice.
func (e *examination) checkLock(r *room.Room) {
	if _, err := os.Lstat(r.Dir); err != nil {
		return // there is nothing to hold
	}
	owner, held, err := r.Store.Holder()
	if held && err == nil {
		time.Sleep(lockPause)
		var again string
		if again, held, err = r.Store.Holder(); again != owner {
			held = false
		}
	}
	switch {
	case err != nil:
		e.fail(subjectLock, "who holds the writer lock is unknown: "+err.Error(), hint(err, "acc doctor"))
	case held:
		e.LockOwner = owner
		e.warn(subjectLock, "the writer lock is held by "+owner+", and was "+lockPause.String()+" ago", "wait for that process, or end it if it hangs")
	default:
		e.ok(subjectLock, "nobody holds the writer lock")
	}
}

// lockPause is longer than a commit takes.
const lockPause = 300 * time.Millisecond

// checkStore reads all of the store and compares it. It says whether the store can be relied on.
func (e *examination) checkStore(ctx context.Context, r *room.Room) bool {
	report, err := fsck(ctx, r)
	if err != nil {
		e.fail(subjectStore, "cannot be read: "+err.Error(), hint(err, "acc doctor --repair"))
		return false
	}
	if len(report.Findings) > 0 && e.Repair {
		report = e.repair(ctx, r, report)
	}
	e.Store = &report
	if len(report.Findings) > 0 {
		e.damaged(report)
		return derived(report)
	}
	if report.Frames == 0 {
		e.ok(subjectStore, "nothing was recorded yet")
		return true
	}
	text := fmt.Sprintf("%d records and %d events agree with %d frames in %d files", report.Records, report.Sequence-report.TrimmedThrough, report.Frames, report.Segments)
	if report.TornTail {
		text += "; a crash left half a frame behind the last one, which the next write takes away"
	}
	e.ok(subjectStore, text)
	if e.Repair {
		e.sweep(ctx, r)
	}
	return true
}

// sweep removes what crashes left behind, all of it.
func (e *examination) sweep(ctx context.Context, r *room.Room) {
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	swept, err := r.Store.Sweep(ctx, 0)
	if err != nil {
		e.warn(subjectStore, "leftovers could not be removed: "+err.Error(), hint(err, "acc doctor --repair"))
		return
	}
	e.ok(subjectStore, fmt.Sprintf("removed %d partial files, %d old signs of life and %d pages that nothing refers to", swept.Temporaries, swept.Ephemeral, swept.Pages))
}

func fsck(ctx context.Context, r *room.Room) (fsstore.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	return r.Store.Fsck(ctx)
}

// derived says whether everything that is wrong can be made again.
func derived(report fsstore.Report) bool {
	for _, f := range report.Findings {
		if !f.Derived {
			return false
		}
	}
	return true
}

// repair makes derived data again, and nothing if primary data is damaged.
func (e *examination) repair(ctx context.Context, r *room.Room, before fsstore.Report) fsstore.Report {
	if !derived(before) {
		e.fail(subjectStore, "nothing was repaired: what is damaged is primary data", noRemedy)
		return before
	}
	bounded, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	done, err := r.Store.Repair(bounded)
	after := before
	if err == nil {
		after, err = fsck(ctx, r)
	}
	if err != nil {
		e.fail(subjectStore, "could not be repaired: "+err.Error(), hint(err, "acc doctor"))
		return before
	}
	if done.Indexes {
		e.Repaired = true
		e.ok(subjectStore, fmt.Sprintf("%d records and the indexes were made again from the journal", done.State))
	}
	return after
}

// noRemedy is all that can be said of damage to what nothing else holds a copy of.
const noRemedy = "no command mends it, and nothing was changed; acc support-bundle writes what somebody needs to help you"

// damaged names the files.
func (e *examination) damaged(report fsstore.Report) {
	for i, f := range report.Findings {
		if i == MaxPaths {
			e.fail(subjectStore, fmt.Sprintf("and %d more", len(report.Findings)-MaxPaths), "acc doctor --json names them all")
			break
		}
		remedy := "acc doctor --repair"
		switch {
		case !f.Derived:
			remedy = noRemedy
		case e.Repair:
			remedy = "no command mends it yet; nothing but this derived file is lost"
		}
		text := f.String()
		if strings.HasPrefix(f.Problem, f.File) { // it says where by itself
			text = f.Problem
		}
		e.fail(subjectStore, text, remedy)
	}
}

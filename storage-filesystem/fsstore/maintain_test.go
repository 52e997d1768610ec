package fsstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// neglected: six commits in six segments, of which four are trimmed and wait for a checkpoint; the reserve is
// used up, and a dead writer has left a temporary behind.
func neglected(t *testing.T) func() *vfstest.Disk {
	return func() *vfstest.Disk {
		d := vfstest.NewDisk()
		d.Advance(-48 * time.Hour)
		for n := 1; n <= 5; n++ {
			mustSet(t, onSmall(d.Process()), n)
		}
		_, err := onSmall(d.Process()).Trim(context.Background(), 4)
		must(t, err)
		_, err = onSmall(vfstest.Wrap(d.Process(), func(op vfstest.Op) (e vfstest.Effect) {
			e.Kill = (op.Name == "Rename" || op.Name == "Exchange") && strings.HasPrefix(op.Path, "state/")
			return e
		})).Update(context.Background(), setPair(6))
		must(t, err)
		d.Advance(48 * time.Hour)
		_, err = onSmall(d.Process()).Update(context.Background(), func(core.Tx) error { return nil })
		must(t, err)
		d.RemoveAll(diskDir + "/reserve")
		return d
	}
}

func exists(d *vfstest.Disk, name string) bool {
	_, err := d.ReadFile(name)
	return err == nil || len(d.Names(name)) > 0
}

// covered gives the offset up to which the checkpoint vouches for the state.
func covered(t *testing.T, d *vfstest.Disk) (end int64) {
	t.Helper()
	raw, err := d.ReadFile(diskDir + "/journal/checkpoint.json")
	if err != nil {
		return 0
	}
	var m struct {
		End int64 `json:"end"`
	}
	must(t, json.Unmarshal(raw, &m))
	return m.End
}

// TestMaintain does everything that is due, a little at a time: each call stays within its budget and says whether
// to call again.
func TestMaintain(t *testing.T) {
	for _, budget := range []int{1, 3, 0} {
		t.Run(fmt.Sprint(budget), func(t *testing.T) {
			d := neglected(t)()
			var total fsstore.MaintenanceReport
			calls := 0
			for !total.Finished {
				report, err := onSmall(d.Process()).Maintain(t.Context(), budget)
				must(t, err)
				if used := report.Durable + report.Sweep.Temporaries + report.Sweep.Pages; budget > 0 && used > budget+1 { // a frame has two records
					t.Errorf("a budget of %d, and it used %d: %+v", budget, used, report)
				}
				total.Durable += report.Durable
				total.Trim.Segments += report.Trim.Segments
				total.Sweep.Temporaries += report.Sweep.Temporaries
				total.Reserve = total.Reserve || report.Reserve
				total.Finished, total.Checkpoint = report.Finished, report.Checkpoint
				if calls++; calls > 50 {
					t.Fatal("upkeep does not come to an end")
				}
			}
			if budget == 1 && calls < 5 || budget == 0 && calls != 1 {
				t.Errorf("a budget of %d took %d calls", budget, calls)
			}
			if total.Checkpoint != 6 || total.Trim.Segments != 4 || total.Sweep.Temporaries == 0 || !total.Reserve {
				t.Errorf("upkeep did %+v", total)
			}
			t.Logf("%d calls: %+v", calls, total)
			again, err := onSmall(d.Process()).Maintain(t.Context(), budget)
			if err != nil || !again.Finished || again.Durable+again.Trim.Segments+again.Sweep.Temporaries != 0 || again.Reserve {
				t.Errorf("once more: %+v, %v", again, err)
			}
			mustRead(t, onSmall(d.Process()), 6)
			storetest.Check(t, onSmall(d.Process()))
		})
	}
}

// TestMaintainEndsInTime: a deadline that has passed is no fault of upkeep, which goes on with the next call.
func TestMaintainEndsInTime(t *testing.T) {
	d := neglected(t)()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report, err := onSmall(d.Process()).Maintain(ctx, 0)
	if err != nil || report.Finished {
		t.Errorf("without time: %+v, %v", report, err)
	}
}

// TestMaintainNothing leaves alone what is no store, and a room in which nothing was committed.
func TestMaintainNothing(t *testing.T) {
	d := vfstest.NewDisk()
	report, err := onDisk(d.Process()).Maintain(t.Context(), 0)
	if err != nil || !report.Finished || exists(d, diskDir) {
		t.Errorf("without a store: %+v, %v", report, err)
	}
	_, err = onDisk(d.Process()).Update(t.Context(), setSolo(1))
	must(t, err)
	if report, err = onDisk(d.Process()).Maintain(t.Context(), 0); err != nil || !report.Finished || exists(d, diskDir+"/locks/sweep.json") {
		t.Errorf("in a solo room: %+v, %v", report, err)
	}
}

// TestSweepGoesOn: finding the pages that are in use goes on where an earlier sweep ended it, also while commits
// replace them, and no page goes that is in use.
func TestSweepGoesOn(t *testing.T) {
	simulated(t)
	d := vfstest.NewDisk()
	d.Advance(-48 * time.Hour)
	fill := func(from, to int) {
		_, err := onDisk(d.Process()).Update(context.Background(), func(tx core.Tx) error {
			for i := from; i < to; i++ {
				if err := put(tx, participant(fmt.Sprintf("p%06d", i), "x")); err != nil {
					return err
				}
			}
			return nil
		})
		must(t, err)
	}
	fill(0, 6000)
	must(t, onDisk(d.Process()).RebuildIndexes(t.Context()))
	fill(6000, 9000)
	must(t, onDisk(d.Process()).RebuildIndexes(t.Context()))
	d.Advance(48 * time.Hour)
	calls, most, removed := 0, 0, 0
	for finished := false; !finished; calls++ {
		reads := 0
		fs := vfstest.Wrap(d.Process(), func(op vfstest.Op) (e vfstest.Effect) {
			if op.Name == "ReadFile" && strings.Contains(op.Path, "/pages/") {
				reads++
			}
			return e
		})
		report, err := onDisk(fs).Sweep(t.Context(), 4)
		must(t, err)
		removed, most, finished = removed+report.Pages, max(most, reads), report.Finished
		if calls%5 == 0 {
			fill(9000+calls, 9001+calls)
		}
		if calls > 500 {
			t.Fatal("the sweep does not come to an end")
		}
	}
	t.Logf("%d calls removed %d pages", calls, removed)
	if most > 4 || removed == 0 {
		t.Errorf("%d pages were read in one call; %d were removed", most, removed)
	}
	if exists(d, diskDir+"/locks/sweep-pages") {
		t.Error("the marks of a finished sweep are left")
	}
	storetest.Check(t, onDisk(d.Process()))
}

// TestCommitsKeepReplayShort: a process that may take its time raises the checkpoint when a commit finds it due; a
// hook leaves that to others.
func TestCommitsKeepReplayShort(t *testing.T) {
	simulated(t)
	for _, patient := range []bool{true, false} {
		d := vfstest.NewDisk()
		var behind int64
		for n := range 60 {
			s, err := fsstore.Open(t.Context(), fsstore.Options{
				Dir: diskDir, Base: "/home", WorkspaceID: coretest.WorkspaceID, Create: true, FS: d.Process(), Clock: coretest.NewClock(),
				Rebuild: patient, Diagnose: func(err error) { t.Errorf("diagnostic: %v", err) },
			})
			must(t, err)
			_, err = s.Update(t.Context(), func(tx core.Tx) error {
				for i := range 8 {
					if err := put(tx, participant(fmt.Sprint("p", n, "-", i), strings.Repeat("x", 200))); err != nil {
						return err
					}
				}
				for i := range 8 {
					m := message(fmt.Sprint("message-", n, "-", i), "p0-0", "note")
					m.Body = strings.Repeat("b", 16<<10)
					if err := put(tx, m); err != nil {
						return err
					}
				}
				return nil
			})
			must(t, err)
			behind = int64(len(readFile(t, d, journalFile))) - covered(t, d)
			if patient && behind > 2<<20+300<<10 {
				t.Fatalf("commit %d: %d bytes are not covered by the checkpoint", n, behind)
			}
		}
		if !patient && exists(d, diskDir+"/journal/checkpoint.json") {
			t.Error("a hook raised the checkpoint")
		}
		t.Logf("patient %v: %d bytes would be replayed", patient, behind)
		storetest.Check(t, onDisk(d.Process()))
	}
}

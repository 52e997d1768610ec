package fsstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// The operations of upkeep, as the fault sweep runs them.

func checkpoint(ctx context.Context, s *fsstore.Store) error { return s.Checkpoint(ctx) }

func maintain(ctx context.Context, s *fsstore.Store) error {
	_, err := s.Maintain(ctx, 0)
	return err
}

func trim(ctx context.Context, s *fsstore.Store) error {
	_, err := s.Trim(ctx, 4)
	return err
}

func sweepUp(ctx context.Context, s *fsstore.Store) error {
	_, err := s.Sweep(ctx, 0)
	return err
}

func rebuild(ctx context.Context, s *fsstore.Store) error { return s.RebuildIndexes(ctx) }

func rebuilder(o fsstore.Options) fsstore.Options {
	o.Rebuild = true
	return o
}

// The disks that they find.

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func withoutIndexes(t *testing.T) func() *vfstest.Disk {
	return func() *vfstest.Disk {
		d, _ := pairs(t, 70)
		d.RemoveAll(diskDir + "/indexes")
		return d
	}
}

func failedCheckpoint(t *testing.T) func() *vfstest.Disk {
	return func() *vfstest.Disk {
		d, _ := pairs(t, 5)
		err := onDisk(failing(d, syscall.EIO, "SyncAll", "")).Checkpoint(context.Background())
		if err == nil {
			t.Fatal("a checkpoint that could not flush succeeded")
		}
		return d
	}
}

func checkpointed(t *testing.T) func() *vfstest.Disk {
	return func() *vfstest.Disk {
		d, _ := pairs(t, 3)
		must(t, onDisk(d.Process()).Checkpoint(context.Background()))
		return d
	}
}

// segmented: six commits in six segments, all of them below the checkpoint.
func segmented(t *testing.T) func() *vfstest.Disk {
	return func() *vfstest.Disk {
		d := vfstest.NewDisk()
		for n := 1; n <= 6; n++ {
			mustSet(t, onSmall(d.Process()), n)
		}
		must(t, onSmall(d.Process()).Checkpoint(context.Background()))
		return d
	}
}

// ahead: a commit that the checkpoint and the indexes do not know came after it.
func ahead(t *testing.T) func() *vfstest.Disk {
	return func() *vfstest.Disk {
		d := segmented(t)()
		_, err := onSmall(failingPages(d)).Update(context.Background(), setPair(7))
		must(t, err)
		return d
	}
}

// cutLate: the power was cut long after a checkpoint, and nothing of the indexes is left that was not flushed then.
func cutLate(t *testing.T) func() *vfstest.Disk {
	return func() *vfstest.Disk {
		d, _ := pairs(t, 20)
		must(t, onDisk(d.Process()).Checkpoint(context.Background()))
		for n := 21; n <= 90; n++ {
			mustSet(t, onDisk(d.Process()), n)
		}
		d.PowerCut(11)
		d.RemoveAll(diskDir + "/indexes/v1/cache.json")
		return d
	}
}

// littered: dead writers have left files behind, and the indexes pages.
func littered(t *testing.T) func() *vfstest.Disk {
	return func() *vfstest.Disk {
		d, _ := pairs(t, 40)
		_, err := onDisk(d.Process()).Update(context.Background(), func(tx core.Tx) error { return put(tx, session("old", "p", protocol.SessionOpen)) })
		must(t, err)
		d.Advance(-48 * time.Hour)
		s := onDisk(d.Process())
		must(t, s.RebuildIndexes(context.Background()))
		mustSet(t, s, 41)
		for n := range 3 {
			must(t, s.Ephemeral().PutBeat(context.Background(), protocol.PresenceBeat{
				SessionID: fmt.Sprint("s", n), GenerationRef: protocol.GenerationRef("g"), HeartbeatAt: coretest.Start,
			}))
		}
		// A commit is answered once its head is in place: this one dies while it publishes.
		_, err = onDisk(vfstest.Wrap(d.Process(), func(op vfstest.Op) (e vfstest.Effect) {
			e.Kill = (op.Name == "Rename" || op.Name == "Exchange") && strings.HasPrefix(op.Path, "state/")
			return e
		})).Update(context.Background(), setPair(42))
		must(t, err)
		d.Advance(48 * time.Hour)
		_, err = onDisk(d.Process()).Update(context.Background(), func(tx core.Tx) error { return put(tx, session("new", "p", protocol.SessionOpen)) })
		must(t, err)
		mustSet(t, onDisk(d.Process()), 43)
		must(t, onDisk(d.Process()).RebuildIndexes(context.Background()))
		return d
	}
}

// TestCheckpointBoundsReplay: after a power cut only what came after the checkpoint is read and published.
func TestCheckpointBoundsReplay(t *testing.T) {
	d, _ := pairs(t, 200)
	s := onDisk(d.Process())
	must(t, s.Checkpoint(t.Context()))
	mustSet(t, s, 201)
	d.PowerCut(4)
	published := 0
	opts := fsstore.Options{Dir: diskDir, Base: "/home", WorkspaceID: coretest.WorkspaceID, FS: d.Process(), Rebuild: true, Trace: func(step string) {
		if step == fsstore.StepPublish {
			published++
		}
	}}
	after, err := fsstore.Open(t.Context(), opts)
	must(t, err)
	must(t, after.RebuildIndexes(t.Context()))
	mustRead(t, after, 201)
	mustSet(t, after, 202)
	if published > 2 {
		t.Errorf("%d records were published again, want at most the 2 of the last commit", published)
	}
	storetest.Check(t, after)
}

// TestCheckpointBesideWriter commits before each operation of a checkpoint, then cuts the power.
func TestCheckpointBesideWriter(t *testing.T) {
	disk, _ := pairs(t, 5)
	for k := 0; ; k++ {
		d := disk.Clone()
		want := 5
		fs, ran := at(d, k, func(vfstest.Op) {
			for next := 6; next <= 7; next++ {
				ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
				_, err := onDisk(d.Process()).Update(ctx, setPair(next))
				cancel()
				if reason(err) == protocol.ReasonLockBusy {
					return // the checkpoint is being recorded
				}
				must(t, err)
				want = next
			}
		})
		must(t, onDisk(fs).Checkpoint(context.Background()))
		for seed := range uint64(8) {
			c := d.Clone()
			c.PowerCut(seed)
			mustRead(t, rebuilding(c), want)
			mustSet(t, onDisk(c.Process()), want+1)
			storetest.Check(t, onDisk(c.Process()))
		}
		if !*ran {
			break
		}
	}
}

func TestTrim(t *testing.T) {
	d := segmented(t)()
	s := onSmall(d.Process())
	_, err := s.Trim(t.Context(), 7)
	if protocol.CodeOf(err) != protocol.Usage {
		t.Errorf("trimming what does not exist yet: %v", err)
	}
	report, err := s.Trim(t.Context(), 3)
	must(t, err)
	if report.TrimmedThrough != 3 || report.Segments != 3 {
		t.Errorf("first trim: %+v", report)
	}
	report, err = s.Trim(t.Context(), 2) // never lowered
	must(t, err)
	if report.TrimmedThrough != 3 || report.Segments != 0 {
		t.Errorf("second trim: %+v", report)
	}
	must(t, s.View(t.Context(), func(r core.Reader) error {
		events, err := r.Events(0, 100)
		if len(events) != 3 || events[0].Sequence != 4 || r.TrimmedThrough() != 3 {
			t.Errorf("events from %+v, trimmed through %d", events, r.TrimmedThrough())
		}
		return err
	}))
	mustSet(t, s, 7)
	mustSet(t, s, 8)
	report, err = s.Trim(t.Context(), 8) // the frames of 7 are not below the checkpoint
	must(t, err)
	if report.TrimmedThrough != 8 || report.Segments != 2 || report.Kept != 2 {
		t.Errorf("third trim: %+v", report)
	}
	mustRead(t, s, 8)
	storetest.Check(t, s)
	d.PowerCut(1)
	mustRead(t, rebuilding(d), 8)
	mustSet(t, onSmall(d.Process()), 9)
	storetest.Check(t, onSmall(d.Process()))

	// What was trimmed cannot be made again: a deleted state directory is refused, not silently emptied.
	d.RemoveAll(diskDir + "/state")
	if _, err := readPair(onSmall(d.Process())); reason(err) != protocol.ReasonStoreCorrupt {
		t.Errorf("a reader without state: %v", err)
	}
	if _, err := onSmall(d.Process()).Update(t.Context(), setPair(10)); reason(err) != protocol.ReasonStoreCorrupt {
		t.Errorf("a writer without state: %v", err)
	}
}

// TestLostSegment removes a segment by hand: that is not a trim.
func TestLostSegment(t *testing.T) {
	for n := 1; n <= 6; n++ {
		d := segmented(t)()
		d.RemoveAll(fmt.Sprintf("%s/journal/%016d.log", diskDir, n))
		report, err := onSmall(d.Process()).Fsck(t.Context())
		if err != nil || len(report.Findings) == 0 || report.Findings[0].Derived {
			t.Errorf("segment %d lost: fsck says %+v, %v", n, report.Findings, err)
		}
	}
}

// TestTrimBesideReader trims before each operation of a reader that pages through old events.
func TestTrimBesideReader(t *testing.T) {
	simulated(t)
	disk := segmented(t)()
	for k := 0; ; k++ {
		d := disk.Clone()
		fs, ran := at(d, k, func(vfstest.Op) { must(t, trim(context.Background(), onSmall(d.Process()))) })
		var events []protocol.Event
		err := onSmall(fs).View(context.Background(), func(r core.Reader) (err error) {
			events, err = r.Events(1, 100)
			return err
		})
		if err != nil || len(events) != 5 && len(events) != 2 || events[len(events)-1].Sequence != 6 {
			t.Fatalf("trimmed before operation %d: %d events, %v", k, len(events), err)
		}
		if !*ran {
			break
		}
	}
}

func TestSweep(t *testing.T) {
	d := littered(t)()
	s := onDisk(d.Process())
	pages := len(d.Names(diskDir + "/indexes/v1/pages"))
	var total fsstore.SweepReport
	for rounds := 1; !total.Finished; rounds++ {
		report, err := s.Sweep(t.Context(), 4)
		must(t, err)
		if n := report.Temporaries + report.Ephemeral + report.Pages; n > 4 || rounds > 50 {
			t.Fatalf("a budget of 4 removed %d in round %d", n, rounds)
		}
		total.Temporaries += report.Temporaries
		total.Ephemeral += report.Ephemeral
		total.Pages += report.Pages
		total.Finished = report.Finished
	}
	if total.Temporaries == 0 || total.Ephemeral != 3 || total.Pages == 0 {
		t.Errorf("removed %+v", total)
	}
	if left := len(d.Names(diskDir + "/tmp")); left > 0 {
		t.Errorf("%d temporaries are left", left)
	}
	t.Logf("removed %+v of %d pages", total, pages)
	if report, err := s.Maintain(t.Context(), 0); err != nil || !report.Finished || report.Sweep.Finished {
		t.Errorf("right after a sweep upkeep does %+v, %v", report, err)
	}
	mustRead(t, s, 43)
	mustSet(t, s, 44)
	storetest.Check(t, s)
}

// TestFullDisk: when the disk is full, new things are refused and things still end.
func TestFullDisk(t *testing.T) {
	d := vfstest.NewDisk()
	s := onDisk(d.Process())
	_, err := s.Update(t.Context(), func(tx core.Tx) error {
		m := message("message-1", "ada", protocol.Request)
		return put(tx, m, receiptOf(m, "bob"), session("session-1", "ada", protocol.SessionOpen), claim("claim-1", "file:a"))
	})
	must(t, err)
	acknowledge := func(tx core.Tx) error {
		r := receiptOf(message("message-1", "ada", protocol.Request), "bob")
		r.State = protocol.Acknowledged
		return put(tx, r)
	}
	room := 0 // the disk has exactly the room that the reserve gives back
	fs := vfstest.Wrap(d.Process(), func(op vfstest.Op) (e vfstest.Effect) {
		switch {
		case op.Name == "Remove" && op.Path == "reserve":
			room += 100
		case op.Name == "WriteAt" || op.Name == "OpenCreate":
			if room--; room < 0 && op.Path != "locks/writer.lock" {
				e.Err = syscall.ENOSPC
			}
		}
		return e
	})
	_, err = onDisk(fs).Update(t.Context(), func(tx core.Tx) error { return put(tx, message("message-2", "ada", protocol.Request)) })
	if reason(err) != protocol.ReasonNotCommitted {
		t.Errorf("a new message on a full disk: %v", err)
	}
	var e *protocol.Error
	if !errors.As(err, &e) || e.Hint == "" {
		t.Errorf("the error does not help: %v", err)
	}
	if _, err := d.ReadFile(diskDir + "/reserve"); err != nil {
		t.Errorf("a new message used the reserve up: %v", err)
	}
	if _, err := onDisk(fs).Update(t.Context(), acknowledge); err != nil {
		t.Errorf("an acknowledgement on a full disk: %v", err)
	}
	if _, err := d.ReadFile(diskDir + "/reserve"); err == nil {
		t.Error("the reserve is still there")
	}
	must(t, onDisk(d.Process()).View(t.Context(), func(r core.Reader) error {
		stored, _, err := r.Get(protocol.KindReceipt, protocol.ReceiptID("message-1", "bob"))
		if err == nil && stored.Record.(*protocol.Receipt).State != protocol.Acknowledged {
			t.Error("the acknowledgement is not there")
		}
		return err
	}))
	storetest.Check(t, onDisk(d.Process()))
}

// TestStateGone deletes the state directory after a checkpoint, and before each operation of one: what is made
// again from the journal is not what the checkpoint vouches for.
func TestStateGone(t *testing.T) {
	disk, _ := pairs(t, 5)
	lose := func(d *vfstest.Disk) {
		d.RemoveAll(diskDir + "/state")
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		other := func(tx core.Tx) error { return put(tx, session("other", "p", protocol.SessionOpen)) }
		if _, err := onDisk(d.Process()).Update(ctx, other); err != nil && reason(err) != protocol.ReasonLockBusy {
			t.Fatal(err)
		}
	}
	survives := func(d *vfstest.Disk, what string) {
		for seed := range uint64(8) {
			c := d.Clone()
			c.PowerCut(seed)
			if n, err := readPair(rebuilding(c)); err != nil || n < 5 {
				t.Fatalf("%s, seed %d: read %d, %v", what, seed, n, err)
			}
			mustSet(t, onDisk(c.Process()), 7)
			storetest.Check(t, onDisk(c.Process()))
		}
	}
	d := disk.Clone()
	must(t, onDisk(d.Process()).Checkpoint(context.Background()))
	lose(d)
	survives(d, "after a checkpoint")
	for k := 0; ; k++ {
		d := disk.Clone()
		fs, ran := at(d, k, func(vfstest.Op) { lose(d) })
		if err := onDisk(fs).Checkpoint(context.Background()); err != nil && k < 3 {
			t.Fatal(err)
		}
		survives(d, fmt.Sprint("before operation ", k))
		if !*ran {
			break
		}
	}
}

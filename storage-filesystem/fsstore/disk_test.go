package fsstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

const (
	diskDir     = "/home/acc/workspaces/" + coretest.WorkspaceID
	journalFile = diskDir + "/journal/0000000000000001.log"
)

// onDisk gives a store on a simulated disk, as one process sees it.
func onDisk(fs vfs.FS) *fsstore.Store {
	s, err := tryOnDisk(fs)
	if err != nil {
		panic(err)
	}
	return s
}

// tryOnDisk opens a store that publishes every frame, so that a test knows where everything is.
func tryOnDisk(fs vfs.FS) (*fsstore.Store, error) {
	return fsstore.Open(context.Background(), diskOptions(fs).LagFrames(1))
}

func diskOptions(fs vfs.FS) fsstore.Options {
	return fsstore.Options{
		Dir: diskDir, Base: "/home", WorkspaceID: coretest.WorkspaceID, Create: true, FS: fs, Clock: coretest.NewClock(),
	}
}

// lazy opens a store that publishes when a room's does.
func lazy(fs vfs.FS) *fsstore.Store {
	s, err := fsstore.Open(context.Background(), diskOptions(fs))
	if err != nil {
		panic(err)
	}
	return s
}

func participant(id, name string) *protocol.Participant {
	return &protocol.Participant{
		ParticipantID: id, WorkspaceID: coretest.WorkspaceID, DisplayName: name, ParticipantOf: protocol.Agent, CreatedAt: coretest.Start,
	}
}

// The pair of records that every transaction of these tests keeps equal.
const left, right = "left", "right"

// setPair is a transaction that gives both records of the pair the value n, with one event.
func setPair(n int) func(core.Tx) error {
	return func(tx core.Tx) error {
		for _, id := range []string{left, right} {
			if _, _, err := tx.Get(protocol.KindParticipant, id); err != nil {
				return err
			}
			if err := tx.Put(participant(id, strconv.Itoa(n))); err != nil {
				return err
			}
		}
		tx.Append(core.Draft{
			EventID: "event-" + strconv.Itoa(n), ActorSessionID: "session", OccurredAt: coretest.Start, Payload: protocol.IntentPublishedPayload{},
		})
		return nil
	}
}

// newcomer is a participant beside the pair, which not every test has.
const newcomer = "newcomer"

// pair gives the value of the pair in a snapshot, 0 if it does not exist, and an error if the snapshot is
// not one state of the room: a half, a record without its event, or an index that lists something else.
func pair(r core.Reader) (int, error) {
	var values [2]int
	var positions []core.Entry
	for i, id := range []string{left, right} {
		stored, found, err := r.Get(protocol.KindParticipant, id)
		if err != nil {
			return 0, err
		}
		if found {
			values[i], _ = strconv.Atoi(stored.Record.(*protocol.Participant).DisplayName)
			positions = append(positions, core.Entry{Position: stored.Created, ID: id})
		}
	}
	if values[0] != values[1] {
		return 0, fmt.Errorf("half a transaction: %v", values)
	}
	listed, err := r.Find(core.Query{Index: core.Participants})
	if err != nil {
		return 0, err
	}
	listed = slices.DeleteFunc(listed, func(e core.Entry) bool { return e.ID == newcomer })
	if fmt.Sprint(listed) != fmt.Sprint(positions) {
		return 0, fmt.Errorf("the index lists %v, the records are %v", listed, positions)
	}
	at := r.Position()
	events, err := r.Events(0, 1000)
	if err != nil {
		return 0, err
	}
	last := 0
	if len(events) > 0 {
		last, _ = strconv.Atoi(events[len(events)-1].EventID[len("event-"):])
	}
	if uint64(len(events)) != at.LastSequence-r.TrimmedThrough() || last != values[0] && len(events) > 0 {
		return 0, fmt.Errorf("value %d with %d events up to event-%d at %+v", values[0], len(events), last, at)
	}
	return values[0], nil
}

// readPair reads the pair in one snapshot.
func readPair(s *fsstore.Store) (n int, err error) {
	err = s.View(context.Background(), func(r core.Reader) (err error) { n, err = pair(r); return err })
	return n, err
}

func mustSet(t testing.TB, s *fsstore.Store, n int) core.Commit {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	commit, err := s.Update(ctx, setPair(n))
	if err != nil {
		t.Fatalf("set %d: %v", n, err)
	}
	return commit
}

func mustRead(t testing.TB, s *fsstore.Store, want int) {
	t.Helper()
	if got, err := readPair(s); err != nil || got != want {
		t.Fatalf("read %d, %v; want %d", got, err, want)
	}
}

func readFile(t testing.TB, d *vfstest.Disk, name string) []byte {
	t.Helper()
	content, err := d.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func reason(err error) protocol.Reason {
	var e *protocol.Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return ""
}

// pairs gives a disk with a store that holds the values 1 to n, and what the journal grew by with the
// last one.
func pairs(t testing.TB, n int) (d *vfstest.Disk, lastFrame []byte) {
	t.Helper()
	d = vfstest.NewDisk()
	s := onDisk(d.Process())
	var before []byte
	for i := 1; i <= n; i++ {
		if i > 1 {
			before = readFile(t, d, journalFile)
		}
		mustSet(t, s, i)
	}
	return d, readFile(t, d, journalFile)[len(before):]
}

// TestTornTail cuts the last frame at every byte, as a writer does that was killed while it appended.
func TestTornTail(t *testing.T) {
	simulated(t)
	before, _ := pairs(t, 3)
	whole := before.Clone()
	mustSet(t, onDisk(whole.Process()), 4)
	journal := readFile(t, before, journalFile)
	frame := readFile(t, whole, journalFile)[len(journal):]
	for k := 0; k <= len(frame); k++ {
		d := before.Clone()
		d.WriteFile(journalFile, append(journal[:len(journal):len(journal)], frame[:k]...))
		complete := k == len(frame)

		mustRead(t, onDisk(d.Process()), 3) // nobody vouches for more yet
		rebooted := d.Clone()
		rebooted.RemoveAll(diskDir + "/head.json")
		want := 3
		if complete {
			want = 4
		}
		mustRead(t, onDisk(rebooted.Process()), want)

		for _, d := range []*vfstest.Disk{d, rebooted} {
			s := onDisk(d.Process())
			commit := mustSet(t, s, 5)
			if wantGeneration := uint64(want + 1); commit.Generation != wantGeneration {
				t.Fatalf("cut at %d: committed generation %d, want %d", k, commit.Generation, wantGeneration)
			}
			mustRead(t, s, 5)
			storetest.Check(t, s)
			kept := 0
			for _, name := range d.Names(diskDir + "/journal") {
				if len(name) > 5 && name[:5] == "torn-" {
					kept++
					if got := readFile(t, d, diskDir+"/journal/"+name); string(got) != string(frame[:k]) {
						t.Fatalf("cut at %d: kept %d bytes, want %d", k, len(got), k)
					}
				}
			}
			if wantKept := k > 0 && !complete; (kept == 1) != wantKept {
				t.Fatalf("cut at %d: %d copies kept", k, kept)
			}
		}
	}
}

// TestDamagedJournal flips every bit of a journal. Whatever head says stands is never cut: a writer must
// refuse and change nothing.
func TestDamagedJournal(t *testing.T) {
	simulated(t)
	d, lastFrame := pairs(t, 3)
	journal := readFile(t, d, journalFile)
	lastStart := len(journal) - len(lastFrame)
	d.WriteFile(diskDir+"/head.json", readFile(t, d, diskDir+"/head.json")) // as if the kernel had got to it
	d.PowerCut(0)                                                           // a new boot: every frame is read
	if got := readFile(t, d, journalFile); string(got) != string(journal) {
		t.Fatal("a flushed journal changed at a power cut")
	}
	headless := d.Clone()
	headless.RemoveAll(diskDir + "/head.json")
	headless.RemoveAll(diskDir + "/applied.json")
	for bit := range 8 * len(journal) {
		at := bit / 8
		damaged := append([]byte(nil), journal...)
		damaged[at] ^= 1 << (bit % 8)

		d.WriteFile(journalFile, damaged)
		_, err := onDisk(d.Process()).Update(context.Background(), setPair(9))
		refused(t, d, damaged, at, err)
		if _, err := readPair(onDisk(d.Process())); reason(err) != protocol.ReasonStoreCorrupt {
			t.Fatalf("byte %d: a reader said %v", at, err)
		}
		if report, err := onDisk(d.Process()).Fsck(t.Context()); err != nil || len(report.Findings) == 0 {
			t.Fatalf("byte %d: fsck found nothing: %v", at, err)
		}

		if at < lastStart { // without head only a frame behind it tells damage from a torn tail
			headless.WriteFile(journalFile, damaged)
			_, err := onDisk(headless.Process()).Update(context.Background(), setPair(9))
			refused(t, headless, damaged, at, err)
		} else if bit%8 == 0 {
			torn := headless.Clone()
			torn.WriteFile(journalFile, damaged)
			mustSet(t, onDisk(torn.Process()), 3)
			mustRead(t, onDisk(torn.Process()), 3)
		}
	}
}

func refused(t *testing.T, d *vfstest.Disk, damaged []byte, at int, err error) {
	t.Helper()
	var e *protocol.Error
	if !errors.As(err, &e) || e.Reason != protocol.ReasonStoreCorrupt {
		t.Fatalf("byte %d: got %v, want corruption", at, err)
	}
	offset, _ := e.Details["offset"].(int64)
	if e.Details["file"] != "journal/0000000000000001.log" || offset > int64(at) {
		t.Fatalf("byte %d: the error names %v at %v", at, e.Details["file"], offset)
	}
	if got := readFile(t, d, journalFile); string(got) != string(damaged) {
		t.Fatalf("byte %d: a refused writer changed the journal", at)
	}
}

// TestPowerCuts cuts the power at many moments of a quiet life: whatever of head, applied and the state was
// on its way to the disk, everything committed is there.
func TestPowerCuts(t *testing.T) {
	simulated(t)
	for n := 8; n <= 12; n++ {
		d, _ := pairs(t, n)
		for seed := range uint64(200) {
			c := d.Clone()
			c.PowerCut(seed)
			mustRead(t, onDisk(c.Process()), n)
			mustSet(t, onDisk(c.Process()), n+1)
			mustRead(t, onDisk(c.Process()), n+1)
		}
	}
}

// TestHooksAfterPowerCut cuts the power in rooms of which a checkpoint has made some indexes durable, or none: hooks,
// which may not make indexes again, still find everything, before and after the first of them has committed.
func TestHooksAfterPowerCut(t *testing.T) {
	simulated(t)
	for _, c := range []struct{ before, after int }{{0, 90}, {5, 3}, {40, 15}, {40, 200}} {
		d, _ := pairs(t, max(c.before, 1))
		if c.before > 0 {
			must(t, onDisk(d.Process()).Checkpoint(t.Context()))
		}
		n := max(c.before, 1)
		for range c.after {
			n++
			mustSet(t, onDisk(d.Process()), n)
		}
		for seed := range uint64(40) {
			cut := d.Clone()
			cut.PowerCut(seed)
			hook := onDisk(cut.Process())
			mustRead(t, hook, n)
			if _, err := hook.Update(t.Context(), func(core.Tx) error { return nil }); err != nil {
				t.Fatal(err)
			}
			mustRead(t, hook, n) // the state is published, and the frames are laid over nothing any more
			cut.PowerCut(seed)   // before anything was committed
			hook = onDisk(cut.Process())
			mustRead(t, hook, n)
			mustSet(t, hook, n+1)
			mustRead(t, hook, n+1)
			storetest.Check(t, hook)
		}
	}
}

// TestDerivedFilesComeBack deletes everything that can be made again, in every combination.
func TestDerivedFilesComeBack(t *testing.T) {
	simulated(t)
	d, _ := pairs(t, 4)
	derived := []string{"state", "head.json", "applied.json", "state/participant", "tmp", "ephemeral", "locks"}
	for set := range 1 << len(derived) {
		for _, reboot := range []bool{false, true} {
			c := d.Clone()
			for i, name := range derived {
				if set&(1<<i) != 0 {
					c.RemoveAll(diskDir + "/" + name)
				}
			}
			if reboot {
				c.PowerCut(uint64(set))
			}
			partial := set&1 == 0 && set&(1<<3) != 0 && !(reboot || set&(1<<2) != 0)
			if partial {
				if _, err := readPair(onDisk(c.Process())); reason(err) != protocol.ReasonStoreCorrupt {
					t.Fatalf("half of state/ is gone while applied vouches for it, and a reader said %v", err)
				}
				if _, err := onDisk(c.Process()).Update(t.Context(), setPair(5)); reason(err) != protocol.ReasonStoreCorrupt {
					t.Fatalf("half of state/ is gone while applied vouches for it, and a writer said %v", err)
				}
				_, err := onDisk(c.Process()).Repair(t.Context())
				must(t, err)
			}
			mustRead(t, onDisk(c.Process()), 4)
			mustSet(t, onDisk(c.Process()), 5)
			mustRead(t, onDisk(c.Process()), 5)
			storetest.Check(t, onDisk(c.Process()))
		}
	}
}

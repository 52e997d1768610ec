package fsstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// What is measured, and how: a send may cost one raw append and flush of the same bytes half as much again and a
// millisecond; a guard, and a turn with nothing to say, 2 ms; and all of that at a hundred thousand messages a fifth
// more than at a hundred. Raw and send take turns, so that both meet the same load of the machine. Run with
//
//	go test ./storage-filesystem/fsstore -run xxx -bench . -benchtime 300x
//
// -short leaves the large room out, which takes a minute to fill.

// bench is a room on the real file system with two open sessions, a guarded claim, and messages that have come to
// their end.
type bench struct {
	opts     fsstore.Options
	ids      *coretest.IDs
	ada, bob core.Owner
}

func newBench(b *testing.B, messages int) *bench {
	b.Helper()
	r := &bench{ids: &coretest.IDs{}, opts: fsstore.Options{
		Dir: filepath.Join(b.TempDir(), "acc", "workspaces", coretest.WorkspaceID), WorkspaceID: coretest.WorkspaceID, Create: true,
	}}
	c := r.open(b)
	for name, owner := range map[string]*core.Owner{"ada": &r.ada, "bob": &r.bob} {
		s, err := c.OpenSession(context.Background(), core.OpenSession{
			ParticipantID: name, ParticipantOf: protocol.Agent, Harness: "tool", Enforcement: protocol.Guarded, Lifecycle: protocol.Managed,
		})
		must(b, err)
		*owner = core.Owner{SessionID: s.SessionID, Generation: s.Generation}
	}
	_, err := c.Claim(context.Background(), r.ada, core.ClaimRequest{Resource: "file:src/main.go", Mode: protocol.Exclusive, Enforcement: protocol.Guarded, Reason: "edit"})
	must(b, err)
	s, err := fsstore.Open(context.Background(), r.opts)
	must(b, err)
	for n := 0; n < messages; n += min(250, messages) {
		_, err := s.Update(context.Background(), func(tx core.Tx) error {
			for i := range min(250, messages) {
				m := message(fmt.Sprintf("message_%08d", n+i), "ada", protocol.Request)
				receipt := receiptOf(m, "bob")
				receipt.State = protocol.Acknowledged
				if err := put(tx, m, receipt); err != nil {
					return err
				}
			}
			return nil
		})
		must(b, err)
	}
	must(b, s.RebuildIndexes(context.Background()))
	return r
}

// open gives the rules over a store, as a new process has them.
func (r *bench) open(b *testing.B) *core.Core {
	b.Helper()
	s, err := fsstore.Open(context.Background(), r.opts)
	must(b, err)
	c, err := core.New(core.Config{
		Store: s, Clock: coretest.NewClock(), IDs: r.ids, Processes: &coretest.Processes{},
		Workspace: protocol.Workspace{WorkspaceID: coretest.WorkspaceID, DisplayName: "room", Source: protocol.SourceDirectory, Roots: []string{"/room"}},
	})
	must(b, err)
	return c
}

// journalBytes is how many bytes the journal has.
func (r *bench) journalBytes(b *testing.B) (total int64) {
	b.Helper()
	listed, err := os.ReadDir(filepath.Join(r.opts.Dir, "journal"))
	must(b, err)
	for _, e := range listed {
		info, err := e.Info()
		must(b, err)
		total += info.Size()
	}
	return total
}

// inRooms runs a benchmark in a young room and in one with a long history.
func inRooms(b *testing.B, run func(b *testing.B, r *bench)) {
	for _, messages := range []int{100, 100_000} {
		if messages > 100 && testing.Short() {
			continue
		}
		r := newBench(b, messages)
		b.Run(fmt.Sprint(messages), func(b *testing.B) { run(b, r) })
	}
}

func BenchmarkSend(b *testing.B) {
	inRooms(b, func(b *testing.B, r *bench) {
		raw, err := vfs.OS{}.Create(filepath.Dir(r.opts.Dir), filepath.Join(filepath.Dir(r.opts.Dir), "raw"))
		must(b, err)
		defer raw.Close()
		file, err := raw.Open("raw", vfs.OpenOrCreate)
		must(b, err)
		defer file.Close()
		var rawTimes, sendTimes []time.Duration
		var offset int64
		size := int64(1400) // of the first; then of the send before
		for n := 0; b.Loop(); n++ {
			begun := time.Now()
			_, err := file.WriteAt(make([]byte, size), offset)
			must(b, err)
			must(b, file.Datasync())
			rawTimes = append(rawTimes, time.Since(begun))
			offset += size

			before := r.journalBytes(b)
			begun = time.Now()
			sent, err := r.open(b).Send(context.Background(), r.ada, core.SendRequest{To: []string{"bob"}, MessageKind: protocol.Note, Subject: "so", Body: fmt.Sprint("it is ", n)})
			sendTimes = append(sendTimes, time.Since(begun))
			must(b, err)
			size = r.journalBytes(b) - before
			if n%10 == 0 { // keep what waits bounded
				_, err := r.open(b).Ack(context.Background(), r.bob, sent.Message.MessageID)
				must(b, err)
			}
		}
		rawTime, sendTime := median(rawTimes), median(sendTimes)
		b.ReportMetric(float64(rawTime.Microseconds()), "raw-µs")
		b.ReportMetric(float64(sendTime.Microseconds()), "send-µs")
		b.ReportMetric(float64(sendTime)/float64(rawTime+rawTime/2+time.Millisecond), "of-bound")
	})
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// reads reports the median of an operation that only reads, and its share of what it may cost.
func reads(b *testing.B, op func() error) {
	var times []time.Duration
	for b.Loop() {
		begun := time.Now()
		must(b, op())
		times = append(times, time.Since(begun))
	}
	b.ReportMetric(float64(median(times).Microseconds()), "median-µs")
	b.ReportMetric(float64(median(times))/float64(2*time.Millisecond), "of-bound")
}

func BenchmarkGuard(b *testing.B) {
	inRooms(b, func(b *testing.B, r *bench) {
		reads(b, func() error {
			d, err := r.open(b).Guard(context.Background(), r.bob, []string{"file:src/main.go"})
			if err == nil && !d.Denied {
				err = fmt.Errorf("the guard let an edit pass")
			}
			return err
		})
	})
}

func BenchmarkTurnWithNothingToSay(b *testing.B) {
	inRooms(b, func(b *testing.B, r *bench) {
		reads(b, func() error { _, err := r.open(b).Turn(context.Background(), r.ada, 20); return err })
	})
}

// BenchmarkReplay reads a room after a power cut: nothing says how far the journal was published, so that all of a
// segment of 8 MiB is read. It is meant to take less than 300 ms.
func BenchmarkReplay(b *testing.B) {
	r := newBench(b, 100)
	s, err := fsstore.Open(context.Background(), r.opts)
	must(b, err)
	for n := 0; r.journalBytes(b) < 8<<20-256<<10; n++ {
		_, err := s.Update(context.Background(), func(tx core.Tx) error {
			for i := range 100 {
				m := message(fmt.Sprintf("message_replay_%08d", n*100+i), "ada", protocol.Request)
				if err := put(tx, m, receiptOf(m, "bob")); err != nil {
					return err
				}
			}
			return nil
		})
		must(b, err)
	}
	for _, mark := range []string{"head.json", "applied.json", "journal/checkpoint.json"} {
		if err := os.Remove(filepath.Join(r.opts.Dir, mark)); err != nil && !os.IsNotExist(err) {
			b.Fatal(err)
		}
	}
	b.SetBytes(r.journalBytes(b))
	for b.Loop() {
		s, err := fsstore.Open(context.Background(), r.opts)
		must(b, err)
		must(b, s.View(context.Background(), func(snapshot core.Reader) error {
			_, found, err := snapshot.Get(protocol.KindMessage, "message_replay_00000007")
			if err == nil && !found {
				err = fmt.Errorf("the message is not there")
			}
			return err
		}))
	}
}

package fsstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// TestEventsAcrossSegments asks for every kind of range of a history of many segments, each larger than
// what is read at a time.
func TestEventsAcrossSegments(t *testing.T) {
	const total = 9000
	d := vfstest.NewDisk()
	s, err := sweeper{options: func(o fsstore.Options) fsstore.Options { return o.RotateAt(400 << 10) }}.store(d.Process())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	for n := 0; n < total; {
		_, err := s.Update(context.Background(), func(tx core.Tx) error {
			for range min(r.IntN(40)+r.IntN(2)*400, total-n) {
				n++
				tx.Append(core.Draft{EventID: fmt.Sprint("event-", n), ActorSessionID: "session", OccurredAt: coretest.Start, Payload: protocol.MessageRecordedPayload{
					MessageID: "m", ThreadID: strings.Repeat("t", 1+r.IntN(150)),
				}})
			}
			return put(tx, participant("p", fmt.Sprint(n)))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	segments := len(d.Names(diskDir + "/journal"))
	if segments < 5 {
		t.Fatalf("only %d segments", segments)
	}
	err = s.View(context.Background(), func(reader core.Reader) error {
		for range 400 {
			after, limit := uint64(r.IntN(total+10)), 1+r.IntN(700)
			events, err := reader.Events(after, limit)
			if err != nil {
				return err
			}
			if want := max(min(limit, total-int(after)), 0); len(events) != want {
				return fmt.Errorf("%d events after %d, want %d", len(events), after, want)
			}
			for i, e := range events {
				if want := after + 1 + uint64(i); e.Sequence != want || e.EventID != fmt.Sprint("event-", want) {
					return fmt.Errorf("event %d is %+v", want, e)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	report := storetest.Check(t, s)
	if report.Segments != segments || report.Sequence != total {
		t.Errorf("the check saw %d segments and %d events", report.Segments, report.Sequence)
	}
}

package fsstore_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// setSolo gives both records of the pair the value n without a commit.
func setSolo(n int) func(core.Tx) error {
	return func(tx core.Tx) error {
		if err := put(tx, participant(left, strconv.Itoa(n)), participant(right, strconv.Itoa(n))); err != nil {
			return err
		}
		return tx.KeepSolo()
	}
}

func readSoloPair(s *fsstore.Store) (n int, generation uint64, err error) {
	err = s.View(context.Background(), func(r core.Reader) error {
		generation = r.Position().Generation
		var values [2]int
		for i, id := range []string{left, right} {
			stored, found, err := r.Get(protocol.KindParticipant, id)
			if err != nil {
				return err
			}
			if found {
				values[i], _ = strconv.Atoi(stored.Record.(*protocol.Participant).DisplayName)
			}
		}
		if n = values[0]; values[0] != values[1] {
			return fmt.Errorf("half a room: %v", values)
		}
		return nil
	})
	return n, generation, err
}

// TestSoloFaults lets every operation fail that keeps a solo room, or ends it: the room is always whole. A
// power cut may lose a solo room, which nobody was promised, but never what was committed.
func TestSoloFaults(t *testing.T) {
	simulated(t)
	room := vfstest.NewDisk()
	if _, err := onDisk(room.Process()).Update(context.Background(), setSolo(1)); err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]func(core.Tx) error{"kept": setSolo(2), "shared": setPair(2)} {
		durable, tried := name == "shared", 0
		for _, f := range faults() {
			for k := 0; ; k++ {
				d, fired := room.Clone(), false
				s, err := tryOnDisk(vfstest.Wrap(d.Process(), func(op vfstest.Op) vfstest.Effect {
					if op.N < k || op.N > k && !f.sticky {
						return vfstest.Effect{}
					}
					fired = true
					return f.effect(op)
				}))
				if err == nil {
					_, err = s.Update(context.Background(), run)
				}
				if !fired {
					break
				}
				tried++
				allowed := []int{1, 2}
				if err == nil {
					allowed = []int{2}
				}
				what := fmt.Sprintf("%s: %s at operation %d (%v)", name, f.name, k, err)
				got, generation, readErr := readSoloPair(onDisk(d.Process()))
				if readErr != nil || !slices.Contains(allowed, got) || generation > 0 && !durable {
					t.Fatalf("%s: a reader sees %d in generation %d, %v", what, got, generation, readErr)
				}
				for seed := range seeds(t) {
					c := d.Clone()
					c.PowerCut(seed)
					got, generation, readErr := readSoloPair(onDisk(c.Process()))
					if readErr != nil || err == nil && durable && got != 2 || generation > 0 && got != 2 {
						t.Fatalf("%s: after a power cut a reader sees %d in generation %d, %v", what, got, generation, readErr)
					}
					mustSet(t, onDisk(c.Process()), 9)
					storetest.Check(t, onDisk(c.Process()))
				}
			}
		}
		t.Logf("%s: %d faults tried", name, tried)
		if recorded := map[string]int{"kept": 253, "shared": 1001}[name]; tried < recorded {
			t.Errorf("%s: %d faults were tried, %d when this was recorded", name, tried, recorded)
		}
	}
}

// TestSoloBesideReader ends a solo room before each operation of a reader.
func TestSoloBesideReader(t *testing.T) {
	simulated(t)
	room := vfstest.NewDisk()
	if _, err := onDisk(room.Process()).Update(context.Background(), setSolo(1)); err != nil {
		t.Fatal(err)
	}
	for k := 0; ; k++ {
		d := room.Clone()
		fs, ran := at(d, k, func(vfstest.Op) { mustSet(t, onDisk(d.Process()), 2) })
		n, generation, err := readSoloPair(onDisk(fs))
		if err != nil || uint64(n) != generation+1 {
			t.Fatalf("ended before operation %d: %d in generation %d, %v", k, n, generation, err)
		}
		if !*ran {
			break
		}
	}
}

package fsstore_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// endSolo removes both records of the pair.
func endSolo(tx core.Tx) error {
	for _, id := range []string{left, right} {
		if _, found, err := tx.Get(protocol.KindParticipant, id); err != nil || !found {
			return err
		}
		if err := tx.Remove(protocol.KindParticipant, id); err != nil {
			return err
		}
	}
	return tx.KeepSolo()
}

// walk gives everything below a directory.
func walk(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, name)
		all = append(all, rel)
		return err
	})
	must(t, err)
	return all
}

// TestSoloLeavesNoTrace walks the data home during a solo session and after it: there is neither an identity nor a
// reserve while nobody shares the room, and nothing at all once its last record is gone.
func TestSoloLeavesNoTrace(t *testing.T) {
	opts := options(t)
	s, err := fsstore.Open(t.Context(), opts)
	must(t, err)
	home := filepath.Dir(filepath.Dir(filepath.Dir(opts.Dir)))
	_, err = s.Update(t.Context(), func(core.Tx) error { return nil })
	must(t, err)
	if _, err := os.Lstat(opts.Dir); err == nil {
		t.Errorf("a transaction that changed nothing left %q", walk(t, home))
	}
	_, err = s.Update(t.Context(), setSolo(1))
	must(t, err)
	must(t, s.Ephemeral().PutBeat(t.Context(), protocol.PresenceBeat{SessionID: "s", GenerationRef: protocol.GenerationRef("g"), HeartbeatAt: coretest.Start}))
	if got, _, err := readSoloPair(s); err != nil || got != 1 {
		t.Fatalf("the room holds %d, %v", got, err)
	}
	during := strings.Join(walk(t, home), " ")
	t.Logf("during: %s", during)
	for _, never := range []string{"protocol.json", "reserve", "journal", "head.json"} {
		if strings.Contains(during, never) {
			t.Errorf("a solo room has %s", never)
		}
	}
	bindings := filepath.Join(opts.Dir, "bindings")
	must(t, os.MkdirAll(bindings, 0o700))
	must(t, os.WriteFile(filepath.Join(bindings, "a.json"), nil, 0o600))
	if gone, err := s.Vanish(t.Context(), "bindings/a.json"); err != nil || gone {
		t.Fatalf("a room with somebody in it vanished: %v", err)
	}
	_, err = s.Update(t.Context(), endSolo)
	must(t, err)
	if after := walk(t, opts.Dir); len(after) != 3 {
		t.Errorf("after the last record: %q", after)
	}
	if gone, err := s.Vanish(t.Context(), "bindings/a.json"); err != nil || !gone {
		t.Errorf("the room did not vanish: %v", err)
	}
	if after := walk(t, home); len(after) != 3 { // acc/workspaces, which every room shares
		t.Errorf("left behind: %q", after)
	}
	if gone, err := s.Vanish(t.Context()); err != nil || !gone {
		t.Errorf("once more: %v, %v", gone, err)
	}
	_, err = s.Update(t.Context(), setSolo(2))
	must(t, err)
	mustSet(t, s, 3)
	if gone, err := s.Vanish(t.Context()); err != nil || gone {
		t.Fatalf("a shared room vanished: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(opts.Dir, "reserve")); err != nil {
		t.Errorf("a shared room has no reserve: %v", err)
	}
	mustRead(t, s, 3)
}

// comeAndGo begins in a solo room, finds what it kept there, and leaves: the last one to leave lets the room vanish.
func comeAndGo(s *fsstore.Store, id string, round int) error {
	ctx := context.Background()
	_, err := s.Update(ctx, func(tx core.Tx) error {
		if err := put(tx, participant(id, fmt.Sprint(round))); err != nil {
			return err
		}
		return tx.KeepSolo()
	})
	if err != nil {
		return err
	}
	if err := s.Ephemeral().PutBeat(ctx, protocol.PresenceBeat{SessionID: id, GenerationRef: protocol.GenerationRef("g"), HeartbeatAt: coretest.Start}); err != nil {
		return err
	}
	_, err = s.Update(ctx, func(tx core.Tx) error {
		stored, found, err := tx.Get(protocol.KindParticipant, id)
		if err != nil || !found || stored.Record.(*protocol.Participant).DisplayName != fmt.Sprint(round) {
			return fmt.Errorf("%s was lost in round %d: %v", id, round, err)
		}
		if err := tx.Remove(protocol.KindParticipant, id); err != nil {
			return err
		}
		return tx.KeepSolo()
	})
	return err
}

// TestVanishingBesideWriters lets a room vanish again and again while others begin in it, on the real file system:
// whoever has kept something finds it.
func TestVanishingBesideWriters(t *testing.T) {
	opts := options(t)
	var wait sync.WaitGroup
	for n := range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range 60 {
				s, err := fsstore.Open(context.Background(), opts)
				if err != nil {
					t.Error(err)
					return
				}
				id := fmt.Sprint("p", n)
				err = comeAndGo(s, id, i)
				if err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	wait.Wait()
	if _, err := os.Lstat(opts.Dir); err == nil {
		s, err := fsstore.Open(t.Context(), opts)
		must(t, err)
		if gone, err := s.Vanish(t.Context()); err != nil || !gone {
			t.Errorf("the room is still there: %v, %q", err, walk(t, opts.Dir))
		}
	}
}

// TestSharedBesideSoloReader shares a solo room before each operation of a reader, and lets it vanish.
func TestSharedBesideSoloReader(t *testing.T) {
	simulated(t)
	room := vfstest.NewDisk()
	_, err := onDisk(room.Process()).Update(t.Context(), setSolo(1))
	must(t, err)
	for name, run := range map[string]func(core.Tx) error{"shared": setPair(2), "ended": endSolo} {
		for k := 0; ; k++ {
			d := room.Clone()
			fs, ran := at(d, k, func(vfstest.Op) {
				_, err := onDisk(d.Process()).Update(context.Background(), run)
				must(t, err)
			})
			got, generation, err := readSoloPair(onDisk(fs))
			if err != nil || got == 2 != (generation == 1) || generation == 0 && got > 1 {
				t.Fatalf("%s before operation %d: %d in generation %d, %v", name, k, got, generation, err)
			}
			if !*ran {
				break
			}
		}
	}
}

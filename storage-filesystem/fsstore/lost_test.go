package fsstore_test

import (
	"context"
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// everyone looks at every record that an index lists.
func everyone(r core.Reader) error {
	for _, q := range []struct {
		kind  protocol.Kind
		index core.Index
	}{
		{protocol.KindMessage, core.MessagesInOrder}, {protocol.KindSession, core.OpenSessions}, {protocol.KindClaim, core.LiveClaims},
		{protocol.KindIntent, core.OpenIntents}, {protocol.KindParticipant, core.Participants},
	} {
		found, err := r.Find(core.Query{Index: q.index})
		if err != nil {
			return err
		}
		for _, e := range found {
			if _, there, err := r.Get(q.kind, e.ID); err != nil || !there {
				return errors.Join(err, errors.New(string(q.kind)+" "+e.ID+" is listed and does not exist"))
			}
			if q.kind != protocol.KindMessage {
				continue
			}
			receipts, err := r.Find(core.Query{Index: core.ReceiptsByMessage, Key: []string{e.ID}})
			if err != nil {
				return err
			}
			for _, of := range receipts {
				if _, there, err := r.Get(protocol.KindReceipt, of.ID); err != nil || !there {
					return errors.Join(err, errors.New("receipt "+of.ID+" is listed and does not exist"))
				}
			}
		}
	}
	return nil
}

// names says whether err is the fault of a state file that is gone, with what to do about it.
func names(err error, file string) bool {
	var e *protocol.Error
	return errors.As(err, &e) && e.Reason == protocol.ReasonStoreCorrupt && e.Details["file"] == strings.TrimPrefix(file, diskDir+"/") &&
		e.Hint == "acc doctor --repair"
}

// TestLostRecord removes each state file that an index lists, and each directory of a kind: nobody reads a record
// as absent that was lost; a repair brings it back.
func TestLostRecord(t *testing.T) {
	simulated(t)
	whole := lived(t, 60)
	must(t, onDisk(whole.Process()).View(t.Context(), everyone))
	listed, found := stateFiles(whole), 0
	for _, file := range listed {
		d := whole.Clone()
		d.RemoveAll(file)
		err := onDisk(d.Process()).View(t.Context(), everyone)
		if err == nil {
			continue // a closed session, an intent that is done: listed nowhere by itself
		}
		found++
		if !names(err, file) {
			t.Fatalf("%s is gone, and a reader said %v", file, err)
		}
		_, err = onDisk(d.Process()).Update(t.Context(), func(tx core.Tx) error { return everyone(tx) })
		if !names(err, file) {
			t.Fatalf("%s is gone, and a writer said %v", file, err)
		}
		if found%10 == 0 {
			_, err = onDisk(d.Process()).Repair(t.Context())
			must(t, err)
			must(t, onDisk(d.Process()).View(t.Context(), everyone))
		}
	}
	t.Logf("%d of %d files are listed", found, len(listed))
	if found < len(listed)/2 {
		t.Errorf("only %d of %d lost files were noticed", found, len(listed))
	}
	for _, kind := range whole.Names(diskDir + "/state") {
		d := whole.Clone()
		any := path.Base(d.Names(diskDir + "/state/" + kind + "/" + d.Names(diskDir + "/state/" + kind)[0])[0])
		d.RemoveAll(diskDir + "/state/" + kind)
		get := func(r core.Reader) error {
			_, _, err := r.Get(protocol.Kind(kind), strings.TrimSuffix(any, ".json"))
			return err
		}
		if err := onDisk(d.Process()).View(t.Context(), get); reason(err) != protocol.ReasonStoreCorrupt {
			t.Errorf("every %s is gone, and a reader said %v", kind, err)
		}
		if _, err := onDisk(d.Process()).Update(t.Context(), func(tx core.Tx) error { return get(tx) }); reason(err) != protocol.ReasonStoreCorrupt {
			t.Errorf("every %s is gone, and a writer said %v", kind, err)
		}
		_, err := onDisk(d.Process()).Repair(t.Context())
		must(t, err)
		must(t, onDisk(d.Process()).View(t.Context(), everyone))
		storetest.Check(t, onDisk(d.Process()))
	}
}

// TestLostIsNotMadeAgain: a participant whose file is gone does not come into being a second time, which would
// contradict the journal for good.
func TestLostIsNotMadeAgain(t *testing.T) {
	d, _ := pairs(t, 3)
	for _, file := range stateFiles(d) {
		if strings.HasSuffix(file, "/"+left+".json") {
			d.RemoveAll(file)
		}
	}
	_, err := onDisk(d.Process()).Update(t.Context(), setPair(4))
	if reason(err) != protocol.ReasonStoreCorrupt {
		t.Errorf("a lost participant was made again: %v", err)
	}
	_, err = onDisk(d.Process()).Repair(t.Context())
	must(t, err)
	mustRead(t, onDisk(d.Process()), 3)
	mustSet(t, onDisk(d.Process()), 4)
	storetest.Check(t, onDisk(d.Process()))
}

// TestRemovedIsNotLost removes a record before each operation of a reader that has found it in an index.
func TestRemovedIsNotLost(t *testing.T) {
	simulated(t)
	disk, _ := pairs(t, 3)
	_, err := onDisk(disk.Process()).Update(t.Context(), addNewcomer)
	must(t, err)
	for k := 0; ; k++ {
		d := disk.Clone()
		fs, ran := at(d, k, func(vfstest.Op) {
			ctx := context.Background()
			_, err := onDisk(d.Process()).Update(ctx, func(tx core.Tx) error {
				if _, _, err := tx.Get(protocol.KindParticipant, newcomer); err != nil {
					return err
				}
				return tx.Remove(protocol.KindParticipant, newcomer)
			})
			must(t, err)
		})
		if err := onDisk(fs).View(t.Context(), everyone); err != nil {
			t.Fatalf("removed before operation %d: %v", k, err)
		}
		if !*ran {
			break
		}
	}
}

// TestIndexesAheadOfTheState: indexes may list records of a kind of which no file was published yet. Then a record
// that never was is absent, not lost.
func TestIndexesAheadOfTheState(t *testing.T) {
	d := vfstest.NewDisk()
	mustSet(t, lazy(d.Process()), 1)
	_, err := lazy(d.Process()).Update(t.Context(), func(tx core.Tx) error { return put(tx, session("here", "p", protocol.SessionOpen)) })
	must(t, err)
	must(t, lazy(d.Process()).RebuildIndexes(t.Context()))
	must(t, lazy(d.Process()).View(t.Context(), func(r core.Reader) error {
		if _, found, err := r.Get(protocol.KindSession, "nowhere"); found || err != nil {
			t.Errorf("a session that never was: %v, %v", found, err)
		}
		return nil
	}))
	_, err = lazy(d.Process()).Update(t.Context(), func(tx core.Tx) error { return put(tx, session("new", "p", protocol.SessionOpen)) })
	must(t, err)
	storetest.Check(t, onDisk(d.Process()))
}

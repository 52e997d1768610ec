package fsstore_test

import (
	"context"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// TestRebuildBelievesTheJournal: indexes are not made from a state file that the journal contradicts, or from one that
// is missing; after a repair they are.
func TestRebuildBelievesTheJournal(t *testing.T) {
	simulated(t)
	whole := lived(t, 80)
	find := func(r core.Reader) error { _, err := r.Find(core.Query{Index: core.MessagesInOrder}); return err }
	older := lived(t, 70)
	tried := 0
	for _, file := range stateFiles(whole) {
		damages := map[string]func(d *vfstest.Disk){
			"removed": func(d *vfstest.Disk) { d.RemoveAll(file) },
			"torn":    func(d *vfstest.Disk) { content := readFile(t, d, file); d.WriteFile(file, content[:len(content)/2]) },
			"of another age": func(d *vfstest.Disk) {
				content := string(readFile(t, d, file))
				d.WriteFile(file, []byte(strings.Replace(content, `"generation": `, `"generation": 1`, 1)))
			},
		}
		if content, err := older.ReadFile(file); err == nil && string(content) != string(readFile(t, whole, file)) {
			damages["as it was before"] = func(d *vfstest.Disk) { d.WriteFile(file, content) }
			tried++
		}
		for name, damage := range damages {
			d := whole.Clone()
			damage(d)
			d.RemoveAll(diskDir + "/indexes")
			before := len(d.Names(diskDir + "/indexes/v1/pages"))
			for what, err := range map[string]error{
				"a rebuild": onDisk(d.Process()).RebuildIndexes(t.Context()),
				"a view":    rebuilding(d).View(t.Context(), func(r core.Reader) error { return find(r) }),
			} {
				if !names(err, file) {
					t.Fatalf("%s %s: %s said %v", file, name, what, err)
				}
			}
			if after := len(d.Names(diskDir + "/indexes/v1/pages")); after != before {
				t.Fatalf("%s %s: indexes were made", file, name)
			}
		}
	}
	if tried == 0 {
		t.Error("no file was given back an older content")
	}
	d := whole.Clone()
	d.RemoveAll(stateFiles(whole)[0])
	d.RemoveAll(diskDir + "/indexes")
	report, err := onDisk(d.Process()).Repair(t.Context())
	must(t, err)
	if report.State != 1 || !report.Indexes || len(report.Left) > 0 {
		t.Errorf("repaired %+v", report)
	}
	storetest.Check(t, onDisk(d.Process()))
}

// TestRebuildAfterTrim: where the frames of a record were trimmed, its state file is the only copy, and the indexes that
// are there, however damaged, bear witness of it. What they miss is primary data, and nothing is made that forgets it.
func TestRebuildAfterTrim(t *testing.T) {
	d := vfstest.NewDisk()
	for n := range 40 {
		_, err := onSmall(d.Process()).Update(t.Context(), func(tx core.Tx) error {
			if err := setPair(n + 1)(tx); err != nil {
				return err
			}
			return put(tx, participant("p"+string(rune('a'+n%26))+string(rune('a'+n/26)), "x"))
		})
		must(t, err)
	}
	must(t, onSmall(d.Process()).Checkpoint(t.Context()))
	trimmed, err := onSmall(d.Process()).Trim(t.Context(), 30)
	must(t, err)
	if trimmed.Segments == 0 {
		t.Fatalf("nothing was trimmed: %+v", trimmed)
	}
	storetest.Check(t, onSmall(d.Process()))
	must(t, onSmall(d.Process()).RebuildIndexes(t.Context())) // what is not in the journal is believed when nothing speaks against it

	var file string
	for _, f := range stateFiles(d) {
		if strings.HasSuffix(f, "/paa.json") {
			file = f
		}
	}
	d.RemoveAll(file)
	if err := onSmall(d.Process()).RebuildIndexes(t.Context()); !names(err, file) {
		t.Errorf("indexes were made without the record: %v", err)
	}
	report, err := onSmall(d.Process()).Fsck(t.Context())
	must(t, err)
	if len(report.Findings) != 1 || report.Findings[0].Derived || !strings.HasSuffix(file, report.Findings[0].File) {
		t.Errorf("the check found %v", report.Findings)
	}
	repaired, err := onSmall(d.Process()).Repair(t.Context())
	if err != nil || repaired.Indexes || len(repaired.Left) != 1 {
		t.Errorf("a repair did %+v, %v", repaired, err)
	}
	err = onSmall(d.Process()).View(context.Background(), func(r core.Reader) error {
		found, err := r.Find(core.Query{Index: core.Participants})
		if err != nil {
			return err
		}
		for _, e := range found {
			if _, _, err := r.Get(protocol.KindParticipant, e.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if !names(err, file) {
		t.Errorf("a reader said %v", err)
	}
}

package fsstore_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// contract6 makes of a store what one of the earlier contract would be: this layout without indexes. No such
// store was ever in the field; the path exists because contracts will change again.
func contract6(t *testing.T, d *vfstest.Disk) {
	t.Helper()
	identity := string(readFile(t, d, diskDir+"/protocol.json"))
	d.WriteFile(diskDir+"/protocol.json", []byte(strings.Replace(identity, `"storeVersion": 7`, `"storeVersion": 6`, 1)))
	d.RemoveAll(diskDir + "/indexes")
	d.RemoveAll(diskDir + "/reserve")
}

func migrate(fs vfs.FS, m fsstore.Migration) (fsstore.MigrationReport, error) {
	opts := fsstore.Options{Dir: diskDir, Base: "/home", WorkspaceID: coretest.WorkspaceID, FS: fs, Clock: coretest.NewClock()}
	return fsstore.Migrate(context.Background(), opts, m)
}

// admitted is a migration that was asked for and that nobody stands in the way of.
func admitted() fsstore.Migration {
	return fsstore.Migration{Agreed: true, Admit: func(context.Context) (func(), error) { return func() {}, nil }}
}

func TestMigrate(t *testing.T) {
	d, _ := pairs(t, 20)
	contract6(t, d)
	if _, err := tryOnDisk(d.Process()); reason(err) != protocol.ReasonStoreMigration {
		t.Fatalf("opening an earlier contract: %v", err)
	}
	if _, err := migrate(d.Process(), fsstore.Migration{Admit: admitted().Admit}); protocol.CodeOf(err) != protocol.Usage {
		t.Errorf("without being asked for: %v", err)
	}
	held := protocol.ConflictError("", "another version is at work")
	if _, err := migrate(d.Process(), fsstore.Migration{Agreed: true, Admit: func(context.Context) (func(), error) { return nil, held }}); err != error(held) {
		t.Errorf("without admission: %v", err)
	}
	report, err := migrate(d.Process(), admitted())
	must(t, err)
	want := fsstore.MigrationReport{WorkspaceID: coretest.WorkspaceID, FromVersion: 6, ToVersion: 7, Migrated: true}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Error(diff)
	}
	d.PowerCut(3) // the identity was replaced durably, last
	mustRead(t, rebuilding(d), 20)
	report, err = migrate(d.Process(), admitted())
	want.FromVersion, want.Migrated = 7, false
	if diff := cmp.Diff(want, report); diff != "" || err != nil {
		t.Error(diff, err)
	}
	mustSet(t, onDisk(d.Process()), 21)
	mustRead(t, rebuilding(d), 21)
}

// TestMigrationFaults lets every operation of a migration fail or be its last: run again, it comes to the
// same end, and in between the store is refused or complete.
func TestMigrationFaults(t *testing.T) {
	simulated(t)
	whole, _ := pairs(t, 6)
	contract6(t, whole)
	tried := 0
	for _, f := range faults() {
		for k := 0; ; k++ {
			d, fired := whole.Clone(), false
			_, err := migrate(vfstest.Wrap(d.Process(), func(op vfstest.Op) vfstest.Effect {
				if op.N < k || op.N > k && !f.sticky {
					return vfstest.Effect{}
				}
				fired = true
				return f.effect(op)
			}), admitted())
			if !fired {
				break
			}
			tried++
			what := fmt.Sprintf("%s at operation %d (%v)", f.name, k, err)
			for seed := range 1 + seeds(t) {
				c := d.Clone()
				if seed > 0 {
					c.PowerCut(seed)
				}
				if s, err := tryOnDisk(c.Process()); err == nil {
					mustRead(t, rebuilding(c), 6)
					storetest.Check(t, s)
				} else if reason(err) != protocol.ReasonStoreMigration {
					t.Fatalf("%s: open: %v", what, err)
				}
				if _, err := migrate(c.Process(), admitted()); err != nil {
					t.Fatalf("%s: again: %v", what, err)
				}
				mustRead(t, rebuilding(c), 6)
				mustSet(t, onDisk(c.Process()), 7)
				storetest.Check(t, onDisk(c.Process()))
			}
		}
	}
	t.Logf("%d faults tried", tried)
	if recorded := 1155; tried < recorded {
		t.Errorf("%d faults were tried, %d when this was recorded", tried, recorded)
	}
}

// TestMigrationValidates: a store with one wrong byte is not migrated and not changed.
func TestMigrationValidates(t *testing.T) {
	d, lastFrame := pairs(t, 20)
	contract6(t, d)
	damaged := readFile(t, d, journalFile)
	damaged[len(damaged)-len(lastFrame)-20] ^= 1
	d.WriteFile(journalFile, damaged)
	before := readFile(t, d, diskDir+"/protocol.json")
	if _, err := migrate(d.Process(), admitted()); reason(err) != protocol.ReasonStoreCorrupt {
		t.Errorf("a damaged store: %v", err)
	}
	if string(readFile(t, d, diskDir+"/protocol.json")) != string(before) {
		t.Error("the identity of a damaged store changed")
	}
}

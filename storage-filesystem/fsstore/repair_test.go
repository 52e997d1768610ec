package fsstore_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// stateFiles gives every state file of a disk.
func stateFiles(d *vfstest.Disk) (files []string) {
	for _, kind := range d.Names(diskDir + "/state") {
		for _, part := range d.Names(diskDir + "/state/" + kind) {
			for _, name := range d.Names(diskDir + "/state/" + kind + "/" + part) {
				files = append(files, diskDir+"/state/"+kind+"/"+part+"/"+name)
			}
		}
	}
	return files
}

// TestFsckFindsEveryStateFile damages, empties and removes each state file in turn: the check names it, a repair
// makes it again, and what it was is what it is.
func TestFsckFindsEveryStateFile(t *testing.T) {
	simulated(t)
	whole := lived(t, 40)
	must(t, onDisk(whole.Process()).Checkpoint(t.Context()))
	for i, file := range stateFiles(whole) {
		for name, damage := range map[string]func(d *vfstest.Disk, content []byte){
			"a bit":   func(d *vfstest.Disk, content []byte) { content[(i*37)%len(content)] ^= 2; d.WriteFile(file, content) },
			"emptied": func(d *vfstest.Disk, _ []byte) { d.WriteFile(file, nil) },
			"removed": func(d *vfstest.Disk, _ []byte) { d.RemoveAll(file) },
		} {
			d := whole.Clone()
			before := readFile(t, d, file)
			damage(d, slices.Clone(before))
			report, err := onDisk(d.Process()).Fsck(t.Context())
			must(t, err)
			if len(report.Findings) != 1 || !strings.HasSuffix(file, report.Findings[0].File) || !report.Findings[0].Derived {
				t.Fatalf("%s, %s: the check found %v", file, name, report.Findings)
			}
			repaired, err := onDisk(d.Process()).Repair(t.Context())
			must(t, err)
			if repaired.State != 1 || !repaired.Indexes || len(repaired.Left) > 0 {
				t.Fatalf("%s, %s: repaired %+v", file, name, repaired)
			}
			if got := readFile(t, d, file); string(got) != string(before) {
				t.Fatalf("%s, %s: it is another file now:\n%s", file, name, got)
			}
			d.PowerCut(uint64(i)) // the checkpoint vouched for it already
			if got := readFile(t, d, file); string(got) != string(before) {
				t.Fatalf("%s, %s: a power cut undid the repair", file, name)
			}
			must(t, rebuilding(d).RebuildIndexes(t.Context()))
			storetest.Check(t, onDisk(d.Process()))
		}
	}
}

// TestRepairRemovesStrangers: a state file that the journal does not know goes; damage to the journal stops
// everything.
func TestRepairRemovesStrangers(t *testing.T) {
	d, _ := pairs(t, 3)
	other := vfstest.NewDisk()
	_, err := onDisk(other.Process()).Update(t.Context(), func(tx core.Tx) error { return put(tx, participant("stranger", "x")) })
	must(t, err)
	file := stateFiles(other)[0]
	dir, err := d.Process().Open("/home", diskDir)
	must(t, err)
	name := strings.TrimPrefix(file, diskDir+"/")
	_ = dir.Mkdir(name[:strings.LastIndex(name, "/")])
	f, err := dir.Open(name, 2)
	must(t, err)
	_, err = f.WriteAt(readFile(t, other, file), 0)
	must(t, err)
	report, err := onDisk(d.Process()).Repair(t.Context())
	must(t, err)
	if report.State != 1 || len(report.Left) > 0 {
		t.Errorf("repaired %+v", report)
	}
	mustRead(t, onDisk(d.Process()), 3)

	journal := readFile(t, d, journalFile)
	journal[len(journal)/2] ^= 1
	d.WriteFile(journalFile, journal)
	d.RemoveAll(stateFiles(d)[0])
	left, err := onDisk(d.Process()).Repair(t.Context())
	if err == nil && (left.State > 0 || !slices.ContainsFunc(left.Left, func(f fsstore.Finding) bool { return !f.Derived })) {
		t.Errorf("over a damaged journal: %+v", left)
	}
}

package fsstore_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// TestDurableIndexes: whatever happens after a checkpoint, the indexes that it made durable are there after a power cut,
// and hooks go on from them when the newer ones are lost.
func TestDurableIndexes(t *testing.T) {
	simulated(t)
	const n = 80 // more than readers lay over the empty indexes
	for name, after := range map[string]func(d *vfstest.Disk){
		"nothing": func(*vfstest.Disk) {},
		"the same pages written again": func(d *vfstest.Disk) {
			must(t, onDisk(d.Process()).RebuildIndexes(t.Context()))
		},
		"newer pages, and a sweep": func(d *vfstest.Disk) {
			_, err := onDisk(d.Process()).Update(t.Context(), addNewcomer)
			must(t, err)
			for range 40 {
				mustSet(t, onDisk(d.Process()), n)
			}
			d.Advance(72 * time.Hour)
			_, err = onDisk(d.Process()).Sweep(t.Context(), 0)
			must(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := vfstest.NewDisk()
			d.Advance(-72 * time.Hour)
			for i := 1; i <= n; i++ {
				mustSet(t, onDisk(d.Process()), i)
			}
			must(t, onDisk(d.Process()).RebuildIndexes(t.Context()))
			if err := onDisk(failing(d, syscall.EIO, "SyncAll", "")).Checkpoint(t.Context()); err == nil {
				t.Fatal("a checkpoint that could not flush succeeded")
			}
			must(t, onDisk(d.Process()).Checkpoint(t.Context())) // what could not be flushed only looks clean
			after(d)
			for seed := range uint64(30) {
				cut := d.Clone()
				cut.PowerCut(seed)
				cut.RemoveAll(diskDir + "/indexes/v1/cache.json")
				hook := onDisk(cut.Process())
				mustRead(t, hook, n)
				mustSet(t, hook, n+1)
				mustRead(t, hook, n+1)
				storetest.Check(t, hook)
			}
		})
	}
}

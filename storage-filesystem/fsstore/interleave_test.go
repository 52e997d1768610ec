package fsstore_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// at gives a process in which do runs right before operation k; ran says whether it did.
func at(d *vfstest.Disk, k int, do func(op vfstest.Op)) (fs vfs.FS, ran *bool) {
	ran = new(bool)
	return vfstest.Wrap(d.Process(), func(op vfstest.Op) vfstest.Effect {
		if op.N == k {
			*ran = true
			do(op)
		}
		return vfstest.Effect{}
	}), ran
}

func prepared(t *testing.T) map[string]func() *vfstest.Disk {
	return map[string]func() *vfstest.Disk{
		"warm":        func() *vfstest.Disk { d, _ := pairs(t, 3); return d },
		"rebooted":    func() *vfstest.Disk { d, _ := pairs(t, 3); d.PowerCut(7); return d },
		"empty":       vfstest.NewDisk,
		"torn tail":   tornTail(t),
		"invisible":   invisible(t),
		"unpublished": unpublished(t),
		"head of the boot before": func() *vfstest.Disk {
			d, _ := pairs(t, 3)
			d.WriteFile(diskDir+"/head.json", readFile(t, d, diskDir+"/head.json"))
			d.PowerCut(0)
			return d
		},
		"without head": func() *vfstest.Disk {
			d, _ := pairs(t, 3)
			d.RemoveAll(diskDir + "/head.json")
			return d
		},
		"without applied": func() *vfstest.Disk {
			d, _ := pairs(t, 3)
			d.RemoveAll(diskDir + "/applied.json")
			return d
		},
	}
}

// TestReaderBesideWriter stops a writer before each of its operations and lets others read: each sees
// one state, never an older one than the reader before, and what it saw survives a power cut at that
// very moment.
func TestReaderBesideWriter(t *testing.T) {
	for name, prepare := range prepared(t) {
		t.Run(name, func(t *testing.T) {
			disk, seenBefore := prepare(), 0
			for k := 0; ; k++ {
				d := disk.Clone()
				fs, ran := at(d, k, func(op vfstest.Op) {
					what := fmt.Sprintf("before operation %d, %s %s", k, op.Name, op.Path)
					seen, err := readPair(onDisk(d.Process()))
					if err != nil || seen < seenBefore && k > 0 {
						t.Fatalf("%s: a reader sees %d, %v; the one before saw %d", what, seen, err, seenBefore)
					}
					for seed := range uint64(5) {
						c := d.Clone()
						c.PowerCut(seed)
						if after, err := readPair(onDisk(c.Process())); err != nil || after < seen {
							t.Fatalf("%s: a reader saw %d; after a power cut (seed %d) one sees %d, %v", what, seen, seed, after, err)
						}
					}
					seenBefore = seen
				})
				mustSet(t, onDisk(fs), 10)
				if !*ran {
					t.Logf("%d operations", k)
					break
				}
			}
		})
	}
}

// TestWriterBesideReader stops a reader before each of its operations and lets others commit: its
// callback must end with one state that was current at some moment of the read.
func TestWriterBesideReader(t *testing.T) {
	for name, prepare := range prepared(t) {
		for _, commits := range []int{1, 3} {
			t.Run(fmt.Sprint(name, commits), func(t *testing.T) {
				disk := prepare()
				low, err := readPair(onDisk(disk.Process()))
				if err != nil {
					t.Fatal(err)
				}
				for k := 0; ; k++ {
					d := disk.Clone()
					wrote := low
					fs, ran := at(d, k, func(vfstest.Op) {
						s := onDisk(d.Process())
						for range commits {
							wrote = 10 + wrote
							mustSet(t, s, wrote)
						}
					})
					seen, err := readPair(onDisk(fs))
					if err != nil || seen != low && (seen-low)%10 != 0 && seen != 4 {
						t.Fatalf("writer before operation %d: a reader sees %d, %v; it was %d and became %d", k, seen, err, low, wrote)
					}
					if !*ran {
						t.Logf("%d operations", k)
						break
					}
				}
			})
		}
	}
}

// TestRemovedBesideReader commits a removal and what replaces it while a reader is between the two.
func TestRemovedBesideReader(t *testing.T) {
	swap := func(from, to string) func(core.Tx) error {
		return func(tx core.Tx) error {
			for _, id := range []string{from, to} {
				if _, _, err := tx.Get("participant", id); err != nil {
					return err
				}
			}
			if err := tx.Put(participant(to, to)); err != nil {
				return err
			}
			return tx.Remove("participant", from)
		}
	}
	disk, _ := pairs(t, 1)
	one := onDisk(disk.Process())
	if _, err := one.Update(context.Background(), func(tx core.Tx) error {
		if _, _, err := tx.Get("participant", "here"); err != nil {
			return err
		}
		return tx.Put(participant("here", "here"))
	}); err != nil {
		t.Fatal(err)
	}
	for k := 0; ; k++ {
		d := disk.Clone()
		fs, ran := at(d, k, func(vfstest.Op) {
			if _, err := onDisk(d.Process()).Update(context.Background(), swap("here", "there")); err != nil {
				t.Fatal(err)
			}
		})
		var here, there bool
		err := onDisk(fs).View(context.Background(), func(r core.Reader) (err error) {
			if _, here, err = r.Get("participant", "here"); err != nil {
				return err
			}
			_, there, err = r.Get("participant", "there")
			return err
		})
		if err != nil || here == there {
			t.Fatalf("swap before operation %d: here %v, there %v, %v", k, here, there, err)
		}
		if !*ran {
			break
		}
	}
}

package fsstore_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
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
		"warm":      func() *vfstest.Disk { d, _ := pairs(t, 3); return d },
		"rebooted":  func() *vfstest.Disk { d, _ := pairs(t, 3); d.PowerCut(7); return d },
		"empty":     vfstest.NewDisk,
		"torn tail": tornTail(t),
		"torn tail, rebooted": func() *vfstest.Disk {
			d := tornTail(t)()
			d.PowerCut(7)
			return d
		},
		"invisible":   invisible(t),
		"unpublished": unpublished(t),
		"head of the boot before": func() *vfstest.Disk {
			d, _ := pairs(t, 3)
			d.WriteFile(diskDir+"/head.json", readFile(t, d, diskDir+"/head.json"))
			d.PowerCut(0)
			return d
		},
		"one file under the names of head and its spare": func() *vfstest.Disk {
			d, _ := pairs(t, 3)
			dir, err := d.Process().Open("/home", diskDir)
			must(t, err)
			must(t, dir.Remove("head.json.spare"))
			must(t, dir.Link("head.json", "head.json.spare"))
			must(t, dir.SyncDir(""))
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

// small makes every commit begin a new segment.
func small(o fsstore.Options) fsstore.Options { return o.RotateAt(1) }

func onSmall(fs vfs.FS) *fsstore.Store {
	s, err := sweeper{options: small}.store(fs)
	if err != nil {
		panic(err)
	}
	return s
}

// TestReaderBesideWriter stops a writer before each of its operations and lets others read: each sees
// one state, never an older one than the reader before, and what it saw survives a power cut at that
// very moment. The same holds when the writer cannot replace head.
func TestReaderBesideWriter(t *testing.T) {
	simulated(t)
	for name, prepare := range prepared(t) {
		for _, headless := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, headless %v", name, headless), func(t *testing.T) {
				disk, seenBefore := prepare(), 0
				for k, done := 0, false; !done; k++ {
					d := disk.Clone()
					done = true
					fs := vfstest.Wrap(d.Process(), func(op vfstest.Op) (e vfstest.Effect) {
						if op.N == k {
							done = false
							seenBefore = readBeside(t, d, op, seenBefore)
						}
						if headless && (op.Name == "Rename" || op.Name == "Exchange") && op.Path == "head.json" {
							e.Err = syscall.ENOSPC
						}
						return e
					})
					_, err := onDisk(fs).Update(context.Background(), setPair(10))
					if (err != nil) != headless {
						t.Fatalf("the writer said %v", err)
					}
				}
			})
		}
	}
}

func readBeside(t *testing.T, d *vfstest.Disk, op vfstest.Op, before int) int {
	t.Helper()
	if op.N == 0 {
		before = 0
	}
	seen, err := readPair(onDisk(d.Process()))
	if err != nil || seen < before {
		t.Fatalf("before operation %+v a reader sees %d, %v; the one before saw %d", op, seen, err, before)
	}
	for seed := range uint64(5) {
		c := d.Clone()
		c.PowerCut(seed)
		if after, err := readPair(onDisk(c.Process())); err != nil || after < seen {
			t.Fatalf("before operation %+v a reader saw %d; after a power cut (seed %d) one sees %d, %v", op, seen, seed, after, err)
		}
	}
	return seen
}

// TestWriterBesideReader stops a reader before each of its operations and lets others commit, rotate and
// lose head: its callback must end with one state that was current at some moment of the read.
func TestWriterBesideReader(t *testing.T) {
	simulated(t)
	commit := func(store func(vfs.FS) *fsstore.Store, commits int) func(t *testing.T, d *vfstest.Disk, low int) int {
		return func(t *testing.T, d *vfstest.Disk, low int) int {
			for i := range commits {
				mustSet(t, store(d.Process()), low+10*(i+1))
			}
			return low + 10*commits
		}
	}
	for name, prepare := range prepared(t) {
		for what, meanwhile := range map[string]func(t *testing.T, d *vfstest.Disk, low int) int{
			"one commit":                    commit(onDisk, 1),
			"three commits":                 commit(onDisk, 3),
			"three commits, three segments": commit(onSmall, 3),
			"a commit whose head is lost": func(t *testing.T, d *vfstest.Disk, low int) int {
				defer d.RemoveAll(diskDir + "/head.json")
				return commit(onDisk, 1)(t, d, low)
			},
			"a commit, and a writer killed before its head is in place": func(t *testing.T, d *vfstest.Disk, low int) int {
				commit(onDisk, 2)(t, d, low)
				_, err := onDisk(vfstest.Wrap(d.Process(), func(op vfstest.Op) vfstest.Effect {
					return vfstest.Effect{Kill: op.Name == "Exchange"}
				})).Update(context.Background(), setPair(low+30))
				if err == nil {
					t.Fatal("it was not killed")
				}
				return low + 30
			},
			"a commit whose marks are lost": func(t *testing.T, d *vfstest.Disk, low int) int {
				defer d.RemoveAll(diskDir + "/head.json")
				defer d.RemoveAll(diskDir + "/applied.json")
				return commit(onSmall, 1)(t, d, low)
			},
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				disk := prepare()
				low, err := readPair(onDisk(disk.Process()))
				if err != nil {
					t.Fatal(err)
				}
				for k := 0; ; k++ {
					d := disk.Clone()
					wrote := low
					fs, ran := at(d, k, func(vfstest.Op) { wrote = meanwhile(t, d, low) })
					seen, err := readPair(onDisk(fs))
					if adopted := name == "invisible" && seen == 4; err != nil || seen != low && (seen-low)%10 != 0 && !adopted {
						t.Fatalf("writer before operation %d: a reader sees %d, %v; it was %d and became %d", k, seen, err, low, wrote)
					}
					if later, err := readPair(onDisk(d.Process())); err != nil || later < seen {
						t.Fatalf("writer before operation %d: a reader saw %d, the next one sees %d, %v", k, seen, later, err)
					}
					if !*ran {
						break
					}
				}
			})
		}
	}
}

// TestRemovedBesideReader commits a removal and what replaces it while a reader is between the two.
func TestRemovedBesideReader(t *testing.T) {
	simulated(t)
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
	for _, order := range [][]string{{"here", "there"}, {"there", "here"}} {
		for k := 0; ; k++ {
			d := disk.Clone()
			fs, ran := at(d, k, func(vfstest.Op) {
				if _, err := onDisk(d.Process()).Update(context.Background(), swap("here", "there")); err != nil {
					t.Fatal(err)
				}
			})
			var found []string
			err := onDisk(fs).View(context.Background(), func(r core.Reader) error {
				found = nil
				for _, id := range order {
					if _, is, err := r.Get("participant", id); err != nil {
						return err
					} else if is {
						found = append(found, id)
					}
				}
				return nil
			})
			if err != nil || len(found) != 1 {
				t.Fatalf("swap before operation %d, read in order %v: found %v, %v", k, order, found, err)
			}
			if !*ran {
				break
			}
		}
	}
}

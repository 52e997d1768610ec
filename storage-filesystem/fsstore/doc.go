// Package fsstore is the durable store of one room: one append-only journal that is both the event log and
// the redo log, state files and index pages that can be rebuilt from it, one writer at a time under a lock
// of the kernel, and readers that take no lock.
//
// A transaction is one frame and one flush; whoever reads sees all of it or nothing. What is found damaged
// is refused with file and offset before anything is written, never repaired by guessing. What a record
// means is core's business, where the directory lies is workspace's and datahome's.
//
// What keeps a store in shape, each with one entry: Store.Fsck reads everything and compares it; Store.Repair makes
// again what is derived and differs; Store.Maintain is the daily upkeep in bounded calls; Migrate turns a store of
// the earlier contract into one of this; package prune removes what a room no longer needs. Commits of processes
// that may take their time keep the replay after a power cut short by themselves (Options.Rebuild).
//
// Start reading at store.go and layout.go (what lies where), then commit.go, recover.go, lock.go and view.go
// for the four procedures; trace.go names their steps, at which tests stop and kill processes.
package fsstore

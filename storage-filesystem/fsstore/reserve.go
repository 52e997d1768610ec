package fsstore

import (
	"math/rand/v2"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

const (
	reserveFile = "reserve"
	reserveSize = 256 << 10
)

// makeReserve takes room on the disk that is given up when it is full, so that what ends things still works:
// closing, releasing, acknowledging and pruning. Its content is random, so that no file system stores it in
// less than its size.
func makeReserve(dir vfs.Dir) error {
	if _, err := dir.Stat(reserveFile); err == nil {
		return nil
	}
	content := make([]byte, reserveSize)
	r := rand.NewPCG(rand.Uint64(), rand.Uint64())
	for i := 0; i < len(content); i += 8 {
		for k, v := 0, r.Uint64(); k < 8; k, v = k+1, v>>8 {
			content[i+k] = byte(v)
		}
	}
	if err := replace(dir, "", reserveFile, content); err != nil {
		return writeError(reserveFile, err)
	}
	return nil
}

// settles says whether a transaction only brings things to their end. Only such a one may use up the
// reserve; new messages, claims and sessions have to wait for room.
func (e *entry) settles() bool {
	for _, p := range e.Puts {
		if p.Created == e.transaction.Generation {
			return false
		}
	}
	return true
}

// withReserve runs write again when the disk was full and giving up the reserve may have made room.
func (w *writing) withReserve(e *entry, write func() error) error {
	err := write()
	if err == nil || !vfs.NoSpace(err) || !e.settles() || w.store.usable() != nil {
		return err
	}
	w.store.step(StepReserve)
	if removed := w.dir.Remove(reserveFile); removed != nil {
		return err
	}
	w.store.diagnose(protocol.DataError("", "the disk is full: the reserve of the store was given up").WithHint("free some disk space"))
	return write()
}

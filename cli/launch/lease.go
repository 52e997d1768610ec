package launch

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/internal/runtime/lockfile"
	"github.com/acc-control-plane/acc/cli/launch/lease"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// Lease says that this process was let in. The lock behind it ends with the process, whatever ends that; nobody
// has to give it back.
type Lease struct {
	Generation    string
	BuildID       string
	StoreContract int // 0: the record does not say

	lock   *lockfile.Lock // nil for a management process whose generation has no lock file
	at     layout.Runtime
	record string // in which the process says who it is; "": nowhere
}

// announce writes who this process is, if people may want to know. Nobody depends on it.
func (l *Lease) announce(kind Kind) {
	if !kind.named() {
		return
	}
	self, ok := process.Table{}.Identify(os.Getpid())
	if !ok {
		return
	}
	raw, err := lease.Form().AppendIndent(nil, &lease.Record{Process: self, Kind: string(kind), Generation: l.Generation, StoreContract: l.StoreContract})
	if err != nil {
		return
	}
	var token [8]byte
	_, _ = rand.Read(token[:]) // never fails
	path := filepath.Join(l.at.Leases(), hex.EncodeToString(token[:])+".json")
	if privatefile.Write(l.at.Base, path, raw) == nil {
		l.record = path
	}
}

// Close ends the lease before the process does: nothing of a room may be touched any more. It may be called on nil.
func (l *Lease) Close() {
	if l == nil {
		return
	}
	if l.record != "" {
		_ = privatefile.Remove(l.at.Base, l.record)
	}
	l.lock.Release()
}

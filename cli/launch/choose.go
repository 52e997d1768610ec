package launch

import (
	"os"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/launch/pin"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// choose gives the generation that is to run: the one that the session is pinned to, if that is possible, or the
// active one.
func (a *admission) choose() pointer {
	active := a.head.active
	if a.Session == "" || a.unpinned {
		return active
	}
	p, found := a.pinned()
	if !found || p.Generation == active.generation || active.contract == 0 || p.StoreContract != active.contract {
		return active
	}
	if _, _, ok := layout.SplitGeneration(p.Generation); !ok || !a.startable(p.Generation) {
		return active
	}
	if a.Begins && (process.Table{}).Check(p.Client) == core.ProcessDead {
		return active // another client has resumed the session
	}
	return pointer{generation: p.Generation, buildID: p.BuildID, contract: p.StoreContract}
}

// pinned reads the pin of the session. One that cannot be read is none: the active generation is always right.
func (a *admission) pinned() (p pin.Record, found bool) {
	s, err := openSnapshot(a.at.Pin(a.Adapter, a.Session), pin.MaxBytes)
	if err != nil {
		return p, false
	}
	defer s.close()
	p, err = pin.Form().Decode(s.data)
	return p, err == nil && p.AdapterID == a.Adapter && p.SessionID == a.Session
}

// startable says whether a generation has the program, as a file of its own.
func (a *admission) startable(generation string) bool {
	if info, err := os.Lstat(a.at.Generation(generation)); err != nil || !info.IsDir() {
		return false
	}
	info, err := os.Lstat(a.at.Executable(generation, a.Program))
	return err == nil && info.Mode().IsRegular()
}

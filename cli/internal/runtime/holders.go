package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/launch/lease"
	"github.com/acc-control-plane/acc/core"
)

// Holder is somebody for whom a generation stays, or for whom an activation waits.
type Holder struct {
	Generation    string // of a process of acc; "" for a session of a client
	StoreContract int    // 0: unknown
	PID           int    // 0: unknown
	Kind          string // of the process: "server", "relay", …; "" where nothing names it
	// Native says that it is a session of a client that can be asked to look: its adapter, and the room.
	Native    string
	Workspace string
	Session   string // id of the session; "": unknown
	Problem   string // why nothing more is known
}

// named gives the processes that hold the lock of a generation. Only long-lived ones say who they are; what is
// left is unnamed, and holds all the same.
func (m *Manager) named(generation string, contract int) []Holder {
	var all []Holder
	for _, l := range m.leases() {
		if l.Generation == generation && m.table.Check(l.Process) == core.ProcessAlive {
			all = append(all, Holder{Generation: generation, StoreContract: contract, PID: l.Process.PID, Kind: l.Kind})
		}
	}
	if len(all) == 0 {
		all = []Holder{{Generation: generation, StoreContract: contract}}
	}
	return all
}

// leases gives what long-lived processes say of themselves. It decides nothing, so what cannot be read is left
// out.
func (m *Manager) leases() []lease.Record {
	entries, _ := os.ReadDir(m.at.Leases())
	var all []lease.Record
	for _, e := range entries {
		if l, found, err := read(m, m.at.Leases()+string(os.PathSeparator)+e.Name(), lease.Form()); found && err == nil {
			all = append(all, l)
		}
	}
	return all
}

// generations lists what lies among the generations under a name that one can have.
func (m *Manager) generations() ([]string, error) {
	entries, err := os.ReadDir(m.at.Generations())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failed("cannot list", m.at.Generations(), err)
	}
	var names []string
	for _, e := range entries {
		if _, _, ok := layout.SplitGeneration(e.Name()); ok {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// lockedNames lists the generations that have a lock file, whether they are there or not.
func (m *Manager) lockedNames() ([]string, error) {
	entries, err := os.ReadDir(m.at.Locks())
	if err != nil {
		return nil, failed("cannot list", m.at.Locks(), err)
	}
	var names []string
	for _, e := range entries {
		name, isLock := strings.CutSuffix(e.Name(), ".lock")
		name, isGeneration := strings.CutPrefix(name, "gen-")
		if _, _, ok := layout.SplitGeneration(name); ok && isLock && isGeneration {
			names = append(names, name)
		}
	}
	return names, nil
}

// mostNamed is how many holders a notice names.
const mostNamed = 10

// waiting is the notice of an activation that cannot happen yet.
func waiting(to Generation, holders []Holder) string {
	slices.SortStableFunc(holders, func(a, b Holder) int {
		return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.Generation, b.Generation))
	})
	var words []string
	for i, h := range holders {
		if i == mostNamed {
			words = append(words, fmt.Sprintf("and %d more", len(holders)-mostNamed))
			break
		}
		words = append(words, h.String())
	}
	return fmt.Sprintf("acc %s is ready and waits for %d active or unidentified holder(s): %s", to.Version, len(holders), strings.Join(words, ", "))
}

// String names a holder for people.
func (h Holder) String() string {
	contract := "contract unknown"
	if h.StoreContract != 0 {
		contract = fmt.Sprintf("store contract %d", h.StoreContract)
	}
	var who string
	switch {
	case h.Native != "" && h.PID != 0:
		who = fmt.Sprintf("a %s session, PID %d", h.Native, h.PID)
	case h.Native != "":
		who = "a " + h.Native + " session"
	case h.PID != 0:
		who = fmt.Sprintf("PID %d (%s) on %s", h.PID, h.Kind, h.Generation)
	case h.Generation != "":
		who = "an unnamed process on " + h.Generation
	default:
		who = "something unknown in room " + h.Workspace
	}
	if h.Problem != "" {
		contract += ", " + h.Problem
	}
	return who + " (" + contract + ")"
}

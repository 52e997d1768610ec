// Package process looks at the process table without starting a process.
//
// A number alone names nothing for long: it is used again, and in another pid namespace it means
// another process. So Probe compares start times, Identity pins a process down for good, and whatever
// cannot be decided is unknown, never dead. Start at Table.
package process

import (
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/acc-control-plane/acc/core"
)

// startTolerance is how much later than a record a process may have started and still be its writer:
// the start is known to a hundredth of a second and the clock may have been trimmed since.
const startTolerance = time.Second

// Table is the process table of this kernel and pid namespace. It implements core.ProcessProbe. The
// zero value works; NewTable gives one that looks at its surroundings once, which makes each Probe but
// the first cheaper. It is safe for concurrent use.
type Table struct{ look func() vantage }

var _ core.ProcessProbe = Table{}

// NewTable gives a table that looks once, when it is first asked, at what every Probe needs to know.
func NewTable() Table { return Table{look: sync.OnceValue(look)} }

func (t Table) vantage() vantage {
	if t.look != nil {
		return t.look()
	}
	return look()
}

// Probe implements core.ProcessProbe. A process that has exited but that its parent has not collected
// is dead. A process that may not be looked at, or a table of another pid namespace, is unknown. So is
// everything when this pid namespace is younger than notBefore: then the record came from outside,
// where its number means another process. notBefore zero trusts the number.
func (t Table) Probe(pid int, notBefore time.Time) core.ProcessState {
	if pid <= 0 {
		return core.ProcessUnknown
	}
	here := t.vantage()
	if !here.decides(notBefore) {
		return core.ProcessUnknown
	}
	s, state := find(pid)
	if state != core.ProcessAlive || notBefore.IsZero() {
		return state
	}
	started, known := here.clock(s.start)
	if known && started.After(notBefore.Add(startTolerance)) {
		return core.ProcessDead
	}
	return core.ProcessAlive
}

// Identity names one process for good: two identities are the same process exactly if they are equal.
type Identity struct {
	PID          int
	StartTime    uint64 // in units of the platform, for comparison only
	BootID       string // of the kernel that runs it; empty where StartTime is a time of day
	PIDNamespace string // in which PID is its number; empty where there are none
}

// Identify names a process that is alive now. ok is false if it is not, or cannot be looked at.
func (t Table) Identify(pid int) (id Identity, ok bool) {
	here := t.vantage()
	if pid <= 0 || !here.sees {
		return Identity{}, false
	}
	s, state := find(pid)
	boot := bootID()
	if state != core.ProcessAlive || boot == "" && startCountsFromBoot {
		return Identity{}, false
	}
	return Identity{PID: pid, StartTime: s.start, BootID: boot, PIDNamespace: here.namespace}, true
}

// Check says what is known of an identified process now. Of another pid namespace nothing is known;
// what ran before this kernel started is dead.
func (t Table) Check(id Identity) core.ProcessState {
	here := t.vantage()
	if id.PID <= 0 || !here.sees {
		return core.ProcessUnknown
	}
	switch boot := bootID(); {
	case boot == "" && startCountsFromBoot:
		return core.ProcessUnknown
	case boot != id.BootID && boot != "" && id.BootID != "":
		return core.ProcessDead
	case boot != id.BootID:
		return core.ProcessUnknown
	}
	if here.namespace != id.PIDNamespace {
		return core.ProcessUnknown
	}
	s, state := find(id.PID)
	if state == core.ProcessAlive && s.start != id.StartTime {
		return core.ProcessDead
	}
	return state
}

// Info is what is known of one process.
type Info struct {
	PID, Parent int
	Name        string   // basename of the executable, without .exe; where it may not be read, Title
	Title       string   // what the process calls itself, cut by the system (15 bytes on Linux); may be empty
	Args        []string // may be empty where it may not be read; a process may have rewritten it
}

// Ancestors walks from pid towards the root, nearest first, at most limit steps; the first is pid
// itself. It ends early at a process that cannot be looked at.
func (t Table) Ancestors(pid, limit int) []Info { return slices.Collect(t.Walk(pid, limit)) }

// Walk is Ancestors for who stops at the first hit: each step costs a few system calls.
func (Table) Walk(pid, limit int) iter.Seq[Info] {
	return func(yield func(Info) bool) {
		for at, s := range climb(pid, limit) {
			if !yield(describe(at, s)) {
				return
			}
		}
	}
}

// Descends says whether ancestor is pid or one of the limit processes from pid on towards the root.
func (Table) Descends(pid, ancestor, limit int) bool {
	for at := range climb(pid, limit) {
		if at == ancestor {
			return true
		}
	}
	return false
}

// climb gives the processes from pid towards the root.
func climb(pid, limit int) iter.Seq2[int, stat] {
	return func(yield func(int, stat) bool) {
		var child stat
		for step := 0; step < limit && pid > 0; step++ {
			s, state := find(pid)
			if state != core.ProcessAlive {
				return
			}
			if step > 0 && s.start > child.start {
				return // the parent has gone and its number is used again
			}
			if !yield(pid, s) {
				return
			}
			child, pid = s, parentOf(pid, s)
		}
	}
}

// stat is what the table says of a process in one look.
type stat struct {
	parent int    // 0 where parentOf has to ask for it
	start  uint64 // see Identity.StartTime
	title  string // empty where describe has to ask for it
}

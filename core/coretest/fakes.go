package coretest

import (
	"strings"
	"sync"
	"time"

	"github.com/acc-control-plane/acc/core"
)

// WorkspaceID is the room that the suites use; the store under test must be opened for it.
const WorkspaceID = "workspace_coretest"

// Start is the moment at which every fake clock starts.
var Start = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// Clock is a core.Clock that stands still until a test moves it, in either direction.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock gives a clock at Start.
func NewClock() *Clock { return &Clock{now: Start} }

// Now implements core.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock; a negative d moves it back.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// IDs is a core.IDs that counts, so that a failing test reads the same every time.
type IDs struct {
	mu sync.Mutex
	n  int
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// NewID implements core.IDs with a ULID whose digits count up.
func (i *IDs) NewID(prefix string) string { return prefix + "_01" + i.next(24) }

// NewGeneration implements core.IDs.
func (i *IDs) NewGeneration() string { return "gen" + i.next(19) }

func (i *IDs) next(digits int) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.n++
	var b strings.Builder
	for shift := digits - 1; shift >= 0; shift-- {
		digit := 0
		if shift < 12 {
			digit = i.n >> (5 * shift) & 31
		}
		b.WriteByte(crockford[digit])
	}
	return b.String()
}

// Processes is a core.ProcessProbe over a table that a test fills; a pid that is not in it is unknown.
type Processes struct {
	mu    sync.Mutex
	table map[int]process
}

type process struct {
	state   core.ProcessState
	started time.Time
}

// Set says what is known of pid from now on.
func (p *Processes) Set(pid int, state core.ProcessState) { p.set(pid, process{state: state}) }

// StartedAt says that pid lives and started at a moment: whoever recorded it before is dead.
func (p *Processes) StartedAt(pid int, at time.Time) {
	p.set(pid, process{state: core.ProcessAlive, started: at})
}

func (p *Processes) set(pid int, state process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.table == nil {
		p.table = map[int]process{}
	}
	p.table[pid] = state
}

// Probe implements core.ProcessProbe.
func (p *Processes) Probe(pid int, notBefore time.Time) core.ProcessState {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := p.table[pid]
	if found.state == core.ProcessAlive && found.started.After(notBefore) {
		return core.ProcessDead
	}
	return found.state
}

// Package process looks at the process table without starting a process.
package process

import (
	"time"

	"github.com/acc-control-plane/acc/core"
)

// Table is the process table of this kernel and pid namespace. It implements core.ProcessProbe.
type Table struct{}

// Probe implements core.ProcessProbe.
func (Table) Probe(pid int, notBefore time.Time) core.ProcessState { panic("lands with process") }

// Info is what is known of one process.
type Info struct {
	PID, Parent int
	Name        string   // basename of the executable or comm
	Args        []string // may be empty where it may not be read
}

// Ancestors walks from pid towards the root, nearest first, at most limit steps.
func (Table) Ancestors(pid, limit int) []Info { panic("lands with process") }

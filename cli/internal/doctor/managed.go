package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/internal/runtime/maintenance"
)

// RuntimeState says which generation of acc runs from this data home.
type RuntimeState struct {
	Managed         bool
	Phase           runtime.Phase
	Active, Pending string // names of generations; Pending empty: none
	Auto            bool
	Pin             string // version; empty: none
	Worker          bool   // one is at work
	Holders         []string
}

// checkManaged looks at the generations. It says whether the data home is managed.
func (e *examination) checkManaged(ctx context.Context) bool {
	s, err := runtime.Open(e.Home).Status(ctx)
	if err != nil {
		e.warn(subjectRuntime, "which generation runs is unknown: "+err.Error(), hint(err, "acc doctor"))
		return true
	}
	if !s.Managed {
		return false
	}
	if s.Problem != "" {
		remedy := "acc install"
		if s.Phase == "" { // nobody is let in past a damaged record, acc install included
			control := quoted(layout.In(e.Home).Control())
			remedy = "mv " + control + " " + control + ".damaged, then acc install"
		}
		e.fail(subjectRuntime, "the record of generations cannot be used: "+s.Problem, remedy)
		return true
	}
	e.Runtime = RuntimeState{Managed: true, Phase: s.Phase, Active: s.Active.Name, Auto: s.Auto, Pin: s.Pin, Worker: s.Worker}
	text := "generation " + s.Active.Name + " is active"
	if s.Worker {
		text += "; a worker is at work"
	}
	e.ok(subjectRuntime, text)
	if s.Pending != nil {
		e.Runtime.Pending = s.Pending.Name
		e.warn(subjectRuntime, "generation "+s.Pending.Name+" waits to become active", "acc update")
	}
	if s.Phase == runtime.Activating {
		e.warn(subjectRuntime, "clients are being brought to another generation, and nobody may start until that is done", "acc update, if no other one is at work")
	}
	if s.Notice != "" {
		e.warn(subjectRuntime, s.Notice, "acc update")
	}
	e.checkMaintenance()
	e.checkGenerations(s)
	for _, l := range s.Launch {
		if !l.Present {
			e.fail(subjectRuntime, l.Path+" is missing, and clients call it", "acc install")
		}
	}
	if kind, network := e.fileSystem(e.Home.Runtime()); network {
		e.fail(subjectRuntime, "the runtime lies on "+kind+", where locks may not be seen by everybody", "set ACC_DATA_HOME to a local directory")
	}
	if s.Upgrade != nil && len(s.Upgrade.Failed) > 0 {
		e.warn(subjectRuntime, fmt.Sprintf("%d rooms keep the earlier contract: %s", len(s.Upgrade.Failed), strings.Join(s.Upgrade.Failed, "; ")), "acc doctor --migrate-store in each of them")
	}
	return true
}

// checkMaintenance tells of the restart of a client's service that somebody approved. One that failed has left a notice.
func (e *examination) checkMaintenance() {
	job, found, err := maintenance.Read(runtime.Open(e.Home))
	switch {
	case err != nil:
		e.fail(subjectRuntime, err.Error(), hint(err, "acc update"))
	case found && !job.Over():
		e.warn(subjectRuntime, fmt.Sprintf("the background service of %s, PID %d, is to be restarted for an update (%s)", job.Adapter, job.Process.PID, job.Status), "acc update")
	}
}

func (e *examination) checkGenerations(s runtime.Status) {
	for _, g := range s.Generations {
		if g.Problem != "" {
			level := e.warn // nobody runs it
			if g.Name == s.Active.Name {
				level = e.fail
			}
			level(subjectRuntime, "generation "+g.Name+" must not run: "+g.Problem, "acc install")
		}
		for _, h := range g.Holders {
			e.Runtime.Holders = append(e.Runtime.Holders, h.String())
		}
	}
	if n := len(e.Runtime.Holders); n > 0 {
		e.ok(subjectRuntime, fmt.Sprintf("%d processes keep generations in use: %s", n, strings.Join(e.Runtime.Holders, "; ")))
	}
}

// fileSystem says what a directory lies on, as far as that can be told.
func (e *examination) fileSystem(dir string) (kind string, network bool) {
	opened, err := e.FS.Open(e.Home.Root, dir)
	if err != nil {
		return "", false
	}
	defer opened.Close()
	kind, network, _ = opened.Kind()
	return kind, network
}

// Package schedule starts the worker of a managed runtime when there is something for it to do. It uses no network:
// acc and acc-mcp link it, hooks never do. What the worker then does is in package update.
package schedule

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/internal/runtime/maintenance"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
)

// NoCheck is the variable that, set to 1, forbids to use the network and to start workers.
const NoCheck = "ACC_NO_UPDATE_CHECK"

// Intervals.
const (
	startEvery  = time.Minute    // between two workers, as long as something is left to do
	upkeepEvery = 24 * time.Hour // between two rounds of upkeep of the stores
)

// Work is what a worker has to do.
type Work struct {
	Runtime []runtime.Why
	Stores  bool // they were not looked after since a day
	// Maintenance says that an approved restart of a service has not come to its end.
	Maintenance bool
}

// Any says whether there is anything.
func (w Work) Any() bool { return len(w.Runtime) > 0 || w.Stores || w.Maintenance }

// Due says what a worker has to do in a data home: nothing where nothing is managed, or while one is at work.
// network says whether a registry may be asked.
func Due(home datahome.Home, network bool) (Work, error) {
	m := runtime.Open(home)
	managed, err := m.Managed()
	if err != nil || !managed {
		return Work{}, err
	}
	why, err := m.Due(network)
	if err != nil {
		return Work{}, err
	}
	job, found, err := maintenance.Read(m)
	return Work{Runtime: why, Stores: old(upkeepMarker(home), upkeepEvery), Maintenance: found && !job.Over()}, err
}

// Start starts the worker of the active generation if there is something to do and no worker was started within
// the last minute. It does not wait, and the worker outlives this process. It says whether it started one; that
// nothing could be started is in nobody's way, so there is no other error to tell.
func Start(home datahome.Home, env func(string) string) (started bool) {
	if env(NoCheck) == "1" || !old(startMarker(home), startEvery) {
		return false
	}
	work, err := Due(home, true)
	if err != nil || !work.Any() {
		return false
	}
	m := runtime.Open(home)
	s, err := m.Settings()
	if err != nil || !claim(home, m) {
		return false
	}
	return start(home, s.Active.Name) == nil
}

// claim says whether it is this process that starts the worker of this minute: many commands at a time start one.
func claim(home datahome.Home, m *runtime.Manager) bool {
	lock, err := m.TakeLock(m.Layout().Worker())
	if err != nil {
		return false // another process is here, or a worker is at work
	}
	defer lock.Release()
	return old(startMarker(home), startEvery) && privatefile.Write(home.Root, startMarker(home), []byte("{}\n")) == nil
}

// MaintenanceCommand is the argument with which the worker of a generation works on the maintenance job.
const MaintenanceCommand = "maintenance"

// StartMaintenance starts the worker that goes on with the maintenance job: that of the generation which comes in, or of
// the active one if that has come in. It does not wait, and the worker outlives this process. If one is at work already,
// the new one finds that out and ends. If the generation is damaged, that is the error: a job for which nothing was done
// is cancelled, any other is ended by the worker of the active generation, which starts the service again.
func StartMaintenance(home datahome.Home) error {
	m := runtime.Open(home)
	s, err := m.Settings()
	if err != nil {
		return err
	}
	g := s.Active
	if s.Pending != nil {
		g = *s.Pending
	}
	if damaged := m.Verify(g); damaged != nil {
		return errors.Join(damaged, giveUp(home, m, s.Active)) // a later release can take its place
	}
	return startMaintenance(home, g)
}

// giveUp ends the job of a generation that cannot come in.
func giveUp(home datahome.Home, m *runtime.Manager, active runtime.Generation) error {
	if err := maintenance.Abandon(m); err != nil {
		return err
	}
	job, found, err := maintenance.Read(m)
	if err != nil || !found || job.Over() {
		return err
	}
	if err := m.Verify(active); err != nil {
		return err
	}
	return startMaintenance(home, active)
}

func startMaintenance(home datahome.Home, g runtime.Generation) error {
	if err := start(home, g.Name, MaintenanceCommand); err != nil {
		return protocol.DataError(ReasonNotStarted, fmt.Sprintf("the worker of acc %s could not be started: %v", g.Version, err)).WithHint("acc update").Because(err)
	}
	return nil
}

// ReasonNotStarted is the reason of a maintenance job that is approved and that nobody works on.
const ReasonNotStarted protocol.Reason = "maintenance_worker_start_failed"

// start starts the worker of a generation, detached.
func start(home datahome.Home, generation string, args ...string) error {
	cmd := exec.Command(layout.In(home).Executable(generation, "acc-worker"), args...)
	cmd.Dir = home.Root
	cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == "ACC_SESSION" || name == "ACC_GENERATION" || name == datahome.Variable
	})
	cmd.Env = append(cmd.Env, datahome.Variable+"="+home.Root)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// MarkUpkeep keeps that the stores are looked after now.
func MarkUpkeep(home datahome.Home) error {
	return privatefile.Write(home.Root, upkeepMarker(home), []byte("{}\n"))
}

func upkeepMarker(home datahome.Home) string { return filepath.Join(home.Runtime(), "upkeep.json") }

func startMarker(home datahome.Home) string { return filepath.Join(home.Runtime(), "worker.json") }

// old says whether a file was written at least so long ago, or never. One from the future was written under a clock
// that has been set back since.
func old(path string, least time.Duration) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	age := time.Since(info.ModTime())
	return age >= least || age < 0
}

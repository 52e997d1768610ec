// Command acc-worker brings a managed runtime to a later release, and keeps it and its stores in order. It is the
// only executable of acc that uses the network.
//
//	acc-worker                   does what is due and ends; acc starts it like this, detached
//	acc-worker update [--check]  does what acc update was asked for, and prints the answer as JSON
//	acc-worker activate          makes the pending generation, from which it runs, the active one
//	acc-worker maintenance       restarts the service that somebody approved, around that; acc update starts it, detached
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/runtime/maintenance"
	"github.com/acc-control-plane/acc/cli/internal/runtime/maintenance/vendors"
	"github.com/acc-control-plane/acc/cli/internal/self"
	"github.com/acc-control-plane/acc/cli/internal/update"
	"github.com/acc-control-plane/acc/cli/internal/update/schedule"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/cli/launch"
	"github.com/acc-control-plane/acc/cli/registry/clients"
	"github.com/acc-control-plane/acc/cli/release/build"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// lifetime bounds everything that a worker does.
const lifetime = 30 * time.Minute

const help = `usage: acc-worker [activate | maintenance | update [--check]]

Brings a managed runtime to a later release. acc starts it; people use acc update.

  --help     print this
  --version  print the version
`

func main() {
	if text := self.About(os.Args[1:], "acc-worker", help); text != "" {
		fmt.Print(text)
		return
	}
	launch.Enter(update.Worker, launch.Management)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, lifetime)
	code := run(ctx, os.Args[1:])
	cancel()
	stop()
	os.Exit(int(code))
}

// run is one worker.
func run(ctx context.Context, args []string) protocol.Code {
	env := datahome.Installed(os.Getenv)
	home, err := datahome.Locate(env)
	if err != nil {
		return fail(err)
	}
	w := worker{home: home, env: env, manager: runtime.Open(home), network: env(schedule.NoCheck) != "1"}
	switch {
	case len(args) == 0:
		return w.pass(ctx)
	case slices.Equal(args, []string{update.ActivateCommand}):
		return w.activate(ctx)
	case slices.Equal(args, []string{schedule.MaintenanceCommand}):
		return w.maintain(ctx)
	case slices.Equal(args, []string{"update"}):
		return w.update(ctx)
	case slices.Equal(args, []string{"update", "--check"}):
		return w.look(ctx)
	}
	fmt.Fprintln(os.Stderr, "acc-worker: these arguments are not known; acc-worker --help says which are")
	return protocol.Usage
}

type worker struct {
	home    datahome.Home
	env     func(string) string
	manager *runtime.Manager
	network bool
}

func (w worker) updater() *update.Updater {
	return &update.Updater{
		Manager: w.manager, Network: w.network,
		Source:   func() (update.Source, error) { return update.OwnSource(w.env) },
		Activate: update.ByWorker(w.manager, w.home),
	}
}

// pass does what is due. Nobody reads what it prints; what people should know it keeps as a notice.
func (w worker) pass(ctx context.Context) protocol.Code {
	due, err := schedule.Due(w.home, w.network)
	if err != nil || !due.Any() {
		return protocol.CodeOf(err)
	}
	if due.Maintenance { // it updates, too
		if err := schedule.StartMaintenance(w.home); err != nil {
			return fail(err)
		}
		return protocol.OK
	}
	result, updateErr := w.updater().Update(ctx, false)
	var upkeepErr error
	if result.Outcome != update.Updated { // otherwise the worker of that release has done it, and this one is the past
		upkeepErr = update.Upkeep(ctx, w.manager, w.home, due)
	}
	for _, err := range []error{updateErr, upkeepErr} {
		if err != nil {
			fmt.Fprintln(os.Stderr, "acc-worker:", err)
		}
	}
	return max(protocol.CodeOf(updateErr), protocol.CodeOf(upkeepErr))
}

// look says whether there is a later release.
func (w worker) look(ctx context.Context) protocol.Code {
	result, err := w.updater().Look(ctx)
	if err != nil {
		return fail(err)
	}
	return w.say(result)
}

// update does what a person waits for.
func (w worker) update(ctx context.Context) protocol.Code {
	result, err := w.updater().Update(ctx, true)
	if err != nil {
		return fail(err)
	}
	if result.Outcome == update.Current {
		// Somebody who asks need not wait for the next pass. What is left over stays on record.
		_ = update.Upkeep(ctx, w.manager, w.home, schedule.Work{Runtime: []runtime.Why{runtime.WhyUpgrade, runtime.WhyReclaim}})
	}
	return w.say(result)
}

func (w worker) say(result update.Result) protocol.Code {
	data, err := update.Answer(w.manager, result)
	if err != nil {
		return fail(err)
	}
	envelope, err := view.Update.Envelope(data, view.Meta{})
	if err != nil {
		return fail(err)
	}
	return printed(envelope)
}

func (w worker) activate(ctx context.Context) protocol.Code {
	s, err := w.manager.Settings()
	if err != nil {
		return fail(err)
	}
	in := w.clients(s)
	if err := update.Activate(ctx, w.manager, build.ID(), in); err != nil {
		return fail(err)
	}
	return protocol.OK
}

func (w worker) clients(s runtime.Settings) update.Clients {
	return update.Clients{Home: w.home, Env: w.env, Installers: clients.Installers, Settings: s}
}

// maintain works on the maintenance job. Nobody reads what it prints; the job and a notice say what came of it.
func (w worker) maintain(ctx context.Context) protocol.Code {
	s, err := w.manager.Settings()
	if err != nil {
		return fail(err)
	}
	incoming, damaged := cmp.Or(s.Pending, &s.Active), error(nil)
	if incoming.BuildID != build.ID() {
		// The active release takes the place of one that cannot come in, as far as that is the old state again.
		if damaged = w.manager.Verify(*incoming); damaged == nil || s.Active.BuildID != build.ID() {
			return fail(protocol.ConflictError(runtime.ReasonStateChanged, "this build of acc is not the one that comes in").WithHint("acc update"))
		}
	}
	all, err := clients.Installers()
	if err != nil {
		return fail(err)
	}
	job := maintenance.Worker{Manager: w.manager, Services: vendors.Services(w.home, w.env, all, s), Integrations: w.clients(s)}
	work := job.Run
	if damaged != nil {
		work = func(ctx context.Context) error { return job.Salvage(ctx, damaged) }
	}
	if err := work(ctx); err != nil {
		return fail(err)
	}
	// What is left over stays on record for the next pass.
	_ = update.Upkeep(ctx, w.manager, w.home, schedule.Work{Runtime: []runtime.Why{runtime.WhyUpgrade, runtime.WhyReclaim}})
	return protocol.OK
}

// fail prints an error for the program that started this one.
func fail(err error) protocol.Code {
	known := update.Failed(err)
	if code := printed(view.AppendError(nil, known)); code != protocol.OK {
		return code
	}
	return known.Code
}

func printed(envelope []byte) protocol.Code {
	if _, err := os.Stdout.Write(append(envelope, '\n')); err != nil {
		return protocol.Data
	}
	return protocol.OK
}

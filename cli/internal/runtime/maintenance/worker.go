package maintenance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/runtime/lockfile"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// Worker works on the job. It is a worker of the incoming generation, whose integrations it applies.
type Worker struct {
	Manager      *runtime.Manager
	Services     []Service
	Integrations runtime.Integrations
	// Poll is the time between two looks at a service that is busy; 0: a second.
	Poll time.Duration
	// StopLimit is how long a service that was told to stop may go on, and one that an earlier worker may have
	// started may take to show itself; 0: 15 seconds.
	StopLimit time.Duration
	// Step is told of each step before it is taken; tests stop and kill processes there. nil outside tests.
	Step func(name string)
}

// Limits of single steps.
const (
	stopLimit  = 15 * time.Second
	startLimit = 30 * time.Second
)

// errNotIdle says that the service is at work again; the job goes on waiting.
var errNotIdle = errors.New("the service is busy")

// Run works on the job until it is over, or until ctx ends: then the next Run goes on. Without a job, or while
// another worker has it, there is nothing to do. A job that failed is an error with its reason.
func (w Worker) Run(ctx context.Context) error {
	return w.with(func(r *run) error { return r.all(ctx) })
}

// Salvage ends the job because its release cannot come in, which is why: a service that was stopped is started again, and
// acc is open as before unless clients may have been changed already. It is for a worker of the active generation,
// which needs none of the incoming one for that.
func (w Worker) Salvage(ctx context.Context, why error) error {
	return w.with(func(r *run) error { return r.salvage(ctx, why) })
}

// with does something about the job that nobody else works on, and that is not over.
func (w Worker) with(do func(r *run) error) error {
	lock, err := w.Manager.TakeLock(w.Manager.Layout().MaintenanceLock())
	if errors.Is(err, lockfile.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	j, found, err := Read(w.Manager)
	if err != nil || !found || j.Over() {
		return err
	}
	for _, s := range w.Services {
		if s.Adapter() == j.Adapter {
			return do(&run{Worker: w, job: j, service: s})
		}
	}
	return (&run{Worker: w, job: j}).fail(protocol.DataError(ReasonNotOffered, "this build cannot restart the service of "+j.Adapter))
}

// salvage is Salvage once the job is known.
func (r *run) salvage(ctx context.Context, why error) error {
	if r.job.Status == Stopping {
		// The service was told to end, or was about to be. If it goes on, there is nothing to start.
		if err := r.dead(ctx); err != nil {
			why = errors.Join(why, err)
		}
	}
	if r.job.untouched() {
		// Before the job gets further: whoever takes over from here must know that nothing was changed.
		why = errors.Join(why, r.Manager.Reopen(context.WithoutCancel(ctx)))
	}
	return r.fail(r.revived(ctx, why))
}

// run is the work on one job.
type run struct {
	Worker
	job     Job
	service Service
	// restored says that the service was started, or that it was tried.
	restored bool
}

func (r *run) reach(step string) {
	if r.Step != nil {
		r.Step(step)
	}
}

// checkpoint keeps how far the job has come, before anything that belongs to it is done.
func (r *run) checkpoint(s Status) error {
	r.job.Status = s
	r.reach("checkpoint " + string(s))
	return save(r.Manager, &r.job)
}

// giveUp ends the job.
func (r *run) giveUp(ctx context.Context, err error) error { return r.fail(r.revived(ctx, err)) }

// revived starts a service that was stopped and that nobody has tried to start since, before the job ends for a reason,
// and adds what came of it.
func (r *run) revived(ctx context.Context, err error) error {
	if r.job.stopped() && !r.restored && (process.Table{}).Check(r.job.Process) == core.ProcessDead {
		return errors.Join(err, r.restore(ctx))
	}
	return err
}

// fail ends the job, and lets people know.
func (r *run) fail(err error) error {
	r.job.Reason, r.job.Note = string(protocol.ReasonOf(err)), err.Error()
	if r.job.Reason == "" {
		r.job.Reason = string(reasonActivation)
	}
	r.job.Note = r.job.Note[:min(len(r.job.Note), maxText/2)]
	noticed := r.Manager.SetNotice(context.Background(), "the restart of the service of "+r.job.Adapter+" did not come to its end: "+r.job.Note)
	return errors.Join(err, noticed, r.checkpoint(Failed))
}

// all waits for a moment in which everything can be done, and does it.
func (r *run) all(ctx context.Context) error {
	for {
		err := r.attempt(ctx)
		switch {
		case err == nil:
			r.job.Reason, r.job.Note = "", ""
			return r.checkpoint(Completed)
		case ctx.Err() != nil:
			return err // whoever comes next goes on
		case !errors.Is(err, errNotIdle) && protocol.ReasonOf(err) != runtime.ReasonProcessesActive && protocol.ReasonOf(err) != protocol.ReasonAdmissionBusy:
			return r.giveUp(ctx, err)
		case !r.job.stopped() && time.Now().After(r.job.Deadline):
			return r.fail(protocol.TimeoutError(ReasonExpired, fmt.Sprintf("the service of %s was not idle within %s: %v", r.job.Adapter, patience, err)))
		}
		if note := err.Error(); note != r.job.Note && !r.job.stopped() {
			r.job.Note = note[:min(len(note), maxText/2)]
			if err := r.checkpoint(Waiting); err != nil {
				return err
			}
		}
		if err := r.pause(ctx); err != nil {
			return err
		}
	}
}

func (r *run) pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(cmp.Or(r.Poll, time.Second)):
		return nil
	}
}

// attempt does everything that is left of the job, if the service is idle.
func (r *run) attempt(ctx context.Context) error {
	untouched := r.job.untouched()
	if !r.job.stopped() {
		if (process.Table{}).Check(r.job.Caller) == core.ProcessAlive {
			return fmt.Errorf("who asked still runs: %w", errNotIdle)
		}
		if err := r.idle(ctx); err != nil {
			return err
		}
		if err := r.checkpoint(Fencing); err != nil {
			return err
		}
	}
	return r.Manager.ActivateAround(ctx, r.Integrations, runtime.Around{
		Again: true, Untouched: untouched, Fenced: r.stop, Restore: r.restore,
		Spare: func(h runtime.Holder) bool { return serves(r.job.Adapter, r.job.Process, r.job.Sessions, h) },
	})
}

// idle says whether exactly the approved process serves, and has nothing to do.
func (r *run) idle(ctx context.Context) error {
	state, err := r.service.Inspect(ctx)
	switch {
	case err != nil:
		return err
	case !state.Running || state.Process != r.job.Process:
		return protocol.ConflictError(ReasonChanged, "another process serves "+r.job.Adapter+" than the one whose restart was approved")
	case state.Busy, len(state.Sessions) > maxSessions:
		return errNotIdle
	}
	r.job.Sessions = state.Sessions
	return nil
}

// stop stops the service behind the fence, once.
func (r *run) stop(ctx context.Context) error {
	switch {
	case r.job.Status == Stopping:
		// An earlier worker has told it to stop, or was about to. It is never told again: if it goes on, that is
		// for a person to see to.
		if err := r.dead(ctx); err != nil {
			return err
		}
		return r.checkpoint(Refreshing)
	case r.job.stopped():
		return nil
	}
	if err := r.idle(ctx); err != nil {
		return err
	}
	if err := r.checkpoint(Stopping); err != nil {
		return err
	}
	r.reach("stop")
	stopErr := r.service.Stop(ctx, r.job.Process)
	r.reach("stopped")
	if err := r.dead(ctx); err != nil {
		if stopErr != nil {
			err = protocol.DataError(ReasonStopFailed, fmt.Sprintf("the service of %s did not stop: %v", r.job.Adapter, stopErr)).Because(stopErr)
		}
		return err
	}
	return r.checkpoint(Refreshing)
}

// dead waits until the approved process is known to be dead.
func (r *run) dead(ctx context.Context) error {
	for limit := time.Now().Add(cmp.Or(r.StopLimit, stopLimit)); ; {
		switch (process.Table{}).Check(r.job.Process) {
		case core.ProcessDead:
			return nil
		case core.ProcessUnknown:
			return protocol.DataError(ReasonDeathUnknown, fmt.Sprintf("nobody can tell whether PID %d, the service of %s, has ended", r.job.Process.PID, r.job.Adapter))
		case core.ProcessAlive:
		}
		if time.Now().After(limit) {
			return protocol.DataError(ReasonStopFailed, fmt.Sprintf("PID %d, the service of %s, goes on", r.job.Process.PID, r.job.Adapter))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// restore starts the service, unless a process that is not the stopped one serves already, and looks that it
// serves. One that an earlier worker may have started is given the time to show itself.
func (r *run) restore(ctx context.Context) error {
	r.restored = true
	// The service is somebody's: a deadline that the clients have used up must not leave it stopped.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startLimit)
	defer cancel()
	if r.job.Status == Restarting && r.comesUp(ctx, cmp.Or(r.StopLimit, stopLimit)) || r.serves(ctx) {
		return nil
	}
	if err := r.checkpoint(Restarting); err != nil {
		return err
	}
	r.reach("start")
	err := r.service.Start(ctx)
	r.reach("started")
	if err == nil && !r.comesUp(ctx, startLimit) {
		err = errors.New("it does not serve")
	}
	if err != nil {
		return protocol.DataError(ReasonStartFailed, fmt.Sprintf("the service of %s could not be started again: %v", r.job.Adapter, err)).
			WithHint("start it yourself").Because(err)
	}
	return nil
}

// comesUp waits until another process than the stopped one serves.
func (r *run) comesUp(ctx context.Context, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for !r.serves(ctx) {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return true
}

// serves says whether a process serves that is not the one that was to be stopped.
func (r *run) serves(ctx context.Context) bool {
	state, err := r.service.Inspect(ctx)
	return err == nil && state.Running && state.Process != r.job.Process
}

package command

import (
	"context"
	"fmt"
	"os"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/runtime/maintenance"
	"github.com/acc-control-plane/acc/cli/internal/runtime/maintenance/vendors"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/update/schedule"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// reasonUnconfirmed is the reason of an offer that nobody could be asked about.
const reasonUnconfirmed protocol.Reason = "confirmation_required"

// bring brings acc to a later release. An approved restart of a service that has not come to its end is gone on with
// before anything else; one that would help is offered.
func (o update) bring(ctx context.Context, agreed bool) (Answer, error) {
	job, found, err := maintenance.Read(o.runtime)
	if err != nil {
		return Answer{}, err
	}
	if found && !job.Over() {
		return o.restart(job)
	}
	a, err := o.work(ctx, "update")
	if protocol.ReasonOf(err) != runtime.ReasonProcessesActive {
		return a, err
	}
	return o.offer(ctx, agreed, err)
}

// offer has a service restarted that keeps a release waiting, if a person wants that. waiting is why it waits.
func (o update) offer(ctx context.Context, agreed bool, waiting error) (Answer, error) {
	s, err := o.runtime.Settings()
	if err != nil || s.Pending == nil {
		return Answer{}, waiting
	}
	all, err := o.inv.Installers()
	if err != nil {
		return Answer{}, err
	}
	service, p, found, err := maintenance.Offer(ctx, o.runtime, vendors.Services(o.home, o.inv.Env, all, s))
	if err != nil || !found {
		return Answer{}, waiting // which is what a person can do something about
	}
	if !agreed {
		what := fmt.Sprintf("the background service of %s, PID %d, keeps acc %s waiting", service.Adapter(), p.PID, s.Pending.Version)
		if !o.inv.canAsk() {
			return Answer{}, protocol.ConflictError(reasonUnconfirmed, what+" and can be restarted once it is idle").
				With("adapter", service.Adapter()).With("pid", p.PID).WithHint("acc update --yes").Because(waiting)
		}
		o.inv.UI.Note(waiting.Error())
		if agreed, err = o.inv.confirm(what + ".\nRestart it once it is idle? Its sessions are disconnected for that moment."); err != nil || !agreed {
			return Answer{}, waiting
		}
	}
	self, ok := process.NewTable().Identify(os.Getpid())
	if !ok {
		return Answer{}, protocol.DataError("", "acc cannot look at its own process here, so nothing could wait for its end")
	}
	job, err := maintenance.Approve(ctx, o.runtime, service, p, self)
	if err != nil {
		return Answer{}, err
	}
	return o.restart(job)
}

// restart starts the worker of a job, unless one is at work, and says how far it is.
func (o update) restart(job maintenance.Job) (Answer, error) {
	if err := schedule.StartMaintenance(o.home); err != nil {
		return Answer{}, err
	}
	s, err := o.runtime.Settings()
	if err != nil {
		return Answer{}, err
	}
	data := settled(view.UpdateAtService, s)
	data.Notice = fmt.Sprintf("PID %d, the background service of %s, is restarted once it is idle (%s); acc update says how far that is", job.Process.PID, job.Adapter, job.Status)
	if job.Note != "" {
		data.Notice += ". It waits: " + job.Note
	}
	return answer(view.Update, data, func(u *ui.UI) { sayUpdate(u, data) }), nil
}

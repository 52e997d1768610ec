package update

import (
	"context"
	"errors"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/update/schedule"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
)

// Steps of an update, as tests stop at them. Those of staging and activating are the runtime's.
const (
	StepDiscover = "update: discover"
	StepDownload = "update: download"
	StepVerify   = "update: verify"
	StepExtract  = "update: extract"
	StepTry      = "update: try"
	StepStage    = "update: stage"
	StepPublish  = "update: publish"
	StepActivate = "update: activate"
)

// Updater brings one runtime to a later release.
type Updater struct {
	Manager *runtime.Manager
	// Source says where releases come from, or why nobody knows.
	Source func() (Source, error)
	// Activate lets the worker of a pending generation activate it. It must not hold the worker's lock.
	Activate func(ctx context.Context, g runtime.Generation) error
	// Network says whether a registry may be asked at all.
	Network bool
	// Step, if not nil, is told of each step before it is taken.
	Step func(name string)
}

func (u *Updater) reach(step string) {
	if u.Step != nil {
		u.Step(step)
	}
}

// Outcome is how far an update came.
type Outcome string

// The outcomes.
const (
	Current   Outcome = "current"   // there is nothing later
	Available Outcome = "available" // there is a later release, and nobody asked for more than to look
	Updated   Outcome = "updated"   // a later release became active
	Skipped   Outcome = "skipped"   // nothing was looked for: it is not due, or nobody wants it
)

// Result is what became of an update that did not fail.
type Result struct {
	Outcome Outcome
	From    string // version that was active before
	Latest  string // version that the registry offered; "": it was not asked
}

// Look asks which release there is, and changes nothing.
func (u *Updater) Look(ctx context.Context) (Result, error) {
	s, err := u.Manager.Settings()
	if err != nil {
		return Result{}, err
	}
	offer, _, err := u.discover(ctx, s)
	if err != nil {
		return Result{}, err
	}
	r := Result{Outcome: Current, From: s.Active.Version, Latest: offer.Version.String()}
	if newer(offer, s.Active) {
		r.Outcome = Available
	}
	return r, nil
}

// Update finishes what is pending, and else looks for a later release and makes it the active one. asked says
// that a person waits for it: then neither the preference nor the interval counts. The active generation stays what
// it is until the very end; an error says what kept it, and running Update once more goes on from there.
func (u *Updater) Update(ctx context.Context, asked bool) (Result, error) {
	lock, err := u.lock(ctx, asked)
	if err != nil {
		return Result{}, err
	}
	defer func() { lock() }()
	u.sweep()
	s, err := u.Manager.Settings()
	if err != nil {
		return Result{}, err
	}
	r := Result{Outcome: Skipped, From: s.Active.Version}
	var waiting error // why what is pending stays so
	if s.Pending != nil && (asked || s.Auto || s.Phase == runtime.Activating) {
		waiting = u.activate(ctx, *s.Pending, &lock)
		if waiting == nil {
			r.Outcome = Updated
			return r, nil
		}
		if !replaceable(waiting) {
			return r, waiting
		}
	}
	switch {
	// Whether it is due is asked under the lock: another worker may just have looked.
	case !asked && (!s.Auto || !s.CheckDue(time.Now()) || !u.Network):
		return r, waiting
	case waiting != nil && !u.Network:
		return r, waiting
	}
	return u.advance(ctx, s, r, waiting, &lock)
}

// advance looks for a release that is later than what is active and than what waits, and activates it.
func (u *Updater) advance(ctx context.Context, s runtime.Settings, r Result, waiting error, lock *func()) (Result, error) {
	if u.Network {
		// Before it is looked for, so that a registry that hangs or fails is not asked at every turn.
		if err := u.Manager.SetCheckedAt(ctx, time.Now()); err != nil {
			return r, errors.Join(waiting, err)
		}
	}
	offer, source, err := u.discover(ctx, s)
	if err != nil {
		return r, first(waiting, err)
	}
	r.Outcome, r.Latest = Current, offer.Version.String()
	if !newer(offer, s.Active) {
		if waiting == nil && s.Notice != "" {
			waiting = u.Manager.SetNotice(ctx, "") // it was about a release that is gone
		}
		return r, waiting
	}
	if waiting != nil && protocol.ReasonOf(waiting) != runtime.ReasonGenerationDamaged && !newer(offer, *s.Pending) {
		return r, waiting
	}
	staged, err := u.fetch(ctx, newRegistry(source), offer, s.Targets)
	if err != nil {
		return r, u.noted(ctx, first(waiting, err))
	}
	u.reach(StepPublish)
	err = u.Manager.Publish(ctx, staged)
	next := staged.Generation
	staged.Release()
	if err != nil {
		return r, u.noted(ctx, err)
	}
	if err := u.activate(ctx, next, lock); err != nil {
		return r, err
	}
	r.Outcome = Updated
	return r, nil
}

// discover asks the registry of this build for the release that the settings want.
func (u *Updater) discover(ctx context.Context, s runtime.Settings) (Offer, Source, error) {
	source, err := u.Source()
	if err != nil {
		return Offer{}, Source{}, err
	}
	if !u.Network {
		return Offer{}, Source{}, protocol.DataError(ReasonNetworkDisabled, schedule.NoCheck+"=1 forbids to look for a release").WithHint("unset it, then: acc update")
	}
	u.reach(StepDiscover)
	offer, err := newRegistry(source).discover(ctx, s.Pin)
	return offer, source, err
}

// activate gives the lock up, because the worker of the incoming generation takes it, and takes it back.
func (u *Updater) activate(ctx context.Context, g runtime.Generation, lock *func()) error {
	u.reach(StepActivate)
	(*lock)()
	*lock = func() {}
	err := u.Activate(ctx, g)
	if err == nil {
		return nil
	}
	switch protocol.ReasonOf(err) {
	case runtime.ReasonProcessesActive, runtime.ReasonRefreshFailed, runtime.ReasonStateChanged, runtime.ReasonWorkerBusy, protocol.ReasonAdmissionBusy:
		// The runtime has said so, or it is over in a moment.
	default:
		err = u.noted(ctx, err)
	}
	again, lockErr := u.lock(ctx, true)
	if lockErr != nil {
		return errors.Join(err, lockErr)
	}
	*lock = again
	return err
}

// patience is how long somebody who waits for an update waits for another worker.
const patience = 10 * time.Second

// lock keeps other workers out. One that nobody waits for does not wait either.
func (u *Updater) lock(ctx context.Context, wait bool) (release func(), err error) {
	return Lock(ctx, u.Manager, wait)
}

// Lock takes the worker's lock, for a while if somebody waits.
func Lock(ctx context.Context, m *runtime.Manager, wait bool) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		release, err = m.LockWorker()
		if protocol.ReasonOf(err) != runtime.ReasonWorkerBusy || !wait {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, hinted(err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// hinted tells who has waited in vain what to do.
func hinted(err error) error {
	var known *protocol.Error
	if errors.As(err, &known) {
		return known.WithHint("wait a moment, then: acc update")
	}
	return err
}

// noted keeps for people why a release that was found is not used.
func (u *Updater) noted(ctx context.Context, err error) error {
	return errors.Join(err, u.Manager.SetNotice(context.WithoutCancel(ctx), err.Error()))
}

// replaceable says whether a later release may take the place of one that could not be activated. One that has
// begun to change clients goes on.
func replaceable(err error) bool {
	switch protocol.ReasonOf(err) {
	case runtime.ReasonProcessesActive, runtime.ReasonGenerationDamaged, runtime.ReasonAdapterMissing, runtime.ReasonContract, runtime.ReasonRefreshFailed:
		return true
	}
	return false
}

func newer(o Offer, than runtime.Generation) bool {
	v, ok := release.ParseVersion(than.Version)
	return ok && o.Version.Compare(v) > 0
}

// first is the first of two errors that is one: what was there before explains more than what came of trying to
// get around it.
func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

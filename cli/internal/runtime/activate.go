package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/acc-control-plane/acc/cli/internal/runtime/lockfile"
	"github.com/acc-control-plane/acc/protocol"
)

// Steps of an activation, as tests stop at them.
const (
	stepPrepared  = "activate: prepared"
	stepFence     = "activate: fence"
	stepFenced    = "activate: fenced"
	stepApply     = "activate: apply " // and the adapter's id
	stepPublish   = "activate: publish"
	stepPublished = "activate: published"
	stepLink      = "activate: link " // and the program
)

// Integrations are what an activation changes in the clients of the machine. They are those of the incoming
// generation: its own worker activates it.
type Integrations interface {
	// Prepare detects and plans, and writes nothing. It runs before anybody is kept from starting. It gives what
	// has to be done, in order; what needs nothing may be left out.
	Prepare(ctx context.Context, to Generation) ([]Application, error)
}

// Application brings one client up to date. It may run again after it failed or was interrupted.
type Application struct {
	Adapter string // its id
	Apply   func(ctx context.Context) error
}

// NoIntegrations is for who has no clients to bring up to date.
type NoIntegrations struct{}

// Prepare implements Integrations.
func (NoIntegrations) Prepare(context.Context, Generation) ([]Application, error) { return nil, nil }

// Activate makes the pending generation the active one. What was pending is verified first; then, for a moment,
// nobody may start, and if no process or session of another store contract is at work, the fence is put up:
// nothing of acc starts any more until every client has been brought up to date and the new pointer is
// published. An error before the fence changes nothing but the notice. One after it (ReasonRefreshFailed) leaves
// the fence and the old pointer; activating again, with this release or a later one, goes on from there.
//
// The launch paths follow at the end. They are not needed for anything to be right, so a failure there is not one
// of the activation: Relink does it later.
func (m *Manager) Activate(ctx context.Context, in Integrations) error {
	to, err := m.incoming()
	if err != nil {
		return err
	}
	applications, err := in.Prepare(ctx, to.Generation)
	if err != nil {
		return err
	}
	contracts := m.contracts(to.Generation)
	sessions := m.sessions(ctx)
	m.reach(stepPrepared)
	err = m.change(ctx,
		func(c *control) error { return raiseFence(c, to) },
		func(control) error {
			m.reach(stepFence)
			return m.refuseOthers(to.Generation, contracts, sessions)
		})
	if protocol.ReasonOf(err) == ReasonProcessesActive {
		return errors.Join(err, m.SetNotice(ctx, err.Error()))
	}
	if err != nil {
		return err
	}
	m.reach(stepFenced)
	if err := m.apply(ctx, applications, to.Generation); err != nil {
		return err
	}
	m.reach(stepPublish)
	err = m.change(ctx, func(c *control) error {
		if c.Phase != Activating || c.Pending.Name != to.Name {
			return changed("another release came in between")
		}
		c.Phase, c.Active, c.Pending, c.Notice, c.Downgrade = Ready, to.Generation, nil, "", false
		return nil
	}, nil)
	if err != nil {
		return err
	}
	m.reach(stepPublished)
	_ = m.Relink()
	return nil
}

// incoming gives the pending generation, verified: nothing runs that is not what it was when it was staged.
func (m *Manager) incoming() (content, error) {
	c, err := m.control()
	if err != nil {
		return content{}, err
	}
	if c.Pending == nil {
		return content{}, protocol.ConflictError(ReasonNothingPending, "there is no later release to activate")
	}
	to, err := m.installed(c.Pending.Name)
	if err != nil {
		return content{}, err
	}
	if to.BuildID != c.Pending.BuildID {
		return content{}, damaged(m.at.Generation(to.Name), errors.New("it is another build than the record names"))
	}
	return to, admissible(c, to.Generation, to.manifest.Adapters, c.Downgrade)
}

// raiseFence is the change of the record that keeps everybody from starting.
func raiseFence(c *control, to content) error {
	if c.Pending == nil || c.Pending.Name != to.Name {
		return changed("another release became pending")
	}
	if err := admissible(*c, to.Generation, to.manifest.Adapters, c.Downgrade); err != nil {
		return err
	}
	c.Phase = Activating
	return nil
}

func changed(what string) error {
	return protocol.ConflictError(ReasonStateChanged, what+" while this one was being prepared").WithHint("acc update")
}

// apply brings every client up to date. The first that fails ends it, and keeps the fence.
func (m *Manager) apply(ctx context.Context, applications []Application, to Generation) error {
	for _, a := range applications {
		m.reach(stepApply + a.Adapter)
		err := ctx.Err()
		if err == nil {
			err = a.Apply(ctx)
		}
		if err == nil {
			continue
		}
		refused := protocol.DataError(ReasonRefreshFailed, fmt.Sprintf("%s could not be brought to %s, so acc stays closed until that is mended: %v", a.Adapter, to.Version, err)).
			With("adapter", a.Adapter).WithHint("acc update").Because(err)
		// The deadline of the failed client must not keep the notice from being written.
		return errors.Join(refused, m.SetNotice(context.WithoutCancel(ctx), refused.Message))
	}
	return nil
}

// refuseOthers gives the reason why a generation cannot become active now. It runs under exclusive admission, so
// what it sees does not change.
func (m *Manager) refuseOthers(to Generation, contracts map[string]int, before sessions) error {
	holders, err := m.users(contracts)
	if err != nil {
		return err
	}
	native, err := before.again()
	if err != nil {
		return err
	}
	blocking := slices.DeleteFunc(append(holders, native...), func(h Holder) bool {
		return h.StoreContract == to.StoreContract && h.StoreContract != 0
	})
	if len(blocking) == 0 {
		return nil
	}
	return protocol.ConflictError(ReasonProcessesActive, waiting(to, blocking)).
		With("holders", len(blocking)).WithHint("end them, or wait; then: acc update")
}

// contracts gives the store contract of every generation that is installed, 0 where it cannot be trusted. It
// reads all of their files, so it runs before the lock is taken; who appears later is unknown.
func (m *Manager) contracts(known ...Generation) map[string]int {
	all := map[string]int{}
	names, _ := m.generations()
	for _, name := range names {
		if c, err := m.installed(name); err == nil {
			all[name] = c.StoreContract
		}
	}
	if c, err := m.control(); err == nil && c.Active.StoreContract != 0 && all[c.Active.Name] != 0 {
		all[c.Active.Name] = c.Active.StoreContract // what was declared is kept
	}
	for _, g := range known {
		all[g.Name] = g.StoreContract
	}
	return all
}

// users finds the processes of every generation that use stores. Under exclusive admission no other one can
// appear.
func (m *Manager) users(contracts map[string]int) ([]Holder, error) {
	names, err := m.lockedNames()
	if err != nil {
		return nil, err
	}
	var all []Holder
	for _, name := range names {
		lock, err := lockfile.Take(m.at.Users(name), lockfile.Exclusive)
		switch {
		case err == nil:
			lock.Release()
		case errors.Is(err, lockfile.ErrBusy):
			all = append(all, m.named(name, contracts[name])...)
		default:
			return nil, failed("cannot look at", m.at.Users(name), err)
		}
	}
	return all, nil
}

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
	return m.ActivateAround(ctx, in, Around{})
}

// Around is what maintenance does around an activation.
type Around struct {
	// Again activates the active generation once more where no other one is pending.
	Again bool
	// Spare says of a holder that Fenced ends it. nil: of none.
	Spare func(h Holder) bool
	// Fenced runs when nobody can start any more and nothing has been changed yet. Its error ends the activation
	// and, if this activation put the fence up or Untouched is set, takes the fence down again. nil: nothing.
	Fenced func(ctx context.Context) error
	// Untouched says that a fence which is up already is that of an activation that had changed nothing.
	Untouched bool
	// Restore runs once Fenced has succeeded, after the clients, also where one of them could not be brought up to
	// date. Its error is reported, and changes nothing about the activation. nil: nothing.
	Restore func(ctx context.Context) error
}

// ActivateAround is Activate with something done around the work in the clients.
func (m *Manager) ActivateAround(ctx context.Context, in Integrations, around Around) error {
	if err := m.heal(ctx); err != nil {
		return err
	}
	to, err := m.incoming(around.Again)
	if err != nil {
		return err
	}
	applications, err := in.Prepare(ctx, to.Generation)
	if err != nil {
		return err
	}
	raised, err := m.fence(ctx, to, around)
	if err != nil {
		return err
	}
	if around.Fenced != nil {
		if err := around.Fenced(ctx); err != nil {
			if raised || around.Untouched {
				err = errors.Join(err, m.Reopen(context.WithoutCancel(ctx)))
			}
			return err
		}
	}
	err = m.apply(ctx, applications, to.Generation)
	var restored error
	if around.Restore != nil {
		restored = around.Restore(ctx)
	}
	if err != nil {
		return errors.Join(err, restored)
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
	return restored
}

// fence keeps everybody from starting, if nobody stands in the way, and says whether it did so just now.
func (m *Manager) fence(ctx context.Context, to content, around Around) (raised bool, err error) {
	contracts := m.contracts(to.Generation)
	sessions := m.sessions(ctx)
	m.reach(stepPrepared)
	err = m.change(ctx,
		func(c *control) error {
			raised = c.Phase == Ready
			return raiseFence(c, to, around.Again)
		},
		func(control) error {
			m.reach(stepFence)
			return m.refuseOthers(to.Generation, contracts, sessions, around.Spare)
		})
	if protocol.ReasonOf(err) == ReasonProcessesActive {
		err = errors.Join(err, m.SetNotice(ctx, err.Error()))
	}
	if err == nil {
		m.reach(stepFenced)
	}
	return raised, err
}

// Reopen takes the fence down, for who knows that nothing was changed behind it: the old release runs as before, and
// the pending one stays pending.
func (m *Manager) Reopen(ctx context.Context) error {
	return m.change(ctx, func(c *control) error {
		c.Phase = Ready
		if c.Pending != nil && c.Pending.Name == c.Active.Name {
			c.Pending = nil // it was to be activated once more
		}
		return nil
	}, nil)
}

// incoming gives the pending generation, verified: nothing runs that is not what it was when it was staged. again
// gives the active one where none is pending.
func (m *Manager) incoming(again bool) (content, error) {
	c, err := m.control()
	if err != nil {
		return content{}, err
	}
	if c.Pending == nil && again {
		c.Pending = &c.Active
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
func raiseFence(c *control, to content, again bool) error {
	if c.Pending == nil && again && c.Active.Name == to.Name {
		g := c.Active
		c.Pending = &g
	}
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

// Blockers gives who keeps the pending generation from becoming active now. It keeps nobody from starting, so a
// moment later there may be others; an activation asks again.
func (m *Manager) Blockers(ctx context.Context) ([]Holder, error) {
	to, err := m.incoming(false)
	if err != nil {
		return nil, err
	}
	return m.blocking(to.Generation, m.contracts(to.Generation), m.sessions(ctx))
}

// blocking gives who stands in the way of a generation.
func (m *Manager) blocking(to Generation, contracts map[string]int, before sessions) ([]Holder, error) {
	holders, err := m.users(contracts)
	if err != nil {
		return nil, err
	}
	native, err := before.again()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(append(holders, native...), func(h Holder) bool {
		return h.StoreContract == to.StoreContract && h.StoreContract != 0
	}), nil
}

// refuseOthers gives the reason why a generation cannot become active now. It runs under exclusive admission, so
// what it sees does not change.
func (m *Manager) refuseOthers(to Generation, contracts map[string]int, before sessions, spare func(Holder) bool) error {
	blocking, err := m.blocking(to, contracts, before)
	if err != nil {
		return err
	}
	if spare != nil {
		blocking = slices.DeleteFunc(blocking, spare)
	}
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
	for _, g := range known {
		all[g.Name] = g.StoreContract
	}
	names, _ := m.generations()
	for _, name := range names {
		if _, done := all[name]; done {
			continue
		}
		if c, err := m.installed(name); err == nil {
			all[name] = c.StoreContract
		}
	}
	if c, err := m.control(); err == nil && c.Active.StoreContract != 0 && all[c.Active.Name] != 0 {
		all[c.Active.Name] = c.Active.StoreContract // what was declared is kept
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

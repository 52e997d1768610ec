package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/internal/runtime/lockfile"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// Manager manages the runtime of one data home. It keeps nothing open between calls.
type Manager struct {
	home  datahome.Home
	at    layout.Runtime
	table process.Table
	now   func() time.Time
	// step is told of each step before it is taken; tests stop and kill processes there. nil outside tests.
	step func(name string)
}

// Open gives the manager of a data home. It touches nothing.
func Open(home datahome.Home) *Manager {
	return &Manager{home: home, at: layout.In(home), table: process.NewTable(), now: time.Now}
}

// Layout names the files, for who has to put something beside them.
func (m *Manager) Layout() layout.Runtime { return m.at }

func (m *Manager) reach(name string) {
	if m.step != nil {
		m.step(name)
	}
}

// moment is now as records keep it.
func (m *Manager) moment() time.Time { return m.now().UTC().Truncate(time.Millisecond) }

// control reads the record that decides. Without one the data home is unmanaged: an error.
func (m *Manager) control() (control, error) {
	c, found, err := read(m, m.at.Control(), controlObject)
	if err == nil && !found {
		err = protocol.DataError(ReasonUnmanaged, "acc is not managed in "+m.home.Acc()+": nothing was installed as a generation").WithHint("acc install")
	}
	return c, err
}

// Managed says whether a generation was installed in this data home.
func (m *Manager) Managed() (bool, error) {
	_, err := m.control()
	if protocol.ReasonOf(err) == ReasonUnmanaged {
		return false, nil
	}
	return err == nil, err
}

// Waits of who changes something.
const (
	admissionWait = 2 * time.Second
	admissionPoll = 5 * time.Millisecond
)

// exclusive keeps everybody from starting, or from changing anything, until release is called. It waits at most
// admissionWait, less if ctx ends before.
func (m *Manager) exclusive(ctx context.Context) (*lockfile.Lock, error) {
	dir, err := m.directory(m.at.Locks())
	if err != nil {
		return nil, err
	}
	_ = dir.Close()
	if err := lockfile.Make(m.at.Admission()); err != nil {
		return nil, failed("cannot make", m.at.Admission(), err)
	}
	until := time.Now().Add(admissionWait)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(until) {
		until = deadline
	}
	lock, err := lockfile.Await(m.at.Admission(), lockfile.Exclusive, until, admissionPoll)
	switch {
	case errors.Is(err, lockfile.ErrBusy):
		return nil, protocol.ConflictError(protocol.ReasonAdmissionBusy, "processes of acc are starting, or another one changes the runtime in "+m.home.Acc()).
			WithHint("wait a moment, then run the command again").Because(err)
	case err != nil:
		return nil, failed("cannot lock", m.at.Admission(), err)
	}
	return lock, nil
}

// fenced makes sure that the lock still keeps others out: somebody may have removed its file.
func fenced(lock *lockfile.Lock) error {
	named, err := lock.Named()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !named {
		return protocol.ConflictError(ReasonStateChanged, "somebody removed the admission lock").WithHint("run the command again")
	}
	return nil
}

// attempts is how often somebody else may change the record while a change of it is being prepared.
const attempts = 8

// change lets edit change the record that decides. What edit made is flushed before the lock is taken; under it
// the record must still be the one that edit saw, or edit is asked again. guard, which may be nil, has the last
// word under the lock. An error of either changes nothing.
func (m *Manager) change(ctx context.Context, edit func(c *control) error, guard func(c control) error) error {
	for range attempts {
		before, err := m.control()
		if err != nil {
			return err
		}
		after := before
		after.Targets = slices.Clone(before.Targets)
		if err := edit(&after); err != nil {
			return err
		}
		switch err := m.replace(ctx, &before, &after, guard); {
		case errors.Is(err, errOutdated):
		default:
			return err
		}
	}
	return protocol.ConflictError(ReasonStateChanged, "the runtime in "+m.home.Acc()+" changed too often").WithHint("run the command again")
}

// errOutdated says that the record is no longer the one that was seen.
var errOutdated = errors.New("the record changed")

// replace writes after in the place of before; before nil: of nothing.
func (m *Manager) replace(ctx context.Context, before, after *control, guard func(c control) error) error {
	next, err := prepare(m, m.at.Control(), controlObject, after)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			next.drop()
		}
	}()
	lock, err := m.exclusive(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	now, err := m.control()
	switch {
	case before == nil && protocol.ReasonOf(err) == ReasonUnmanaged:
	case err != nil:
		return err
	case before == nil || !sameControl(now, *before):
		return errOutdated
	}
	if guard != nil {
		if err := guard(now); err != nil {
			return err
		}
	}
	if err := fenced(lock); err != nil {
		return err
	}
	done = true
	return next.publish()
}

func sameControl(a, b control) bool {
	left, err := controlObject.Append(nil, &a)
	right, otherErr := controlObject.Append(nil, &b)
	return err == nil && otherErr == nil && bytes.Equal(left, right)
}

// SetAuto keeps whether later releases are looked for.
func (m *Manager) SetAuto(ctx context.Context, on bool) error {
	return m.change(ctx, func(c *control) error { c.Auto = on; return nil }, nil)
}

// SetPin keeps the exact version that updates stay on; "" is the newest. It never makes an older generation
// the active one.
func (m *Manager) SetPin(ctx context.Context, version string) error {
	return m.change(ctx, func(c *control) error { c.Pin = version; return nil }, nil)
}

// SetCheckedAt keeps when a later release was last looked for.
func (m *Manager) SetCheckedAt(ctx context.Context, at time.Time) error {
	return m.change(ctx, func(c *control) error { c.CheckedAt = at.UTC().Truncate(time.Millisecond); return nil }, nil)
}

// SetNotice keeps one line that a person should read; "" is none.
func (m *Manager) SetNotice(ctx context.Context, text string) error {
	return m.change(ctx, func(c *control) error { c.Notice = text; return nil }, nil)
}

// Wire keeps that adapters are wired into the clients of the user with a home directory. Those that were stay.
func (m *Manager) Wire(ctx context.Context, home string, adapters []string) error {
	return m.change(ctx, func(c *control) error {
		c.Home, c.Targets = home, sorted(append(c.Targets, adapters...))
		return nil
	}, nil)
}

// Unwire keeps that adapters are wired no more. When none is left, no session stays on any generation.
func (m *Manager) Unwire(ctx context.Context, adapters []string) error {
	none := false
	err := m.change(ctx, func(c *control) error {
		c.Targets = slices.DeleteFunc(c.Targets, func(id string) bool { return slices.Contains(adapters, id) })
		none = len(c.Targets) == 0
		return nil
	}, nil)
	if err != nil || !none {
		return err
	}
	return m.unpinAll()
}

func (m *Manager) unpinAll() error {
	entries, err := os.ReadDir(m.at.Pins())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		err = errors.Join(err, os.Remove(filepath.Join(m.at.Pins(), e.Name())))
	}
	return err
}

// sorted gives each once, in order, and never nil.
func sorted(words []string) []string {
	return slices.Compact(append([]string{}, slices.Sorted(slices.Values(words))...))
}

// LockWorker keeps other workers out until release is called or the process ends. It does not wait.
func (m *Manager) LockWorker() (release func(), err error) {
	lock, err := m.TakeLock(m.at.Worker())
	switch {
	case errors.Is(err, lockfile.ErrBusy):
		return nil, protocol.ConflictError(ReasonWorkerBusy, fmt.Sprintf("another worker is at work in %s", m.home.Acc())).Because(err)
	case err != nil:
		return nil, failed("cannot lock", m.at.Worker(), err)
	}
	return lock.Release, nil
}

package runtime

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/internal/runtime/lockfile"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Status is everything that is known of the runtime of a data home, for people and for doctor.
type Status struct {
	Managed bool
	// Problem says why the rest is not known; "": it is.
	Problem string

	Phase     Phase
	Active    Generation
	Pending   *Generation
	Auto      bool
	Pin       string
	CheckedAt time.Time
	Notice    string
	Home      string
	Targets   []string

	Generations []GenerationStatus // that are here, or that a pointer names
	Launch      []LaunchPath
	Downloads   int  // releases that were being unpacked
	Worker      bool // one is at work

	Reclaim *ReclaimReport // the last pass, if there was one
	Upgrade *UpgradeReport // of the stores, likewise
}

// GenerationStatus is one generation.
type GenerationStatus struct {
	Name    string
	Problem string   // why it must not run; ""; it is what its name and manifest say
	Holders []Holder // processes that use stores
	Managed bool     // management processes run from it
}

// LaunchPath is one of the paths that clients call.
type LaunchPath struct {
	Path    string
	Present bool
	// Direct says that it is the file of the active generation; otherwise starting it costs an exec more.
	Direct bool
}

// Status looks at everything, the content of every generation included. It changes nothing. An error is one of
// the context; what could not be read is told in the status.
func (m *Manager) Status(ctx context.Context) (Status, error) {
	c, err := m.control()
	if protocol.ReasonOf(err) == ReasonUnmanaged {
		return Status{}, ctx.Err()
	}
	s := Status{Managed: true}
	if err != nil {
		s.Problem = err.Error()
	} else {
		s.Phase, s.Active, s.Pending, s.Auto, s.Pin = c.Phase, c.Active, c.Pending, c.Auto, c.Pin
		s.CheckedAt, s.Notice, s.Home, s.Targets = c.CheckedAt, c.Notice, c.Home, c.Targets
	}
	m.surroundings(&s)
	if err := m.statusOfGenerations(ctx, &s); err != nil {
		return s, err
	}
	for _, program := range layout.Programs {
		l := m.launchPath(c.Active.Name, program)
		if !l.Present && m.without(c.Active.Name, program) {
			continue
		}
		s.Launch = append(s.Launch, l)
	}
	if r, found, err := read(m, m.at.Reclaim(), reclaimObject); found && err == nil {
		s.Reclaim = &r
	}
	if r, found, err := read(m, m.at.StoreUpgrade(), upgradeObject); found && err == nil {
		s.Upgrade = &r
	}
	return s, ctx.Err()
}

// surroundings looks at what lies beside the generations.
func (m *Manager) surroundings(s *Status) {
	entries, _ := os.ReadDir(m.at.Downloads())
	s.Downloads = len(entries)
	s.Worker = locked(m.at.Worker())
}

// locked says whether somebody holds a lock. It asks for a shared one, so that it is in nobody's way but that of
// who wants it alone at this moment.
func locked(path string) bool {
	lock, err := lockfile.Take(path, lockfile.Shared)
	lock.Release()
	return errors.Is(err, lockfile.ErrBusy)
}

func (m *Manager) statusOfGenerations(ctx context.Context, s *Status) error {
	names, err := m.generations()
	if err != nil {
		s.Problem = err.Error()
	}
	present := map[string]bool{}
	for _, name := range names {
		present[name] = true
	}
	for _, g := range []*Generation{&s.Active, s.Pending} {
		if g != nil && g.Name != "" && !present[g.Name] {
			names = append(names, g.Name)
		}
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		g := GenerationStatus{Name: name}
		c, err := m.installed(name)
		if err != nil {
			g.Problem = err.Error()
		}
		if held(m.at.Users(name)) {
			g.Holders = m.named(name, c.StoreContract)
		}
		g.Managed = held(m.at.Management(name))
		s.Generations = append(s.Generations, g)
	}
	return nil
}

// held says whether anybody shares a lock. To find out it is taken alone and given up at once; who starts at this
// very moment asks again.
func held(path string) bool {
	lock, err := lockfile.Take(path, lockfile.Exclusive)
	lock.Release()
	return errors.Is(err, lockfile.ErrBusy)
}

// without says whether a generation is there and was built without a program, as one is without its adapter. A
// program that was lost is told with its generation.
func (m *Manager) without(generation, program string) bool {
	path := m.at.Executable(generation, program)
	_, lost := os.Lstat(path)
	_, err := os.Lstat(filepath.Dir(path))
	return errors.Is(lost, fs.ErrNotExist) && err == nil
}

func (m *Manager) launchPath(active, program string) LaunchPath {
	l := LaunchPath{Path: m.at.Bin() + string(os.PathSeparator) + layout.Executable(program)}
	info, err := os.Lstat(l.Path)
	l.Present = err == nil && info.Mode().IsRegular()
	if from, err := os.Lstat(m.at.Executable(active, program)); err == nil && l.Present {
		l.Direct = os.SameFile(info, from)
	}
	return l
}

// Why a worker has something to do.
type Why string

// The reasons.
const (
	WhyPending  Why = "pending" // a generation waits to be activated, or an activation to be finished
	WhyCheck    Why = "check"   // a later release was not looked for since a day
	WhyReclaim  Why = "reclaim" // generations were left
	WhyUpgrade  Why = "stores"  // stores were left at the earlier contract
	checkEvery      = 24 * time.Hour
	retryAfter      = time.Hour
	retryStores     = time.Minute
)

// Due says whether a worker has something to do, and what; nothing when one is at work. It reads three small
// files and uses no network. network says whether looking for releases is allowed at all.
func (m *Manager) Due(network bool) ([]Why, error) {
	c, err := m.control()
	if protocol.ReasonOf(err) == ReasonUnmanaged {
		return nil, nil
	}
	if err != nil || locked(m.at.Worker()) {
		return nil, err
	}
	now := m.now()
	var why []Why
	if c.Pending != nil && (c.Auto || c.Phase == Activating) {
		why = append(why, WhyPending)
	}
	if c.Auto && network && sinceAtLeast(now, c.CheckedAt, checkEvery) {
		why = append(why, WhyCheck)
	}
	r, found, err := report(m, m.at.Reclaim(), reclaimObject)
	if err == nil && (!found || r.Active != c.Active.Name || !r.Complete) && sinceAtLeast(now, r.AttemptedAt, retryAfter) {
		why = append(why, WhyReclaim)
	}
	u, found, err := report(m, m.at.StoreUpgrade(), upgradeObject)
	if err == nil && (!found || u.Active != c.Active.Name || !u.Complete && sinceAtLeast(now, u.AttemptedAt, retryStores)) {
		why = append(why, WhyUpgrade)
	}
	return why, nil
}

// report reads what a pass has kept of itself. One that is damaged is as good as none: the pass runs again and replaces it.
func report[T any](m *Manager, path string, object *strictjson.Object[T]) (value T, found bool, err error) {
	value, found, err = read(m, path, object)
	if protocol.ReasonOf(err) == ReasonRecordDamaged {
		var none T
		return none, false, nil
	}
	return value, found, err
}

// sinceAtLeast says whether a moment is long enough ago. One from the future was made by a clock that has been
// set back since.
func sinceAtLeast(now, then time.Time, d time.Duration) bool {
	age := now.Sub(then)
	return age >= d || age < 0
}

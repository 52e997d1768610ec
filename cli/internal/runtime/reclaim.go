package runtime

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/internal/runtime/lockfile"
	"github.com/acc-control-plane/acc/cli/launch/lease"
	"github.com/acc-control-plane/acc/cli/launch/pin"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Steps of a reclaim, as tests stop at them.
const (
	stepReclaim   = "reclaim: begin"
	stepGone      = "reclaim: gone " // and the generation
	stepReclaimed = "reclaim: delete"
)

// gone begins the name of a generation that nobody can start any more and whose files are being deleted.
const gone = ".gone-"

// oldAside is the age at which something half made, which nobody holds, is litter.
const oldAside = 24 * time.Hour

// ReclaimReport is what a pass of Reclaim did. It is kept in reclaim.json.
type ReclaimReport struct {
	Active      string // the generation that was active
	Complete    bool   // everything that nobody names is gone
	AttemptedAt time.Time
	Removed     []string // generations
	Kept        []string // generations that no pointer names, and why they stay, one sentence each
}

var reclaimObject = &strictjson.Object[ReclaimReport]{
	Name: "reclaim", Doc: "The last pass that removed generations.", MaxBytes: 64 << 10,
	Members: func() []strictjson.Member[ReclaimReport] {
		return []strictjson.Member[ReclaimReport]{
			strictjson.Const[ReclaimReport]("schemaVersion", "always 1", 1),
			strictjson.Field("active", "the generation that was active", func(r *ReclaimReport) *string { return &r.Active }, generationName),
			strictjson.Field("complete", "whether nothing is left to be done", func(r *ReclaimReport) *bool { return &r.Complete }, strictjson.Bool()),
			strictjson.Field("attemptedAt", "when", func(r *ReclaimReport) *time.Time { return &r.AttemptedAt }, strictjson.Time()),
			strictjson.Field("removed", "generations", func(r *ReclaimReport) *[]string { return &r.Removed }, strictjson.List(generationName, 0, 1000)),
			strictjson.Field("kept", "what stays, and why", func(r *ReclaimReport) *[]string { return &r.Kept }, strictjson.List(strictjson.Text(4096), 0, 1000)),
		}
	},
}

// Reclaim removes the generations that no pointer, pin or hold names and from which nobody runs, and ends pins
// of clients that are dead. What cannot be read postpones everything. The pass is recorded; one that is not
// complete is due again an hour later.
func (m *Manager) Reclaim(ctx context.Context) (ReclaimReport, error) {
	m.reach(stepReclaim)
	if err := m.heal(ctx); err != nil {
		return ReclaimReport{}, err
	}
	report := ReclaimReport{AttemptedAt: m.moment(), Complete: true}
	names, err := m.generations()
	if err != nil {
		return report, err
	}
	doomed, err := m.doom(ctx, names, &report)
	if err != nil {
		return report, err
	}
	m.reach(stepReclaimed)
	for _, path := range append(doomed, m.litter()...) {
		if err := os.RemoveAll(path); err != nil {
			report.Complete = false
			report.Kept = append(report.Kept, path+" is not wholly deleted: "+err.Error())
		}
	}
	return report, write(m, m.at.Reclaim(), reclaimObject, &report)
}

// doom renames what has to go, under the lock, so that nobody can start it any more, and gives the paths that
// are to be deleted.
func (m *Manager) doom(ctx context.Context, names []string, report *ReclaimReport) ([]string, error) {
	lock, err := m.exclusive(ctx)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	c, err := m.control()
	if err != nil {
		return nil, err
	}
	report.Active = c.Active.Name
	kept := map[string]string{c.Active.Name: ""}
	if c.Pending != nil {
		kept[c.Pending.Name] = ""
	}
	if err := errors.Join(m.pinned(kept), m.held(kept)); err != nil {
		report.Complete = false
		report.Kept = append(report.Kept, "nothing is removed: "+err.Error())
		return nil, nil
	}
	m.forgetLeases()
	m.orphanedLocks(names, kept)
	var doomed []string
	for _, name := range names {
		why, named := kept[name]
		if !named {
			why = m.remove(name, &doomed)
			if why == "" {
				report.Removed = append(report.Removed, name)
			}
		}
		if why != "" {
			report.Kept = append(report.Kept, name+" stays: "+why)
			report.Complete = report.Complete && named // a pin or a hold ends by itself and is looked at on each pass
		}
	}
	return doomed, nil
}

// remove renames a generation away if nobody runs from it; otherwise it says why it stays.
func (m *Manager) remove(name string, doomed *[]string) (why string) {
	for _, path := range []string{m.at.Users(name), m.at.Management(name)} {
		lock, err := lockfile.Take(path, lockfile.Exclusive)
		switch {
		case errors.Is(err, lockfile.ErrBusy):
			return "a process runs from it"
		case errors.Is(err, fs.ErrNotExist):
			// Whoever deleted the lock file took away the proof that nobody runs. It is made again, so that the
			// next pass can tell.
			if err := lockfile.Make(path); err != nil {
				return err.Error()
			}
			why = "its lock file had gone"
			continue
		case err != nil:
			return err.Error()
		}
		defer lock.Release()
	}
	if why != "" {
		return why
	}
	m.reach(stepGone + name)
	aside := filepath.Join(m.at.Generations(), gone+randomName())
	if err := os.Rename(m.at.Generation(name), aside); err != nil {
		return err.Error()
	}
	m.removeLocks(name)
	*doomed = append(*doomed, aside)
	return ""
}

// removeLocks removes the lock files of a generation that is gone. That of the users goes last, because by it
// orphanedLocks finds what is left where this is interrupted.
func (m *Manager) removeLocks(name string) {
	_ = os.Remove(m.at.Management(name))
	_ = os.Remove(m.at.Users(name))
}

// pinned adds the generations on which sessions stay. Pins of clients that are dead, and those that name no
// client, end here.
func (m *Manager) pinned(kept map[string]string) error {
	entries, err := os.ReadDir(m.at.Pins())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return failed("cannot list", m.at.Pins(), err)
	}
	for _, e := range entries {
		path := filepath.Join(m.at.Pins(), e.Name())
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		p, found, err := read(m, path, pin.Form())
		switch {
		case err != nil:
			return err
		case !found:
		case m.table.Check(p.Client) == core.ProcessDead:
			if err := os.Remove(path); err != nil {
				return failed("cannot remove", path, err)
			}
		default:
			if _, named := kept[p.Generation]; !named {
				kept[p.Generation] = "a session of " + p.AdapterID + " stays on it"
			}
		}
	}
	return nil
}

// held adds the generations that somebody is staging. A hold that nobody has locked is that of a dead process.
func (m *Manager) held(kept map[string]string) error {
	entries, err := os.ReadDir(m.at.Staging())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return failed("cannot list", m.at.Staging(), err)
	}
	for _, e := range entries {
		path := filepath.Join(m.at.Staging(), e.Name())
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		lock, err := lockfile.Take(path, lockfile.Exclusive)
		switch {
		case err == nil:
			_ = os.Remove(path)
			lock.Release()
			continue
		case errors.Is(err, fs.ErrNotExist):
			continue
		case !errors.Is(err, lockfile.ErrBusy):
			return failed("cannot look at", path, err)
		}
		h, found, err := read(m, path, holdObject)
		if err != nil {
			return err
		}
		if found {
			kept[h.Generation] = "it is being staged"
		}
	}
	return nil
}

// forgetLeases removes what dead processes said of themselves.
func (m *Manager) forgetLeases() {
	entries, _ := os.ReadDir(m.at.Leases())
	for _, e := range entries {
		path := filepath.Join(m.at.Leases(), e.Name())
		if l, found, err := read(m, path, lease.Form()); found && err == nil && m.table.Check(l.Process) == core.ProcessDead {
			_ = os.Remove(path)
		}
	}
}

// orphanedLocks removes the lock files of generations that are not there, if nobody holds them or is about to
// bring the generation.
func (m *Manager) orphanedLocks(names []string, kept map[string]string) {
	locked, _ := m.lockedNames()
	for _, name := range locked {
		if _, named := kept[name]; named || slices.Contains(names, name) {
			continue
		}
		users, err := lockfile.Take(m.at.Users(name), lockfile.Exclusive)
		if err != nil {
			continue
		}
		management, err := lockfile.Take(m.at.Management(name), lockfile.Exclusive)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Lstat(m.at.Generation(name)); errors.Is(err, fs.ErrNotExist) {
				m.removeLocks(name)
			}
		}
		management.Release()
		users.Release()
	}
}

// litter gives what interrupted passes and writers left behind.
func (m *Manager) litter() []string {
	var all []string
	add := func(dir string, wanted func(e fs.DirEntry) bool) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if wanted(e) {
				all = append(all, filepath.Join(dir, e.Name()))
			}
		}
	}
	old := func(e fs.DirEntry) bool {
		info, err := e.Info()
		return err == nil && m.now().Sub(info.ModTime()) > oldAside
	}
	add(m.at.Generations(), func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), gone) })
	for _, dir := range []string{m.at.Dir, m.at.Staging(), m.at.Pins(), m.at.Leases(), m.at.Bin()} {
		add(dir, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") && old(e) })
	}
	add(m.at.Downloads(), old)
	return all
}

// Relink makes every launch path the file of the active generation. It is an optimisation that saves an exec, so
// any mix is right; what could not be linked is in the error.
func (m *Manager) Relink() error {
	c, err := m.control()
	if err != nil {
		return err
	}
	bin, err := m.directory(m.at.Bin())
	if err != nil {
		return err
	}
	_ = bin.Close()
	var problems []error
	for _, program := range layout.Programs {
		m.reach(stepLink + program)
		from, to := m.at.Executable(c.Active.Name, program), filepath.Join(m.at.Bin(), layout.Executable(program))
		if err := m.link(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

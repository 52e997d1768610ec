package runtime

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/runtime/lockfile"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// Steps of staging, as tests stop at them.
const (
	stepStageLocks  = "stage: locks"
	stepStageHold   = "stage: hold"
	stepStageRename = "stage: rename"
	stepStaged      = "stage: done"
)

// Staged is a generation that no pointer names yet. It is kept from being reclaimed until Release, or until the
// process ends.
type Staged struct {
	Generation
	Adapters []string

	m    *Manager
	lock *lockfile.Lock
	path string // of the hold
}

// hold is staging/<id>.json. Its file is locked as long as the process that stages lives; one that nobody has
// locked holds nothing.
type hold struct{ Generation string }

var holdObject = &strictjson.Object[hold]{
	Name: "staging hold", Doc: "Keeps a generation that no pointer names yet.", MaxBytes: 4 << 10,
	Members: func() []strictjson.Member[hold] {
		return []strictjson.Member[hold]{
			strictjson.Const[hold]("schemaVersion", "always 1", 1),
			strictjson.Field("generation", "that is held", func(h *hold) *string { return &h.Generation }, generationName),
		}
	},
}

// Stage takes a directory in as a generation: everything that its manifest declares must be there, as declared,
// and nothing else. The directory must lie below the runtime (see layout.Runtime.Downloads) and is used up. One
// that is there already must have the same content; then it is kept, and a damaged one is replaced. The caller
// releases what it gets, after Publish or Install.
func (m *Manager) Stage(ctx context.Context, dir string) (*Staged, error) {
	if !strings.HasPrefix(filepath.Clean(dir), m.at.Dir+string(filepath.Separator)) {
		return nil, protocol.UsageError("", dir+" does not lie below "+m.at.Dir)
	}
	c, err := examine(dir, false)
	if err != nil {
		return nil, err
	}
	if err := settle(dir, c.manifest); err != nil {
		return nil, failed("cannot prepare", dir, err)
	}
	m.reach(stepStageLocks)
	if err := m.makeLocks(c.Name); err != nil {
		return nil, err
	}
	m.reach(stepStageHold)
	staged := &Staged{Generation: c.Generation, Adapters: c.manifest.Adapters, m: m}
	if err := staged.hold(); err != nil {
		return nil, err
	}
	m.reach(stepStageRename)
	if err := m.takeIn(ctx, dir, c.Name); err != nil {
		staged.Release()
		return nil, err
	}
	m.reach(stepStaged)
	return staged, nil
}

// settle gives files and directories their permissions and makes all of it durable.
func settle(dir string, manifest *release.Manifest) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		mode := fs.FileMode(plainMode)
		if f, ok := manifest.File(filepath.ToSlash(rel)); ok {
			mode = modeOf(f)
		}
		if d.IsDir() {
			mode = 0o700
		}
		if err := os.Chmod(path, mode); err != nil || d.IsDir() {
			return err
		}
		return syncFile(path)
	})
	if err != nil {
		return err
	}
	for _, d := range directories(manifest) {
		if err := syncDir(filepath.Join(dir, d)); err != nil {
			return err
		}
	}
	return nil
}

// directories are those of a release, the deepest first.
func directories(manifest *release.Manifest) []string {
	all := []string{"."}
	for _, f := range manifest.Files {
		for dir := filepath.Dir(filepath.FromSlash(f.Path)); dir != "."; dir = filepath.Dir(dir) {
			all = append(all, dir)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	slices.Reverse(all)
	return all
}

// syncFile makes a file durable. It is not opened for writing where that can be avoided: a process that is started at
// this moment would inherit that, and nobody could execute the file meanwhile.
func syncFile(path string) error {
	how := os.O_RDONLY
	if runtime.GOOS == "windows" {
		how = os.O_RDWR
	}
	f, err := os.OpenFile(path, how, 0)
	if err != nil {
		return err
	}
	err = f.Sync()
	return errors.Join(err, f.Close())
}

// syncDir makes the entries of a directory durable, where the platform can be asked to.
func syncDir(path string) error {
	dir, err := vfs.OS{}.Open(filepath.Dir(path), path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.SyncDir("")
}

// makeLocks makes the lock files of a generation, before it is there.
func (m *Manager) makeLocks(name string) error {
	dir, err := m.directory(m.at.Locks())
	if err != nil {
		return err
	}
	defer dir.Close()
	for _, path := range []string{m.at.Users(name), m.at.Management(name)} {
		if err := lockfile.Make(path); err != nil {
			return failed("cannot make", path, err)
		}
	}
	return dir.SyncDir("")
}

// hold writes the hold. It gets its name once it is locked and flushed.
func (s *Staged) hold() error {
	dir, err := s.m.directory(s.m.at.Staging())
	if err != nil {
		return err
	}
	defer dir.Close()
	raw, err := holdObject.AppendIndent(nil, &hold{Generation: s.Name})
	if err != nil {
		return protocol.Malformed("staging hold", err)
	}
	var nonce [8]byte
	_, _ = rand.Read(nonce[:]) // never fails
	id := hex.EncodeToString(nonce[:])
	name, aside := id+".json", partial+id
	s.path = filepath.Join(s.m.at.Staging(), name)
	if err := writeNew(dir, aside, raw); err != nil {
		return failed("cannot write", s.path, err)
	}
	if s.lock, err = lockfile.Take(filepath.Join(s.m.at.Staging(), aside), lockfile.Exclusive); err == nil {
		err = dir.Rename(aside, name)
	}
	if err == nil {
		err = dir.SyncDir("")
	}
	if err != nil {
		_ = dir.Remove(aside)
		s.Release()
		return failed("cannot write", s.path, err)
	}
	return nil
}

// Release ends the hold. What no pointer names may be reclaimed from now on.
func (s *Staged) Release() {
	if s.lock == nil {
		return
	}
	_ = os.Remove(s.path)
	s.lock.Release()
	s.lock = nil
}

// takeIn moves a directory to its place among the generations.
func (m *Manager) takeIn(ctx context.Context, dir, name string) error {
	generations, err := m.directory(m.at.Generations())
	if err != nil {
		return err
	}
	defer generations.Close()
	to := m.at.Generation(name)
	if _, err := os.Lstat(to); err == nil {
		if _, err := m.installed(name); err == nil {
			return m.discard(dir)
		}
		// Processes that run from the damaged one keep their files.
		lock, err := m.exclusive(ctx)
		if err != nil {
			return err
		}
		defer lock.Release()
		if err := os.Rename(to, filepath.Join(m.at.Generations(), gone+randomName())); err != nil {
			return failed("cannot move aside", to, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return failed("cannot look at", to, err)
	}
	if err := os.Rename(dir, to); err != nil {
		// Another process that staged the same was faster.
		if _, same := m.installed(name); same == nil {
			return m.discard(dir)
		}
		return failed("cannot move "+dir+" to", to, err)
	}
	if err := generations.SyncDir(""); err != nil {
		return failed("cannot write", to, err)
	}
	return nil
}

// discard removes a directory that is not needed. What is left of it is in nobody's way.
func (m *Manager) discard(dir string) error {
	_ = os.RemoveAll(dir)
	return nil
}

func randomName() string {
	var nonce [8]byte
	_, _ = rand.Read(nonce[:]) // never fails
	return hex.EncodeToString(nonce[:])
}

// Publish makes a staged generation the pending one, in the place of any other. It refuses one that is older
// than the active one, that lacks an adapter which is wired here, or that is active already.
func (m *Manager) Publish(ctx context.Context, s *Staged) error {
	return m.change(ctx, func(c *control) error {
		if c.Active.Name == s.Name && c.Phase == Ready {
			return protocol.ConflictError(ReasonStateChanged, s.Version+" is active already")
		}
		if c.Phase == Activating && c.Pending.Name != s.Name && compare(s.Generation, *c.Pending) <= 0 {
			return protocol.ConflictError(ReasonStateChanged, "clients are on their way to "+c.Pending.Version+" already").WithHint("acc update")
		}
		if err := admissible(*c, s.Generation, s.Adapters, false); err != nil {
			return err
		}
		g := s.Generation
		c.Pending, c.Downgrade = &g, false
		return nil
	}, nil)
}

// admissible says whether a generation may follow the active one.
func admissible(c control, g Generation, adapters []string, downgrade bool) error {
	if compare(g, c.Active) < 0 && !downgrade {
		return protocol.ConflictError(ReasonOlder, fmt.Sprintf("%s is older than %s, which is active", g.Version, c.Active.Version)).
			WithHint("acc install --downgrade, with the older one, says that this is meant")
	}
	if g.StoreContract < c.Active.StoreContract {
		return protocol.DataError(ReasonContract, fmt.Sprintf("%s reads stores of contract %d, and those here may be of contract %d already", g.Version, g.StoreContract, c.Active.StoreContract))
	}
	var missing []string
	for _, id := range c.Targets {
		if !slices.Contains(adapters, id) {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return protocol.DataError(ReasonAdapterMissing, fmt.Sprintf("%s has no adapter for %s, which is wired here", g.Version, strings.Join(missing, ", "))).
			With("adapters", strings.Join(missing, ",")).WithHint("uninstall that adapter, or ask whoever built this acc for a newer build")
	}
	return nil
}

// compare orders generations by their version.
func compare(a, b Generation) int {
	v, _ := release.ParseVersion(a.Version)
	w, _ := release.ParseVersion(b.Version)
	return v.Compare(w)
}

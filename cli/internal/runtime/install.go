package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
)

// Release is a release that lies outside the runtime, such as the one that somebody installs from.
type Release struct {
	Generation
	Dir      string
	Adapters []string
	Programs []string // without ending
}

// Package finds the release that a program was installed with: the directory above its own, if that has the
// manifest of exactly this build. found is false for a build from source and for a program that was copied
// out of its release.
func Package(self, buildID string) (r Release, found bool) {
	return releaseOf(filepath.Dir(filepath.Dir(self)), buildID)
}

// Own finds the generation of which a program is a file, be that under a launch path: so it is known where the record
// was lost. A copy, such as an unmanaged one, is no file of it.
func (m *Manager) Own(self, buildID string) (r Release, found bool) {
	program, err := os.Stat(self)
	if err != nil {
		return r, false
	}
	names, _ := m.generations()
	for _, name := range names {
		file, err := os.Lstat(filepath.Join(m.at.Generation(name), "bin", filepath.Base(self)))
		if err != nil || !os.SameFile(program, file) {
			continue
		}
		if r, found := releaseOf(m.at.Generation(name), buildID); found && r.Name == name {
			return r, true
		}
	}
	return r, false
}

// releaseOf reads the release in a directory, if it is of that build. Nothing but its manifest is looked at.
func releaseOf(dir, buildID string) (r Release, found bool) {
	if buildID == "" {
		return r, false
	}
	raw, err := readManifest(dir)
	if err != nil {
		return r, false
	}
	m, err := release.DecodeManifest(raw)
	if err != nil || m.BuildID != buildID {
		return r, false
	}
	r = Release{Generation: generationOf(m, raw), Dir: dir, Adapters: m.Adapters}
	for _, program := range layout.Programs {
		if _, has := m.File("bin/" + layout.Executable(program)); has {
			r.Programs = append(r.Programs, program)
		}
	}
	return r, true
}

// StageCopy stages a copy of a release that lies somewhere else, such as the one that runs. Only what its
// manifest declares is copied.
func (m *Manager) StageCopy(ctx context.Context, dir string) (*Staged, error) {
	raw, err := readManifest(dir)
	if err != nil {
		return nil, damaged(dir, err)
	}
	manifest, err := release.DecodeManifest(raw)
	if err != nil {
		return nil, damaged(dir, err)
	}
	downloads, err := m.directory(m.at.Downloads())
	if err != nil {
		return nil, err
	}
	_ = downloads.Close()
	aside, err := os.MkdirTemp(m.at.Downloads(), "copy-")
	if err != nil {
		return nil, failed("cannot copy to", m.at.Downloads(), err)
	}
	defer os.RemoveAll(aside) // nothing is left of it when it was staged
	err = os.WriteFile(filepath.Join(aside, release.ManifestName), raw, plainMode)
	for _, f := range manifest.Files {
		if err == nil {
			err = copyFile(dir, aside, f)
		}
	}
	if err != nil {
		return nil, failed("cannot copy", dir, err)
	}
	return m.Stage(ctx, aside)
}

func copyFile(from, to string, f release.FileInfo) error {
	path := filepath.FromSlash(f.Path)
	if err := regular(filepath.Join(from, path)); err != nil {
		return err
	}
	in, err := os.Open(filepath.Join(from, path))
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(to, path)), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(filepath.Join(to, path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, plainMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, f.Size+1))
	return errors.Join(err, out.Close())
}

// Installation is what became of a staged generation that somebody installed.
type Installation string

// The installations.
const (
	First     Installation = "first"     // it is active: nothing was managed here before
	Same      Installation = "same"      // it was active already; the launch paths are right again
	Published Installation = "published" // it is pending; Activate is the next step
)

// Install makes a staged generation the one that the data home begins with, or publishes it where there is one.
// home and adapters say whose clients are wired, and which, and auto says whether later releases are looked for, if
// nothing was managed here before.
func (m *Manager) Install(ctx context.Context, s *Staged, home string, adapters []string, auto bool) (Installation, error) {
	targets := sorted(adapters)
	c, err := m.control()
	switch {
	case protocol.ReasonOf(err) == ReasonUnmanaged:
		first := control{Phase: Ready, Active: s.Generation, Auto: auto, Home: home, Targets: targets}
		if err := admissible(first, s.Generation, s.Adapters, false); err != nil {
			return "", err
		}
		err := m.replace(ctx, nil, &first, nil)
		if errors.Is(err, errOutdated) {
			return "", protocol.ConflictError(ReasonStateChanged, "another installation was faster").WithHint("acc install")
		}
		if err != nil {
			return "", err
		}
		return First, m.Relink()
	case err != nil:
		return "", err
	case c.Active.Name == s.Name && c.Phase == Ready:
		return Same, m.Relink()
	}
	return Published, m.Publish(ctx, s)
}

// Downgrade makes a staged generation that is older than the active one the pending one, because somebody asked
// for it. It is refused where stores may be of a contract that it cannot read.
func (m *Manager) Downgrade(ctx context.Context, s *Staged) error {
	return m.change(ctx, func(c *control) error {
		if c.Phase != Ready {
			return protocol.ConflictError(ReasonStateChanged, "clients are on their way to "+c.Pending.Version+" already").WithHint("acc update")
		}
		if compare(s.Generation, c.Active) >= 0 {
			return protocol.UsageError(ReasonStateChanged, fmt.Sprintf("%s is not older than %s, which is active", s.Version, c.Active.Version)).WithHint("acc update")
		}
		if err := admissible(*c, s.Generation, s.Adapters, true); err != nil {
			return err
		}
		g := s.Generation
		c.Pending, c.Downgrade = &g, true
		return nil
	}, nil)
}

// Unmanage gives up the managed runtime: nothing is chosen any more, and what lies in bin runs as it is. It is
// refused while processes of acc run.
func (m *Manager) Unmanage(ctx context.Context) error {
	contracts := m.contracts()
	lock, err := m.exclusive(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	holders, err := m.users(contracts)
	if err != nil {
		return err
	}
	if len(holders) > 0 {
		return protocol.ConflictError(ReasonProcessesActive, "processes of acc run: "+holders[0].String()).WithHint("end them, then run the command again")
	}
	if err := os.Remove(m.at.Control()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return failed("cannot remove", m.at.Control(), err)
	}
	return nil
}

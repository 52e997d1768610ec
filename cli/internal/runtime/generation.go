package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
)

// maxManifest is the size of the largest manifest that is read, in bytes.
const maxManifest = 256 << 10

// Modes of installed files: they are for their owner alone.
const (
	programMode = 0o700
	plainMode   = 0o600
)

// content is a directory that holds exactly what its manifest declares.
type content struct {
	Generation
	manifest *release.Manifest
}

// examine reads a directory and all of its files. It is an error, with ReasonGenerationDamaged, unless it holds
// what its manifest declares and nothing else. With installed the permissions have to be those of installed
// files, too; those of a package on its way in are set later.
func examine(dir string, installed bool) (content, error) {
	raw, err := readManifest(dir)
	if err != nil {
		return content{}, damaged(dir, err)
	}
	m, err := release.DecodeManifest(raw)
	if err != nil {
		return content{}, damaged(dir, err)
	}
	c := content{manifest: m, Generation: generationOf(m, raw)}
	if here, ok := release.ThisPlatform(); !ok || here.Name != m.Platform {
		return content{}, damaged(dir, fmt.Errorf("it is for %s", m.Platform))
	}
	for _, f := range m.Files {
		if err := checkFile(filepath.Join(dir, filepath.FromSlash(f.Path)), f, installed); err != nil {
			return content{}, damaged(dir, err)
		}
	}
	if err := nothingElse(dir, m); err != nil {
		return content{}, damaged(dir, err)
	}
	return c, nil
}

// generationOf is the generation that a manifest, which is raw, declares.
func generationOf(m *release.Manifest, raw []byte) Generation {
	return Generation{
		Name:    layout.GenerationName(m.Version, release.Fingerprint(raw)),
		Version: m.Version, BuildID: m.BuildID, StoreContract: m.StoreContract,
	}
}

func readManifest(dir string) ([]byte, error) {
	path := filepath.Join(dir, release.ManifestName)
	if err := regular(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err == nil && len(raw) > maxManifest {
		err = errors.New(path + " is too large")
	}
	return raw, err
}

// regular refuses links and everything else that is no file.
func regular(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New(path + " is not a regular file")
	}
	return err
}

func checkFile(path string, want release.FileInfo, installed bool) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	switch {
	case !info.Mode().IsRegular():
		return errors.New(want.Path + " is not a regular file")
	case info.Size() != want.Size:
		return fmt.Errorf("%s has %d bytes instead of %d", want.Path, info.Size(), want.Size)
	case installed && runtime.GOOS != "windows" && info.Mode() != modeOf(want): // set-user-id and the like included
		return fmt.Errorf("%s has mode %v instead of %v", want.Path, info.Mode(), modeOf(want))
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want.SHA256 {
		return fmt.Errorf("%s has other content than declared", want.Path)
	}
	return nil
}

func modeOf(f release.FileInfo) fs.FileMode {
	if f.Mode == release.Program {
		return programMode
	}
	return plainMode
}

// nothingElse refuses what the manifest does not declare, its own signatures apart.
func nothingElse(dir string, m *release.Manifest) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		_, declared := m.File(rel)
		switch {
		case d.Type().IsRegular() && (declared || rel == release.ManifestName || strings.HasPrefix(rel, release.ManifestName+".")):
			return nil
		case d.IsDir() && slices.ContainsFunc(m.Files, func(f release.FileInfo) bool { return strings.HasPrefix(f.Path, rel+"/") }):
			return nil
		}
		return errors.New(rel + " is not declared")
	})
}

func damaged(dir string, err error) error {
	return protocol.DataError(ReasonGenerationDamaged, fmt.Sprintf("%s is not what it should be: %v", dir, cause(err))).
		With("directory", dir).WithHint("acc update").Because(err)
}

// cause is the innermost error that still names what it is about.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path
	}
	return err
}

// installed examines the generation of a name. Its content must have that name.
func (m *Manager) installed(name string) (content, error) {
	if _, _, ok := layout.SplitGeneration(name); !ok {
		return content{}, damaged(name, errors.New("it is no name of a generation"))
	}
	dir := m.at.Generation(name)
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		if err == nil {
			err = errors.New("it is not a directory")
		}
		return content{}, damaged(dir, err)
	}
	c, err := examine(dir, true)
	if err == nil && c.Name != name {
		err = damaged(dir, fmt.Errorf("its content is that of %s", c.Name))
	}
	return c, err
}

// complete gives a pointer the contract that its record lacks, from exactly that generation and from nothing
// else. A declared one is kept as it is.
func (m *Manager) complete(g Generation) (Generation, error) {
	if g.StoreContract != 0 {
		return g, nil
	}
	c, err := m.installed(g.Name)
	if err != nil {
		return g, err
	}
	if c.BuildID != g.BuildID || c.Version != g.Version {
		return g, damaged(m.at.Generation(g.Name), errors.New("it is another build than the record names"))
	}
	g.StoreContract = c.StoreContract
	return g, nil
}

// heal completes the active pointer, where its record lacks the contract and the generation can be trusted. What
// cannot be completed stays as it is: unknown.
func (m *Manager) heal(ctx context.Context) error {
	c, err := m.control()
	if err != nil || c.Active.StoreContract != 0 {
		return err
	}
	complete, err := m.complete(c.Active)
	if err != nil {
		return nil //nolint:nilerr // whoever wants to run it is told
	}
	return m.change(ctx, func(c *control) error {
		if c.Active.Name == complete.Name && c.Active.StoreContract == 0 {
			c.Active = complete
		}
		return nil
	}, nil)
}

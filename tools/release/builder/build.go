package builder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/signature"
	"github.com/acc-control-plane/acc/cli/release/tarball"
	"github.com/acc-control-plane/acc/protocol"
)

// Build makes a release. Nothing is of use after an error.
func Build(ctx context.Context, o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	if entries, err := os.ReadDir(o.Out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", o.Out)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "acc-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	b := &building{Options: o, scratch: scratch}
	if b.adapters, err = b.assembled(ctx); err != nil {
		return err
	}
	for _, p := range o.Platforms {
		if err := b.platform(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	if err := b.metaPackage(); err != nil {
		return err
	}
	return b.checksums()
}

// building is one release on its way.
type building struct {
	Options
	scratch  string
	adapters []string // of the executables, by their own account
}

// platform makes everything for one platform.
func (b *building) platform(ctx context.Context, p release.Platform) error {
	c := compiler{root: b.Root, platform: p}
	b.log("%s: compiling", p.Name)
	id, err := c.identity(ctx, &b.Options)
	if err != nil {
		return err
	}
	bin := filepath.Join(b.scratch, p.Name)
	if err := c.link(ctx, &b.Options, id, bin); err != nil {
		return err
	}
	files, err := b.files(ctx, c, id, bin)
	if err != nil {
		return err
	}
	m := &release.Manifest{
		Name: b.Name, Version: b.Version, BuildID: id, Platform: p.Name,
		StoreContract: protocol.StoreVersion, UpdateProtocol: release.UpdateProtocol, Adapters: b.adapters,
	}
	for _, f := range files {
		m.Files = append(m.Files, release.Describe(f.Path, f.Mode, f.Content))
	}
	raw, err := m.Encode()
	if err != nil {
		return err
	}
	entries := []tarball.Entry{{Path: release.ManifestName, Mode: release.Plain, Content: raw}}
	for _, k := range b.Keys {
		name, file := signature.Sign(k, raw, fmt.Sprintf("%s %s for %s", b.Name, b.Version, p.Name))
		entries = append(entries, tarball.Entry{Path: name, Mode: release.Plain, Content: file})
	}
	b.log("%s: packing build %s", p.Name, id)
	return b.archives(p, append(entries, files...))
}

// archives writes the npm package and the plain archive of a platform.
func (b *building) archives(p release.Platform, entries []tarball.Entry) error {
	var packed bytes.Buffer
	if err := tarball.Write(&packed, entries); err != nil {
		return err
	}
	if err := b.write(npmFile(release.PackageOf(b.Name, p.Name), b.Version), packed.Bytes()); err != nil {
		return err
	}
	// Who has no npm unpacks it by hand, so its directory says what it is.
	dir := fmt.Sprintf("acc-%s-%s", b.Version, p.Name)
	var plain bytes.Buffer
	if p.GOOS == "windows" {
		if err := zipBelow(&plain, dir+"/", entries); err != nil {
			return err
		}
		return b.write(dir+".zip", plain.Bytes())
	}
	if err := tarball.WriteBelow(&plain, dir+"/", entries); err != nil {
		return err
	}
	return b.write(dir+".tar.gz", plain.Bytes())
}

// npmFile names the file of a package as npm pack does.
func npmFile(name, version string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + version + ".tgz"
}

func (b *building) write(name string, content []byte) error {
	return os.WriteFile(filepath.Join(b.Out, name), content, 0o644)
}

// checksums writes SHA256SUMS over everything in the directory, and its signatures.
func (b *building) checksums() error {
	entries, err := os.ReadDir(b.Out)
	if err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(b.Out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", release.Describe("", release.Plain, content).SHA256, e.Name())
	}
	if err := b.write("SHA256SUMS", sums.Bytes()); err != nil {
		return err
	}
	for _, k := range b.Keys {
		_, file := signature.Sign(k, sums.Bytes(), fmt.Sprintf("%s %s", b.Name, b.Version))
		if err := b.write(fmt.Sprintf("SHA256SUMS.%016X.minisig", k.ID()), file); err != nil {
			return err
		}
	}
	return nil
}

// sorted gives entries by path.
func sorted(entries []tarball.Entry) []tarball.Entry {
	slices.SortFunc(entries, func(a, b tarball.Entry) int { return strings.Compare(a.Path, b.Path) })
	return entries
}

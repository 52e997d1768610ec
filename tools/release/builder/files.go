package builder

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/tarball"
)

const (
	description = "a local control plane for sessions of AI coding clients"
	license     = "Apache-2.0"
)

//go:embed meta/acc.js
var shim []byte

// npmPackage is a package.json, in the order in which it is written.
type npmPackage struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Unplugged   bool              `json:"preferUnplugged,omitempty"` // its executables must lie in the file system
}

func (p npmPackage) encode() ([]byte, error) {
	data, err := json.MarshalIndent(p, "", "  ")
	return append(data, '\n'), err
}

// files gives everything that the manifest of a platform declares.
func (b *building) files(ctx context.Context, c compiler, buildID, bin string) ([]tarball.Entry, error) {
	var files []tarball.Entry
	names, err := programs(bin)
	if err != nil {
		return nil, err
	}
	var built []string
	for _, name := range names {
		path := filepath.Join(bin, c.platform.Executable(name))
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		built = append(built, path)
		files = append(files, tarball.Entry{Path: "bin/" + c.platform.Executable(name), Mode: release.Program, Content: content})
	}
	bom, err := b.billOfMaterials(c.platform, buildID, built, files)
	if err != nil {
		return nil, err
	}
	notices, err := c.notices(ctx)
	if err != nil {
		return nil, err
	}
	own, err := os.ReadFile(filepath.Join(b.Root, "LICENSE"))
	if err != nil {
		return nil, err
	}
	described, err := npmPackage{
		Name: release.PackageOf(b.Name, c.platform.Name), Version: b.Version, Description: description + ": the executables for " + c.platform.Name, License: license,
		OS: []string{npmSystem(c.platform)}, CPU: []string{npmCPU(c.platform)}, Unplugged: true,
	}.encode()
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{
		"LICENSE": own, "THIRD_PARTY_LICENSES": notices, "package.json": described, "sbom.cdx.json": bom,
		"README.md": fmt.Appendf(nil, "# %s\n\nThe executables of acc for %s. Install `%s` instead: it asks for this one where it fits.\n",
			release.PackageOf(b.Name, c.platform.Name), c.platform.Name, b.Name),
	} {
		files = append(files, tarball.Entry{Path: name, Mode: release.Plain, Content: content})
	}
	return sorted(files), b.write(fmt.Sprintf("acc-%s-%s.cdx.json", b.Version, c.platform.Name), bom)
}

// npmSystem and npmCPU give what npm calls the halves of a platform.
func npmSystem(p release.Platform) string {
	if p.GOOS == "windows" {
		return "win32"
	}
	return p.GOOS
}

func npmCPU(p release.Platform) string {
	if p.GOARCH == "amd64" {
		return "x64"
	}
	return p.GOARCH
}

// metaPackage makes the package that people install. It carries no executables: npm brings the ones that fit,
// and a small script finds them. No package has a script that npm would run.
func (b *building) metaPackage() error {
	p := npmPackage{Name: b.Name, Version: b.Version, Description: description, License: license, Bin: map[string]string{"acc": "bin/acc.js"}, Optional: map[string]string{}}
	for _, platform := range b.Platforms {
		p.Optional[release.PackageOf(b.Name, platform.Name)] = b.Version
	}
	described, err := p.encode()
	if err != nil {
		return err
	}
	own, err := os.ReadFile(filepath.Join(b.Root, "LICENSE"))
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	err = tarball.Write(&packed, []tarball.Entry{
		{Path: "LICENSE", Mode: release.Plain, Content: own},
		{Path: "README.md", Mode: release.Plain, Content: fmt.Appendf(nil, "# acc\n\nacc is %s. After `npm install -g %s`, run `acc install`.\n", description, b.Name)},
		{Path: "bin/acc.js", Mode: release.Program, Content: shim},
		{Path: "package.json", Mode: release.Plain, Content: described},
	})
	if err != nil {
		return err
	}
	return b.write(npmFile(b.Name, b.Version), packed.Bytes())
}

// assembled asks the acc of this work tree, built for this machine, which adapters it has.
func (b *building) assembled(ctx context.Context) ([]string, error) {
	i := slices.IndexFunc(release.Platforms, func(p release.Platform) bool { return p.GOOS == runtime.GOOS && p.GOARCH == runtime.GOARCH })
	if i < 0 {
		return nil, fmt.Errorf("a release cannot be built on %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	here := release.Platforms[i]
	acc := filepath.Join(b.scratch, here.Executable("acc"))
	b.log("asking the acc of this work tree for its adapters")
	if _, err := (compiler{root: b.Root, platform: here}).run(ctx, slices.Concat([]string{"build"}, flags, []string{"-o", acc, "./cli/cmd/acc"})...); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, acc, "version", "--json")
	cmd.Env = append(os.Environ(), "ACC_DATA_HOME="+filepath.Join(b.scratch, "data"), "ACC_UNMANAGED=1", "ACC_NO_UPDATE_CHECK=1")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("acc version: %w", err)
	}
	var answer struct {
		Data struct {
			Adapters []string `json:"adapters"`
		} `json:"data"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return nil, fmt.Errorf("acc version: %w", err)
	}
	slices.Sort(answer.Data.Adapters)
	return answer.Data.Adapters, nil
}

// zipBelow writes entries below a directory, given with a final slash.
func zipBelow(w io.Writer, dir string, entries []tarball.Entry) error {
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestCompression) })
	for _, e := range entries {
		header := &zip.FileHeader{Name: dir + e.Path, Method: zip.Deflate, Modified: tarball.Epoch}
		header.SetMode(e.Mode.Perm())
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(e.Content); err != nil {
			return err
		}
	}
	return archive.Close()
}

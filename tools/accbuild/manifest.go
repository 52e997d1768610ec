package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
)

// assembledName is the name in the manifest. No package of that name is published, so nothing ever takes
// the place of an assembled build by itself: a release would not have its adapters.
const assembledName = "acc-assembled"

// manifest says what was built, as that of a release does, but signed by nobody: whoever installs it made it.
// It is also what is stamped into the executables, so that acc install knows the directory above its own.
func (a *assembly) manifest(ctx context.Context, r result) (*release.Manifest, error) {
	for _, name := range release.Required {
		if !slices.Contains(r.commands, name) {
			return nil, nil // an earlier version, which nothing manages
		}
	}
	platform, err := a.platform(ctx)
	if err != nil {
		return nil, err
	}
	adapters, err := a.ids(ctx)
	if err != nil {
		return nil, err
	}
	return &release.Manifest{
		Name: assembledName, Version: strings.TrimPrefix(semver.Canonical(strings.TrimSuffix(r.version, semver.Prerelease(r.version))), "v"),
		BuildID: a.buildID, Platform: platform.Name, StoreContract: protocol.StoreVersion, UpdateProtocol: release.UpdateProtocol, Adapters: adapters,
	}, nil
}

// platform is what GOOS and GOARCH, or this machine, say.
func (a *assembly) platform(ctx context.Context) (release.Platform, error) {
	out, err := a.goCommand(ctx, a.scratch, "env", "GOOS", "GOARCH")
	if err != nil {
		return release.Platform{}, err
	}
	words := strings.Fields(string(out))
	i := slices.IndexFunc(release.Platforms, func(p release.Platform) bool { return slices.Equal(words, []string{p.GOOS, p.GOARCH}) })
	if i < 0 {
		return release.Platform{}, fmt.Errorf("acc is not built for %s", strings.Join(words, "/"))
	}
	return release.Platforms[i], nil
}

// ids asks the assembled registry for the ids of its adapters, on this machine, whatever is built for.
func (a *assembly) ids(ctx context.Context) ([]string, error) {
	const program = `package main

import (
	"fmt"
	"os"

	"` + cliPath + `/registry"
)

func main() {
	adapters, err := registry.Hooks()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, a := range adapters {
		fmt.Println(a.ID())
	}
}
`
	if err := os.WriteFile(filepath.Join(a.scratch, "main", "main.go"), []byte(program), 0o644); err != nil {
		return nil, err
	}
	out, err := a.goCommandHere(ctx, filepath.Join(a.scratch, "main"), "run", "-trimpath", ".")
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(string(out))
	slices.Sort(ids)
	return ids, nil
}

// identify gives a build id: a hash over the content of every package that the commands consist of.
func (a *assembly) identify(ctx context.Context, version string, packages []string) (string, error) {
	args := append([]string{"list", "-deps", "-export", "-trimpath", "-tags", buildTags, "-f", "{{.ImportPath}} {{.BuildID}}"}, packages...)
	out, err := a.goCommand(ctx, filepath.Join(a.scratch, "main"), args...)
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s\n", assembledName, version)
	for _, line := range lines {
		name, id, _ := strings.Cut(line, " ")
		fmt.Fprintf(sum, "%s %s\n", name, id[strings.LastIndexByte(id, '/')+1:]) // how a package was made does not count
	}
	return hex.EncodeToString(sum.Sum(nil)[:12]), nil
}

// declare writes the manifest over the executables in output.
func declare(m *release.Manifest, commands []string, output string) error {
	for _, name := range commands {
		file := path.Join("bin", m.For().Executable(name))
		content, err := os.ReadFile(filepath.Join(output, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		m.Files = append(m.Files, release.Describe(file, release.Program, content))
	}
	slices.SortFunc(m.Files, func(a, b release.FileInfo) int { return strings.Compare(a.Path, b.Path) })
	data, err := m.Encode()
	if err != nil {
		return err
	}
	if _, err := release.DecodeManifest(data); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(output, release.ManifestName), data, 0o644)
}

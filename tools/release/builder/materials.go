package builder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/tarball"
	"github.com/acc-control-plane/acc/tools/worktree"
)

// billOfMaterials says in CycloneDX what the executables consist of, by what the linker recorded in them.
func (b *building) billOfMaterials(p release.Platform, buildID string, built []string, files []tarball.Entry) ([]byte, error) {
	modules, toolchain := map[string]cdx.Component{}, ""
	for _, path := range built {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, err
		}
		toolchain = info.GoVersion
		for _, m := range info.Deps {
			c := b.library(m.Path, m.Version, m.Sum)
			modules[c.BOMRef] = c
		}
	}
	standard := b.library("std", strings.TrimPrefix(toolchain, "go"), "")
	modules[standard.BOMRef] = standard
	var components []cdx.Component
	for _, c := range modules {
		components = append(components, c)
	}
	for _, f := range files {
		components = append(components, cdx.Component{
			BOMRef: "file:" + f.Path, Type: cdx.ComponentTypeFile, Name: f.Path,
			Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: release.Describe(f.Path, f.Mode, f.Content).SHA256}},
		})
	}
	slices.SortFunc(components, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	bom := cdx.NewBOM()
	bom.SerialNumber = serial(buildID + p.Name)
	bom.Components = &components
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{
		BOMRef: "acc", Type: cdx.ComponentTypeApplication, Name: release.PackageOf(b.Name, p.Name), Version: b.Version,
		Licenses:   &cdx.Licenses{{License: &cdx.License{ID: license}}},
		PackageURL: npmURL(release.PackageOf(b.Name, p.Name), b.Version),
		Properties: &[]cdx.Property{{Name: "acc:buildId", Value: buildID}, {Name: "acc:commit", Value: b.Commit}, {Name: "acc:platform", Value: p.Name}},
	}}
	return encodeBOM(bom)
}

// library is a module of Go. Those of this repository are released together, under the version of the release.
func (b *building) library(path, version, sum string) cdx.Component {
	if strings.HasPrefix(path, worktree.Prefix) {
		version, sum = "v"+b.Version, ""
	}
	c := cdx.Component{
		BOMRef: "module:" + path + "@" + version, Type: cdx.ComponentTypeLibrary, Name: path, Version: version,
		PackageURL: "pkg:golang/" + path + "@" + version,
	}
	if sum != "" {
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: sum}}
	}
	return c
}

// npmURL gives the package URL of an npm package, whose scope is written in escaped form.
func npmURL(name, version string) string {
	return "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + version
}

// serial is the serial number that the format asks for, made from what makes a release that release.
func serial(text string) string {
	sum := sha256.Sum256([]byte(text))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of the version that is made in a way of one's own
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func encodeBOM(bom *cdx.BOM) ([]byte, error) {
	var out bytes.Buffer
	encoder := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON)
	encoder.SetPretty(true)
	err := encoder.Encode(bom)
	return out.Bytes(), err
}

// notices gathers the licences of every library in the executables, as their authors ask of who passes copies on.
func (c compiler) notices(ctx context.Context) ([]byte, error) {
	list, err := c.run(ctx, slices.Concat([]string{"list", "-deps"}, flags, []string{"-json=Module,Standard", commands})...)
	if err != nil {
		return nil, err
	}
	directories := map[string]string{}
	decoder := json.NewDecoder(bytes.NewReader(list))
	for {
		var p struct {
			Module *struct{ Path, Version, Dir string }
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Module != nil && !strings.HasPrefix(p.Module.Path, worktree.Prefix) {
			directories[p.Module.Path+" "+p.Module.Version] = p.Module.Dir
		}
	}
	root, err := c.run(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	directories["The Go programming language and its standard library"] = strings.TrimSpace(string(root))
	var out bytes.Buffer
	for _, name := range sortedKeys(directories) {
		texts, err := licences(directories[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&out, "==== %s\n\n%s\n", name, texts)
	}
	return out.Bytes(), nil
}

// licences joins the files in a directory that hold terms. Distributions of Go put theirs elsewhere.
func licences(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var texts []byte
	for _, e := range entries {
		upper := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(upper, "LICENSE") && !strings.HasPrefix(upper, "LICENCE") && !strings.HasPrefix(upper, "COPYING") && !strings.HasPrefix(upper, "NOTICE") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(append(texts, text...), '\n')
	}
	if texts == nil {
		return nil, fmt.Errorf("no licence in %s", dir)
	}
	return texts, nil
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

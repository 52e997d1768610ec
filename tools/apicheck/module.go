package apicheck

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// Load type-checks the packages of the module that lies in dir, without those that nobody outside can
// import. env is the environment of the go command.
func Load(ctx context.Context, dir string, env []string) (*apidiff.Module, error) {
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Env: env, Mode: packages.NeedName | packages.NeedTypes | packages.NeedModule,
	}, "./...")
	if err != nil {
		return nil, err
	}
	m := &apidiff.Module{}
	for _, p := range loaded {
		for _, e := range p.Errors {
			return nil, e
		}
		m.Path = p.Module.Path
		if !slices.Contains(strings.Split(p.PkgPath, "/"), "internal") {
			m.Packages = append(m.Packages, p.Types)
		}
	}
	if m.Path == "" {
		return nil, fmt.Errorf("no module in %s", dir)
	}
	return m, nil
}

// moduleEntry is the entry of a written module that holds its path. Each other entry is the export data of
// one package, named by its path and ".x".
const moduleEntry = "module"

// Write keeps a module's types in a file.
func Write(m *apidiff.Module, file string) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(moduleEntry)
	if err == nil {
		_, err = io.WriteString(w, m.Path)
	}
	for _, p := range m.Packages {
		if err != nil {
			break
		}
		if w, err = z.Create(p.Path() + ".x"); err == nil {
			err = gcexportdata.Write(w, token.NewFileSet(), p)
		}
	}
	if err := errors.Join(err, z.Close()); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// Read gives the types that Write kept.
func Read(file string) (*apidiff.Module, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = z.Close() }()
	m := &apidiff.Module{}
	for _, entry := range z.File {
		data, err := content(entry)
		if err != nil {
			return nil, err
		}
		path, isPackage := strings.CutSuffix(entry.Name, ".x")
		if !isPackage {
			m.Path = string(data)
			continue
		}
		p, err := gcexportdata.Read(bytes.NewReader(data), token.NewFileSet(), map[string]*types.Package{}, path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		m.Packages = append(m.Packages, p)
	}
	return m, nil
}

func content(entry *zip.File) ([]byte, error) {
	r, err := entry.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

// Breaks says, a line each, what of the old module somebody may use that the new one has not, or has
// otherwise.
func Breaks(old, now *apidiff.Module) []string {
	var lines []string
	for _, c := range apidiff.ModuleChanges(old, now).Changes {
		if !c.Compatible {
			lines = append(lines, c.Message)
		}
	}
	return lines
}

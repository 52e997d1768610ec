// Package fuzzcorpus checks that every parser of outside bytes is fuzzed, is named on the page about
// security, and has inputs that run with every test. Start reading at its test.
package fuzzcorpus

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	function = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	named    = regexp.MustCompile("`([a-z][a-z0-9/-]*\\.Fuzz\\w+)`")
)

// Targets gives the fuzz tests below root as directory.FuzzName, sorted.
func Targets(root string) ([]string, error) {
	var all []string
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && file != root) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		for _, m := range function.FindAllSubmatch(text, -1) {
			all = append(all, filepath.ToSlash(dir)+"."+string(m[1]))
		}
		return nil
	})
	slices.Sort(all)
	return all, err
}

// heading begins the section of the page that names the parsers.
const heading = "## Parsers of outside bytes"

// Named gives the targets that the section of a page names, sorted.
func Named(page string) []string {
	_, section, _ := strings.Cut(page, heading)
	section, _, _ = strings.Cut(section, "\n## ")
	var all []string
	for _, m := range named.FindAllStringSubmatch(section, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return all
}

// Inputs counts the inputs that lie beside a target. A file that the go command would not take is an error.
func Inputs(root, target string) (int, error) {
	dir, name, _ := strings.Cut(target, ".")
	corpus := filepath.Join(root, filepath.FromSlash(path.Join(dir, "testdata", "fuzz", name)))
	entries, err := os.ReadDir(corpus)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(corpus, e.Name()))
		if err != nil {
			return 0, err
		}
		if !bytes.HasPrefix(text, []byte("go test fuzz v1\n")) {
			return 0, fmt.Errorf("%s is no input of a fuzz test", e.Name())
		}
	}
	return len(entries), nil
}

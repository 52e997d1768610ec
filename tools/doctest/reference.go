package doctest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	link      = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	goBlock   = regexp.MustCompile("(?m)^```go$")
	excerpt   = regexp.MustCompile("(?s)<!-- from (\\S+) -->\n```go\n(.*?)\n```")
	namedTest = regexp.MustCompile("`([a-z][a-z0-9/-]*)\\.((?:Test|Fuzz)\\w+)`")
)

// References checks what a document at name (relative to root) refers to: each link within the work tree
// must lead to a file, each block of Go must say where it is from and stand there (the README of a module may show a
// sketch), and each test that is named as `directory.TestName` must exist, with the directory below root or beside the
// document. It gives one sentence for each that does not.
func References(root, name, text string) ([]string, error) {
	var faults []string
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], "://") {
			continue
		}
		target := filepath.Join(root, filepath.Dir(filepath.FromSlash(name)), filepath.FromSlash(m[1]))
		if _, err := os.Stat(target); err != nil {
			faults = append(faults, fmt.Sprintf("%s links to %s, which is not there", name, m[1]))
		}
	}
	excerpts := excerpt.FindAllStringSubmatch(text, -1)
	if n := len(goBlock.FindAllString(text, -1)); n != len(excerpts) && !moduleReadme(name) {
		faults = append(faults, fmt.Sprintf("%s has %d blocks of Go, of which %d say with <!-- from FILE --> where they stand", name, n, len(excerpts)))
	}
	for _, m := range excerpts {
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m[1])))
		if err != nil || !strings.Contains(string(source), m[2]) {
			first, _, _ := strings.Cut(m[2], "\n")
			faults = append(faults, fmt.Sprintf("%s shows of %s what does not stand there, beginning with %q", name, m[1], first))
		}
	}
	for _, m := range namedTest.FindAllStringSubmatch(text, -1) {
		dir := filepath.FromSlash(m[1])
		found, err := hasTest(m[2], filepath.Join(root, dir), filepath.Join(root, filepath.Dir(filepath.FromSlash(name)), dir))
		if err != nil {
			return nil, err
		}
		if !found {
			faults = append(faults, fmt.Sprintf("%s names %s.%s, which is no function there", name, m[1], m[2]))
		}
	}
	return faults, nil
}

func moduleReadme(name string) bool { return path.Base(name) == "README.md" && path.Dir(name) != "." }

// hasTest looks for the function in the Go files of some directories. Not only in tests: the cases of a
// conformance kit are functions that tests call.
func hasTest(name string, dirs ...string) (bool, error) {
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return false, err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return false, err
			}
			if strings.Contains(string(text), "\nfunc "+name+"(") {
				return true, nil
			}
		}
	}
	return false, nil
}

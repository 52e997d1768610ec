package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	link      = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	namedTest = regexp.MustCompile("`([a-z][a-z0-9/-]*)\\.((?:Test|Fuzz)\\w+)`")
)

// References checks what a document at name (relative to root) refers to: each link within the work tree
// must lead to a file, and each test that is named as `directory.TestName` must exist. It gives one
// sentence for each that does not.
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
	for _, m := range namedTest.FindAllStringSubmatch(text, -1) {
		found, err := hasTest(filepath.Join(root, filepath.FromSlash(m[1])), m[2])
		if err != nil {
			return nil, err
		}
		if !found {
			faults = append(faults, fmt.Sprintf("%s names %s.%s, which no test file there has", name, m[1], m[2]))
		}
	}
	return faults, nil
}

func hasTest(dir, name string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
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
	return false, nil
}

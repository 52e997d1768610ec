package coretest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryRuleNamesItsTest holds README.md to the cases and tests that exist.
func TestEveryRuleNamesItsTest(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	cases, listed := map[string]bool{}, map[string]bool{}
	for _, c := range coreCases {
		cases[c.name] = true
	}
	tests := map[string]string{} // directory: its test files
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \|$`).FindAllStringSubmatch(string(page), -1) {
		rule, held := row[1], row[2]
		if held == "held by" {
			continue
		}
		for _, name := range regexp.MustCompile(`"[^"]+"|[\w/-]+ Test\w+`).FindAllString(held, -1) {
			if quoted, isCase := strings.CutPrefix(name, `"`); isCase {
				quoted = strings.TrimSuffix(quoted, `"`)
				if listed[quoted] = true; !cases[quoted] {
					t.Errorf("%s: there is no case %q", rule, quoted)
				}
				continue
			}
			dir, test, _ := strings.Cut(name, " ")
			if _, read := tests[dir]; !read {
				tests[dir] = testFiles(t, filepath.Join("..", "..", dir))
			}
			if !strings.Contains(tests[dir], "func "+test+"(") {
				t.Errorf("%s: %s has no %s", rule, dir, test)
			}
		}
	}
	for name := range cases {
		if !listed[name] {
			t.Errorf("README.md does not say which rule %q holds", name)
		}
	}
}

// testFiles gives the text of every test file of a directory.
func testFiles(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has no tests: %v", dir, err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

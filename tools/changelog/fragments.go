package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Kinds are what a change can be, in the order of the changelog, with their headings.
var Kinds = []struct{ Name, Heading string }{
	{"breaking", "Breaking"}, {"security", "Security"}, {"added", "Added"}, {"changed", "Changed"}, {"fixed", "Fixed"},
}

// Fragment is one file of changes.
type Fragment struct {
	Path, Kind, Text string
}

var fragmentName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*\.md$`)

// Fragments reads the files of a directory in the order of their names. README.md is none.
func Fragments(dir string) ([]Fragment, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []Fragment
	for _, e := range entries {
		if e.Name() == "README.md" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if !fragmentName.MatchString(e.Name()) {
			return nil, fmt.Errorf("%s: a fragment is named in lower case with hyphens and ends with .md", path)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, err := parse(path, string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, f)
	}
	return all, nil
}

func parse(path, text string) (Fragment, error) {
	first, rest, _ := strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	kind, ok := strings.CutPrefix(first, "kind: ")
	f := Fragment{Path: path, Kind: kind, Text: strings.TrimSpace(rest)}
	switch {
	case !ok || !slices.ContainsFunc(Kinds, func(k struct{ Name, Heading string }) bool { return k.Name == kind }):
		return f, fmt.Errorf("the first line must be \"kind: \" and one of breaking, security, added, changed, fixed")
	case f.Text == "":
		return f, fmt.Errorf("it says nothing")
	case strings.Contains(f.Text, "\n#") || strings.HasPrefix(f.Text, "#"):
		return f, fmt.Errorf("a heading would tear the changelog apart; write sentences")
	}
	return f, nil
}

// Wanted says whether a list of changed files, relative to the root, needs a fragment and has none.
func Wanted(files []string) bool {
	product := false
	for _, f := range files {
		dir, _, _ := strings.Cut(f, "/")
		switch {
		case dir == "changes" && strings.HasSuffix(f, ".md") && f != "changes/README.md":
			return false
		case dir == "tools" || dir == "docs" || dir == "examples" || strings.HasSuffix(f, "_test.go") || strings.Contains(f, "/testdata/"):
		case strings.HasSuffix(f, ".go"):
			product = true
		}
	}
	return product
}

const title = "# Changelog\n"

// Merge puts the section of a release before those of earlier ones.
func Merge(before, version, date string, all []Fragment) (string, error) {
	if before == "" {
		before = title
	}
	rest, ok := strings.CutPrefix(before, title)
	if !ok {
		return "", fmt.Errorf("CHANGELOG.md does not begin with %q", strings.TrimSpace(title))
	}
	if strings.Contains(rest, "\n## "+version+" ") {
		return "", fmt.Errorf("CHANGELOG.md has %s already", version)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n## %s (%s)\n", title, version, date)
	for _, kind := range Kinds {
		heading := "\n### " + kind.Heading + "\n\n"
		for _, f := range all {
			if f.Kind == kind.Name {
				b.WriteString(heading + "- " + strings.ReplaceAll(f.Text, "\n", "\n  ") + "\n")
				heading = ""
			}
		}
	}
	return b.String() + rest, nil
}

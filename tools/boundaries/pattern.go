package boundaries

import (
	"regexp"
	"strings"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// Pattern selects import paths. A text that starts with "./" means packages of this work tree by their
// directory; any other text is an import path. An element "*" stands for exactly one element, and a
// final "/..." for the package before it and everything below it.
type Pattern string

// Match says whether the import path is selected.
func (p Pattern) Match(path string) bool {
	if p == AnythingOfGit {
		return ofGit(path)
	}
	text := string(p)
	if own, ok := strings.CutPrefix(text, "./"); ok {
		rest, found := strings.CutPrefix(path, worktree.Prefix)
		if !found {
			return false
		}
		text, path = own, rest
	}
	text, tree := strings.CutSuffix(text, "/...")
	want, have := strings.Split(text, "/"), strings.Split(path, "/")
	if len(have) < len(want) || !tree && len(have) > len(want) {
		return false
	}
	for i, element := range want {
		if element != "*" && element != have[i] {
			return false
		}
	}
	return true
}

// AnythingOfGit selects every package that is about Git, of whichever author.
const AnythingOfGit Pattern = "anything of Git"

// gitElement finds go-git, git2go, gitfiles, x/git and the like; digit and legit are no Git.
var gitElement = regexp.MustCompile(`(?i)(^|[-_.])(lib)?git`)

func ofGit(path string) bool {
	host, rest, found := strings.Cut(path, "/")
	if !found || !strings.Contains(host, ".") {
		rest = path // no host: the standard library
	}
	for element := range strings.SplitSeq(rest, "/") {
		if gitElement.MatchString(element) {
			return true
		}
	}
	return false
}

func matchAny(patterns []Pattern, path string) bool {
	for _, p := range patterns {
		if p.Match(path) {
			return true
		}
	}
	return false
}

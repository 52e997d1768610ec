package workspace

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/acc-control-plane/acc/core/resource"
	"github.com/acc-control-plane/acc/protocol"
)

const everythingBelow = "/**"

// Resource gives the canonical file resource of a path (not of a URI: nothing in it is percent-encoded)
// written by somebody whose current directory is cwd (absolute): symlinks and letter case are resolved through the deepest existing ancestor, and
// the result is relative
//   - in a config room to the directory of the configuration,
//   - else to the root of the worktree that the path lies in, if that is a worktree of the room's
//     repository, so that a name means the same file in all of them,
//   - else to the first root.
//
// A path outside stays absolute. Backslashes count as slashes; a trailing "/**" is kept. Errors have
// Code Usage: see resource.Normalise for names that could never match.
func (d Descriptor) Resource(cwd, path string) (string, error) {
	path = strings.ReplaceAll(path, `\`, "/")
	if path == everythingBelow[1:] {
		path = "." + everythingBelow
	}
	rest, glob := strings.CutSuffix(path, everythingBelow)
	if rest == "" && !glob {
		return "", protocol.UsageError("", "the path of the resource is empty")
	}
	suffix := ""
	switch {
	case glob:
		suffix = everythingBelow
	case strings.HasSuffix(rest, "/"):
		suffix = "/" // refused by Normalise, with advice
	}
	at, err := d.target(cwd, rest)
	if err != nil {
		return "", err
	}
	return resource.Normalise(resource.FromPath(strings.TrimSuffix(d.name(at), "/")) + suffix)
}

// Target gives the canonical name of the file that somebody is about to touch, as Resource does, but takes the
// path as it is: a "*" in it is part of the name, and a directory is one.
func (d Descriptor) Target(cwd, path string) (string, error) {
	path = strings.ReplaceAll(path, `\`, "/")
	if path == "" {
		return "", protocol.UsageError("", "the path of the target is empty")
	}
	at, err := d.target(cwd, path)
	if err != nil {
		return "", err
	}
	return resource.Target(resource.FromPath(d.name(at)))
}

// target resolves a slashed path against cwd.
func (d Descriptor) target(cwd, slashed string) (place, error) {
	path := filepath.FromSlash(slashed)
	switch {
	case slashed == "": // of "/**"
		path = string(filepath.Separator)
	case filepath.IsAbs(path):
	case filepath.VolumeName(path) != "":
		return place{}, protocol.UsageError("", fmt.Sprintf("the path %q is relative to a drive", slashed))
	case !filepath.IsAbs(cwd):
		return place{}, protocol.UsageError("", fmt.Sprintf("the directory that %q is relative to is not an absolute path: %q", slashed, cwd))
	default:
		path = cwd + string(filepath.Separator) + path // not cleaned: ".." behind a link leads elsewhere
	}
	return resolveFrom(d.Dir, path)
}

// name is the name of a place, with slashes; absolute with a leading one.
func (d Descriptor) name(at place) string {
	rel, ok := d.relative(at)
	name := filepath.ToSlash(rel)
	if !ok && !strings.HasPrefix(name, "/") {
		return "/" + name // C:/x
	}
	return name
}

// relative gives the path itself and false when it lies outside.
func (d Descriptor) relative(at place) (rel string, ok bool) {
	path, worktree := at.path, d.worktreeOf(at)
	if d.ConfigDir == "" {
		if worktree == "" {
			worktree = d.CheckoutRoot()
		}
		if rel, ok := within(worktree, path); ok {
			return rel, true
		}
		return path, false
	}
	twin := path // the same file of our own worktree
	if inside, ok := within(worktree, path); ok && worktree != "" {
		twin = filepath.Join(d.CheckoutRoot(), inside)
	}
	// A configuration inside of the worktree has a copy in every other one, which may even lie below
	// our own; one above is there only once, and then each worktree has names of its own.
	if _, copied := within(d.CheckoutRoot(), d.ConfigDir); !copied || worktree == "" {
		if rel, ok := within(d.ConfigDir, path); ok {
			return rel, true
		}
	}
	if rel, ok := within(d.ConfigDir, twin); ok {
		return rel, true
	}
	return path, false
}

// worktreeOf is the root of the worktree of the room's repository that a place lies in, or empty. Other
// repositories on the way up, such as submodules, do not count: what lies in them is part of the
// worktree around them.
func (d Descriptor) worktreeOf(at place) string {
	if d.Git == nil {
		return ""
	}
	for level := at.dir; ; level = filepath.Dir(level) {
		if level == d.Git.WorktreeRoot {
			return level
		}
		if c, _ := checkoutAt(level); c != nil {
			if common, err := c.repo.commonDir(level); err == nil && common == d.Git.CommonDir {
				return level
			}
		}
		if level == filepath.Dir(level) {
			return ""
		}
	}
}

package resource

import "strings"

// maxDepth bounds how many directories of one name are listed; deeper names are listed at their first
// maxDepth directories and found there.
const maxDepth = 32

// Over gives every canonical name that could cover the given one from above, itself included: a claim
// on anything else can overlap it only from below (see Dir and Dirs). Looking these up costs the depth
// of the name, not the number of claims.
func Over(name string) []string {
	scheme, rest := split(name)
	dir, glob := strings.CutSuffix(rest, everything)
	names := make([]string, 0, 8)
	if !glob {
		names = append(names, name)
	}
	for _, d := range dirs(scheme, dir) {
		names = append(names, d+everything)
	}
	return names
}

// Dirs gives the keys under which a claim on name is listed for those who ask from above: each
// directory that contains it, at most 32, and its own path.
func Dirs(name string) []string {
	scheme, rest := split(name)
	dir, _ := strings.CutSuffix(rest, everything)
	keys := dirs(scheme, dir)
	if len(keys) > maxDepth {
		keys = keys[:maxDepth]
	}
	return keys
}

// Dir gives the key that lists every claim at or below the directory of a pattern; ok is false when
// name is not a pattern, so that nothing can lie below it. The hits must still be compared with Overlap.
func Dir(name string) (key string, ok bool) {
	keys := Dirs(name)
	return keys[len(keys)-1], strings.HasSuffix(name, everything)
}

// dirs gives, from the top, each directory of a path with its scheme, the path itself last. A file path
// inside the checkout begins at ".".
func dirs(scheme, path string) []string {
	var out []string
	if scheme == fileScheme && relativeInside(path) {
		out = append(out, scheme+".")
		if path == "." {
			return out
		}
	}
	for i := range len(path) {
		if path[i] == '/' {
			out = append(out, scheme+path[:i])
		}
	}
	return append(out, scheme+path)
}

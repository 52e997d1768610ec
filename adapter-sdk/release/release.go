// Package release compares the versions that clients say of themselves.
package release

import (
	"slices"
	"strconv"
	"strings"
)

// Release is the x.y.z of a version.
type Release [3]int

// Parse reads x.y.z without leading zeros, and whatever follows a hyphen or a plus sign: a prerelease or
// a build counts as its release, because clients ship fixes of one release under many suffixes. ok is
// false for anything else, an empty suffix included.
func Parse(version string) (r Release, ok bool) {
	if i := strings.IndexAny(version, "-+"); i >= 0 {
		if i == len(version)-1 {
			return Release{}, false
		}
		version = version[:i]
	}
	parts := strings.Split(version, ".")
	if len(parts) != len(r) {
		return Release{}, false
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil || len(part) > 1 && part[0] == '0' {
			return Release{}, false
		}
		r[i] = int(n)
	}
	return r, true
}

// Compare is negative if r is older than other, positive if it is newer, and 0 otherwise.
func (r Release) Compare(other Release) int { return slices.Compare(r[:], other[:]) }

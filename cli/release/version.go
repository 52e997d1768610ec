package release

import (
	"cmp"
	"strconv"
	"strings"
)

// Version is a stable semantic version: three numbers and nothing else.
type Version struct{ Major, Minor, Patch uint32 }

// ParseVersion reads the one form x.y.z, without leading zeros.
func ParseVersion(text string) (Version, bool) {
	var v Version
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return Version{}, false
	}
	for i, at := range []*uint32{&v.Major, &v.Minor, &v.Patch} {
		n, err := strconv.ParseUint(parts[i], 10, 31)
		if err != nil || strconv.FormatUint(n, 10) != parts[i] {
			return Version{}, false
		}
		*at = uint32(n)
	}
	return v, true
}

// Compare is negative when v is older than w, positive when it is newer.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor), cmp.Compare(v.Patch, w.Patch))
}

// String implements fmt.Stringer.
func (v Version) String() string {
	return strconv.FormatUint(uint64(v.Major), 10) + "." + strconv.FormatUint(uint64(v.Minor), 10) + "." + strconv.FormatUint(uint64(v.Patch), 10)
}

//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"syscall"
)

// sameDevice says whether no mount point lies between a directory and its ancestor. If it cannot be
// told there is none.
func sameDevice(info fs.FileInfo, ancestor string) bool {
	other, err := os.Lstat(ancestor)
	if err != nil || info == nil {
		return true
	}
	a, known := info.Sys().(*syscall.Stat_t)
	b, alsoKnown := other.Sys().(*syscall.Stat_t)
	return !known || !alsoKnown || a.Dev == b.Dev
}

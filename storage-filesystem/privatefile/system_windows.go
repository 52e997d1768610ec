package privatefile

import (
	"io/fs"

	"golang.org/x/sys/windows"

	"github.com/acc-control-plane/acc/storage-filesystem/internal/smallfile"
)

func owner(fs.FileInfo) int { return smallfile.UnknownOwner }

// renameNew moves a file where nothing is yet; without a flag the system refuses to replace.
func renameNew(from, to string) error {
	source, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	target, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	return windows.MoveFileEx(source, target, 0)
}

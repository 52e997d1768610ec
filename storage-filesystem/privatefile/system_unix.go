//go:build unix

package privatefile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/acc-control-plane/acc/storage-filesystem/internal/smallfile"
)

func owner(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return smallfile.UnknownOwner
}

// renameNew moves a file where nothing is yet: in one step where the file system can, else by a second
// name for the same file.
func renameNew(from, to string) error {
	err := renameExclusive(from, to)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return linkNew(from, to)
}

func linkNew(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	return os.Remove(from)
}

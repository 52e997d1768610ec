package privatefile

import (
	"io/fs"
	"os"

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

// create makes a new file.
func create(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(path)
	}
	return err
}

// rename moves a file over another one.
func rename(from, to string) error { return os.Rename(from, to) }

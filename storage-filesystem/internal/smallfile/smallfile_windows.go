package smallfile

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// Read reads the whole file at path. The file is opened so that it can be replaced meanwhile.
func Read(path string, opts Options) (File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return File{}, fault(path, err)
	}
	flags := uint32(windows.FILE_ATTRIBUTE_NORMAL)
	if !opts.Follow {
		flags |= windows.FILE_FLAG_OPEN_REPARSE_POINT
	}
	share := uint32(windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE)
	handle, err := windows.CreateFile(name, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, flags, 0)
	if err != nil {
		if info, statErr := os.Lstat(path); statErr == nil && info.IsDir() {
			err = ErrNotRegular // a directory cannot be opened this way
		}
		return File{}, fault(path, err)
	}
	f := os.NewFile(uintptr(handle), path)
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return File{}, fault(path, err)
	case info.Mode()&os.ModeSymlink != 0:
		return File{}, fault(path, ErrSymlink)
	case !info.Mode().IsRegular():
		return File{}, fault(path, ErrNotRegular)
	case info.Size() > opts.Max:
		return File{}, fault(path, ErrTooLarge)
	}
	data, err := io.ReadAll(io.LimitReader(f, opts.Max+1))
	if err == nil && int64(len(data)) > opts.Max {
		err = ErrTooLarge
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return File{}, fault(path, err)
	}
	return File{Data: data, Owner: UnknownOwner}, nil
}

// ReadPointer reads a file of one line, which may be reached through a symbolic link if follow is set. A
// longer file is ErrTooLarge.
func ReadPointer(path string, follow bool) ([]byte, error) {
	file, err := Read(path, Options{Max: MaxPointer, Follow: follow})
	return file.Data, err
}

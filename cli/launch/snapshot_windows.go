package launch

import (
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// snapshot is a small file as it was read, still open.
type snapshot struct {
	file *os.File
	path string
	data []byte
}

// sharing is how often a file that is being replaced is asked for again.
const sharing = 20

func openSnapshot(path string, max int64) (*snapshot, error) {
	f, err := openShared(path)
	for i := 0; i < sharing && (err == windows.ERROR_SHARING_VIOLATION || err == windows.ERROR_ACCESS_DENIED); i++ {
		time.Sleep(time.Millisecond)
		f, err = openShared(path)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	s := &snapshot{file: f, path: path}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > max) {
		err = fs.ErrInvalid
	}
	if err == nil {
		s.data, err = io.ReadAll(io.LimitReader(f, max+1))
	}
	if err != nil {
		s.close()
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return s, nil
}

// openShared lets others rename and delete the file meanwhile, and opens no link.
func openShared(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), path), nil
}

// current says whether the path still names the file.
func (s *snapshot) current() bool {
	f, err := openShared(s.path)
	if err != nil {
		return false
	}
	defer f.Close()
	a, err := s.file.Stat()
	if err != nil {
		return false
	}
	b, err := f.Stat()
	return err == nil && os.SameFile(a, b)
}

func (s *snapshot) close() { _ = s.file.Close() }

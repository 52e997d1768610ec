package lockfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// Lock is a held lock. It has no finalizer: a lock that nobody refers to any more is held all the same.
type Lock struct {
	handle windows.Handle
	path   string
}

// lockOffset is the one byte that is locked: far beyond the end, so that nobody is kept from reading.
const lockOffset = 1 << 30

func open(path string) (*Lock, error) {
	h, err := openHandle(path, windows.OPEN_EXISTING)
	if err != nil {
		return nil, err
	}
	return &Lock{handle: h, path: path}, nil
}

// openHandle shares everything, deletion included, and gives the link itself where there is one, which
// then is refused.
func openHandle(path string, disposition uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, fault("open", path, err)
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil, disposition,
		windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return 0, fault("open", path, err)
	}
	return h, nil
}

func (l *Lock) lock(mode Mode) error {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if mode == Exclusive {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	at := windows.Overlapped{Offset: lockOffset}
	switch err := windows.LockFileEx(l.handle, how, 0, 1, 0, &at); err {
	case nil:
		return nil
	case windows.ERROR_LOCK_VIOLATION, windows.ERROR_IO_PENDING:
		return ErrBusy
	default:
		return fault("lock", l.path, err)
	}
}

// Named says whether the path still names the locked file. An absent path is fs.ErrNotExist.
func (l *Lock) Named() (bool, error) {
	own, err := identify(l.handle, l.path)
	if err != nil {
		return false, err
	}
	h, err := openHandle(l.path, windows.OPEN_EXISTING)
	if err != nil {
		return false, err
	}
	defer windows.CloseHandle(h)
	named, err := identify(h, l.path)
	return err == nil && named == own, err
}

func identify(h windows.Handle, path string) (FileID, error) {
	var st windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &st); err != nil {
		return FileID{}, fault("stat", path, err)
	}
	if st.FileAttributes&(windows.FILE_ATTRIBUTE_REPARSE_POINT|windows.FILE_ATTRIBUTE_DIRECTORY) != 0 {
		return FileID{}, fault("lock", path, fs.ErrInvalid)
	}
	return FileID{uint64(st.VolumeSerialNumber), uint64(st.FileIndexHigh)<<32 | uint64(st.FileIndexLow)}, nil
}

// Release ends the lock.
func (l *Lock) Release() {
	if l != nil && l.handle != 0 {
		_ = windows.CloseHandle(l.handle)
		l.handle = 0
	}
}

// Make makes a file to be locked. One that is there stays as it is.
func Make(path string) error {
	h, err := openHandle(path, windows.CREATE_NEW)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return windows.CloseHandle(h)
}

func fault(op, path string, err error) error { return &fs.PathError{Op: op, Path: path, Err: err} }

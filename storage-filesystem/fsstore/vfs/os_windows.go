package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/windows"
)

// OS is the real file system. Ownership is left to the access control list that the local
// application data directory hands down.
type OS struct{}

// Open implements FS.
func (OS) Open(base, dir string) (Dir, error) {
	if err := realSegments(base, dir); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &osDir{root: root, path: dir}, nil
}

// Create implements FS.
func (o OS) Create(base, dir string) (Dir, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return o.Open(base, dir)
}

// realSegments refuses a reparse point in any segment of dir below base.
func realSegments(base, dir string) error {
	rel, err := filepath.Rel(base, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return &fs.PathError{Op: "open", Path: dir, Err: errors.New("does not lie in " + base)}
	}
	at := base
	for segment := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		at = filepath.Join(at, segment)
		st, err := os.Lstat(at)
		if err != nil {
			return err
		}
		if !st.IsDir() {
			return &UnsafeError{at, unsafeLink}
		}
	}
	return nil
}

// BootID implements FS.
func (OS) BootID() string { return bootID() }

// bootCounter is where the kernel shows every process how often it has started (KUSER_SHARED_DATA.BootId).
const bootCounter = 0x7ffe0000 + 0x2c4

var bootID = sync.OnceValue(func() string {
	var raw [4]byte
	var n uintptr
	err := windows.ReadProcessMemory(windows.CurrentProcess(), bootCounter, &raw[0], uintptr(len(raw)), &n)
	if err != nil || n != uintptr(len(raw)) {
		return ""
	}
	count := uint64(raw[0]) | uint64(raw[1])<<8 | uint64(raw[2])<<16 | uint64(raw[3])<<24
	if count == 0 {
		return "" // a system that does not count
	}
	return "boot-" + strconv.FormatUint(count, 10)
})

type osDir struct {
	root *os.Root
	path string
}

func (d *osDir) Close() error            { return d.root.Close() }
func (d *osDir) full(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// safe refuses a name that passes through a reparse point, and gives it as the system writes it.
func (d *osDir) safe(name string) (string, error) {
	segments := strings.Split(name, "/")
	for i := range segments {
		at := strings.Join(segments[:i+1], `\`)
		st, err := d.root.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) && i == len(segments)-1 {
			return at, nil
		}
		if err != nil {
			return "", err
		}
		if st.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
			return "", &UnsafeError{d.full(at), unsafeLink}
		}
	}
	return strings.Join(segments, `\`), nil
}

func (d *osDir) ReadFile(name string, max int64) ([]byte, error) {
	f, err := d.Open(name, Read)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size > max {
		return nil, &fs.PathError{Op: "read", Path: d.full(name), Err: ErrTooLarge}
	}
	buf := make([]byte, st.Size)
	n, err := f.ReadAt(buf, 0)
	if err == io.EOF {
		err = nil
	}
	return buf[:n], err
}

func (d *osDir) Open(name string, mode Mode) (File, error) {
	safe, err := d.safe(name)
	if err != nil {
		return nil, err
	}
	flags := map[Mode]int{
		Read: os.O_RDONLY, Write: os.O_RDWR, Create: os.O_RDWR | os.O_CREATE | os.O_EXCL, OpenOrCreate: os.O_RDWR | os.O_CREATE,
	}[mode]
	f, err := d.root.OpenFile(safe, flags, 0o600)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = &UnsafeError{d.full(name), unsafeKind}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &osFile{f}, nil
}

func (d *osDir) Mkdir(name string) error {
	safe, err := d.safe(name)
	if err != nil {
		return err
	}
	return d.root.Mkdir(safe, 0o700)
}

func (d *osDir) both(from, to string, do func(from, to string) error) error {
	a, err := d.safe(from)
	if err != nil {
		return err
	}
	b, err := d.safe(to)
	if err != nil {
		return err
	}
	return do(a, b)
}

func (d *osDir) Rename(from, to string) error { return d.both(from, to, d.root.Rename) }

// Exchange implements Dir.
func (d *osDir) Exchange(string, string) error { return ErrUnsupported }

func (d *osDir) Link(from, to string) error { return d.both(from, to, d.root.Link) }

func (d *osDir) Remove(name string) error {
	safe, err := d.safe(name)
	if err != nil {
		return err
	}
	return d.root.Remove(safe)
}

// SyncDir flushes a directory where the file system lets an ordinary user do so; NTFS otherwise
// orders directory changes in its own log.
func (d *osDir) SyncDir(name string) error {
	full, err := windows.UTF16PtrFromString(d.full(name))
	if err != nil {
		return err
	}
	h, err := windows.CreateFile(full, windows.GENERIC_WRITE,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil,
		windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err == nil {
		defer windows.CloseHandle(h)
		err = windows.FlushFileBuffers(h)
	}
	if err == windows.ERROR_ACCESS_DENIED || err == windows.ERROR_INVALID_FUNCTION {
		return nil
	}
	return err
}

// SyncAll implements Dir.
func (d *osDir) SyncAll() error { return ErrUnsupported }

func (d *osDir) List(name string) ([]Entry, error) {
	if name == "" {
		name = "."
	}
	f, err := d.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	listed, err := f.ReadDir(-1)
	entries := make([]Entry, 0, len(listed))
	for _, e := range listed {
		entries = append(entries, Entry{e.Name(), e.IsDir()})
	}
	return entries, err
}

func (d *osDir) Stat(name string) (Info, error) {
	safe := "."
	if name != "" {
		var err error
		if safe, err = d.safe(name); err != nil {
			return Info{}, err
		}
	}
	f, err := d.root.Open(safe)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	return (&osFile{f}).Stat()
}

func (d *osDir) Touch(name string) error {
	safe, err := d.safe(name)
	if err != nil {
		return err
	}
	now := time.Now()
	return d.root.Chtimes(safe, now, now)
}

func (d *osDir) Kind() (string, bool, error) {
	volume := filepath.VolumeName(d.path)
	if strings.HasPrefix(volume, `\\`) && !strings.HasPrefix(volume, `\\?\`) && !strings.HasPrefix(volume, `\\.\`) {
		return "network share", true, nil
	}
	drive, err := windows.UTF16PtrFromString(volume + `\`)
	if err != nil {
		return "", false, err
	}
	if windows.GetDriveType(drive) == windows.DRIVE_REMOTE {
		return "network drive", true, nil
	}
	return "local drive", false, nil
}

type osFile struct{ *os.File }

func (f *osFile) ID() FileID {
	st, err := f.Stat()
	if err != nil {
		return FileID{}
	}
	return st.ID
}

func (f *osFile) Datasync() error { return f.File.Sync() }

func (f *osFile) Stat() (Info, error) {
	var st windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &st); err != nil {
		return Info{}, &fs.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return Info{
		Size:    int64(st.FileSizeHigh)<<32 | int64(st.FileSizeLow),
		ModTime: time.Unix(0, st.LastWriteTime.Nanoseconds()),
		Dir:     st.FileAttributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0,
		Links:   int(st.NumberOfLinks),
		ID:      FileID{uint64(st.VolumeSerialNumber), uint64(st.FileIndexHigh)<<32 | uint64(st.FileIndexLow)},
	}, nil
}

// lockOffset is the one byte that is locked: far beyond any owner text, which stays readable.
const lockOffset = 1 << 30

func (f *osFile) TryLock() (bool, error) {
	at := windows.Overlapped{Offset: lockOffset}
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return false, nil
	}
	return err == nil, err
}

func (f *osFile) Lock() error {
	at := windows.Overlapped{Offset: lockOffset}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &at)
}

// NoSpace says that err means that the disk or the quota is full.
func NoSpace(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

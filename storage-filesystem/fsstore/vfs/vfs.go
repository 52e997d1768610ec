package vfs

import (
	"errors"
	"io/fs"
	"time"
)

// FS opens the directories in which stores live. It is safe for concurrent use.
type FS interface {
	// Open opens the directory dir for one operation of the store. Every segment of dir below base
	// must be a real directory; base itself is the user's business and may be reached through
	// symbolic links. An absent directory is fs.ErrNotExist.
	Open(base, dir string) (Dir, error)
	// Create makes the missing segments of dir below base, flushes their parents, and opens dir.
	Create(base, dir string) (Dir, error)
	// BootID names this boot of the kernel, or is empty when that cannot be known.
	BootID() string
}

// Dir is an opened directory. One goroutine uses it, for one operation, and closes it.
//
// Errors satisfy errors.Is with fs.ErrNotExist and fs.ErrExist; a symbolic link, a foreign owner or a
// special file is an *UnsafeError.
type Dir interface {
	Close() error
	// ReadFile gives the content of a regular file of at most max bytes; a larger one is ErrTooLarge.
	ReadFile(name string, max int64) ([]byte, error)
	// Open opens or makes a regular file.
	Open(name string, mode Mode) (File, error)
	// Mkdir makes one directory, 0700.
	Mkdir(name string) error
	// Rename replaces to by from.
	Rename(from, to string) error
	// Exchange swaps two existing names in one step. ErrUnsupported: the platform or the file system
	// cannot.
	Exchange(a, b string) error
	// Link gives the file from a second name; an existing one is fs.ErrExist and stays as it is.
	Link(from, to string) error
	// Remove removes a file or an empty directory.
	Remove(name string) error
	// SyncDir makes the entries of a directory durable; "" is the opened directory itself.
	SyncDir(name string) error
	// SyncAll makes everything durable that was written below the directory before: contents, sizes
	// and entries, of whoever wrote them. ErrUnsupported: this platform has no such request.
	SyncAll() error
	// List gives the entries of a directory in no particular order.
	List(name string) ([]Entry, error)
	// Stat looks at name without following a link; "" is the opened directory itself, of which it need only give the
	// identity.
	Stat(name string) (Info, error)
	// Touch sets the modification time of name to now.
	Touch(name string) error
	// Kind names the type of the file system, and whether it is one over a network.
	Kind() (name string, network bool, err error)
}

// File is an opened regular file.
type File interface {
	Close() error
	// ReadAt reads like io.ReaderAt.
	ReadAt(p []byte, off int64) (int, error)
	// WriteAt writes like io.WriterAt.
	WriteAt(p []byte, off int64) (int, error)
	Truncate(size int64) error
	// Stat gives the size and the identity of what is open, whatever its name is by now.
	Stat() (Info, error)
	// ID is the identity alone, known since the file was opened.
	ID() FileID
	// Datasync makes the content durable, a larger size included. A smaller size need not be.
	Datasync() error
	// Sync makes content and size durable.
	Sync() error
	// TryLock takes the exclusive lock of the file, or says at once that somebody else has it. The
	// lock belongs to this opening of the file and ends with it, and with the process.
	TryLock() (bool, error)
	// Lock is TryLock that waits, and nothing ends the wait but the lock. Who came first is served first, as far as the
	// system cares.
	Lock() error
}

// Mode says how a file is opened.
type Mode int

// The modes. Files that are made are 0600.
const (
	Read         Mode = iota // existing, to read
	Write                    // existing, to read and write
	Create                   // new, to read and write; existing is fs.ErrExist
	OpenOrCreate             // either, to read and write
)

// Entry is one name of a directory.
type Entry struct {
	Name string
	Dir  bool
}

// Info is what the store needs to know of a file.
type Info struct {
	Size    int64
	ModTime time.Time
	Dir     bool
	Links   int // names of the file; 0: unknown
	ID      FileID
}

// FileID identifies a file on this machine while it is open; two names of one file share it.
type FileID struct{ Device, File uint64 }

// ErrUnsupported says that a request does not exist on this platform.
var ErrUnsupported = errors.New("not supported on this platform")

// ErrTooLarge says that a file holds more than the caller can accept.
var ErrTooLarge = errors.New("file is larger than allowed")

// UnsafeError says that a path must not be used: nothing below it was read or changed.
type UnsafeError struct {
	Path string // of the segment
	What string // what is wrong with it
}

// Error implements error.
func (e *UnsafeError) Error() string { return e.Path + " " + e.What }

// What can be wrong with a path.
const (
	unsafeLink  = "is or passes through a symbolic link"
	unsafeOwner = "belongs to another user"
	unsafeKind  = "is not a regular file"
	unsafeDir   = "is not a directory"
)

// Missing says that err means that a name does not exist.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// Exists says that err means that a name exists already.
func Exists(err error) bool { return errors.Is(err, fs.ErrExist) }

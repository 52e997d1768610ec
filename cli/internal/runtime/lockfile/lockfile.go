package lockfile

import (
	"errors"
	"io/fs"
	"time"
)

// Mode says with whom a lock is shared.
type Mode int

// The modes.
const (
	Shared    Mode = iota // with other shared ones
	Exclusive             // with nobody
)

// ErrBusy says that somebody else holds a lock that excludes the wanted one.
var ErrBusy = errors.New("is locked by another process")

// FileID names a file of this machine while something has it open.
type FileID struct{ Device, File uint64 }

// Take takes a lock that nobody contests, or gives ErrBusy at once. The file must be there
// (fs.ErrNotExist) and may be neither a link nor anything else than a regular file.
func Take(path string, mode Mode) (*Lock, error) {
	for {
		l, err := open(path)
		if err != nil {
			return nil, err
		}
		if err := l.lock(mode); err != nil {
			l.Release()
			return nil, err
		}
		named, err := l.Named()
		if err == nil && named {
			return l, nil
		}
		l.Release()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		// Somebody removed the file while it was being locked. If there is another now, that one counts.
	}
}

// Await is Take that tries again, at most poll apart, until the deadline; then it gives ErrBusy.
func Await(path string, mode Mode, deadline time.Time, poll time.Duration) (*Lock, error) {
	for pause := min(poll, time.Millisecond); ; pause = min(2*pause, poll) {
		l, err := Take(path, mode)
		left := time.Until(deadline)
		if !errors.Is(err, ErrBusy) || left <= 0 {
			return l, err
		}
		time.Sleep(min(pause, left))
	}
}

package livefiles

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// A session that says its end takes its files along. One that was killed leaves them, and nobody comes
// back for them.
const (
	leftoverAge = 7 * 24 * time.Hour // what nobody wrote to for so long belongs to nobody, or is made again
	sweepEvery  = 24 * time.Hour
	sweepBudget = 200 // files that SweepDue removes; the rest waits for the next day
	listedAtOne = 64  // entries that are read at a time
	sweptFile   = "swept"
)

// kinds are the directories of the ledger.
var kinds = [...]string{"flight", "woken", "attempt", "exchange", "turn", "denied"}

// Sweep removes the files that nobody wrote to for seven days, at most budget of them (0: all), and says
// how many those were. A session that is open all the same loses nothing but a wake too many.
func (l *Ledger) Sweep(now time.Time, budget int) (removed int, err error) {
	for _, kind := range kinds {
		more, err := l.sweep(kind, now.Add(-leftoverAge), budget-removed, budget == 0)
		removed += more
		if err != nil {
			return removed, protocol.DataError("", "cannot clear "+filepath.Join(l.dir, kind)).Because(err)
		}
	}
	return removed, nil
}

// SweepDue is a short Sweep if none was begun for a day. For most callers it is one look at a file.
func (l *Ledger) SweepDue(now time.Time) error {
	path := filepath.Join(l.dir, sweptFile)
	info, err := os.Lstat(path)
	if err == nil && now.Sub(info.ModTime()) < sweepEvery {
		return nil
	}
	if err := l.tree.Write(path, nil); err != nil {
		return err
	}
	_, err = l.Sweep(now, sweepBudget)
	return err
}

// sweep clears one directory.
func (l *Ledger) sweep(kind string, before time.Time, budget int, unbounded bool) (removed int, err error) {
	dir, err := os.Open(filepath.Join(l.dir, kind))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = dir.Close() }()
	for {
		entries, err := dir.ReadDir(listedAtOne)
		for _, e := range entries {
			info, infoErr := e.Info()
			if infoErr != nil || !info.Mode().IsRegular() || !info.ModTime().Before(before) {
				continue // gone, not ours, or in use
			}
			if removed >= budget && !unbounded {
				return removed, nil
			}
			if err := l.tree.Remove(filepath.Join(l.dir, kind, e.Name())); err != nil {
				return removed, err
			}
			removed++
		}
		if errors.Is(err, io.EOF) {
			return removed, nil
		}
		if err != nil {
			return removed, err
		}
	}
}

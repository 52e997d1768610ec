package fsstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

const (
	lockPatience = 5 * time.Second // of a caller that gives no bound at all
	maxOwner     = 1 << 10
)

// acquire takes the writer lock. Nothing but the end of its owner ever frees it, so the only other way
// out is the deadline of ctx or Options.LockWait, whichever comes first.
func (s *Store) acquire(ctx context.Context, dir vfs.Dir) (vfs.File, error) {
	patience := s.opts.LockWait
	if _, ok := ctx.Deadline(); !ok && patience == 0 {
		patience = lockPatience
	}
	if patience > 0 {
		limited, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		ctx = limited
	}
	s.step(StepLockWait)
	for ctx.Err() == nil {
		f, err := s.lock(ctx, dir)
		if ctx.Err() != nil && f == nil {
			break
		}
		named := false
		if err == nil {
			named, err = stillNamed(dir, f)
		}
		if named && err == nil {
			s.sign(f)
			s.step(StepLockTaken)
			return f, nil
		}
		if f != nil {
			f.Close()
		}
		if err != nil {
			return nil, ioError("cannot lock "+lockFile, err)
		}
	}
	return nil, lockRefused(ctx, dir)
}

// lock opens and locks the lock file, and gives neither if the time of ctx ends first. The lock on a file that somebody
// has unlinked meanwhile locks nobody out and does not count.
func (s *Store) lock(ctx context.Context, dir vfs.Dir) (vfs.File, error) {
	f, err := openLock(dir)
	if err != nil {
		return nil, err
	}
	held, err := f.TryLock()
	if held && err == nil {
		return f, nil
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return s.waits.wait(ctx, f)
}

func openLock(dir vfs.Dir) (vfs.File, error) {
	f, err := dir.Open(lockFile, vfs.OpenOrCreate)
	if vfs.Missing(err) {
		if err := makeDirectories(dir); err != nil {
			return nil, err
		}
		f, err = dir.Open(lockFile, vfs.OpenOrCreate)
	}
	return f, err
}

func stillNamed(dir vfs.Dir, f vfs.File) (bool, error) {
	open, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := dir.Stat(lockFile)
	if vfs.Missing(err) {
		return false, nil
	}
	return err == nil && open.ID == named.ID, err
}

// sign writes who holds the lock, for people. It proves nothing and may fail.
func (s *Store) sign(f vfs.File) {
	program := "acc"
	if len(os.Args) > 0 {
		program = filepath.Base(os.Args[0])
	}
	text := fmt.Sprintf("pid %d (%.100s) since %s\n", os.Getpid(), program, s.opts.now().Format(time.RFC3339))
	if _, err := f.WriteAt([]byte(text), 0); err == nil {
		_ = f.Truncate(int64(len(text)))
	}
}

func lockRefused(ctx context.Context, dir vfs.Dir) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return protocol.TimeoutError(protocol.ReasonNotCommitted, "given up while waiting for the writer lock").Because(ctx.Err())
	}
	owner := lockOwner(dir)
	return protocol.ConflictError(protocol.ReasonLockBusy, "the writer lock is held by "+owner).
		With("owner", owner).WithHint("wait for that process, or end it if it hangs").Because(ctx.Err())
}

// lockOwner is what the last holder wrote of itself.
func lockOwner(dir vfs.Dir) string {
	if raw, err := dir.ReadFile(lockFile, maxOwner); err == nil && len(raw) > 0 {
		return printable(raw)
	}
	return "an unknown process"
}

// printable keeps what a lock file may say fit for one line of a terminal.
func printable(raw []byte) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, strings.TrimSpace(string(raw)))
}

package fsstore

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// Options say which store to open.
type Options struct {
	Dir         string // <dataHome>/acc/workspaces/<workspaceId>, absolute
	WorkspaceID string
	Create      bool // make the store at the first Update; without it an absent store is ReasonStoreAbsent there, and reads see an empty room
	// Trace, if not nil, is told of each step of recover, commit, read and lock before it is taken.
	// Tests stop and kill processes there; the names are documented beside the steps.
	Trace func(step string)
	// LockWait bounds the wait for the writer lock below the deadline of the caller's context, so that a
	// stopped writer does not cost a caller all its time; 0: the context alone bounds it.
	LockWait time.Duration
	// Diagnose, if not nil, is told of faults that did not fail the operation.
	Diagnose func(err error)

	// Rebuild says that this process may take its time for upkeep: it makes the indexes again when they cannot
	// be used, which takes as long as it takes to read every record, and after a commit raises the checkpoint
	// if that has fallen far behind, so that replay stays short without anybody whose job it is. Commands set
	// it, a hook never does.
	Rebuild bool

	// Awaited says that somebody waits for this process who has nothing of what is made for later: it leaves that to the
	// next command unless none has come for long. Hooks set it.
	Awaited bool

	// Base is the directory below which no segment of Dir may be a symbolic link or belong to
	// somebody else; empty: three levels above Dir, which is the data home.
	Base  string
	Clock core.Clock // for what people read; nil: the system's
	FS    vfs.FS     // nil: the real file system, by a vfs.Keeping of its own

	rotateAt  int64  // bytes of a segment after which the next frame begins a new one; 0: rotateAt
	lagFrames uint64 // after which a writer publishes; 0: lagFrames
}

func (o *Options) now() time.Time {
	if o.Clock != nil {
		return o.Clock.Now().UTC().Truncate(time.Millisecond)
	}
	return time.Now().UTC().Truncate(time.Millisecond)
}

// Store implements core.Store. It keeps nothing open between operations but what its file system keeps, so it needs no Close.
type Store struct {
	opts   Options
	fs     vfs.FS
	bootID string

	migrating bool // the earlier contract is accepted, too
	waits     lockWaits
	identity  atomic.Pointer[settled]
	refused   atomic.Pointer[protocol.Error] // set once a commit ended as unknown: nothing is known any more
}

// settled is an identity that was read from a directory, so that it is not read again as long as the
// directory is the same. A directory that is kept open cannot be taken for one that was made in its place: file systems
// give the number of a removed one to the next.
type settled struct {
	identity
	dir vfs.FileID
}

// Open checks the options and the identity of an existing store. It creates nothing.
func Open(ctx context.Context, opts Options) (*Store, error) {
	return open(ctx, opts, false)
}

func open(ctx context.Context, opts Options, migrating bool) (*Store, error) {
	if !filepath.IsAbs(opts.Dir) || !portable(opts.WorkspaceID) {
		return nil, protocol.UsageError("", fmt.Sprintf("a store needs an absolute directory and a workspace id, not %q and %q", opts.Dir, opts.WorkspaceID))
	}
	opts.Dir = filepath.Clean(opts.Dir)
	if opts.Base == "" {
		opts.Base = filepath.Dir(filepath.Dir(filepath.Dir(opts.Dir)))
	}
	if opts.rotateAt == 0 {
		opts.rotateAt = rotateAt
	}
	if opts.lagFrames == 0 {
		opts.lagFrames = lagFrames
	}
	s := &Store{opts: opts, fs: opts.FS, migrating: migrating}
	if s.fs == nil {
		s.fs = new(vfs.Keeping) // also for settled
	}
	s.bootID = s.fs.BootID()
	if err := ctx.Err(); err != nil {
		return nil, protocol.TimeoutError("", "the deadline passed before the store was opened").Because(err)
	}
	dir, err := s.openDir()
	if dir == nil || err != nil {
		return s, err
	}
	defer dir.Close()
	if _, _, err := s.settled(dir, false); err != nil {
		return nil, err
	}
	return s, nil
}

// openDir opens the directory of the store, or gives nil if there is none.
func (s *Store) openDir() (vfs.Dir, error) {
	dir, err := s.fs.Open(s.opts.Base, s.opts.Dir)
	if vfs.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, ioError("cannot open the store "+s.opts.Dir, err)
	}
	return dir, nil
}

// refuseNetwork refuses file systems whose locks and flushes depend on another machine.
func (s *Store) refuseNetwork(dir vfs.Dir) error {
	kind, network, err := dir.Kind()
	if err != nil {
		return readError(s.opts.Dir, err)
	}
	if network {
		return protocol.DataError(protocol.ReasonStoreForeign, fmt.Sprintf("%s lies on a network file system (%s), where neither locks nor flushes can be relied on", s.opts.Dir, kind)).
			With("fileSystem", kind).WithHint("set ACC_DATA_HOME to a local directory")
	}
	return nil
}

// settled gives the identity of the store in dir, from memory if dir is the directory it was read from.
func (s *Store) settled(dir vfs.Dir, create bool) (identity, bool, error) {
	at, err := dir.Stat("")
	if vfs.Missing(err) {
		return identity{}, false, nil // a solo room has vanished meanwhile
	}
	if err != nil {
		return identity{}, false, readError(s.opts.Dir, err)
	}
	if known := s.identity.Load(); known != nil && known.dir == at.ID {
		return known.identity, true, nil
	}
	if err := s.refuseNetwork(dir); err != nil {
		return identity{}, false, err
	}
	id, found, err := s.settle(dir, create)
	if found && err == nil {
		s.identity.Store(&settled{id, at.ID})
	}
	return id, found, err
}

// usable refuses everything after a commit whose fate is unknown.
func (s *Store) usable() error {
	if e := s.refused.Load(); e != nil {
		return e
	}
	return nil
}

func (s *Store) diagnose(err error) {
	if err != nil && s.opts.Diagnose != nil {
		s.opts.Diagnose(err)
	}
}

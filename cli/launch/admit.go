package launch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/internal/runtime/lockfile"
	"github.com/acc-control-plane/acc/cli/release/build"
	"github.com/acc-control-plane/acc/protocol"
)

// envUnmanaged runs an executable from outside the runtime as it is.
const envUnmanaged = "ACC_UNMANAGED"

// attempts bounds how often an admission begins again because somebody replaced what it had read.
const attempts = 16

// admission is one process on its way in.
type admission struct {
	Request
	at       layout.Runtime
	own      string // build id of this executable
	handed   bool   // another image of this process was let in already, for this executable
	deadline time.Time
	head     head
	unpinned bool // the pin did not work out
}

// Admit lets the process in and gives its lease, which lasts as long as the process. It is nil, without an error,
// where nothing is managed. If another generation has to run, that takes the place of this process and Admit does
// not return. An error has one of the reasons of this package and says what to do.
func Admit(r Request) (*Lease, error) {
	a := &admission{Request: r, at: layout.In(r.Home), own: build.ID(), deadline: time.Now().Add(r.Kind.wait())}
	if handed := os.Getenv(envLease); handed != "" {
		_ = os.Unsetenv(envLease)
		l, err := a.adopt(handed)
		if l != nil || err != nil {
			return l, err
		}
	}
	if os.Getenv(envUnmanaged) == "1" && a.outside() {
		return nil, nil
	}
	for changes := 0; changes < attempts; {
		l, err := a.once()
		switch {
		case errors.Is(err, errAgain):
			changes++
		case errors.Is(err, lockfile.ErrBusy):
			// The lock of a generation is taken alone for a moment by who looks whether anybody has it.
			if time.Now().After(a.deadline) {
				return nil, busy(a.Home, err)
			}
			time.Sleep(poll)
		default:
			return l, err
		}
	}
	return nil, busy(a.Home, errAgain)
}

// errAgain says that what was read has been replaced meanwhile.
var errAgain = errors.New("the runtime changed")

// outside says whether this executable lies outside the runtime. It is asked for nothing but ACC_UNMANAGED:
// what an executable is, it knows from its build id.
func (a *admission) outside() bool {
	self, err := os.Executable()
	return err == nil && !strings.HasPrefix(self, a.at.Dir+string(filepath.Separator))
}

// once reads which generation is to run, and locks that under the admission lock. What was read counts if it is
// still there then: whoever replaces it has the admission lock alone.
func (a *admission) once() (*Lease, error) {
	seen, err := a.read()
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, a.damaged(err)
	}
	defer seen.close()
	if a.head.phase != ready && a.Kind != Management {
		return nil, protocol.DataError(protocol.ReasonActivating, "acc in "+a.Home.Acc()+" is being updated, and the clients of this machine with it").WithHint("acc update")
	}
	gate, err := a.take(a.at.Admission(), func() (*lockfile.Lock, error) {
		return lockfile.Await(a.at.Admission(), lockfile.Shared, a.deadline, poll)
	})
	if err != nil {
		return nil, err
	}
	defer gate.Release()
	if a.Kind == Management {
		return a.manage()
	}
	to := a.choose()
	lock, err := a.take(a.at.Users(to.generation), func() (*lockfile.Lock, error) {
		return lockfile.Take(a.at.Users(to.generation), lockfile.Shared)
	})
	if err != nil {
		return nil, err
	}
	if !seen.current() {
		lock.Release()
		return nil, errAgain
	}
	gate.Release()
	l := &Lease{Generation: to.generation, BuildID: to.buildID, StoreContract: to.contract, lock: lock, at: a.at}
	if to.buildID != a.own || a.own == "" {
		return nil, a.delegate(l)
	}
	l.announce(a.Kind)
	return l, nil
}

// take takes a lock whose file belongs to a record that was read. Only the hand of a person removes such a file,
// and then it is made again.
func (a *admission) take(path string, take func() (*lockfile.Lock, error)) (*lockfile.Lock, error) {
	lock, err := take()
	if absent(err) {
		if err := lockfile.Make(path); err != nil {
			return nil, a.unlockable(path, err)
		}
		return nil, errAgain
	}
	if err != nil {
		return nil, a.unlockable(path, err)
	}
	return lock, nil
}

// manage lets a management process in: it keeps its own files from being removed, and never waits for an
// activation.
func (a *admission) manage() (*Lease, error) {
	own := a.head.active
	if p := a.head.pending; p != nil && p.buildID == a.own {
		own = *p
	}
	if a.own == "" || own.buildID != a.own {
		return nil, nil // it runs from somewhere else
	}
	lock, err := lockfile.Take(a.at.Management(own.generation), lockfile.Shared)
	if err != nil && !absent(err) {
		return nil, a.unlockable(a.at.Management(own.generation), err)
	}
	return &Lease{Generation: own.generation, BuildID: own.buildID, StoreContract: own.contract, lock: lock, at: a.at}, nil
}

// unlockable keeps ErrBusy as it is; everything else is damage, or a sandbox that lets nobody lock.
func (a *admission) unlockable(path string, err error) error {
	if errors.Is(err, lockfile.ErrBusy) {
		return err
	}
	return refuse(ReasonRuntimeDamaged, "the lock "+path+" cannot be taken: "+err.Error(), "acc doctor", err)
}

func (a *admission) damaged(err error) error {
	var known *protocol.Error
	if errors.As(err, &known) {
		return known
	}
	return refuse(ReasonRuntimeDamaged, "the runtime in "+a.at.Dir+" cannot be read: "+err.Error(), "acc doctor", err)
}

package launch

import (
	"os"
	"strconv"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
)

// envLease tells the next image of this process that it was let in: descriptor of the lock ("-" where locks are
// not inherited), generation and build id, parted by spaces. It never reaches any other process.
const envLease = "ACC_LEASE"

// delegate puts the executable of the lease's generation in the place of this process. It returns only if that
// fails.
func (a *admission) delegate(l *Lease) error {
	defer l.lock.Release()
	if a.handed {
		// Whatever lies in the generation, it is not what the record names.
		return a.wrongBuild(l.Generation)
	}
	if !a.startable(l.Generation) {
		return a.unstartable(l, os.ErrNotExist)
	}
	err := replaceProcess(a.at.Executable(l.Generation, a.Program), l, a.Request)
	return a.unstartable(l, err)
}

// unstartable falls back from a pinned generation to the active one, which was to be chosen anyway if the other
// had not been there.
func (a *admission) unstartable(l *Lease, err error) error {
	if l.Generation != a.head.active.generation {
		a.unpinned = true
		return errAgain
	}
	return refuse(ReasonRuntimeDamaged, a.Program+" of "+l.Generation+" cannot be started: "+err.Error(), "acc update", err)
}

func (a *admission) wrongBuild(generation string) error {
	return protocol.DataError(ReasonWrongBuild, a.at.Executable(generation, a.Program)+" is another build than the runtime's record names").WithHint("acc update")
}

// lease renders what adopt reads.
func (l *Lease) handed(descriptor string) string {
	return envLease + "=" + descriptor + " " + l.Generation + " " + l.BuildID
}

// adopt takes over the lease of the image before this one. Both nil: there is none to take over, and the process
// asks for itself, but does not put another one in its place again.
func (a *admission) adopt(handed string) (*Lease, error) {
	parts := strings.Split(handed, " ")
	if len(parts) != 3 {
		return nil, nil
	}
	if parts[2] != a.own || a.own == "" {
		return nil, a.wrongBuild(parts[1])
	}
	a.handed = true
	descriptor, err := strconv.Atoi(parts[0])
	if err != nil || descriptor < 3 {
		return nil, nil
	}
	lock, err := inherit(descriptor, a.at.Users(parts[1]))
	if err != nil {
		return nil, nil
	}
	l := &Lease{Generation: parts[1], BuildID: parts[2], lock: lock, at: a.at}
	l.StoreContract = protocol.StoreVersion // of this executable, whatever a record says
	l.announce(a.Kind)
	return l, nil
}

// environment is that of this process with the lease.
func environment(l *Lease, descriptor string) []string {
	return append(os.Environ(), l.handed(descriptor))
}

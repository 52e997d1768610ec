package process

import (
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/acc-control-plane/acc/core"
)

// startCountsFromBoot says that a start time means nothing without the boot it belongs to.
const startCountsFromBoot = false

const zombie = 5 // SZOMB of sys/proc.h

// vantage is what this process can see of the table: everything, there are no pid namespaces.
type vantage struct {
	sees      bool
	namespace string
}

func look() vantage { return vantage{sees: true} }

func (vantage) decides(time.Time) bool { return true }

// clock gives the time of day of a start time, which counts microseconds since 1970.
func (vantage) clock(start uint64) (time.Time, bool) {
	return time.UnixMicro(int64(start)), true
}

func find(pid int) (stat, core.ProcessState) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		// An absent process is an empty answer, which the wrapper reports as EIO.
		if unix.Kill(pid, 0) == unix.ESRCH {
			return stat{}, core.ProcessDead
		}
		return stat{}, core.ProcessUnknown
	}
	state := core.ProcessAlive
	if p.Proc.P_stat == zombie {
		state = core.ProcessDead
	}
	started := p.Proc.P_starttime
	return stat{
		parent: int(p.Eproc.Ppid),
		start:  uint64(started.Sec)*1e6 + uint64(started.Usec),
		title:  unix.ByteSliceToString(p.Proc.P_comm[:]),
	}, state
}

func parentOf(_ int, s stat) int { return s.parent }

func describe(pid int, s stat) Info {
	info := Info{PID: pid, Parent: s.parent, Name: s.title, Title: s.title}
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return info // of another user
	}
	exe, args := parseArgs(raw)
	if exe != "" {
		info.Name = filepath.Base(exe)
	}
	info.Args = args
	return info
}

// bootID is the id that the kernel made when it started; empty if it cannot be read.
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(id)
}

package process

import (
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/acc-control-plane/acc/core"
)

// startCountsFromBoot says that a start time means nothing without the boot it belongs to.
const startCountsFromBoot = false

// vantage is what this process can see of the table: everything, there are no pid namespaces.
type vantage struct {
	sees      bool
	namespace string
}

func look() vantage { return vantage{sees: true} }

func (vantage) decides(time.Time) bool { return true }

// clock gives the time of day of a start time, which counts 100 ns since 1601.
func (vantage) clock(start uint64) (time.Time, bool) {
	ft := windows.Filetime{LowDateTime: uint32(start), HighDateTime: uint32(start >> 32)}
	return time.Unix(0, ft.Nanoseconds()), true
}

// find looks one process up. A number stays taken while somebody holds a handle, so an exited process
// is recognised by its signalled handle.
func find(pid int) (stat, core.ProcessState) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if err == windows.ERROR_INVALID_PARAMETER {
		return stat{}, core.ProcessDead // the documented answer for a number that nobody has
	}
	if err != nil {
		return stat{}, core.ProcessUnknown
	}
	defer windows.CloseHandle(h)
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return stat{}, core.ProcessUnknown
	}
	s := stat{start: uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime)}
	switch event, err := windows.WaitForSingleObject(h, 0); {
	case err != nil:
		return stat{}, core.ProcessUnknown
	case event == windows.WAIT_OBJECT_0:
		return s, core.ProcessDead
	}
	return s, core.ProcessAlive
}

// entry gives parent and executable name from a snapshot of the table.
func entry(pid int) (parent int, name string) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return 0, ""
	}
	defer windows.CloseHandle(snapshot)
	e := windows.ProcessEntry32{}
	e.Size = uint32(unsafe.Sizeof(e))
	for err = windows.Process32First(snapshot, &e); err == nil; err = windows.Process32Next(snapshot, &e) {
		if e.ProcessID == uint32(pid) {
			return int(e.ParentProcessID), windows.UTF16ToString(e.ExeFile[:])
		}
	}
	return 0, ""
}

func parentOf(pid int, _ stat) int {
	parent, _ := entry(pid)
	return parent
}

func describe(pid int, _ stat) Info {
	parent, title := entry(pid)
	name := filepath.Base(title)
	if ext := filepath.Ext(name); strings.EqualFold(ext, ".exe") {
		name = strings.TrimSuffix(name, ext)
	}
	return Info{PID: pid, Parent: parent, Name: name, Title: title}
}

// bootID is empty: a start time is a time of day here and does not repeat after a restart.
func bootID() string { return "" }

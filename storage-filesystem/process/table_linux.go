package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/acc-control-plane/acc/core"
)

// startCountsFromBoot says that a start time means nothing without the boot it belongs to.
const startCountsFromBoot = true

const (
	ticksPerSecond = 100 // of field 22; the kernel reports USER_HZ, which is 100 on every platform of Go
	// initialNamespace is the inode of the first pid namespace, fixed in the kernel (PROC_PID_INIT_INO).
	initialNamespace = "pid:[4026531836]"
	statBytes        = 4096 // of /proc/PID/stat, about 300 in practice
	argsBytes        = 64 * 1024
)

// vantage is what this process can see of the table.
type vantage struct {
	sees      bool      // /proc is there and shows our own pid namespace
	namespace string    // "pid:[INODE]"
	booted    time.Time // time of day at which the clock of start times was 0
	born      time.Time // when our pid namespace began; zero: with the kernel; meaningless unless bornKnown
	bornKnown bool
}

// look costs 3 system calls in the first pid namespace and 6 in another.
func look() vantage {
	self, err := os.Readlink("/proc/self")
	if err != nil || self != strconv.Itoa(os.Getpid()) {
		return vantage{} // no /proc, or one that was mounted for other processes
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return vantage{}
	}
	v := vantage{sees: true, namespace: namespace}
	var up unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) == nil {
		v.booted = time.Now().Add(-time.Duration(up.Nano()))
	}
	if namespace == initialNamespace {
		v.bornKnown = true
		return v
	}
	if first, state := find(1); state == core.ProcessAlive {
		v.born, v.bornKnown = v.clock(first.start)
	}
	return v
}

// clock gives the time of day of a start time.
func (v vantage) clock(start uint64) (time.Time, bool) {
	if v.booted.IsZero() {
		return time.Time{}, false
	}
	const tick = time.Second / ticksPerSecond
	return v.booted.Add(time.Duration(start) * tick), true
}

// decides says whether a number that was written down at notBefore means a process of this namespace.
// A sandbox makes a namespace for one command, so it is younger than the records it reads.
func (v vantage) decides(notBefore time.Time) bool {
	if !v.sees {
		return false
	}
	if v.namespace == initialNamespace || notBefore.IsZero() {
		return true
	}
	return v.bornKnown && !notBefore.Before(v.born)
}

// find looks one process up: open, read, close.
func find(pid int) (stat, core.ProcessState) {
	var buf [statBytes]byte
	raw, err := readProc(pid, "stat", buf[:])
	switch err {
	case nil:
		s, state, ok := parseStat(raw)
		if !ok {
			return stat{}, core.ProcessUnknown
		}
		return s, state
	case unix.ENOENT, unix.ESRCH:
		// The entry of somebody else's process may be hidden (hidepid); a signal is not.
		if unix.Kill(pid, 0) == unix.ESRCH {
			return stat{}, core.ProcessDead
		}
	}
	return stat{}, core.ProcessUnknown
}

// parseStat reads the fields of proc_pid_stat(5): number, (name), state, parent, ..., start as the 22nd.
// The name may hold anything, parentheses and spaces too, so the fields count from the last parenthesis.
func parseStat(raw []byte) (s stat, state core.ProcessState, ok bool) {
	first, last := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	if first < 0 || last < first {
		return stat{}, core.ProcessUnknown, false
	}
	fields := bytes.Fields(raw[last+1:])
	const stateField, parentField, startField = 0, 1, 19
	if len(fields) <= startField {
		return stat{}, core.ProcessUnknown, false
	}
	parent, err := strconv.Atoi(string(fields[parentField]))
	if err != nil {
		return stat{}, core.ProcessUnknown, false
	}
	start, err := strconv.ParseUint(string(fields[startField]), 10, 64)
	if err != nil {
		return stat{}, core.ProcessUnknown, false
	}
	state = core.ProcessAlive
	switch string(fields[stateField]) {
	case "Z", "X", "x": // exited, not collected yet; being removed
		state = core.ProcessDead
	}
	return stat{parent: parent, start: start, title: string(raw[first+1 : last])}, state, true
}

func parentOf(_ int, s stat) int { return s.parent }

func describe(pid int, s stat) Info {
	info := Info{PID: pid, Parent: s.parent, Name: s.title, Title: s.title}
	if exe, err := os.Readlink(procPath(pid, "exe")); err == nil {
		info.Name = filepath.Base(strings.TrimSuffix(exe, " (deleted)")) // replaced by an update
	}
	if raw, err := readProc(pid, "cmdline", make([]byte, argsBytes)); err == nil {
		info.Args = splitArgs(raw)
	}
	return info
}

// splitArgs cuts at the NULs that end each argument. A rewritten title may lack the last one.
func splitArgs(raw []byte) []string {
	raw = bytes.TrimRight(raw, "\x00")
	if len(raw) == 0 {
		return nil
	}
	return strings.Split(string(raw), "\x00")
}

// bootID is the id that the kernel made when it started; empty if it cannot be read.
func bootID() string {
	var buf [64]byte
	raw, err := readFile("/proc/sys/kernel/random/boot_id", buf[:])
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(raw))
}

func procPath(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

func readProc(pid int, name string, buf []byte) ([]byte, error) {
	return readFile(procPath(pid, name), buf)
}

// readFile reads what one read gives; the files of /proc that are read here give all they have.
func readFile(path string, buf []byte) ([]byte, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		n, err := unix.Read(fd, buf)
		unix.Close(fd)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		return buf[:n], nil
	}
}

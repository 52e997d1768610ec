package runtime

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestKilledBeforeEveryChange kills an updater before each system call with which it changes something on disk or takes
// a lock, from staging to the migration of a store and to the end of the reclaim: so nothing depends on whether the steps
// of TestKilledAtEveryStep are all. Every sixteenth call is tried, and each of them if ACC_RUNTIME_TESTS is all.
func TestKilledBeforeEveryChange(t *testing.T) {
	stride := 16
	if os.Getenv(storm) == "all" {
		stride = 1
	}
	whole := newWorld(t)
	opened := whole.earlier()
	changes, killed := whole.traced("everything "+whole.unpacked("1.1.0", 0), 0)
	if err := opens(opened); killed || err != nil || whole.control().Active.Version != "1.1.0" {
		t.Fatalf("%v, %+v, %q", err, whole.control(), changes)
	}
	for _, want := range []string{"openat", "write", "fsync", "flock", "fchmodat", "renameat", "linkat", "unlinkat", "mkdirat"} {
		if !slices.ContainsFunc(changes, func(c string) bool { return strings.HasPrefix(c, want) }) {
			t.Errorf("no %s among %q", want, changes)
		}
	}
	t.Logf("an update makes %d changes", len(changes))
	for n := 1; n <= len(changes); n += stride {
		t.Run(fmt.Sprintf("%d %s", n, changes[n-1]), func(t *testing.T) {
			w := newWorld(t)
			r := w.earlier()
			if seen, killed := w.traced("everything "+w.unpacked("1.1.0", 0), n); !killed {
				t.Skipf("this time there were only %d", len(seen))
			}
			fenced := w.control().Phase == Activating
			version, complaint := w.hook("s")
			switch {
			case fenced && (version != "" || !strings.Contains(complaint, "is being updated")):
				t.Errorf("a hook ran behind the fence: %q %q", version, complaint)
			case !fenced && (version != w.control().Active.Version || complaint != ""):
				t.Errorf("%q ran with %s active: %q", version, w.control().Active.Version, complaint)
			}
			w.finish()
			if report, err := w.m.UpgradeStores(w.ctx()); err != nil || !report.Complete {
				t.Errorf("%+v, %v", report, err)
			}
			if err := opens(r); err != nil {
				t.Errorf("the store of the earlier contract: %v", err)
			}
			w.m.now = func() time.Time { return time.Now().Add(2 * oldAside) } // what was half made is litter by then
			w.tidied("store-upgrade.json")
		})
	}
}

// TestKilledDuringTheFirstInstallation: whatever a first installation that is killed leaves, nothing half made runs, and
// installing once more finishes the work.
func TestKilledDuringTheFirstInstallation(t *testing.T) {
	stride := 16
	if os.Getenv(storm) == "all" {
		stride = 1
	}
	from := newWorld(t).unpacked("1.0.0", 0) // only a place where a release lies
	changes, killed := emptyWorld(t).traced("install "+from, 0)
	if killed || len(changes) == 0 {
		t.Fatalf("%q", changes)
	}
	t.Logf("a first installation makes %d changes", len(changes))
	for n := 1; n <= len(changes); n += stride {
		t.Run(fmt.Sprintf("%d %s", n, changes[n-1]), func(t *testing.T) {
			w := emptyWorld(t)
			if seen, killed := w.traced("install "+from, n); !killed {
				t.Skipf("this time there were only %d", len(seen))
			}
			if _, err := os.Lstat(w.command("acc-hook").Path); err == nil {
				if version, complaint := w.hook("s"); version != "1.0.0" || complaint != "" {
					t.Errorf("%q %q", version, complaint)
				}
			}
			if err := install(w.ctx(), w.m, from); err != nil {
				t.Fatal(err)
			}
			if version, complaint := w.hook("s"); version != "1.0.0" || complaint != "" {
				t.Errorf("%q %q", version, complaint)
			}
			if c := w.control(); !slices.Equal(c.Targets, []string{"one", "two"}) || c.Phase != Ready {
				t.Errorf("%+v", c)
			}
			w.m.now = func() time.Time { return time.Now().Add(2 * oldAside) } // what was half made is litter by then
			w.tidied()
		})
	}
}

// traced plays a role in another process and kills that before the nth system call that changes something; 0: never. It
// gives the names of these calls.
func (w *world) traced(role string, nth int) (changes []string, killed bool) {
	w.t.Helper()
	runtime.LockOSThread() // whoever traces is a thread
	defer runtime.UnlockOSThread()
	cmd := w.other(role, "", "")
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := cmd.Start(); err != nil {
		w.t.Skip("nothing can be traced here: ", err)
	}
	pid := cmd.Process.Pid
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, syscall.WALL, nil); err != nil || !status.Stopped() {
		w.t.Fatal(status, err)
	}
	const options = syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_EXITKILL
	if err := syscall.PtraceSetOptions(pid, options); err != nil {
		w.t.Fatal(err)
	}
	at, signal := pid, 0
	for {
		if err := syscall.PtraceSyscall(at, signal); err != nil && err != syscall.ESRCH {
			w.t.Fatal(err)
		}
		var err error
		for {
			if at, err = syscall.Wait4(-pid, &status, syscall.WALL, nil); err != syscall.EINTR {
				break
			}
		}
		if err != nil {
			w.t.Fatal(err)
		}
		signal = 0
		switch {
		case at == pid && status.Signaled():
			return changes, true
		case at == pid && status.Exited():
			if code := status.ExitStatus(); code != 0 {
				w.t.Fatalf("it ended with %d", code)
			}
			return changes, false
		case !status.Stopped():
		case status.StopSignal() == syscall.SIGTRAP|0x80:
			name := change(at, w.home.Root)
			if name == "" {
				break
			}
			if changes = append(changes, name); len(changes) == nth {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		case status.StopSignal() != syscall.SIGTRAP && status.StopSignal() != syscall.SIGSTOP:
			signal = int(status.StopSignal())
		}
	}
}

// changing are the system calls that change something on disk, or take a lock.
var changing = map[uint64]string{
	unix.SYS_OPENAT: "openat", unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "write", unix.SYS_COPY_FILE_RANGE: "write", unix.SYS_FTRUNCATE: "ftruncate",
	unix.SYS_FSYNC: "fsync", unix.SYS_FDATASYNC: "fsync", unix.SYS_FLOCK: "flock", unix.SYS_FCHMOD: "fchmod", unix.SYS_FCHMODAT: "fchmodat",
	unix.SYS_RENAMEAT: "renameat", unix.SYS_RENAMEAT2: "renameat", unix.SYS_LINKAT: "linkat", unix.SYS_UNLINKAT: "unlinkat", unix.SYS_MKDIRAT: "mkdirat",
}

// change says which of them a stopped thread is about to do; "": another one, or it has just done one.
func change(thread int, below string) string {
	const entry, getSyscallInfo = 1, 0x420e // of linux/ptrace.h
	var info [88]byte
	size, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(thread), uintptr(len(info)), uintptr(unsafe.Pointer(&info[0])), 0, 0)
	if errno != 0 || size < 40 || info[0] != entry {
		return ""
	}
	number, argument := binary.NativeEndian.Uint64(info[24:]), func(i int) uint64 { return binary.NativeEndian.Uint64(info[32+8*i:]) }
	name := changing[number]
	switch {
	case number == unix.SYS_OPENAT && argument(2)&(unix.O_CREAT|unix.O_TRUNC) == 0:
		return ""
	case number == unix.SYS_WRITE:
		to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", thread, argument(0)))
		if err != nil || !strings.HasPrefix(to, below+"/") {
			return "" // to a pipe, to wake a thread
		}
	}
	return name
}

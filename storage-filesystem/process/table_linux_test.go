package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/acc-control-plane/acc/core"
)

// helper is what the test binary does as another process.
func helper(what string) {
	switch what {
	case "wait":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "probe":
		probe()
	case "own-proc": // of a new pid namespace
		must(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
		must(unix.Mount("proc", "/proc", "proc", 0, ""))
		probe()
	case "hidden": // a table that shows nobody but the own processes
		must(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
		must(unix.Mount("proc", "/proc", "proc", 0, "hidepid=2"))
		must(syscall.Setgroups(nil))
		must(syscall.Setgid(65534)) // group 0 may look
		must(syscall.Setuid(65534))
		probe()
	}
}

// probe prints what both kinds of question say of a process: NUMBER, seconds since 1970.
func probe() {
	pid, _ := strconv.Atoi(os.Args[1])
	seconds, _ := strconv.ParseInt(os.Args[2], 10, 64)
	identity := Identity{PID: pid, StartTime: 1, BootID: bootID(), PIDNamespace: os.Args[3]}
	fmt.Println(Table{}.Probe(pid, time.Unix(seconds, 0)), NewTable().Probe(pid, time.Unix(seconds, 0)), Table{}.Check(identity))
}

func must(err error) {
	if err != nil {
		fmt.Println("skip:", err)
		os.Exit(0)
	}
}

// ask runs probe in another process and gives its answer.
func ask(t *testing.T, what string, attr *syscall.SysProcAttr, pid int, notBefore time.Time) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, strconv.Itoa(pid), strconv.FormatInt(notBefore.Unix(), 10), NewTable().vantage().namespace)
	cmd.Env = append(os.Environ(), helperVariable+"="+what)
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Skipf("cannot start a process there: %v", err)
	}
	answer := strings.TrimSpace(string(out))
	if strings.HasPrefix(answer, "skip:") {
		t.Skip(answer)
	}
	return answer
}

const unknown, dead = "0 0 0", "2 2 2" // of core.ProcessUnknown and core.ProcessDead, three times

func TestSeenFromAnotherNamespace(t *testing.T) {
	cmd, _ := start(t, "wait")
	pid, now := cmd.Process.Pid, time.Now()
	gone := 1 << 22 // above the highest number there can be

	t.Run("with its own proc", func(t *testing.T) {
		attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS}
		for _, n := range []int{pid, gone, 1} {
			if got := ask(t, "own-proc", attr, n, now.Add(-time.Minute)); got != unknown {
				t.Errorf("process %d: %q, want %q", n, got, unknown)
			}
		}
	})
	t.Run("with the proc of outside", func(t *testing.T) {
		attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
		for _, n := range []int{pid, gone, 1} {
			if got := ask(t, "probe", attr, n, now.Add(time.Hour)); got != unknown {
				t.Errorf("process %d: %q, want %q", n, got, unknown)
			}
		}
	})
	t.Run("the same namespace decides", func(t *testing.T) {
		if got := ask(t, "probe", nil, gone, now); got != dead {
			t.Errorf("%q, want %q", got, dead)
		}
	})
}

func TestAHiddenProcessIsUnknown(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount")
	}
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if got := ask(t, "hidden", attr, os.Getpid(), time.Now()); got != unknown {
		t.Errorf("%q, want %q", got, unknown)
	}
	if got := ask(t, "hidden", attr, 1<<22, time.Now()); got != dead {
		t.Errorf("a number that nobody has: %q, want %q", got, dead)
	}
}

func TestZombieIsDeadAndStoppedIsAlive(t *testing.T) {
	cmd, end := start(t, "wait")
	pid, now := cmd.Process.Pid, time.Now()
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	await(t, pid, "T")
	if got := (Table{}).Probe(pid, now); got != core.ProcessAlive {
		t.Errorf("stopped: state %d, want alive", got)
	}
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	end()
	await(t, pid, "Z")
	if got := (Table{}).Probe(pid, now); got != core.ProcessDead {
		t.Errorf("zombie: state %d, want dead", got)
	}
	if _, ok := (Table{}).Identify(pid); ok {
		t.Error("identified a zombie")
	}
}

// await waits until the kernel gives a process this state.
func await(t *testing.T, pid int, state string) {
	t.Helper()
	for range 500 {
		raw, err := os.ReadFile(procPath(pid, "stat"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), ") "+state+" ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("process %d never became %s", pid, state)
}

func TestParseStat(t *testing.T) {
	const tail = " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99 20 21"
	for _, c := range []struct {
		raw   string
		want  stat
		state core.ProcessState
		ok    bool
	}{
		{"7 (sh) S" + tail, stat{parent: 1, start: 99, title: "sh"}, core.ProcessAlive, true},
		{"7 (sh) Z" + tail, stat{parent: 1, start: 99, title: "sh"}, core.ProcessDead, true},
		{"7 (sh) X" + tail, stat{parent: 1, start: 99, title: "sh"}, core.ProcessDead, true},
		{"7 (sh) T" + tail, stat{parent: 1, start: 99, title: "sh"}, core.ProcessAlive, true},
		{"7 (a) Z (b) S" + tail, stat{parent: 1, start: 99, title: "a) Z (b"}, core.ProcessAlive, true},
		{"7 (a\nb) S" + tail, stat{parent: 1, start: 99, title: "a\nb"}, core.ProcessAlive, true},
		{"7 () S" + tail, stat{parent: 1, start: 99}, core.ProcessAlive, true},
		{"7 (sh) S 1 2 3", stat{}, core.ProcessUnknown, false},
		{"7 )sh( S" + tail, stat{}, core.ProcessUnknown, false},
		{"7 sh S" + tail, stat{}, core.ProcessUnknown, false},
		{"7 (sh) S x" + tail[2:], stat{}, core.ProcessUnknown, false},
		{"7 (sh) S" + strings.Replace(tail, "99", "-9", 1), stat{}, core.ProcessUnknown, false},
		{"", stat{}, core.ProcessUnknown, false},
	} {
		got, state, ok := parseStat([]byte(c.raw))
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(stat{})); diff != "" || state != c.state || ok != c.ok {
			t.Errorf("%q: state %d, %v, (-want +got)\n%s", c.raw, state, ok, diff)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	if raw, err := os.ReadFile("/proc/self/stat"); err == nil {
		f.Add(raw)
	}
	f.Add([]byte("1 (a) b) S 0"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, state, ok := parseStat(raw)
		if !ok && (state != core.ProcessUnknown || s != stat{}) {
			t.Errorf("refused, and yet %+v, state %d", s, state)
		}
		if ok && state == core.ProcessUnknown {
			t.Error("accepted without a state")
		}
		if strings.Count(string(raw), s.title) == 0 {
			t.Errorf("title %q is not in the input", s.title)
		}
	})
}

func TestSplitArgs(t *testing.T) {
	for raw, want := range map[string][]string{
		"":                  nil,
		"\x00":              nil,
		"a\x00b\x00":        {"a", "b"},
		"a\x00\x00b\x00":    {"a", "", "b"},
		"kimi-code":         {"kimi-code"},
		"title\x00\x00\x00": {"title"},
	} {
		if diff := cmp.Diff(want, splitArgs([]byte(raw))); diff != "" {
			t.Errorf("%q: %s", raw, diff)
		}
	}
}

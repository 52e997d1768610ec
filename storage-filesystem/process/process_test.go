package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
)

// The test binary is also the process that tests look at.
const helperVariable = "ACC_TEST_PROCESS_HELPER"

func TestMain(m *testing.M) {
	if what := os.Getenv(helperVariable); what != "" {
		helper(what)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// start runs the helper, which waits for its standard input to end.
func start(t *testing.T, what string, args ...string) (*exec.Cmd, func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), helperVariable+"="+what)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, func() { _ = stdin.Close() }
}

var tables = map[string]Table{"zero": {}, "prepared": NewTable()}

func TestProbe(t *testing.T) {
	cmd, end := start(t, "wait")
	pid := cmd.Process.Pid
	now := time.Now()
	for name, table := range tables {
		for _, c := range []struct {
			what      string
			pid       int
			notBefore time.Time
			want      core.ProcessState
		}{
			{"ourselves", os.Getpid(), now, core.ProcessAlive},
			{"a child", pid, now, core.ProcessAlive},
			{"a child, by its number alone", pid, time.Time{}, core.ProcessAlive},
			{"a child, recorded as it started", pid, now.Add(-500 * time.Millisecond), core.ProcessAlive},
			{"a number used again", pid, now.Add(-startTolerance - 5*time.Second), core.ProcessDead},
			{"no number", 0, now, core.ProcessUnknown},
			{"no number at all", -1, now, core.ProcessUnknown},
		} {
			if !table.vantage().decides(c.notBefore) && c.want == core.ProcessDead {
				continue // this pid namespace has just begun
			}
			if got := table.Probe(c.pid, c.notBefore); got != c.want {
				t.Errorf("%s table, %s: state %d, want %d", name, c.what, got, c.want)
			}
		}
	}
	end()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	for name, table := range tables {
		if got := table.Probe(pid, now); got != core.ProcessDead {
			t.Errorf("%s table, gone: state %d, want dead", name, got)
		}
	}
}

func TestIdentity(t *testing.T) {
	cmd, end := start(t, "wait")
	table := NewTable()
	id, ok := table.Identify(cmd.Process.Pid)
	if !ok || id.PID != cmd.Process.Pid || id.StartTime == 0 {
		t.Fatalf("identity %+v, %v", id, ok)
	}
	if again, _ := table.Identify(id.PID); again != id {
		t.Errorf("identity %+v, then %+v", id, again)
	}
	if got := table.Check(id); got != core.ProcessAlive {
		t.Errorf("state %d, want alive", got)
	}
	reused := id
	reused.StartTime--
	if got := table.Check(reused); got != core.ProcessDead {
		t.Errorf("number used again: state %d, want dead", got)
	}
	elsewhere := id
	elsewhere.PIDNamespace = "pid:[1]"
	if got := table.Check(elsewhere); got != core.ProcessUnknown {
		t.Errorf("other pid namespace: state %d, want unknown", got)
	}
	if id.BootID != "" {
		before := id
		before.BootID = "another"
		if got := table.Check(before); got != core.ProcessDead {
			t.Errorf("before this boot: state %d, want dead", got)
		}
		before.BootID = ""
		if got := table.Check(before); got != core.ProcessUnknown {
			t.Errorf("boot unknown: state %d, want unknown", got)
		}
	}
	end()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := table.Check(id); got != core.ProcessDead {
		t.Errorf("gone: state %d, want dead", got)
	}
	if _, ok := table.Identify(id.PID); ok {
		t.Error("identified a process that is gone")
	}
	if got := table.Check(Identity{}); got != core.ProcessUnknown {
		t.Errorf("no identity: state %d, want unknown", got)
	}
}

func TestAncestors(t *testing.T) {
	cmd, _ := start(t, "wait", "with", "", "arguments")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(self), ".exe")
	got := Table{}.Ancestors(cmd.Process.Pid, 16)
	if len(got) < 2 {
		t.Fatalf("%d ancestors", len(got))
	}
	child, parent := got[0], got[1]
	if child.PID != cmd.Process.Pid || child.Parent != os.Getpid() || child.Name != name {
		t.Errorf("child %+v", child)
	}
	if parent.PID != os.Getpid() || parent.Name != name {
		t.Errorf("parent %+v", parent)
	}
	if len(child.Args) > 0 && strings.Join(child.Args[1:], "|") != "with||arguments" {
		t.Errorf("arguments %q", child.Args)
	}
	for i, a := range got[1:] {
		if got[i].Parent != a.PID {
			t.Errorf("%d follows a process with parent %d", a.PID, got[i].Parent)
		}
	}
	if n := len(Table{}.Ancestors(cmd.Process.Pid, 1)); n != 1 {
		t.Errorf("%d ancestors, limit 1", n)
	}
	for first := range (Table{}).Walk(cmd.Process.Pid, 16) {
		if first.PID != cmd.Process.Pid {
			t.Errorf("first is %d", first.PID)
		}
		break
	}
	for pid, want := range map[int]bool{cmd.Process.Pid: true, os.Getpid(): true, os.Getppid(): true, 1 << 30: false} {
		if got := (Table{}).Descends(cmd.Process.Pid, pid, 16); got != want {
			t.Errorf("%d an ancestor: %v", pid, got)
		}
	}
	if (Table{}).Descends(cmd.Process.Pid, os.Getpid(), 1) {
		t.Error("the limit does not count")
	}
}

//go:build unix

package runtime

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestOutside: an executable that lies outside the runtime leads into it, unless it is told to run as it is.
func TestOutside(t *testing.T) {
	w := newWorld(t)
	run := func(env ...string) string {
		t.Helper()
		cmd := exec.Command(programs["1.1.0"], "hook", "s")
		cmd.Env = append([]string{"ACC_DATA_HOME=" + w.home.Root}, env...)
		version, complaint := answer(t, cmd, "{}")
		if complaint != "" {
			t.Errorf("%q: %q", env, complaint)
		}
		return version
	}
	if got := run(); got != "1.0.0" {
		t.Errorf("%q ran instead of the active generation", got)
	}
	if got := run("ACC_UNMANAGED=1"); got != "1.1.0" {
		t.Errorf("%q ran instead of what was started", got)
	}
	// One that lies inside does not listen to that: its clients may have it in their environment.
	inside := exec.Command(w.m.at.Executable(w.control().Active.Name, "acc-hook"), "hook", "s")
	w.publish("1.1.0", 0)
	if err := w.activate(); err != nil {
		t.Fatal(err)
	}
	inside.Env = []string{"ACC_UNMANAGED=1"}
	outside := exec.Command(programs["1.0.0"], "hook", "s")
	outside.Env = []string{"ACC_LEASE=7 1.0.0-x"} // what nobody has written
	for _, c := range []*exec.Cmd{inside, outside} {
		c.Env = append(c.Env, "ACC_DATA_HOME="+w.home.Root)
		if got, complaint := answer(t, c, "{}"); got != "1.1.0" || complaint != "" {
			t.Errorf("%v: %q %q", c.Path, got, complaint)
		}
	}
}

// TestWrongBuild: what lies in the active generation must know itself as the build that the record names. If it
// does not, nothing of it runs, and the hook lets its client go on.
func TestWrongBuild(t *testing.T) {
	w := newWorld(t)
	w.publish("3.0.0", 0) // its executables are those of 1.0.0
	if err := w.activate(); err != nil {
		t.Fatal(err)
	}
	if version, complaint := w.hook("s"); version != "" || !strings.Contains(complaint, "is another build than the runtime's record names") {
		t.Errorf("%q %q", version, complaint)
	}
	cmd := w.command("acc", "hold", "command")
	if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.ExitCode() != 4 || !strings.Contains(string(out), "hint: acc update") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestForgedLease: a descriptor that is not the lock of the generation is nobody's lease.
func TestForgedLease(t *testing.T) {
	w := newWorld(t)
	active := w.control().Active
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	cmd := w.command("acc", "hold", "command")
	cmd.ExtraFiles = []*os.File{null}
	cmd.Env = append(cmd.Env, "ACC_LEASE=3 "+active.Name+" "+active.BuildID)
	holder := w.start(cmd)
	if holder.version != "1.0.0" {
		t.Fatal(holder.version)
	}
	if !held(w.m.at.Users(active.Name)) {
		t.Error("it runs without a lease")
	}
	holder.end(t)
}

// TestLeaseIsNotInherited: a process that one in the runtime starts holds nothing.
func TestLeaseIsNotInherited(t *testing.T) {
	w := newWorld(t)
	active := w.control().Active.Name
	holder := w.start(w.command("acc", "parent", "command"))
	if !held(w.m.at.Users(active)) {
		t.Fatal("the parent holds nothing")
	}
	holder.kill()
	if held(w.m.at.Users(active)) {
		t.Error("the child holds the lease of its parent")
	}
}

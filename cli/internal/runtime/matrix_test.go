//go:build unix

package runtime

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/protocol"
)

// steps gives every step of an update in order, as a run of it reports them.
func steps(t *testing.T) []string {
	t.Helper()
	w := newWorld(t)
	var all []string
	w.m.step = func(name string) { all = append(all, name) }
	if err := update(w.ctx(), w.m, w.unpacked("1.1.0", 0)); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestKilledAtEveryStep: an updater that is killed anywhere leaves a runtime in which either everything runs as
// before or nothing starts, and one more update finishes the work.
func TestKilledAtEveryStep(t *testing.T) {
	all := steps(t)
	for _, want := range []string{stepStageHold, stepFenced, stepApply + "two", stepPublished, stepLink + "acc-hook", stepReclaimed} {
		if !slices.Contains(all, want) {
			t.Fatalf("no step %q in %q", want, all)
		}
	}
	for _, step := range all {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if err := w.other("update "+w.unpacked("1.1.0", 0), step, "kill").Run(); !killed(err) {
				t.Fatalf("it was to be killed: %v", err)
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
		})
	}
}

// finish updates once more and looks at everything.
func (w *world) finish() {
	w.t.Helper()
	if w.control().Active.Version == "1.0.0" {
		s := w.stage("1.1.0", 0)
		if err := w.m.Publish(w.ctx(), s); err != nil {
			w.t.Fatal(err)
		}
		s.Release()
		if err := w.activate(); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := w.m.Relink(); err != nil {
		w.t.Fatal(err)
	}
	if r, err := w.m.Reclaim(w.ctx()); err != nil || !r.Complete {
		w.t.Fatalf("%+v, %v", r, err)
	}
	if version, complaint := w.hook("s"); version != "1.1.0" || complaint != "" {
		w.t.Errorf("%q %q", version, complaint)
	}
	s, err := w.m.Status(w.ctx())
	if err != nil || s.Problem != "" || s.Phase != Ready || len(s.Generations) != 1 || s.Generations[0].Problem != "" {
		w.t.Errorf("%+v, %v", s, err)
	}
	for _, l := range s.Launch {
		if l.Present && !l.Direct {
			w.t.Errorf("%s leads somewhere else", l.Path)
		}
	}
	for _, id := range []string{"one", "two"} {
		if conf, err := os.ReadFile(filepath.Join(w.home.Root, id+".conf")); err != nil || string(conf) != "1.1.0" {
			w.t.Errorf("client %s has %q, %v", id, conf, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(w.m.at.Staging(), "*.json")); len(left) > 0 {
		w.t.Errorf("holds are left: %v", left)
	}
}

// TestStoppedAtEveryStep: an updater that is stopped anywhere keeps no hook waiting for long, keeps its place, and
// finishes when it goes on.
func TestStoppedAtEveryStep(t *testing.T) {
	for _, step := range steps(t) {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			cmd := w.other("update "+w.unpacked("1.1.0", 0), step, "stop")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			awaitStop(t, cmd.Process.Pid)
			if version, complaint := w.hook("s"); (version == "") == (complaint == "") {
				t.Errorf("a hook neither ran nor said why: %q %q", version, complaint)
			}
			if r, err := w.m.Reclaim(w.ctx()); err == nil {
				for _, gone := range r.Removed {
					if strings.HasPrefix(gone, "1.1.0") {
						t.Errorf("%s was reclaimed from under who stages it", gone)
					}
				}
			} else if protocol.ReasonOf(err) != protocol.ReasonAdmissionBusy {
				t.Error(err)
			}
			if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("it did not finish: %v", err)
			}
			w.finish()
		})
	}
}

// awaitStop waits until a process has stopped itself.
func awaitStop(t *testing.T, pid int) {
	t.Helper()
	var status syscall.WaitStatus
	for {
		got, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || got != pid || !status.Stopped() {
			t.Fatalf("%d was to stop: %v, %v", pid, status, err)
		}
		return
	}
}

// TestDeletedLockFiles: a lock file that somebody deletes is made again by who needs it.
func TestDeletedLockFiles(t *testing.T) {
	w := newWorld(t)
	active := w.control().Active.Name
	for _, path := range []string{w.m.at.Admission(), w.m.at.Users(active), w.m.at.Management(active), w.m.at.Worker()} {
		_ = os.Remove(path)
		if version, complaint := w.hook("s"); version != "1.0.0" || complaint != "" {
			t.Errorf("without %s: %q %q", filepath.Base(path), version, complaint)
		}
	}
	if err := os.RemoveAll(w.m.at.Locks()); err != nil {
		t.Fatal(err)
	}
	if version, complaint := w.hook("s"); version != "" || !strings.Contains(complaint, "cannot be taken") {
		t.Errorf("without their directory: %q %q", version, complaint)
	}
	w.publish("1.1.0", 0)
	if err := w.activate(); err != nil {
		t.Fatal(err)
	}
	// Nobody can tell any more whether a process runs from the old generation, so it stays for this once.
	if r, err := w.m.Reclaim(w.ctx()); err != nil || r.Complete || len(r.Removed) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	w.finish()
}

// TestAdmissionLockDeletedUnderAnActivation: an updater whose lock somebody deleted keeps nobody out, so it changes
// nothing.
func TestAdmissionLockDeletedUnderAnActivation(t *testing.T) {
	w := newWorld(t)
	w.publish("1.1.0", 0)
	w.m.step = func(name string) {
		if name == stepFence {
			if err := os.Remove(w.m.at.Admission()); err != nil {
				t.Error(err)
			}
		}
	}
	if err := w.activate(); protocol.ReasonOf(err) != ReasonStateChanged {
		t.Errorf("%v", err)
	}
	if c := w.control(); c.Phase != Ready || c.Active.Version != "1.0.0" {
		t.Errorf("%+v", c)
	}
	w.m.step = nil
	w.finish()
}

// TestDeletedGeneration: without the active generation the launch paths that are its files still run; one more
// update brings everything back.
func TestDeletedGeneration(t *testing.T) {
	w := newWorld(t)
	if err := os.RemoveAll(w.m.at.Generation(w.control().Active.Name)); err != nil {
		t.Fatal(err)
	}
	if version, complaint := w.hook("s"); version != "1.0.0" || complaint != "" {
		t.Errorf("%q %q", version, complaint)
	}
	if s, err := w.m.Status(w.ctx()); err != nil || len(s.Generations) != 1 || s.Generations[0].Problem == "" {
		t.Errorf("nobody says so: %+v, %v", s, err)
	}
	// A launch path of another build has nowhere to go, and lets the client go on.
	hook := filepath.Join(w.m.at.Bin(), layout.Executable("acc-hook"))
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(programs["1.1.0"], hook); err != nil {
		t.Fatal(err)
	}
	if version, complaint := w.hook("s"); version != "" || !strings.Contains(complaint, "cannot be started") {
		t.Errorf("%q %q", version, complaint)
	}
	w.finish()
}

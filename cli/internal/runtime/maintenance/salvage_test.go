//go:build unix

package maintenance

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// errLost is why a job is salvaged where nothing is damaged.
var errLost = protocol.DataError(runtime.ReasonGenerationDamaged, "it is not what it should be")

// killedAt lets a worker, or who salvages, die at a step.
func (w *world) killedAt(role, step string) {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envRole+"="+role, envStep+"="+step, "ACC_DATA_HOME="+w.home.Root)
	cmd.Stderr = os.Stderr
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		w.t.Fatalf("it was to be killed: %v", err)
	}
}

// damage makes the pending release one that cannot come in, and says why.
func (w *world) damage() error {
	w.t.Helper()
	pending := *w.settings().Pending
	if err := os.WriteFile(w.m.Layout().Executable(pending.Name, "acc-mcp"), []byte("tampered"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	damaged := w.m.Verify(pending)
	if protocol.ReasonOf(damaged) != runtime.ReasonGenerationDamaged {
		w.t.Fatal(damaged)
	}
	return damaged
}

// TestSalvage: a release that is damaged while its job is under way leaves no service stopped. acc is open as before where
// no client can have been changed, and otherwise stays closed until a whole release came in.
func TestSalvage(t *testing.T) {
	restarted := []string{"stop", "ended", "start", "served"}
	for _, c := range []struct {
		step  string
		phase runtime.Phase
		log   []string // what happened to the service in all
	}{
		{"checkpoint fencing", runtime.Ready, nil},  // not written yet: the job still waits
		{"checkpoint stopping", runtime.Ready, nil}, // the fence is up, and nobody was told
		{"stop", runtime.Ready, nil},                // somebody may have been told
		{"stopped", runtime.Ready, restarted},
		{"checkpoint refreshing", runtime.Ready, restarted},
		{"checkpoint restarting", runtime.Activating, restarted},
		{"start", runtime.Activating, restarted},
		{"started", runtime.Activating, restarted},
	} {
		t.Run(c.step, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.approve()
			w.killedAt("worker", c.step)
			why := w.damage()
			// Killed in the middle of it, too: a second one takes over.
			for range 2 {
				err := newWorker(w.home).Salvage(t.Context(), why)
				if j := w.job(); err != nil && protocol.ReasonOf(err) != runtime.ReasonGenerationDamaged || j.Status != Failed || j.Reason != string(runtime.ReasonGenerationDamaged) {
					t.Errorf("%v, %+v", err, j)
				}
			}
			s := w.settings()
			if s.Phase != c.phase || s.Active.Version != "1.0.0" || s.Pending == nil {
				t.Errorf("%+v", s)
			}
			if c.log != nil {
				w.serving()
			} else if (process.Table{}).Check(w.service) != core.ProcessAlive {
				t.Error("the service has gone")
			}
			if diff := cmp.Diff(c.log, w.log(), cmp.Transformer("", func(s []string) string { return filepath.Join(s...) })); diff != "" {
				t.Error(diff)
			}
			if j := w.job(); !j.Over() {
				t.Errorf("%+v", j)
			}
			if c.phase != runtime.Activating {
				return
			}
			// A whole one comes in, although the sessions of the service are still on record.
			next := w.stage("2.0.0", protocol.StoreVersion+1)
			if err := w.m.Publish(t.Context(), next); err != nil {
				t.Fatal(err)
			}
			if err := w.m.ActivateAround(t.Context(), clients{w.home}, runtime.Around{Spare: Spared(w.m)}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSalvagerKilledAtEveryStep: who takes over from a worker that was killed while it salvaged starts the service if that is
// not done, and not twice.
func TestSalvagerKilledAtEveryStep(t *testing.T) {
	for _, step := range []string{"checkpoint restarting", "start", "started", "checkpoint failed"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.approve()
			w.killedAt("worker", "stopped")
			w.killedAt("salvager", step)
			if err := newWorker(w.home).Salvage(t.Context(), errLost); protocol.ReasonOf(err) != runtime.ReasonGenerationDamaged {
				t.Errorf("%v", err)
			}
			w.serving()
			if diff := cmp.Diff([]string{"stop", "ended", "start", "served"}, w.log()); diff != "" {
				t.Error(diff)
			}
			if s, j := w.settings(), w.job(); s.Phase != runtime.Ready || s.Active.Version != "1.0.0" || j.Status != Failed || s.Notice == "" {
				t.Errorf("%+v, %+v", s, j)
			}
		})
	}
}

// TestFenceOfAnotherActivation: a job behind the fence of an activation that failed before leaves that up, whatever
// becomes of it: clients may have been changed.
func TestFenceOfAnotherActivation(t *testing.T) {
	for _, salvaged := range []bool{false, true} {
		w := newWorld(t)
		broken := filepath.Join(w.home.Root, "broken")
		if err := os.WriteFile(broken, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		all := runtime.Around{Spare: func(runtime.Holder) bool { return true }}
		if err := w.m.ActivateAround(t.Context(), clients{w.home}, all); protocol.ReasonOf(err) != runtime.ReasonRefreshFailed {
			t.Fatal(err)
		}
		w.approve()
		w.killedAt("worker", "checkpoint stopping")
		j := w.job()
		j.Process.StartTime++ // another process serves by now
		if err := save(w.m, &j); err != nil {
			t.Fatal(err)
		}
		if salvaged {
			if err := newWorker(w.home).Salvage(t.Context(), w.damage()); err == nil {
				t.Error("nothing is said")
			}
		} else if err := newWorker(w.home).Run(t.Context()); protocol.ReasonOf(err) != ReasonChanged {
			t.Errorf("%v", err)
		}
		if s := w.settings(); s.Phase != runtime.Activating || w.job().Status != Failed {
			t.Errorf("salvaged %v: %+v, %+v", salvaged, s, w.job())
		}
	}
}

package endtoend

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// moments are when an update is killed, after it began. A step takes some of them in; which ones depends on the
// machine, and every step on its own is tried in cli/internal/update.
var moments = []time.Duration{
	10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 600 * time.Millisecond,
	800 * time.Millisecond, 1000 * time.Millisecond, 1300 * time.Millisecond, 1600 * time.Millisecond, 2 * time.Second, 3 * time.Second,
}

// TestKilledUpdates kills everything that runs from the installation in the middle of an update, again and again.
// The active release is whole each time, hooks go on, and one more update finishes the work.
func TestKilledUpdates(t *testing.T) {
	expensive(t)
	for _, moment := range moments {
		t.Run(moment.String(), func(t *testing.T) {
			c := newComputer(t, first)
			c.registry.publish(c.releases, second)
			update := exec.CommandContext(t.Context(), filepath.Join(c.data, "acc", "runtime", "bin", "acc"), "update")
			update.Dir, update.Env = filepath.Join(c.home, "project"), c.environment()
			if err := update.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(moment)
			killed := c.killAll(t)
			_ = update.Wait()
			t.Logf("killed %d processes; %+v", killed, c.control())
			s := c.open("00000000-0000-4000-8000-00000000000d")
			s.updating = c.control().Phase != "ready" // then hooks are skipped until the update is finished
			s.turn()
			s.updating = false
			if out, err := c.acc("update"); err != nil {
				t.Fatalf("once more: %v: %s", err, out)
			}
			if got := c.control(); got.Active.Version != second || got.Phase != "ready" || got.Pending != nil {
				t.Errorf("%+v", got)
			}
			s.turn()
			if out, err := c.acc("doctor"); err != nil && strings.Contains(out, "FAIL  runtime") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// killAll kills every process whose executable lies in the installation.
func (c *computer) killAll(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		exe, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe"))
		if err != nil || !strings.HasPrefix(exe, c.data+string(filepath.Separator)) {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
			killed++
		}
	}
	return killed
}

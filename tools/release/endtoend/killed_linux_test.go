package endtoend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// moments is how many times an update is killed, spread over as long as one takes here. Every step on its own is
// tried in cli/internal/update.
const moments = 12

// TestKilledUpdates kills everything that runs from the installation in the middle of an update, again and again.
// The active release is whole each time, hooks go on, and one more update finishes the work.
func TestKilledUpdates(t *testing.T) {
	expensive(t)
	whole := newComputer(t, first)
	whole.registry.publish(t, whole.releases, second)
	began := time.Now()
	if out, err := whole.acc("update"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	takes := time.Since(began)
	for moment := range moments {
		t.Run(fmt.Sprintf("%d of %d", moment+1, moments), func(t *testing.T) {
			c := newComputer(t, first)
			c.registry.publish(t, c.releases, second)
			update := exec.CommandContext(t.Context(), filepath.Join(c.data, "acc", "runtime", "bin", "acc"), "update")
			update.Dir, update.Env = filepath.Join(c.home, "project"), c.environment()
			if err := update.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(takes * time.Duration(moment) / moments)
			killed := c.killAll(t)
			_ = update.Wait()
			now := c.control()
			t.Logf("killed %d processes: %s, %s is active, pending: %v", killed, now.Phase, now.Active.Version, now.Pending != nil)
			s := c.open("00000000-0000-4000-8000-00000000000d", now.Phase != "ready")
			s.turn()
			s.updating = false
			if out, err := c.acc("update"); err != nil {
				t.Fatalf("once more: %v: %s", err, out)
			}
			if got := c.control(); got.Active.Version != second || got.Phase != "ready" || got.Pending != nil {
				t.Errorf("%+v", got)
			}
			s.turn()
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

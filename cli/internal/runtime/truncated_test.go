//go:build unix

package runtime

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
)

// cuts cuts a file as a power cut may, to each of some lengths, and puts it back after each.
func cuts(t *testing.T, path string, try func(length int)) {
	t.Helper()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, length := range []int{0, 1, len(whole) / 2, len(whole) - 2} { // the last byte is the end of a line
		if err := os.Truncate(path, int64(length)); err != nil {
			t.Fatal(err)
		}
		try(length)
		info, err := os.Lstat(path)
		if err != nil {
			continue // it was removed
		}
		if err := os.WriteFile(path, whole, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTruncatedControl: without the record that decides nothing is guessed. Hooks let their clients go on, and nothing is
// changed or removed.
func TestTruncatedControl(t *testing.T) {
	w := newWorld(t)
	w.publish("1.1.0", 0)
	cuts(t, w.m.at.Control(), func(length int) {
		if version, complaint := w.hook("s"); version != "" || !strings.Contains(complaint, "control.json is damaged") {
			t.Errorf("%d bytes: %q %q", length, version, complaint)
		}
		_, reclaim := w.m.Reclaim(w.ctx())
		_, upgrade := w.m.UpgradeStores(w.ctx())
		_, due := w.m.Due(true)
		for what, err := range map[string]error{"activate": w.activate(), "reclaim": reclaim, "upgrade": upgrade, "due": due, "auto": w.m.SetAuto(w.ctx(), false)} {
			if protocol.ReasonOf(err) != ReasonRecordDamaged || !strings.Contains(err.Error(), "control.json") {
				t.Errorf("%d bytes, %s: %v", length, what, err)
			}
		}
		if s, err := w.m.Status(w.ctx()); err != nil || !strings.Contains(s.Problem, "control.json is damaged") || len(s.Generations) != 2 {
			t.Errorf("%d bytes: %+v, %v", length, s, err)
		}
	})
	if err := w.activate(); err != nil {
		t.Error(err)
	}
	w.finish()
}

// TestTruncatedRelease: a manifest that was cut is that of no generation, be it the active or the pending one.
func TestTruncatedRelease(t *testing.T) {
	w := newWorld(t)
	next := w.publish("1.1.0", 0)
	for _, name := range []string{w.control().Active.Name, next.Name} {
		cuts(t, filepath.Join(w.m.at.Generation(name), release.ManifestName), func(length int) {
			if _, err := w.m.installed(name); protocol.ReasonOf(err) != ReasonGenerationDamaged {
				t.Errorf("%s, %d bytes: %v", name, length, err)
			}
			if name != next.Name {
				return
			}
			if err := w.activate(); protocol.ReasonOf(err) != ReasonGenerationDamaged || w.control().Active.Version != "1.0.0" || w.control().Phase != Ready {
				t.Errorf("%d bytes: %v, %+v", length, err, w.control())
			}
		})
	}
	if version, complaint := w.hook("s"); version != "1.0.0" || complaint != "" {
		t.Errorf("%q %q", version, complaint)
	}
	if err := w.activate(); err != nil {
		t.Error(err)
	}
	w.finish()
}

// TestTruncatedLease: what a process says of itself decides nothing. Without it the process holds all the same, and has no
// name.
func TestTruncatedLease(t *testing.T) {
	w := newWorld(t)
	holder := w.hold("server")
	w.publish("1.1.0", otherContract)
	leases, err := filepath.Glob(filepath.Join(w.m.at.Leases(), "*.json"))
	if err != nil || len(leases) != 1 {
		t.Fatal(leases, err)
	}
	cuts(t, leases[0], func(length int) {
		if err := w.activate(); protocol.ReasonOf(err) != ReasonProcessesActive || !strings.Contains(err.Error(), "an unnamed process on 1.0.0-") {
			t.Errorf("%d bytes: %v", length, err)
		}
	})
	if err := w.activate(); protocol.ReasonOf(err) != ReasonProcessesActive || !strings.Contains(err.Error(), "(server)") {
		t.Error(err)
	}
	holder.end(t)
	if err := w.activate(); err != nil {
		t.Error(err)
	}
}

// TestTruncatedHold: who stages keeps what it stages, whatever became of its record. One that nobody has locked is
// nobody's.
func TestTruncatedHold(t *testing.T) {
	w := newWorld(t)
	s := w.stage("1.1.0", 0)
	cuts(t, s.path, func(length int) {
		if r, err := w.m.Reclaim(w.ctx()); err != nil || r.Complete || len(r.Removed) > 0 {
			t.Errorf("%d bytes: %+v, %v", length, r, err)
		}
	})
	if err := os.Truncate(s.path, 1); err != nil {
		t.Fatal(err)
	}
	s.lock.Release() // as if its process had died
	if r, err := w.m.Reclaim(w.ctx()); err != nil || !r.Complete || !slices.Equal(r.Removed, []string{s.Name}) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := os.Lstat(s.path); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestTruncatedReports: what the last passes did is kept to know what is due. Without it they run again.
func TestTruncatedReports(t *testing.T) {
	w := newWorld(t)
	if _, err := w.m.Reclaim(w.ctx()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.m.UpgradeStores(w.ctx()); err != nil {
		t.Fatal(err)
	}
	if err := w.m.SetCheckedAt(w.ctx(), w.m.moment()); err != nil {
		t.Fatal(err)
	}
	if why, err := w.m.Due(true); err != nil || len(why) > 0 {
		t.Fatal(why, err)
	}
	for path, want := range map[string]Why{w.m.at.Reclaim(): WhyReclaim, w.m.at.StoreUpgrade(): WhyUpgrade} {
		cuts(t, path, func(length int) {
			if why, err := w.m.Due(true); err != nil || !slices.Equal(why, []Why{want}) {
				t.Errorf("%s of %d bytes: %q due, %v", filepath.Base(path), length, why, err)
			}
		})
	}
}

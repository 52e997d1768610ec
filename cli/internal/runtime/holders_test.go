//go:build unix

package runtime

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/cli/launch/pin"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// otherContract is one that no build has yet.
const otherContract = protocol.StoreVersion + 1

// TestHolders: only a process that is alive, running or stopped, keeps an incompatible generation out, and its name
// is told where it has one.
func TestHolders(t *testing.T) {
	for _, kind := range []string{"server", "command"} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t)
			holder := w.hold(kind)
			if holder.version != "1.0.0" {
				t.Fatal(holder.version)
			}
			w.publish("1.1.0", otherContract)
			refused := func(when string) {
				t.Helper()
				err := w.activate()
				if protocol.ReasonOf(err) != ReasonProcessesActive {
					t.Fatalf("%s: %v", when, err)
				}
				name := fmt.Sprintf("PID %d (server) on 1.0.0-", holder.cmd.Process.Pid)
				if kind == "command" {
					name = "an unnamed process on 1.0.0-"
				}
				if c := w.control(); !strings.Contains(c.Notice, name) || !strings.Contains(c.Notice, fmt.Sprintf("store contract %d", protocol.StoreVersion)) {
					t.Errorf("%s: notice %q", when, c.Notice)
				}
				if version, _ := w.hook("s"); version != "1.0.0" {
					t.Errorf("%s: %q answers", when, version)
				}
			}
			refused("alive")
			if err := holder.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			awaitStop(t, holder.cmd.Process.Pid)
			refused("stopped")
			// A killed process is a zombie until its parent has collected it. It holds nothing any more.
			if err := holder.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			awaitZombie(t, holder.cmd.Process.Pid)
			if err := w.activate(); err != nil {
				t.Errorf("a zombie holds: %v", err)
			}
			if c := w.control(); c.Active.Version != "1.1.0" || c.Active.StoreContract != otherContract || c.Notice != "" {
				t.Errorf("%+v", c)
			}
		})
	}
}

// awaitZombie waits until a killed child shows as one.
func awaitZombie(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if (process.Table{}).Probe(pid, time.Time{}) == 2 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d does not die", pid)
		}
	}
}

// TestSameContractHoldsNothingUp: a process of the same contract goes on with its generation, which stays until it
// ends.
func TestSameContractHoldsNothingUp(t *testing.T) {
	w := newWorld(t)
	first := w.control().Active.Name
	holder := w.hold("command")
	w.publish("1.1.0", 0)
	if err := w.activate(); err != nil {
		t.Fatal(err)
	}
	r, err := w.m.Reclaim(w.ctx())
	if err != nil || r.Complete || len(r.Removed) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	due := func() bool {
		why, err := w.m.Due(false)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(why, WhyReclaim)
	}
	if due() {
		t.Error("due at once")
	}
	w.m.now = func() time.Time { return time.Now().Add(time.Hour + time.Second) }
	if !due() {
		t.Error("not due after an hour")
	}
	holder.end(t)
	if r, err := w.m.Reclaim(w.ctx()); err != nil || !r.Complete || !cmp.Equal(r.Removed, []string{first}) {
		t.Errorf("%+v, %v", r, err)
	}
	if due() {
		t.Error("due after a complete pass")
	}
}

// TestManagementHoldsFilesOnly: an updater runs from the generation that it replaces, blocks nothing, and keeps its
// files.
func TestManagementHoldsFilesOnly(t *testing.T) {
	w := newWorld(t)
	holder := w.hold("management")
	w.publish("1.1.0", otherContract)
	if err := w.activate(); err != nil {
		t.Fatal(err)
	}
	if r, err := w.m.Reclaim(w.ctx()); err != nil || r.Complete {
		t.Errorf("%+v, %v", r, err)
	}
	holder.end(t)
	if r, err := w.m.Reclaim(w.ctx()); err != nil || !r.Complete || len(r.Removed) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestLeasesAreNotRewritten: completing the record and activating beside a process leave what it said of itself as it is.
func TestLeasesAreNotRewritten(t *testing.T) {
	w := newWorld(t)
	w.set(func(c *control) { c.Active.StoreContract = 0 })
	holder := w.hold("server")
	leases, err := filepath.Glob(filepath.Join(w.m.at.Leases(), "*.json"))
	if err != nil || len(leases) != 1 {
		t.Fatal(leases, err)
	}
	before, err := os.ReadFile(leases[0])
	if err != nil {
		t.Fatal(err)
	}
	w.publish("1.1.0", 0)
	if err := w.activate(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.m.Reclaim(w.ctx()); err != nil || w.control().Active.StoreContract != protocol.StoreVersion {
		t.Fatalf("%v, %+v", err, w.control())
	}
	if after, err := os.ReadFile(leases[0]); err != nil || string(after) != string(before) {
		t.Errorf("%v: %s, then %s", err, before, after)
	}
	holder.end(t)
}

// TestUnknownHolders: a lock whose generation is gone or changed is that of somebody of whom nothing is known.
func TestUnknownHolders(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, dir string){
		"gone": func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		},
		"changed mode": func(t *testing.T, dir string) {
			if err := os.Chmod(filepath.Join(dir, "bin", "acc"), 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"changed manifest": func(t *testing.T, dir string) {
			path := filepath.Join(dir, "manifest.json")
			raw, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, []byte(strings.Replace(string(raw), `"storeContract": 7`, `"storeContract": 8`, 1)), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			first := w.control().Active.Name
			holder := w.hold("command")
			w.publish("1.1.0", 0)
			damage(t, w.m.at.Generation(first))
			w.set(func(c *control) { c.Active.StoreContract = 0 })
			err := w.activate()
			if protocol.ReasonOf(err) != ReasonProcessesActive || !strings.Contains(err.Error(), "contract unknown") {
				t.Fatalf("%v", err)
			}
			holder.end(t)
			if err := w.activate(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPinnedSession: a session stays on the generation that it began with, moves on when it ends or its client
// dies, and only then is the generation removed.
func TestPinnedSession(t *testing.T) {
	for _, how := range []string{"ends", "client dies"} {
		t.Run(how, func(t *testing.T) {
			w := newWorld(t)
			client := exec.Command("sleep", "600")
			if err := client.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = client.Process.Kill() })
			if version, complaint := w.hook("pinned", strconv.Itoa(client.Process.Pid)); version != "1.0.0" || complaint != "" {
				t.Fatalf("%q %q", version, complaint)
			}
			w.publish("1.1.0", 0)
			if err := w.activate(); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if version, complaint := w.hook("pinned"); version != "1.0.0" || complaint != "" {
					t.Errorf("the pinned session: %q %q", version, complaint)
				}
			}
			if version, _ := w.hook("another"); version != "1.1.0" {
				t.Errorf("another session: %q", version)
			}
			if r, err := w.m.Reclaim(w.ctx()); err != nil || !r.Complete || len(r.Removed) > 0 || !strings.Contains(strings.Join(r.Kept, ""), "stays on it") {
				t.Errorf("%+v, %v", r, err)
			}
			if how == "ends" {
				if version, _ := answer(t, w.command("acc-hook", "end", "pinned"), "{}"); version != "" && version != "1.0.0" {
					t.Errorf("its end: %q", version)
				}
			} else {
				if err := client.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				awaitZombie(t, client.Process.Pid)
			}
			if r, err := w.m.Reclaim(w.ctx()); err != nil || len(r.Removed) != 1 {
				t.Errorf("%+v, %v", r, err)
			}
			if version, complaint := w.hook("pinned"); version != "1.1.0" || complaint != "" {
				t.Errorf("after it: %q %q", version, complaint)
			}
		})
	}
}

// TestPinsThatDoNotCount: whatever is wrong with a pin, the session runs on the active generation.
func TestPinsThatDoNotCount(t *testing.T) {
	w := newWorld(t)
	first := w.control().Active
	w.publish("1.1.0", 0)
	if err := w.activate(); err != nil {
		t.Fatal(err)
	}
	self, _ := process.Table{}.Identify(os.Getpid())
	good := pin.Record{AdapterID: "vendor", SessionID: "s", Generation: first.Name, BuildID: first.BuildID, StoreContract: protocol.StoreVersion, Client: self, CreatedAt: w.m.moment()}
	path := w.m.at.Pin("vendor", "s")
	put := func(edit func(p *pin.Record)) {
		t.Helper()
		p := good
		edit(&p)
		if err := write(w.m, path, pin.Form(), &p); err != nil {
			t.Fatal(err)
		}
	}
	put(func(*pin.Record) {})
	if version, _ := w.hook("s"); version != "1.0.0" {
		t.Fatalf("a good pin: %q", version)
	}
	for name, edit := range map[string]func(p *pin.Record){
		"another contract":            func(p *pin.Record) { p.StoreContract++ },
		"another session":             func(p *pin.Record) { p.SessionID = "t" },
		"a generation that is gone":   func(p *pin.Record) { p.Generation = "0.9.0-" + strings.Repeat("0", 24) },
		"a generation that is a path": func(p *pin.Record) { p.Generation = "../../../bin" },
	} {
		put(edit)
		if version, complaint := w.hook("s"); version != "1.1.0" || complaint != "" {
			t.Errorf("%s: %q %q", name, version, complaint)
		}
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if version, complaint := w.hook("s"); version != "1.1.0" || complaint != "" {
		t.Errorf("garbage: %q %q", version, complaint)
	}
	// What nobody can read may name anything: nothing is removed.
	if r, err := w.m.Reclaim(w.ctx()); err != nil || r.Complete || len(r.Removed) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestAnotherPIDNamespace: of a client in another pid namespace nothing is known, so its pin stays.
func TestAnotherPIDNamespace(t *testing.T) {
	w := newWorld(t)
	first := w.control().Active
	w.publish("1.1.0", 0)
	if err := w.activate(); err != nil {
		t.Fatal(err)
	}
	self, _ := process.Table{}.Identify(os.Getpid())
	if self.PIDNamespace == "" {
		t.Skip("there are no pid namespaces here")
	}
	elsewhere := process.Identity{PID: 1 << 22, StartTime: 1, BootID: self.BootID, PIDNamespace: "pid:[1]"}
	p := pin.Record{AdapterID: "vendor", SessionID: "s", Generation: first.Name, BuildID: first.BuildID, StoreContract: protocol.StoreVersion, Client: elsewhere, CreatedAt: w.m.moment()}
	if err := write(w.m, w.m.at.Pin("vendor", "s"), pin.Form(), &p); err != nil {
		t.Fatal(err)
	}
	if r, err := w.m.Reclaim(w.ctx()); err != nil || len(r.Removed) > 0 {
		t.Errorf("unknown was taken for dead: %+v, %v", r, err)
	}
	if version, _ := w.hook("s"); version != "1.0.0" {
		t.Errorf("%q", version)
	}
	// A lock is seen from every namespace.
	w = newWorld(t)
	cmd := w.command("acc", "hold", "server")
	cmd.SysProcAttr = namespaceOfItsOwn()
	if cmd.SysProcAttr == nil {
		t.Skip("no pid namespace can be made here")
	}
	if out, err := exec.Command("unshare", "--pid", "--fork", "true").CombinedOutput(); err != nil {
		t.Skipf("no pid namespace can be made here: %v: %s", err, out)
	}
	holder := w.start(cmd)
	w.publish("1.1.0", otherContract)
	if err := w.activate(); protocol.ReasonOf(err) != ReasonProcessesActive || !strings.Contains(err.Error(), "an unnamed process") {
		t.Errorf("%v", err)
	}
	holder.end(t)
	if err := w.activate(); err != nil {
		t.Error(err)
	}
}

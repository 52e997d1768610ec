package runtime

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/cli/launch/pin"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// bound is a session that published an endpoint.
type bound struct {
	room  *room.Room
	owner core.Owner
	file  string // of the binding
}

func (w *world) bind(pid int) bound {
	w.t.Helper()
	project := filepath.Join(w.home.Root, "..", "project")
	if err := os.MkdirAll(project, 0o755); err != nil {
		w.t.Fatal(err)
	}
	r, err := room.Enter(w.ctx(), room.Request{Dir: project, Env: func(name string) string {
		if name == "ACC_DATA_HOME" {
			return w.home.Root
		}
		return ""
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	b := bound{room: r, owner: r.Core.NewOwner()}
	_, err = r.Core.OpenSession(w.ctx(), core.OpenSession{
		SessionID: b.owner.SessionID, Generation: b.owner.Generation, ParticipantID: "ana", ParticipantOf: protocol.Agent, Harness: "codex",
		CheckoutRoot: r.Workspace.CheckoutRoot(), PID: pid, Enforcement: protocol.Advisory, Lifecycle: protocol.Managed, Cadence: protocol.HookCadence,
	})
	if err == nil {
		_, err = r.Core.PublishBinding(w.ctx(), b.owner, core.BindingRequest{
			AdapterID: "codex", ClientVersion: "1.0.0", Modes: []protocol.DeliveryMode{protocol.IdleWake}, Policy: protocol.LiveAll, Endpoint: "ref",
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(r.Dir, "ephemeral", "binding", "*", "codex.json"))
	if err != nil || len(files) != 1 {
		w.t.Fatal(files, err)
	}
	b.file = files[0]
	return b
}

// client starts a process that stands for a client.
func client(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(programs[versions[0]], "hold", "command")
	cmd.Env = []string{"ACC_DATA_HOME=" + t.TempDir()}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// nativeHold is what may become of a session, and whether it holds then.
type nativeHold struct {
	name  string
	pid   bool // the session recorded its client's process
	over  func(t *testing.T, w *world, b bound, client *exec.Cmd)
	holds bool
}

// TestNativeHolds: a session of a client that can be woken holds an incompatible generation up until it is known
// to be over.
func TestNativeHolds(t *testing.T) {
	for _, c := range append([]nativeHold{
		{"a living client", true, func(*testing.T, *world, bound, *exec.Cmd) {}, true},
		{"a dead client", true, func(t *testing.T, _ *world, _ bound, c *exec.Cmd) { _ = c.Process.Kill(); _ = c.Wait() }, false},
		{"a client of another pid namespace", true, func(t *testing.T, w *world, _ bound, c *exec.Cmd) {
			w.pin(t, c.Process.Pid, "pid:[1]")
			_ = c.Process.Kill() // here the number means nobody
			_ = c.Wait()
		}, true},
		{"a dead client that is pinned", true, func(t *testing.T, w *world, _ bound, c *exec.Cmd) {
			w.pin(t, c.Process.Pid, "")
			_ = c.Process.Kill()
			_ = c.Wait()
		}, false},
		{"a number that was given to a later process", true, func(t *testing.T, _ *world, b bound, _ *exec.Cmd) {
			before := time.Now().Add(-time.Hour)
			if err := os.Chtimes(b.file, before, before); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"a session that has ended", true, func(t *testing.T, w *world, b bound, _ *exec.Cmd) {
			if _, err := b.room.Core.CloseSession(w.ctx(), b.owner, "exit"); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"an endpoint that was given up", true, func(t *testing.T, w *world, b bound, _ *exec.Cmd) {
			if err := b.room.Core.RetireBinding(w.ctx(), b.owner, "codex"); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"no process recorded", false, func(*testing.T, *world, bound, *exec.Cmd) {}, true},
		{"no process recorded, and no sign of life for long", false, func(_ *testing.T, w *world, _ bound, _ *exec.Cmd) {
			w.m.now = func() time.Time { return time.Now().Add(protocol.OfflineAfter + time.Minute) }
		}, false},
		{"a binding that cannot be read", true, func(t *testing.T, _ *world, b bound, _ *exec.Cmd) {
			if err := os.WriteFile(b.file, []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"a store that cannot be read", true, func(t *testing.T, _ *world, b bound, _ *exec.Cmd) {
			if err := os.WriteFile(filepath.Join(b.room.Dir, "protocol.json"), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"a room that is a link", true, func(t *testing.T, w *world, b bound, c *exec.Cmd) {
			_ = c.Process.Kill()
			_ = c.Wait()
			if err := os.Symlink(b.room.Dir, filepath.Join(w.home.Workspaces(), "link")); err != nil {
				t.Skip("no links here: ", err)
			}
		}, true},
	}, signalled()...) {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			cmd, pid := client(t), 0
			if c.pid {
				pid = cmd.Process.Pid
			}
			b := w.bind(pid)
			c.over(t, w, b, cmd)
			w.publish("1.1.0", protocol.StoreVersion+1)
			err := w.activate()
			if c.holds != (protocol.ReasonOf(err) == ReasonProcessesActive) || !c.holds && err != nil {
				t.Errorf("%v, holds %v", err, c.holds)
			}
			if c.name == "a living client" && !strings.Contains(err.Error(), "a codex session, PID") {
				t.Errorf("%v", err)
			}
		})
	}
}

// pin pins a session of the client to the active generation, as a hook does that runs in a pid namespace; "": in this one.
func (w *world) pin(t *testing.T, pid int, namespace string) {
	t.Helper()
	id, ok := process.Table{}.Identify(pid)
	if !ok {
		t.Fatal("it is not there")
	}
	if namespace != "" {
		if id.PIDNamespace == "" {
			t.Skip("there are no pid namespaces here")
		}
		id.PIDNamespace = namespace
	}
	g := w.control().Active
	p := pin.Record{AdapterID: "codex", SessionID: "s", Generation: g.Name, BuildID: g.BuildID, StoreContract: protocol.StoreVersion, Client: id, CreatedAt: w.m.moment()}
	if err := write(w.m, w.m.at.Pin("codex", "s"), pin.Form(), &p); err != nil {
		t.Fatal(err)
	}
}

// TestNativeSameContract: a session goes on beside a generation of its contract.
func TestNativeSameContract(t *testing.T) {
	w := newWorld(t)
	w.bind(client(t).Process.Pid)
	w.publish("1.1.0", 0)
	if err := w.activate(); err != nil {
		t.Error(err)
	}
}

// TestRefreshFails: the fence stays where a client could not be brought up to date, says why, and is lifted by
// who finishes that, with this release or a later one.
func TestRefreshFails(t *testing.T) {
	for _, later := range []bool{false, true} {
		w := newWorld(t)
		w.publish("1.1.0", 0)
		broken := true
		in := func() Integrations {
			return integrations(func() []Application {
				return []Application{{"one", func(context.Context) error { return nil }}, {"two", func(context.Context) error {
					if broken {
						return protocol.DataError("", "its file is read-only")
					}
					return nil
				}}}
			})
		}
		if err := w.m.Activate(w.ctx(), in()); protocol.ReasonOf(err) != ReasonRefreshFailed {
			t.Fatal(err)
		}
		c := w.control()
		if c.Phase != Activating || c.Active.Version != "1.0.0" || !strings.Contains(c.Notice, "its file is read-only") {
			t.Errorf("%+v", c)
		}
		if version, complaint := w.hook("s"); version != "" || !strings.Contains(complaint, "is being updated") {
			t.Errorf("%q %q", version, complaint)
		}
		if why, err := w.m.Due(false); err != nil || len(why) == 0 || why[0] != WhyPending {
			t.Errorf("%v, %v", why, err)
		}
		broken = false
		if later {
			w.publish("1.2.0", 0)
		}
		if err := w.m.Activate(w.ctx(), in()); err != nil {
			t.Fatal(err)
		}
		want := map[bool]string{false: "1.1.0", true: "1.2.0"}[later]
		if c := w.control(); c.Phase != Ready || c.Active.Version != want || c.Notice != "" {
			t.Errorf("%+v", c)
		}
	}
}

type integrations func() []Application

func (f integrations) Prepare(context.Context, Generation) ([]Application, error) { return f(), nil }

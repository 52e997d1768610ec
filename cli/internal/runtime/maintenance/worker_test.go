//go:build unix

package maintenance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// This binary is also the vendor's service and the worker.
const (
	envRole = "ACC_TEST_MAINTENANCE_ROLE"
	envStep = "ACC_TEST_MAINTENANCE_STEP"
)

func TestMain(m *testing.M) {
	home := datahome.Home{Root: os.Getenv("ACC_DATA_HOME")}
	switch os.Getenv(envRole) {
	case "service":
		serve(home)
	case "worker", "salvager":
		w := newWorker(home)
		w.Step = func(name string) {
			if name == os.Getenv(envStep) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		work := w.Run
		if os.Getenv(envRole) == "salvager" {
			work = func(ctx context.Context) error { return w.Salvage(ctx, errLost) }
		}
		if err := work(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// serve is a vendor's service: it says which process it is, and ends when it is told to.
func serve(home datahome.Home) {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	number := filepath.Join(home.Root, "service.pid")
	if err := os.WriteFile(number+".new", []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(number+".new", number); err != nil {
		panic(err)
	}
	note(home, "served")
	<-told
	note(home, "ended")
}

// note keeps what happened to the service.
func note(home datahome.Home, what string) {
	f, err := os.OpenFile(filepath.Join(home.Root, "service.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	_, _ = f.WriteString(what + "\n")
}

// standIn is the port to that service.
type standIn struct{ home datahome.Home }

func (s standIn) Adapter() string { return "codex" }

func (s standIn) Inspect(context.Context) (State, error) {
	data, err := os.ReadFile(filepath.Join(s.home.Root, "service.pid"))
	if errors.Is(err, os.ErrNotExist) {
		return State{}, nil
	}
	pid, _ := strconv.Atoi(string(data))
	id, ok := process.Table{}.Identify(pid)
	_, busy := os.Lstat(filepath.Join(s.home.Root, "busy"))
	return State{Running: ok, Process: id, Busy: busy == nil}, err
}

func (s standIn) Stop(_ context.Context, p process.Identity) error {
	if (process.Table{}).Check(p) != core.ProcessAlive {
		return errors.New("it is gone")
	}
	note(s.home, "stop")
	if _, err := os.Lstat(filepath.Join(s.home.Root, "deaf")); err == nil {
		return nil
	}
	return syscall.Kill(p.PID, syscall.SIGTERM)
}

func (s standIn) Start(context.Context) error {
	note(s.home, "start")
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envRole+"=service", "ACC_DATA_HOME="+s.home.Root)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

func newWorker(home datahome.Home) Worker {
	return Worker{
		Manager: runtime.Open(home), Services: []Service{standIn{home}}, Integrations: clients{home},
		Poll: 5 * time.Millisecond, StopLimit: 3 * time.Second,
	}
}

// clients is one client whose configuration is a file.
type clients struct{ home datahome.Home }

func (c clients) Prepare(_ context.Context, to runtime.Generation) ([]runtime.Application, error) {
	return []runtime.Application{{Adapter: "codex", Apply: func(context.Context) error {
		if _, err := os.Lstat(filepath.Join(c.home.Root, "broken")); err == nil {
			return errors.New("the configuration cannot be edited")
		}
		return os.WriteFile(filepath.Join(c.home.Root, "codex.conf"), []byte(to.Version), 0o600)
	}}}, nil
}

// world is a data home with 1.0.0 active, 2.0.0 of another contract pending, and a session that is served by a
// service, so that 2.0.0 has to wait for that.
type world struct {
	t       *testing.T
	home    datahome.Home
	m       *runtime.Manager
	service process.Identity // that serves at first
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: datahome.Home{Root: filepath.Join(root, "data")}}
	w.m = runtime.Open(w.home)
	first := w.stage("1.0.0", protocol.StoreVersion)
	if _, err := w.m.Install(t.Context(), first, root, []string{"codex"}, true); err != nil {
		t.Fatal(err)
	}
	second := w.stage("2.0.0", protocol.StoreVersion+1)
	if err := w.m.Publish(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if err := (standIn{w.home}).Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.kill)
	w.service = w.serving()
	if err := os.Remove(filepath.Join(w.home.Root, "service.log")); err != nil {
		t.Fatal(err)
	}
	w.bind(root)
	return w
}

// serving waits for a service that is not the first one.
func (w *world) serving() process.Identity {
	w.t.Helper()
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		s, err := standIn{w.home}.Inspect(w.t.Context())
		if log, _ := os.ReadFile(filepath.Join(w.home.Root, "service.log")); err == nil && s.Running && s.Process != w.service && strings.Contains(string(log), "served") {
			return s.Process
		}
		if time.Now().After(limit) {
			w.t.Fatal("nothing serves")
		}
	}
}

func (w *world) kill() {
	if s, err := (standIn{w.home}).Inspect(context.Background()); err == nil && s.Running {
		_ = syscall.Kill(s.Process.PID, syscall.SIGKILL)
	}
}

// stage takes in a release of files that nobody executes.
func (w *world) stage(version string, contract int) *runtime.Staged {
	w.t.Helper()
	dir := filepath.Join(w.m.Layout().Downloads(), version)
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	here, _ := release.ThisPlatform()
	sum := sha256.Sum256([]byte(version))
	m := release.Manifest{
		Name: "acc-test", Version: version, BuildID: hex.EncodeToString(sum[:12]), Platform: here.Name, StoreContract: contract,
		UpdateProtocol: release.UpdateProtocol, Adapters: []string{"codex"},
	}
	for _, name := range release.Required {
		if err := os.WriteFile(filepath.Join(dir, "bin", name), []byte(version), 0o700); err != nil {
			w.t.Fatal(err)
		}
		m.Files = append(m.Files, release.FileInfo{Path: "bin/" + name, Mode: release.Program, Size: int64(len(version)), SHA256: hex.EncodeToString(sum[:])})
	}
	raw, err := m.Encode()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, release.ManifestName), raw, 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := w.m.Stage(w.t.Context(), dir)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(s.Release)
	return s
}

// bind opens a session that can be woken through the service.
func (w *world) bind(root string) {
	w.t.Helper()
	project := filepath.Join(root, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		w.t.Fatal(err)
	}
	r, err := room.Enter(w.t.Context(), room.Request{Dir: project, Env: func(name string) string {
		return map[string]string{"ACC_DATA_HOME": w.home.Root}[name]
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	o := r.Core.NewOwner()
	_, err = r.Core.OpenSession(w.t.Context(), core.OpenSession{
		SessionID: o.SessionID, Generation: o.Generation, ParticipantID: "ana", ParticipantOf: protocol.Agent, Harness: "codex",
		CheckoutRoot: r.Workspace.CheckoutRoot(), PID: w.service.PID, Enforcement: protocol.Advisory, Lifecycle: protocol.Managed, Cadence: protocol.HookCadence,
	})
	if err == nil {
		_, err = r.Core.PublishBinding(w.t.Context(), o, core.BindingRequest{
			AdapterID: "codex", ClientVersion: "1.0.0", Modes: []protocol.DeliveryMode{protocol.IdleWake}, Policy: protocol.LiveAll, Endpoint: "ref",
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// approve approves the restart, as a process that has ended by now.
func (w *world) approve() {
	w.t.Helper()
	gone := process.Identity{PID: 1 << 22, StartTime: 1, BootID: w.service.BootID, PIDNamespace: w.service.PIDNamespace}
	if _, err := Approve(w.t.Context(), w.m, standIn{w.home}, w.service, gone); err != nil {
		w.t.Fatal(err)
	}
}

// log is what happened to the service since it began.
func (w *world) log() []string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.home.Root, "service.log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	return strings.Fields(string(data))
}

func (w *world) job() Job {
	w.t.Helper()
	j, found, err := Read(w.m)
	if err != nil || !found {
		w.t.Fatal(found, err)
	}
	return j
}

func (w *world) settings() runtime.Settings {
	w.t.Helper()
	s, err := w.m.Settings()
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// restarted looks that everything is done, and that the service was restarted exactly once.
func (w *world) restarted() {
	w.t.Helper()
	w.serving()
	if diff := cmp.Diff([]string{"stop", "ended", "start", "served"}, w.log()); diff != "" {
		w.t.Errorf("the service: %s", diff)
	}
	if j := w.job(); j.Status != Completed {
		w.t.Errorf("%+v", j)
	}
	if s := w.settings(); s.Phase != runtime.Ready || s.Active.Version != "2.0.0" || s.Pending != nil {
		w.t.Errorf("%+v", s)
	}
	if conf, err := os.ReadFile(filepath.Join(w.home.Root, "codex.conf")); err != nil || string(conf) != "2.0.0" {
		w.t.Errorf("%q, %v", conf, err)
	}
}

func TestRestart(t *testing.T) {
	w := newWorld(t)
	if err := w.m.Activate(t.Context(), clients{w.home}); protocol.ReasonOf(err) != runtime.ReasonProcessesActive {
		t.Fatalf("nothing was in the way: %v", err)
	}
	w.approve()
	if _, err := Approve(t.Context(), w.m, standIn{w.home}, w.service, w.service); protocol.ReasonOf(err) != ReasonAtWork {
		t.Errorf("a second job: %v", err)
	}
	if err := newWorker(w.home).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.restarted()
	if err := newWorker(w.home).Run(t.Context()); err != nil {
		t.Error(err)
	}
	w.restarted()
}

// TestWorkerKilledAtEveryStep: a worker that takes over restarts the service exactly once altogether; if the first
// one may have told it to stop and it goes on, it is left alone and acc is open as before.
func TestWorkerKilledAtEveryStep(t *testing.T) {
	w := newWorld(t)
	w.approve()
	var steps []string
	worker := newWorker(w.home)
	worker.Step = func(name string) { steps = append(steps, name) }
	if err := worker.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"checkpoint stopping", "stop", "stopped", "start", "started", "checkpoint completed"} {
		if !slices.Contains(steps, want) {
			t.Fatalf("no step %q in %q", want, steps)
		}
	}
	for _, step := range steps {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.approve()
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), envRole+"=worker", envStep+"="+step, "ACC_DATA_HOME="+w.home.Root)
			cmd.Stderr = os.Stderr
			var exit *exec.ExitError
			if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
				t.Fatalf("it was to be killed: %v", err)
			}
			err = newWorker(w.home).Run(t.Context())
			if step != "stop" {
				if err != nil {
					t.Fatal(err)
				}
				w.restarted()
				return
			}
			if protocol.ReasonOf(err) != ReasonStopFailed || len(w.log()) > 0 {
				t.Errorf("%v, %q", err, w.log())
			}
			if s := w.settings(); s.Phase != runtime.Ready || s.Active.Version != "1.0.0" || s.Pending == nil {
				t.Errorf("%+v", s)
			}
			if (process.Table{}).Check(w.service) != core.ProcessAlive {
				t.Error("the service has gone")
			}
		})
	}
}

// TestBusyService: nothing happens to a service that has something to do, until it has not, or the job is too old.
func TestBusyService(t *testing.T) {
	w := newWorld(t)
	busy := filepath.Join(w.home.Root, "busy")
	if err := os.WriteFile(busy, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.approve()
	looks := 0
	worker := newWorker(w.home)
	worker.Step = func(name string) {
		if name != "checkpoint waiting" {
			return
		}
		if looks++; w.settings().Phase != runtime.Ready || len(w.log()) > 0 {
			t.Errorf("something was done to it: %q", w.log())
		}
		if err := os.Remove(busy); err != nil {
			t.Error(err)
		}
	}
	if err := worker.Run(t.Context()); err != nil || looks == 0 {
		t.Fatal(err, looks)
	}
	w.restarted()

	w = newWorld(t)
	if err := os.WriteFile(filepath.Join(w.home.Root, "busy"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.approve()
	j := w.job()
	j.Deadline = time.Now().UTC().Add(-time.Second).Truncate(time.Millisecond)
	if err := save(w.m, &j); err != nil {
		t.Fatal(err)
	}
	if err := newWorker(w.home).Run(t.Context()); protocol.ReasonOf(err) != ReasonExpired {
		t.Errorf("%v", err)
	}
	if j := w.job(); j.Status != Failed || j.Reason != string(ReasonExpired) || len(w.log()) > 0 {
		t.Errorf("%+v", j)
	}
}

// TestServiceChangedHands: only the process that somebody approved is stopped.
func TestServiceChangedHands(t *testing.T) {
	w := newWorld(t)
	w.approve()
	j := w.job()
	j.Process.StartTime++
	if err := save(w.m, &j); err != nil {
		t.Fatal(err)
	}
	if err := newWorker(w.home).Run(t.Context()); protocol.ReasonOf(err) != ReasonChanged || len(w.log()) > 0 {
		t.Errorf("%v, %q", err, w.log())
	}
}

// TestRefreshFails: the service serves again although a client could not be brought up to date.
func TestRefreshFails(t *testing.T) {
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.home.Root, "broken"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.approve()
	if err := newWorker(w.home).Run(t.Context()); protocol.ReasonOf(err) != runtime.ReasonRefreshFailed {
		t.Fatal(err)
	}
	w.serving()
	if diff := cmp.Diff([]string{"stop", "ended", "start", "served"}, w.log()); diff != "" {
		t.Error(diff)
	}
	if s, j := w.settings(), w.job(); s.Phase != runtime.Activating || j.Status != Failed || j.Reason != string(runtime.ReasonRefreshFailed) {
		t.Errorf("%+v, %+v", s, j)
	}
	if err := os.Remove(filepath.Join(w.home.Root, "broken")); err != nil {
		t.Fatal(err)
	}
	if err := w.m.Activate(t.Context(), clients{w.home}); err != nil {
		t.Errorf("it cannot be finished: %v", err)
	}
}

// TestDeafService: a service that does not stop is told once, and acc is open as before.
func TestDeafService(t *testing.T) {
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.home.Root, "deaf"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.approve()
	if err := newWorker(w.home).Run(t.Context()); protocol.ReasonOf(err) != ReasonStopFailed {
		t.Fatal(err)
	}
	if s := w.settings(); s.Phase != runtime.Ready || s.Active.Version != "1.0.0" || !cmp.Equal(w.log(), []string{"stop"}) {
		t.Errorf("%+v, %q", s, w.log())
	}
}

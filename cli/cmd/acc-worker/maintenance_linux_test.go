package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/cli/internal/installer"
	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/runtime/maintenance"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// The two releases: the second one has another store contract, so that sessions of the first keep it waiting.
var contracts = map[string]int{"1.0.0": protocol.StoreVersion, "2.0.0": protocol.StoreVersion + 1}

func buildOf(version string) string {
	sum := sha256.Sum256([]byte(version))
	return hex.EncodeToString(sum[:12])
}

// programs builds the executables that run here, once per version.
var programs = sync.OnceValues(func() (map[string]string, error) {
	dirs := map[string]string{}
	for version, packages := range map[string][]string{"1.0.0": {".", "../acc", "../acc-hook"}, "2.0.0": {"."}} {
		dirs[version] = filepath.Join(scratch, version) + string(filepath.Separator)
		const stamps = "-X github.com/acc-control-plane/acc/cli/release/build."
		cmd := exec.Command("go", append([]string{"build", "-tags", "urfave_cli_no_docs", "-o", dirs[version], "-ldflags", stamps + "id=" + buildOf(version) + " " + stamps + "version=" + version}, packages...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, &exec.Error{Name: string(out), Err: err}
		}
	}
	return dirs, nil
})

// computer has acc 1.0.0 for Codex, a session in Codex's background server, and 2.0.0 waiting for that.
type computer struct {
	*testing.T
	root  string
	codex codex
	home  datahome.Home
	m     *runtime.Manager
	first process.Identity // that serves at first
	// session is the client's own id of the session.
	session string
}

func newComputer(t *testing.T) *computer {
	t.Helper()
	built, err := programs()
	must(t, err)
	root, err := os.MkdirTemp("", "acc") // short: a socket has to fit
	must(t, err)
	t.Cleanup(func() { // a stand-in that is starting may write meanwhile
		for limit := time.Now().Add(20 * time.Second); os.RemoveAll(root) != nil && time.Now().Before(limit); {
			time.Sleep(5 * time.Millisecond)
		}
	})
	root, err = filepath.EvalSymlinks(root)
	must(t, err)
	c := &computer{T: t, root: root, codex: codex{filepath.Join(root, "codex")}, home: datahome.Home{Root: filepath.Join(root, "data")}}
	c.m = runtime.Open(c.home)
	t.Cleanup(func() { // a worker goes on after its job is over; it must not write where everything was removed
		for limit := time.Now().Add(20 * time.Second); len(c.workers()) > 0 && time.Now().Before(limit); {
			time.Sleep(5 * time.Millisecond)
		}
	})
	client, err := os.Executable()
	must(t, err)
	c.session = thread
	if t.Name() == "TestRealService" {
		client = os.Getenv(realCodex)
	}
	for _, path := range []string{"path/codex", "codex/packages/app-server-daemon/current/bin/codex", "project/x"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o700))
		must(t, os.Symlink(client, filepath.Join(root, path)))
	}
	unpacked := c.unpack(built["1.0.0"], "1.0.0")
	c.run(0, filepath.Join(unpacked, "bin", "acc"), "install", "--adapter", "codex", "--delivery", "all")
	c.run(0, filepath.Join(root, "path/codex"), "app-server", "daemon", "start")
	t.Cleanup(func() {
		if p, ok := c.codex.serving(); ok {
			_ = syscall.Kill(p.PID, syscall.SIGKILL)
		}
	})
	c.first, _ = c.codex.serving()
	if client != os.Getenv(realCodex) {
		defer func() { must(t, os.Remove(c.codex.log())) }()
	} else {
		c.open()
	}
	c.speak()
	staged, err := c.m.StageCopy(t.Context(), c.unpack(built["2.0.0"], "2.0.0"))
	must(t, err)
	must(t, c.m.Publish(t.Context(), staged))
	staged.Release()
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// unpack lays a release out. What nobody starts is the worker once more.
func (c *computer) unpack(from, version string) string {
	c.Helper()
	dir := filepath.Join(c.root, "unpacked-"+version)
	must(c.T, os.MkdirAll(filepath.Join(dir, "bin"), 0o700))
	here, _ := release.ThisPlatform()
	m := release.Manifest{
		Name: "acc-test", Version: version, BuildID: buildOf(version), Platform: here.Name, StoreContract: contracts[version],
		UpdateProtocol: release.UpdateProtocol, Adapters: []string{"codex"},
	}
	for _, name := range release.Required {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			data, err = os.ReadFile(filepath.Join(from, "acc-worker"))
		}
		must(c.T, err)
		must(c.T, os.WriteFile(filepath.Join(dir, "bin", name), data, 0o700))
		m.Files = append(m.Files, release.Describe("bin/"+name, release.Program, data))
	}
	raw, err := m.Encode()
	must(c.T, err)
	must(c.T, os.WriteFile(filepath.Join(dir, release.ManifestName), raw, 0o600))
	return dir
}

// run runs a program that ends with an exit code.
func (c *computer) run(code int, program string, args ...string) string {
	c.Helper()
	return c.feed("", code, program, args...)
}

func (c *computer) feed(input string, code int, program string, args ...string) string {
	c.Helper()
	cmd := exec.CommandContext(c.Context(), program, args...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = filepath.Join(c.root, "project"), strings.NewReader(input), 10*time.Second
	cmd.Env = []string{"HOME=" + c.root, "CODEX_HOME=" + c.codex.home, "PATH=" + filepath.Join(c.root, "path") + ":/usr/bin:/bin", "ACC_DATA_HOME=" + c.home.Root, "ACC_NO_UPDATE_CHECK=1"}
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		c.Fatalf("%s %q: %v: %s", program, args, cmd.ProcessState, out)
	}
	return string(out)
}

// update runs the installed acc.
func (c *computer) update(code int, args ...string) string {
	c.Helper()
	return c.run(code, filepath.Join(c.home.Root, "acc/runtime/bin/acc"), append([]string{"update"}, args...)...)
}

// speak opens the session as Codex does, with the commands that acc wrote for it.
func (c *computer) speak() {
	c.Helper()
	var wired struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	data, err := os.ReadFile(c.codex.path("hooks.json"))
	must(c.T, err)
	must(c.T, json.Unmarshal(data, &wired))
	for _, event := range []string{"SessionStart", "UserPromptSubmit"} {
		for _, g := range wired.Hooks[event] {
			payload, _ := json.Marshal(map[string]string{
				"session_id": c.session, "cwd": filepath.Join(c.root, "project"), "hook_event_name": event, "model": "gpt-5.5",
				"permission_mode": "default", "source": "startup", "turn_id": "1", "prompt": "hello",
			})
			c.feed(string(payload), 0, "/bin/sh", "-c", g.Hooks[0].Command)
		}
	}
}

func (c *computer) job() maintenance.Job {
	c.Helper()
	j, _, err := maintenance.Read(c.m)
	must(c.T, err)
	return j
}

func (c *computer) await(what string, so func() bool) {
	c.Helper()
	for limit := time.Now().Add(90 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			log, _ := os.ReadFile(c.codex.log())
			c.Fatalf("not in time: %s; %+v; %q", what, c.job(), log)
		}
	}
}

func (c *computer) there(name string) bool {
	_, err := os.Lstat(c.codex.path(name))
	return err == nil
}

// workers are the processes that run from acc's own directory.
func (c *computer) workers() (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		exe, _ := os.Readlink("/proc/" + e.Name() + "/exe")
		if pid, err := strconv.Atoi(e.Name()); err == nil && strings.HasPrefix(exe, c.home.Root+"/") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killWorker kills the worker that is at the job.
func (c *computer) killWorker() {
	c.Helper()
	pids := c.workers()
	if len(pids) != 1 {
		c.Fatalf("%v are at it; %+v", pids, c.job())
	}
	must(c.T, syscall.Kill(pids[0], syscall.SIGKILL))
}

// restarted looks that 2.0.0 is active, and that the server was restarted exactly once.
func (c *computer) restarted() {
	c.Helper()
	c.await("the end of the job", func() bool { return c.job().Over() })
	if j := c.job(); j.Status != maintenance.Completed {
		c.Errorf("%+v", j)
	}
	s, err := c.m.Settings()
	must(c.T, err)
	if s.Phase != runtime.Ready || s.Active.Version != "2.0.0" || s.Pending != nil {
		c.Errorf("%+v", s)
	}
	c.once()
}

func (c *computer) once() {
	c.Helper()
	log, _ := os.ReadFile(c.codex.log())
	if diff := cmp.Diff([]string{"stop", "ended", "start", "served"}, strings.Fields(string(log))); diff != "" {
		c.Error(diff)
	}
	if now, ok := c.codex.serving(); !ok || now == c.first {
		c.Errorf("%+v serves: %v", now, ok)
	}
}

// realCodex is the variable that names the executable of a Codex.
const realCodex = "ACC_REAL_CODEX"

// open has the real server hold a thread, as a terminal does, until the test ends.
func (c *computer) open() {
	c.Helper()
	path, err := filepath.EvalSymlinks(c.codex.path("app-server-control/app-server-control.sock"))
	must(c.T, err)
	conn, err := net.Dial("unix", path)
	must(c.T, err)
	c.Cleanup(func() { _ = conn.Close() })
	_, err = conn.Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"))
	must(c.T, err)
	in := bufio.NewReader(conn)
	for line := "-"; strings.TrimSpace(line) != ""; {
		line, err = in.ReadString('\n')
		must(c.T, err)
	}
	cwd, _ := json.Marshal(filepath.Join(c.root, "project"))
	for _, text := range []string{
		`{"id":0,"method":"initialize","params":{"clientInfo":{"name":"test","title":"test","version":"1"},"capabilities":{"experimentalApi":true}}}`,
		`{"method":"initialized"}`, `{"id":1,"method":"thread/start","params":{"cwd":` + string(cwd) + `}}`,
	} {
		head := binary.BigEndian.AppendUint16([]byte{0x81, 0x80 | 126}, uint16(len(text)))
		_, err := conn.Write(append(append(head, 0, 0, 0, 0), text...)) // masked with zeros
		must(c.T, err)
	}
	must(c.T, conn.SetReadDeadline(time.Now().Add(20*time.Second)))
	for c.session == thread {
		message, err := frame(in)
		must(c.T, err)
		var m struct {
			ID     *int
			Result struct{ Thread struct{ ID string } }
			Error  any
		}
		if json.Unmarshal(message, &m) == nil && m.ID != nil && *m.ID == 1 {
			if c.session = m.Result.Thread.ID; c.session == "" {
				c.Fatalf("%s", message)
			}
		}
	}
}

// TestRealService: the background server of a real Codex keeps 2.0.0 waiting by a session, and is restarted.
func TestRealService(t *testing.T) {
	if os.Getenv(realCodex) == "" {
		t.Skip(realCodex + " names no Codex")
	}
	t.Setenv("TMPDIR", "/var/tmp") // Codex refuses some of its work in the system's temporary directory
	c := newComputer(t)
	t.Cleanup(func() {
		// What looks for later versions of the client stays.
		if updater, ok := c.codex.named("app-server-daemon/daemon-updater.pid"); ok {
			_ = syscall.Kill(updater.PID, syscall.SIGKILL)
		}
	})
	if out := c.update(5, "--json"); !strings.Contains(out, `"confirmation_required"`) || !strings.Contains(out, strconv.Itoa(c.first.PID)) {
		t.Error(out)
	}
	c.update(0, "--yes")
	c.await("the end of the job", func() bool { return c.job().Over() })
	s, err := c.m.Settings()
	must(t, err)
	if now, ok := c.codex.serving(); c.job().Status != maintenance.Completed || s.Active.Version != "2.0.0" || !ok || now == c.first {
		t.Errorf("%+v, %+v, %+v", c.job(), s, now)
	}
}

// TestServiceIsOffered: nothing is restarted that nobody agreed to; with --yes it is, once, and 2.0.0 is active.
func TestServiceIsOffered(t *testing.T) {
	_, err := programs()
	must(t, err)
	t.Run("agreed", func(t *testing.T) {
		t.Parallel()
		c := newComputer(t)
		if out := c.update(5, "--json"); !strings.Contains(out, `"confirmation_required"`) || !strings.Contains(out, strconv.Itoa(c.first.PID)) {
			t.Error(out)
		}
		if now, _ := c.codex.serving(); now != c.first || c.there("stand-in.log") {
			t.Errorf("%+v serves", now)
		}
		if out := c.update(0, "--yes", "--json"); !strings.Contains(out, `"maintenance"`) {
			t.Error(out)
		}
		c.restarted()
	})
	t.Run("unverified", func(t *testing.T) {
		t.Parallel()
		c := newComputer(t)
		// The number on record is given away: another process has it now.
		data, err := os.ReadFile(c.codex.record())
		must(t, err)
		must(t, os.WriteFile(c.codex.record(), []byte(strings.Replace(string(data), `"startTicks":`, `"startTicks":1`, 1)), 0o600))
		if out := c.update(5, "--yes", "--json"); !strings.Contains(out, `"processes_active"`) {
			t.Error(out)
		}
		must(t, os.WriteFile(c.codex.record(), data, 0o600))
		if now, _ := c.codex.serving(); now != c.first || c.there("stand-in.log") {
			t.Errorf("%+v serves", now)
		}
	})
	for reply, code := range map[string]int{"n": 5, "y": 0} {
		t.Run("asked, "+reply, func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat("/usr/bin/script"); err != nil {
				t.Skip("nothing here makes a terminal")
			}
			c := newComputer(t)
			acc := filepath.Join(c.home.Root, "acc/runtime/bin/acc")
			out := c.feed(reply+"\n", code, "/usr/bin/script", "-qec", acc+" update", "/dev/null")
			if !strings.Contains(out, "Restart it once it is idle?") || !strings.Contains(out, strconv.Itoa(c.first.PID)) {
				t.Error(out)
			}
			if reply == "y" {
				c.restarted()
			} else if now, _ := c.codex.serving(); now != c.first || c.there("stand-in.log") {
				t.Errorf("%+v serves", now)
			}
		})
	}
	t.Run("damaged", func(t *testing.T) {
		t.Parallel()
		c := newComputer(t)
		must(t, os.WriteFile(c.codex.path("busy"), nil, 0o600))
		c.update(0, "--yes")
		c.await("a look at the busy server", func() bool { return strings.Contains(c.job().Note, "busy") })
		c.killWorker()
		s, err := c.m.Settings()
		must(t, err)
		program := c.m.Layout().Executable(s.Pending.Name, "acc-mcp")
		must(t, os.Chmod(program, 0o700))
		must(t, os.WriteFile(program, []byte("tampered"), 0o700))
		if out := c.update(4, "--json"); !strings.Contains(out, string(runtime.ReasonGenerationDamaged)) || c.job().Status != maintenance.Cancelled {
			t.Errorf("%s, %+v", out, c.job())
		}
		// The record of jobs is damaged, too: nobody is restarted, and who asks is told which file it is.
		must(t, os.WriteFile(c.m.Layout().Maintenance(), []byte("?"), 0o600))
		out := c.update(4, "--yes", "--json")
		if now, _ := c.codex.serving(); !strings.Contains(out, "maintenance.json") || !strings.Contains(out, "remove the file") || now != c.first || c.there("stand-in.log") {
			t.Errorf("%s, %+v", out, now)
		}
	})
	t.Run("damaged after the server was stopped", func(t *testing.T) {
		t.Parallel()
		c := newComputer(t)
		must(t, os.WriteFile(c.codex.path("hold-stopped"), nil, 0o600))
		c.update(0, "--yes")
		c.await("the step", func() bool { return c.there("at-stopped") })
		c.killWorker()
		must(t, os.Remove(c.codex.path("hold-stopped")))
		s, err := c.m.Settings()
		must(t, err)
		must(t, os.WriteFile(c.m.Layout().Executable(s.Pending.Name, "acc-mcp"), []byte("tampered"), 0o700))
		// The release that runs starts the server again: nothing was changed yet, so acc is open as before.
		if out := c.update(4, "--json"); !strings.Contains(out, string(runtime.ReasonGenerationDamaged)) {
			t.Error(out)
		}
		c.await("the end of the job", func() bool { return c.job().Over() })
		c.once()
		s, err = c.m.Settings()
		must(t, err)
		if j := c.job(); j.Status != maintenance.Failed || j.Reason != string(runtime.ReasonGenerationDamaged) || s.Phase != runtime.Ready || s.Active.Version != "1.0.0" || s.Notice == "" {
			t.Errorf("%+v, %+v", j, s)
		}
	})
	for _, at := range []string{"fenced", "stopped", "start", "started"} {
		t.Run("killed "+at, func(t *testing.T) {
			t.Parallel()
			c := newComputer(t)
			must(t, os.WriteFile(c.codex.path("hold-"+at), nil, 0o600))
			c.update(0, "--yes")
			c.await("the step", func() bool { return c.there("at-" + at) })
			c.killWorker()
			must(t, os.Remove(c.codex.path("hold-"+at)))
			c.update(0)
			c.restarted()
		})
	}
	t.Run("killed waiting", func(t *testing.T) {
		t.Parallel()
		c := newComputer(t)
		must(t, os.WriteFile(c.codex.path("busy"), nil, 0o600))
		c.update(0, "--yes")
		c.await("a look at the busy server", func() bool { return strings.Contains(c.job().Note, "busy") })
		c.killWorker()
		if c.there("stand-in.log") {
			t.Error("something was done to a busy server")
		}
		must(t, os.Remove(c.codex.path("busy")))
		c.update(0)
		c.restarted()
	})
	t.Run("killed refreshing", func(t *testing.T) {
		t.Parallel()
		c := newComputer(t)
		unlock, err := installer.Lock(t.Context(), c.home)
		must(t, err)
		c.update(0, "--yes")
		c.await("the refresh", func() bool { return c.job().Status == maintenance.Refreshing })
		c.killWorker()
		unlock()
		c.update(0)
		c.restarted()
	})
	t.Run("killed before it told the server", func(t *testing.T) {
		t.Parallel()
		c := newComputer(t)
		must(t, os.WriteFile(c.codex.path("hold-stop"), nil, 0o600))
		c.update(0, "--yes")
		c.await("the step", func() bool { return c.there("at-stop") })
		c.killWorker()
		c.update(0) // the command that would tell it still stands there
		c.await("the end of the job", func() bool { return c.job().Over() })
		s, err := c.m.Settings()
		must(t, err)
		if j := c.job(); j.Reason != string(maintenance.ReasonStopFailed) || s.Phase != runtime.Ready || s.Active.Version != "1.0.0" || s.Notice == "" {
			t.Errorf("%+v, %+v", j, s)
		}
		if now, _ := c.codex.serving(); now != c.first || c.there("stand-in.log") {
			t.Errorf("%+v serves", now)
		}
		must(t, os.Remove(c.codex.path("hold-stop")))
	})
	t.Run("the refresh fails", func(t *testing.T) {
		t.Parallel()
		c := newComputer(t)
		must(t, os.WriteFile(c.codex.path("hold-stopped"), nil, 0o600))
		c.update(0, "--yes")
		c.await("the step", func() bool { return c.there("at-stopped") })
		wired, err := os.ReadFile(c.codex.path("hooks.json"))
		must(t, err)
		must(t, os.WriteFile(c.codex.path("hooks.json"), []byte("no JSON"), 0o600)) // somebody else's edit, after it was planned
		must(t, os.Remove(c.codex.path("hold-stopped")))
		c.await("the end of the job", func() bool { return c.job().Over() })
		if j := c.job(); j.Reason != string(maintenance.ReasonRefreshFailed) {
			t.Errorf("%+v", j)
		}
		c.once()
		must(t, os.WriteFile(c.codex.path("hooks.json"), wired, 0o600))
		c.update(0)
		if s, err := c.m.Settings(); err != nil || s.Active.Version != "2.0.0" || s.Phase != runtime.Ready {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

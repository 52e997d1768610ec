package service

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
)

// realCodex is the variable that names the executable of a Codex that runs its background server.
const realCodex = "ACC_REAL_CODEX"

func machine(t *testing.T, home, goos string) adapter.Machine {
	t.Helper()
	return adapter.Machine{
		GOOS: goos,
		Env:  func(name string) string { return map[string]string{"CODEX_HOME": home}[name] },
		Run: func(ctx context.Context, c adapter.ClientCommand) ([]byte, error) {
			cmd := exec.CommandContext(ctx, c.Path, c.Args...)
			cmd.Env = append(os.Environ(), c.Env...)
			return cmd.Output()
		},
	}
}

// TestRecords: what is on record is given exactly, and what does not name a process for good is an error.
func TestRecords(t *testing.T) {
	const whole = `{"pid":23717,"processStartTime":"Mon Nov 30 20:40:54 2026","processIdentity":{"bootId":"14fb1154-0343-4aa7-9d93-19ed57b288d3","startTicks":711604},"executableIdentity":{"digest":[1]}}`
	path := filepath.Join(t.TempDir(), "daemon.pid")
	if _, found, err := recorded(path); found || err != nil {
		t.Error(found, err)
	}
	for text, ok := range map[string]bool{
		whole: true, "": false, "23717": false, `{"pid":23717}`: false,
		strings.Replace(whole, `"startTicks":711604`, `"startTicks":"711604"`, 1): false,
		strings.Replace(whole, `"pid":23717`, `"pid":1`, 1):                       false,
		whole + strings.Repeat(" ", maxRecord):                                    false,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, found, err := recorded(path)
		if want := (adapter.ServiceProcess{PID: 23717, StartTime: 711604, BootID: "14fb1154-0343-4aa7-9d93-19ed57b288d3"}); ok != (err == nil) || ok && (!found || p != want) {
			t.Errorf("%.200s: %+v, %v", text, p, err)
		}
	}
	link := path + ".link"
	if err := os.Symlink(path, link); err == nil {
		if _, _, err := recorded(link); err == nil {
			t.Error("a link was followed")
		}
	}
}

// TestNothingElsewhere: where nobody knows how the server is named, there is none to restart.
func TestNothingElsewhere(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "app-server-daemon"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "app-server-daemon", "daemon.pid"), []byte("?"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, goos := range []string{"darwin", "windows"} {
		if s, err := (Daemon{}).InspectService(t.Context(), machine(t, home, goos)); err != nil || s.Process.PID != 0 {
			t.Errorf("%s: %+v, %v", goos, s, err)
		}
	}
	if _, err := (Daemon{}).InspectService(t.Context(), machine(t, home, "linux")); err == nil {
		t.Error("a record that names nothing")
	}
}

// TestRealServer looks at, stops and starts the background server of a real Codex in a home of its own.
func TestRealServer(t *testing.T) {
	command := os.Getenv(realCodex)
	if command == "" || runtime.GOOS != "linux" {
		t.Skip(realCodex + " names no Codex, or this is not Linux")
	}
	home, err := os.MkdirTemp("/var/tmp", "acc-codex-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	t.Setenv("TMPDIR", "/var/tmp")
	t.Setenv("CODEX_HOME", home)
	m := machine(t, home, "linux")
	d := Daemon{}
	if s, err := d.InspectService(t.Context(), m); err != nil || s.Process.PID != 0 {
		t.Fatalf("before: %+v, %v", s, err)
	}
	if out, err := exec.Command(command, "app-server", "daemon", "start").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() {
		stop := exec.Command(command, "app-server", "daemon", "stop")
		if out, err := stop.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		// What looks for later versions of the client stays.
		if p, found, err := recorded(filepath.Join(home, "app-server-daemon", "daemon-updater.pid")); found && err == nil {
			if updater, err := os.FindProcess(p.PID); err == nil {
				_ = updater.Kill()
			}
		}
	})
	first, err := d.InspectService(t.Context(), m)
	if err != nil || first.Process.PID == 0 || first.Busy || len(first.Sessions) != 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	another := first.Process
	another.StartTime++
	if err := d.StopService(t.Context(), m, another); err == nil {
		t.Error("another process was to be stopped")
	}
	if err := d.StopService(t.Context(), m, first.Process); err != nil {
		t.Fatal(err)
	}
	if s, err := d.InspectService(t.Context(), m); err != nil || s.Process.PID != 0 {
		t.Errorf("stopped: %+v, %v", s, err)
	}
	for range 2 { // one that runs stays
		if err := d.StartService(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := d.InspectService(t.Context(), m); err != nil || s.Process.PID == 0 || s.Process == first.Process {
		t.Errorf("started: %+v, %v", s, err)
	}
}

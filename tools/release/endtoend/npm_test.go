package endtoend

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
)

// TestNpmInstallsIt lets the real npm install the package for this platform, with scripts forbidden, and runs the
// acc that it put on the path.
func TestNpmInstallsIt(t *testing.T) {
	r := theReleases(t)
	npm, err := exec.LookPath("npm")
	if err != nil || goruntime.GOOS == "windows" {
		t.Skip("there is no npm here, or no shell to play a client")
	}
	registry := newRegistry(t)
	registry.publish(t, r, first)
	registry.publish(t, r, second)
	prefix, home := t.TempDir(), t.TempDir()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "ACC_DATA_HOME=" + filepath.Join(home, "data"), "ACC_NO_UPDATE_CHECK=1", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1"}
	install := exec.CommandContext(t.Context(), npm, "install", "--global", "--prefix", prefix, "--registry", registry.URL, "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", packageName)
	install.Env, install.Dir = env, home
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	version := exec.CommandContext(t.Context(), filepath.Join(prefix, "bin", "acc"), "version", "--json")
	version.Env, version.Dir = env, home
	out, err := version.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Data struct{ Version, BuildID, Commit string }
	}
	if err := json.Unmarshal(out, &answer); err != nil || answer.Data.Version != second || len(answer.Data.BuildID) != 24 || answer.Data.Commit == "" {
		t.Errorf("%v: %s", err, out)
	}
	// What npm unpacked is the release that acc install takes in.
	fake := t.TempDir()
	if err := os.WriteFile(filepath.Join(fake, "claude"), []byte("#!/bin/sh\necho '2.1.300 (Claude Code)'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	taken := exec.CommandContext(t.Context(), filepath.Join(prefix, "bin", "acc"), "install", "--adapter", "claude_code")
	taken.Env, taken.Dir = append(env, "PATH="+fake+string(os.PathListSeparator)+os.Getenv("PATH")), home
	if out, err := taken.CombinedOutput(); err != nil {
		t.Fatalf("acc install: %v\n%s", err, out)
	}
	control, err := os.ReadFile(filepath.Join(home, "data", "acc", "runtime", "control.json"))
	if err != nil || !strings.Contains(string(control), answer.Data.BuildID) {
		t.Errorf("%v: %s", err, control)
	}
	// The exit code of acc comes through the script in front of it.
	wrong := exec.CommandContext(t.Context(), filepath.Join(prefix, "bin", "acc"), "no-such-command")
	wrong.Env, wrong.Dir = env, home
	if _ = wrong.Run(); wrong.ProcessState.ExitCode() != 2 {
		t.Errorf("exit %d", wrong.ProcessState.ExitCode())
	}
}

//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
)

// unpacked builds acc and acc-hook as a release of a version and lays them out as an unpacked package. What the
// test does not start is a copy of acc-hook.
func unpacked(t *testing.T, version string) (acc string) {
	t.Helper()
	sum := sha256.Sum256([]byte(version))
	buildID := hex.EncodeToString(sum[:12])
	dir := t.TempDir()
	const stamps = "-X github.com/acc-control-plane/acc/cli/release/build."
	build := exec.Command("go", "build", "-tags", "urfave_cli_no_docs", "-o", filepath.Join(dir, "bin")+string(filepath.Separator),
		"-ldflags", stamps+"id="+buildID+" "+stamps+"version="+version, ".", "../acc-hook")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	here, _ := release.ThisPlatform()
	m := release.Manifest{
		Name: "acc-test", Version: version, BuildID: buildID, Platform: here.Name, StoreContract: protocol.StoreVersion,
		UpdateProtocol: release.UpdateProtocol, Adapters: []string{"claude_code"},
	}
	for _, name := range release.Required {
		path := filepath.Join(dir, "bin", name)
		if _, err := os.Lstat(path); err != nil {
			if err := os.Link(filepath.Join(dir, "bin", "acc-hook"), path); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		m.Files = append(m.Files, release.FileInfo{Path: "bin/" + name, Mode: release.Program, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])})
	}
	raw, err := m.Encode()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, release.ManifestName), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "bin", "acc")
}

// TestInstallRelease: a release that installs itself becomes the managed runtime; a later one follows it, with the
// clients that are wired; an earlier one only if that is asked for.
func TestInstallRelease(t *testing.T) {
	first, second := unpacked(t, "1.0.0"), unpacked(t, "1.1.0")
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(home, "data")
	run := func(program string, code int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = home, &out, &out
		cmd.Env = []string{"HOME=" + home, "PATH=/nowhere", "ACC_DATA_HOME=" + data, "ACC_NO_UPDATE_CHECK=1"}
		if _ = cmd.Run(); cmd.ProcessState.ExitCode() != code {
			t.Fatalf("%s %q: exit code %d: %s", program, args, cmd.ProcessState.ExitCode(), out.String())
		}
		return out.String()
	}
	installed := filepath.Join(data, "acc", "runtime", "bin", "acc")
	wired := func() string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(home, ".claude", "plugins", "cache", "*", "*", "*", "hooks", "hooks.json"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%v, %v", found, err)
		}
		return filepath.Base(filepath.Dir(filepath.Dir(found[0])))
	}
	active := func(version string) {
		t.Helper()
		if out := run(installed, 0, "version"); !strings.HasPrefix(out, "acc "+version+" ") {
			t.Errorf("%s runs instead of %s", out, version)
		}
		if got := wired(); got != version {
			t.Errorf("Claude Code is wired by %s instead of %s", got, version)
		}
	}

	run(first, 0, "install", "--delivery", "off", "--dry-run")
	if _, err := os.Lstat(data); !os.IsNotExist(err) {
		t.Errorf("a dry run made the data home: %v", err)
	}
	if out := run(first, 0, "install", "--delivery", "off"); !strings.Contains(out, "acc 1.0.0, replaced by the acc install of a later build") {
		t.Errorf("%s", out)
	}
	active("1.0.0")
	run(installed, 0, "install", "--delivery", "off")
	// Registrations of the MCP server are no adapters that a later release could lack.
	control := filepath.Join(data, "acc", "runtime", "control.json")
	if err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(installed, 0, "install", "--adapter", "mcp", "--client", "claude_code")
	if raw, err := os.ReadFile(control); err != nil || !strings.Contains(string(raw), "\"targets\": [\n    \"claude_code\"\n  ]") {
		t.Errorf("%v: %s", err, raw)
	}
	run(second, 0, "install", "--delivery", "off")
	active("1.1.0")
	if out := run(first, 5, "install", "--delivery", "off"); !strings.Contains(out, "1.0.0 is older than 1.1.0") {
		t.Errorf("%s", out)
	}
	active("1.1.0")
	run(first, 0, "install", "--delivery", "off", "--downgrade")
	active("1.0.0")

	// A power cut has taken a part of the record. What acc doctor says brings the managed runtime back.
	if err := os.Truncate(control, 100); err != nil {
		t.Fatal(err)
	}
	run(installed, 4, "status")
	if out := run(installed, 4, "doctor"); !strings.Contains(out, "mv '"+control+"' '"+control+"'.damaged, then acc install") {
		t.Errorf("%s", out)
	}
	if err := os.Rename(control, control+".damaged"); err != nil {
		t.Fatal(err)
	}
	if out := run(installed, 0, "install", "--delivery", "off"); !strings.Contains(out, "acc 1.0.0, replaced by the acc install of a later build") {
		t.Errorf("%s", out)
	}
	if raw, err := os.ReadFile(control); err != nil || !strings.Contains(string(raw), `"targets": [
    "claude_code"`) {
		t.Errorf("%v: %s", err, raw)
	}
	active("1.0.0")
	run(installed, 0, "uninstall")
	if out := run(second, 0, "install", "--unmanaged", "--delivery", "off"); !strings.Contains(out, "an unmanaged copy") {
		t.Errorf("%s", out)
	}
	active("1.1.0")
	if out := run(installed, 0, "install", "--delivery", "off"); !strings.Contains(out, "an unmanaged copy") {
		t.Errorf("%s", out)
	}
	// Nobody knows what clients have started from the copy.
	if out := run(second, 0, "install", "--delivery", "off"); !strings.Contains(out, "replaced by the acc install of a later build") || !strings.Contains(out, "restart the clients that are open") {
		t.Errorf("%s", out)
	}
}

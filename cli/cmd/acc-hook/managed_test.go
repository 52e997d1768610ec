//go:build unix

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// releaseOf builds this program as every executable of a release, below the downloads of a runtime.
func releaseOf(t *testing.T, m *runtime.Manager, version string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(version))
	buildID := hex.EncodeToString(sum[:12])
	if err := os.MkdirAll(m.Layout().Downloads(), 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(m.Layout().Downloads(), "release-")
	if err != nil {
		t.Fatal(err)
	}
	const stamps = "-X github.com/acc-control-plane/acc/cli/release/build."
	program := filepath.Join(dir, "bin", "acc-hook")
	build := exec.Command("go", "build", "-o", program, "-ldflags", stamps+"id="+buildID+" "+stamps+"version="+version, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	sum = sha256.Sum256(data)
	here, _ := release.ThisPlatform()
	manifest := release.Manifest{
		Name: "acc-test", Version: version, BuildID: buildID, Platform: here.Name, StoreContract: protocol.StoreVersion,
		UpdateProtocol: release.UpdateProtocol, Adapters: []string{"claude_code"},
	}
	for _, name := range release.Required {
		if name != "acc-hook" {
			if err := os.Link(program, filepath.Join(dir, "bin", name)); err != nil {
				t.Fatal(err)
			}
		}
		manifest.Files = append(manifest.Files, release.FileInfo{Path: "bin/" + name, Mode: release.Program, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])})
	}
	raw, err := manifest.Encode()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, release.ManifestName), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// managed is a machine whose data home has a managed runtime.
type managed struct {
	*machine
	manager *runtime.Manager
}

func newManaged(t *testing.T, version string) managed {
	t.Helper()
	m := newMachine(t)
	manager := runtime.Open(datahome.Home{Root: m.home})
	staged, err := manager.Stage(t.Context(), releaseOf(t, manager, version))
	if err != nil {
		t.Fatal(err)
	}
	defer staged.Release()
	if _, err := manager.Install(t.Context(), staged, m.home, []string{"claude_code"}, true); err != nil {
		t.Fatal(err)
	}
	return managed{m, manager}
}

func (m managed) update(version string) {
	m.t.Helper()
	ctx := context.Background()
	staged, err := m.manager.Stage(ctx, releaseOf(m.t, m.manager, version))
	if err != nil {
		m.t.Fatal(err)
	}
	defer staged.Release()
	if err := m.manager.Publish(ctx, staged); err != nil {
		m.t.Fatal(err)
	}
	if err := m.manager.Activate(ctx, runtime.NoIntegrations{}); err != nil {
		m.t.Fatal(err)
	}
}

// installed is the command of a hook as a client calls it: by the launch path, without a word about the data home.
func (m managed) installed(c *conversation, payload string) *exec.Cmd {
	cmd := c.command(payload)
	cmd.Path = filepath.Join(m.manager.Layout().Bin(), "acc-hook")
	cmd.Args[0] = cmd.Path
	cmd.Env = append([]string{"PATH=/nowhere", "HOME=/nowhere", "TZ=UTC"}, c.env...)
	return cmd
}

var executed = regexp.MustCompile(`execve\("[^"]*/acc/runtime/([^"]*)"`)

// ran runs a hook and gives what was executed for it, one after the other, below the runtime.
func (m managed) ran(c *conversation, payload string) (programs []string, r result) {
	m.t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		m.t.Skip("strace is not installed")
	}
	log := filepath.Join(m.t.TempDir(), "calls")
	cmd := m.installed(c, payload)
	cmd.Args = append([]string{"strace", "-f", "-qq", "-s", "4096", "-e", "signal=none", "-e", "trace=execve", "-o", log}, cmd.Args...)
	cmd.Path = strace
	r = run(m.t, cmd)
	data, err := os.ReadFile(log)
	if err != nil || r.code != 0 || r.stderr != "" {
		m.t.Skipf("strace cannot trace here: %v %+v", err, r)
	}
	for _, found := range executed.FindAllStringSubmatch(string(data), -1) {
		programs = append(programs, found[1])
	}
	return programs, r
}

// TestPinnedSessionOfARealClient: a session that began with one release is answered by it after an update, other
// sessions by the new one, and so is the session itself once it has ended and begins again.
func TestPinnedSessionOfARealClient(t *testing.T) {
	m := newManaged(t, "1.0.0")
	c, other := m.conversation("ana"), m.conversation("ben")
	begun := run(t, m.installed(c, c.payload("SessionStart", `"source":"startup"`)))
	if begun.code != 0 || begun.stderr != "" || begun.context(t) == "" {
		t.Fatalf("%+v", begun)
	}
	m.update("1.1.0")
	programs, r := m.ran(c, c.payload("UserPromptSubmit", `"prompt":"x"`))
	if len(programs) != 2 || programs[0] != "bin/acc-hook" || !strings.HasPrefix(programs[1], "generations/1.0.0-") {
		t.Errorf("the pinned session was answered by %q", programs)
	}
	if !strings.Contains(r.context(t), begun.context(t)[:len("ACC CLI (append): --session ")]) && r.stdout != "" {
		t.Errorf("%+v", r)
	}
	if programs, _ := m.ran(other, other.payload("SessionStart", `"source":"startup"`)); len(programs) != 1 {
		t.Errorf("another session was answered by %q", programs)
	}
	if report, err := m.manager.Reclaim(t.Context()); err != nil || len(report.Removed) > 0 {
		t.Errorf("%+v, %v", report, err)
	}
	if programs, _ := m.ran(c, c.payload("SessionEnd", `"reason":"prompt_input_exit"`)); len(programs) != 2 {
		t.Errorf("its end was answered by %q", programs)
	}
	if programs, _ := m.ran(c, c.payload("SessionStart", `"source":"resume"`)); len(programs) != 1 {
		t.Errorf("after its end it was answered by %q", programs)
	}
	if report, err := m.manager.Reclaim(t.Context()); err != nil || len(report.Removed) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestHookBehindTheFence: while acc is being updated a hook does nothing, says so, and is in nobody's way.
func TestHookBehindTheFence(t *testing.T) {
	m := newManaged(t, "1.0.0")
	c := m.conversation("ana")
	staged, err := m.manager.Stage(t.Context(), releaseOf(t, m.manager, "1.1.0"))
	if err != nil {
		t.Fatal(err)
	}
	defer staged.Release()
	if err := m.manager.Publish(t.Context(), staged); err != nil {
		t.Fatal(err)
	}
	if err := m.manager.Activate(t.Context(), failing{}); protocol.ReasonOf(err) != runtime.ReasonRefreshFailed {
		t.Fatal(err)
	}
	r := run(t, m.installed(c, c.payload("SessionStart", `"source":"startup"`)))
	if r.code != 0 || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "acc is being updated") {
		t.Errorf("%+v", r)
	}
	if _, err := os.Lstat(filepath.Join(m.home, "acc", "workspaces")); !os.IsNotExist(err) {
		t.Errorf("a room was opened: %v", err)
	}
}

// failing are clients that cannot be brought up to date.
type failing struct{}

func (failing) Prepare(context.Context, runtime.Generation) ([]runtime.Application, error) {
	return []runtime.Application{{Adapter: "claude_code", Apply: func(context.Context) error { return os.ErrPermission }}}, nil
}

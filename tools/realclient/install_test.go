//go:build unix

package realclient

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/protocol"
)

// TestClaudeInstalled: what acc install writes is a plugin that the real client lists as enabled, and
// whose hooks tell its model who it is. Nothing in the client's environment names acc's data.
func TestClaudeInstalled(t *testing.T) {
	claude := client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveOff, silent)
	home, bin := filepath.Join(s.root, "home"), filepath.Join(s.root, "bin")
	s.must(os.MkdirAll(filepath.Join(home, ".claude"), 0o700))
	s.must(os.MkdirAll(bin, 0o700))
	s.must(os.Symlink(claude, filepath.Join(bin, "claude")))
	settings := filepath.Join(home, ".claude", "settings.json")
	const before = "{\n   \"model\": \"sonnet\",\n   \"permissions\": { \"defaultMode\": \"default\" } }"
	s.must(os.WriteFile(settings, []byte(before), 0o600))

	run := func(env []string, command string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(s.ctx, command, args...)
		cmd.Dir = s.project
		cmd.Env = append([]string{
			"PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "LANG=C.UTF-8", "IS_SANDBOX=1",
			"ANTHROPIC_BASE_URL=" + s.model.URL, "ANTHROPIC_API_KEY=dummy", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		}, env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", filepath.Base(command), args, err, out)
		}
		return string(out)
	}
	data := []string{"ACC_DATA_HOME=" + s.home.Root}
	acc := filepath.Join(s.bin, "acc")
	t.Log(run(data, acc, "install", "--adapter", "claude_code"))
	if got := run(nil, claude, "plugin", "list"); !strings.Contains(got, "agents-can-communicate@acc-local") || !strings.Contains(got, "enabled") {
		t.Errorf("claude plugin list says\n%s", got)
	}
	if got := run(data, acc, "doctor", "--json"); strings.Count(got, `"state":"listed"`) != 6 {
		t.Errorf("doctor does not say that the client lists the six hooks:\n%s", got)
	}
	run(nil, claude, "-p", "hello")
	seen := ""
	for _, r := range s.model.Requests() {
		seen += r.Seen
	}
	if !strings.Contains(seen, "ACC CLI (append): --session ") {
		t.Errorf("the model did not get the owner header; it saw\n%s", seen)
	}
	if got := s.acc("status", "--all"); !strings.Contains(got, "claude_code-") {
		t.Errorf("the session is not in the room of the data home:\n%s", got)
	}
	run(data, acc, "uninstall")
	if got, err := os.ReadFile(settings); err != nil || string(got) != before {
		t.Errorf("settings.json is %q after uninstalling, %v", got, err)
	}
	if got := run(nil, claude, "plugin", "list"); strings.Contains(got, "agents-can-communicate") {
		t.Errorf("the client still lists the plugin:\n%s", got)
	}
}

// TestClaudeStatusLine: what acc install --indicator on writes is run by the client in its terminal, which shows how
// its session stands, and a message that arrives while nobody types.
func TestClaudeStatusLine(t *testing.T) {
	claude := client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveOff, silent)
	home := filepath.Join(s.root, "home")
	settings := filepath.Join(home, ".claude", "settings.json")
	s.must(os.MkdirAll(filepath.Dir(settings), 0o700))
	s.must(os.WriteFile(settings, []byte(`{"permissions": {"defaultMode": "default"}}`), 0o600))
	t.Log(s.acc("install", "--home", home, "--adapter", "claude_code", "--indicator", "on"))
	c, err := StartClaude(s.ctx, ClaudeSetup{
		Command: claude, Root: s.root, Project: s.project, Bin: s.bin, Data: s.home.Root, Participant: "reader", Model: s.model.URL, Installed: true,
	})
	s.must(err)
	t.Cleanup(c.Close)
	s.until("in the room", c, func() bool { return strings.Contains(s.acc("status"), "reader") })
	shows := func(text string) func() bool {
		return func() bool { return strings.Contains(c.Screen(s.ctx), text) }
	}
	s.until("showing that it takes part", c, shows("ACC ● · turn"))
	s.ask("does it show?")
	s.until("showing the question", c, shows("ACC ● · turn · 1 unread"))
	t.Log(c.Screen(s.ctx))
	if got := s.acc("doctor", "--home", home, "--json"); !strings.Contains(got, `"indicator":"on"`) {
		t.Errorf("doctor says\n%s", got)
	}
	c.Close()
	s.acc("uninstall", "--home", home)
	// The client writes the file anew and puts something of its own into it.
	if got, err := os.ReadFile(settings); err != nil || strings.Contains(string(got), "acc-") || !strings.Contains(string(got), "permissions") {
		t.Errorf("settings.json is %q after uninstalling, %v", got, err)
	}
}

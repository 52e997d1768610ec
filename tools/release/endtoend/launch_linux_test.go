package endtoend

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// programs are the executables that clients and models call.
var programs = []string{"acc", "acc-hook", "acc-mcp", "acc-indicator", "acc-antigravity-relay"}

func (c *computer) launchPath(program string) string {
	return filepath.Join(c.data, "acc", "runtime", "bin", program)
}

// TestEveryLaunchPath: a server goes on with the release that it began with, which stays as long as it runs. Launch paths
// that are still files of an old release lead to the active one, each of them, and while acc is closed each says so in
// its way.
func TestEveryLaunchPath(t *testing.T) {
	c := newComputer(t, first)
	old := t.TempDir()
	for _, program := range programs {
		data, err := os.ReadFile(c.launchPath(program))
		if err == nil {
			err = os.WriteFile(filepath.Join(old, program), data, 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	server := exec.CommandContext(t.Context(), c.launchPath("acc-mcp"))
	server.Dir, server.Env = filepath.Join(c.home, "project"), c.environment()
	in, err := server.StdinPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(); _ = server.Wait() }()
	holder := fmt.Sprintf("PID %d (server) on %s", server.Process.Pid, c.control().Active.Generation)
	c.await("the server is let in", func() bool {
		out, _ := c.acc("doctor")
		return strings.Contains(out, holder)
	})

	c.registry.publish(t, c.releases, second)
	if out, err := c.acc("update"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := c.acc("update"); err != nil || len(c.generations()) != 2 {
		t.Errorf("the release of a server that runs: %q, %v: %s", c.generations(), err, out)
	}
	if out, _ := c.acc("doctor"); !strings.Contains(out, holder) {
		t.Errorf("the server is not named: %s", out)
	}
	_ = in.Close()
	if err := server.Wait(); err != nil {
		t.Error(err)
	}
	if out, err := c.acc("update"); err != nil || !slices.Equal(c.generations(), []string{second}) {
		t.Errorf("after it has ended: %q, %v: %s", c.generations(), err, out)
	}

	for _, program := range programs {
		if err := os.Rename(filepath.Join(old, program), c.launchPath(program)); err != nil {
			t.Fatal(err)
		}
		w := watch(t, map[string]string{second: filepath.Join(c.data, "acc", "runtime", "generations", c.control().Active.Generation, "bin", program)})
		out, _ := c.call(program)
		if got := w.opened(); got != second {
			t.Errorf("%s of %s did not lead to %s: %s", program, first, second, out)
		}
	}
	c.closed()
}

// call starts a launch path as clients do, and gives what it said and its exit code.
func (c *computer) call(program string) (string, int) {
	args := map[string][]string{"acc": {"status"}, "acc-hook": {"claude_code"}, "acc-indicator": {"--adapter", "claude_code"}}
	cmd := exec.CommandContext(c.Context(), c.launchPath(program), args[program]...)
	cmd.Dir, cmd.Env = filepath.Join(c.home, "project"), c.environment()
	cmd.Stdin = strings.NewReader(`{"session_id":"00000000-0000-4000-8000-00000000000e","transcript_path":"/x","cwd":"/","hook_event_name":"UserPromptSubmit","prompt":"x"}`)
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

// closed puts up the fence as an activation does that was killed behind it.
func (c *computer) closed() {
	c.Helper()
	path := filepath.Join(c.data, "acc", "runtime", "control.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		c.Fatal(err)
	}
	active := regexp.MustCompile(`(?s)"active": (\{.*?\})`).FindSubmatch(raw)
	if active == nil {
		c.Fatalf("%s", raw)
	}
	raw = bytes.Replace(raw, []byte(`"pending": null`), append([]byte(`"pending": `), active[1]...), 1)
	raw = bytes.Replace(raw, []byte(`"phase": "ready"`), []byte(`"phase": "activating"`), 1)
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		c.Fatal(err)
	}
	for program, code := range map[string]int{"acc-hook": 0, "acc-indicator": 0, "acc-mcp": 4, "acc-antigravity-relay": 4, "acc": 4} {
		if out, got := c.call(program); got != code || !strings.Contains(out, "is being updated") {
			c.Errorf("%s ended with %d: %s", program, got, out)
		}
	}
	for _, management := range [][]string{{"help"}, {"version"}, {"doctor"}, {"update"}} {
		if out, err := c.acc(management...); err != nil {
			c.Errorf("acc %s behind the fence: %v: %s", management[0], err, out)
		}
	}
	if now := c.control(); now.Phase != "ready" || now.Pending != nil {
		c.Errorf("%+v", now)
	}
	if out, err := c.acc("status"); err != nil {
		c.Errorf("%v: %s", err, out)
	}
}

// TestStoresFollow: after an update the new release brings a room of the earlier store contract to its own by itself.
func TestStoresFollow(t *testing.T) {
	c := newComputer(t, first)
	for _, id := range []string{"00000000-0000-4000-8000-00000000001a", "00000000-0000-4000-8000-00000000001b"} {
		s := c.open(id, false)
		s.turn()
		defer s.end()
	}
	found, err := filepath.Glob(filepath.Join(c.data, "acc", "workspaces", "*", "protocol.json"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	raw, err := os.ReadFile(found[0])
	earlier := bytes.Replace(raw, []byte(`"storeVersion": 7`), []byte(`"storeVersion": 6`), 1)
	if err != nil || bytes.Equal(raw, earlier) {
		t.Fatalf("%v: %s", err, raw)
	}
	if err := os.WriteFile(found[0], earlier, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(filepath.Dir(found[0]), "indexes")); err != nil {
		t.Fatal(err)
	}
	if out, err := c.acc("status"); err == nil || !strings.Contains(out, "contract 6") {
		t.Errorf("%v: %s", err, out)
	}
	c.registry.publish(t, c.releases, second)
	if out, err := c.acc("update"); err != nil || c.control().Active.Version != second {
		t.Fatalf("%v: %s", err, out)
	}
	if now, err := os.ReadFile(found[0]); err != nil || !bytes.Contains(now, []byte(`"storeVersion": 7`)) {
		t.Errorf("%v: %s", err, now)
	}
	if out, err := c.acc("status"); err != nil || strings.Count(out, "claude_code") < 2 {
		t.Errorf("%v: %s", err, out)
	}
}

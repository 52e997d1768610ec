package endtoend

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// TestVendorsBuildStays: neither an update nor an installation puts a release in the place of a build that a vendor has
// assembled, as long as its adapter is wired; registrations of the MCP server are none.
func TestVendorsBuildStays(t *testing.T) {
	expensive(t)
	c := newBareComputer(t)
	c.registry.publish(t, c.releases, second)
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	assembled := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "run", "./tools/accbuild", "--with", "./examples/adapter-echo", "--output", assembled)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for path, content := range map[string]string{
		filepath.Join(c.fake, "echo-client"):            "#!/bin/sh\necho 'echo-client 1.0.0'\n",
		filepath.Join(c.home, ".echo", "settings.json"): "{}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := c.run(filepath.Join(assembled, "bin", "acc"), "install", "--adapter", "echo"); err != nil || !strings.Contains(out, "replaced by the acc install of a later build") {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := c.acc("install", "--adapter", "mcp", "--client", "claude_code"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	vendors := c.control().Active
	stays := func(want, out string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("%v: %s", err, out)
		}
		if now := c.control(); *now.Active != *vendors || now.Pending != nil || now.Phase != "ready" {
			t.Errorf("%+v", now)
		}
	}
	out, err := c.acc("update")
	stays("updates are disabled", out, err)
	release := t.TempDir()
	unpack(t, filepath.Join(c.dirs[second], "acc-"+second+"-"+c.here.Name+".tar.gz"), release)
	plain := filepath.Join(release, "bin", "acc")
	out, err = c.run(plain, "install", "--adapter", "claude_code")
	stays(second+" has no adapter for echo, which is wired here", out, err)

	// Once its adapter is not wired any more, the release may follow, and the registration stays.
	if out, err := c.acc("uninstall", "--adapter", "echo"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := c.run(plain, "install", "--adapter", "claude_code"); err != nil || c.control().Active.Version != second {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := c.acc("doctor"); !strings.Contains(out, "mcp-claude_code  the MCP server is registered") {
		t.Errorf("%v: %s", err, out)
	}
}

//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/cli/internal/view"
)

// installed are the commands of the clients, the files into which their hooks are written and the event
// that a hook is named with on its command line, if it is.
var installed = []struct{ adapter, command, hooks, event string }{
	{"claude_code", "claude", ".claude/plugins/marketplaces/acc-local/agents-can-communicate/hooks/hooks.json", ""},
	{"codex", "codex", ".codex/hooks.json", ""},
	{"gemini_cli", "gemini", ".gemini/extensions/agents-can-communicate/hooks/hooks.json", ""},
	{"kimi", "kimi", ".kimi-code/config.toml", ""},
	{"grok", "grok", ".grok/hooks/acc.json", ""},
	{"antigravity", "agy", ".gemini/config/hooks.json", " PreInvocation"},
}

// userFiles are what people have in those directories: comments, hooks of their own, odd layouts.
var userFiles = map[string]string{
	".claude/settings.json":                 "{\n\t\"model\": \"opus\",\n\t\"hooks\": { \"Stop\": [ { \"hooks\": [ { \"type\": \"command\", \"command\": \"say done\" } ] } ] },\n\t\"enabledPlugins\": { \"go-lsp@official\": true }\n}",
	".claude/projects/x/log.jsonl":          "{}\n",
	".codex/config.toml":                    "# mine\nmodel = \"gpt-5.5\"   # the large one\n\n[sandbox_workspace_write]\nwritable_roots = [\n  \"/home/user/notes\", # keep\n]\n",
	".codex/hooks.json":                     "{\n  \"hooks\": {\n    \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }]\n  }\n}\n",
	".gemini/settings.json":                 "{\n  // mine\n  \"theme\": \"GitHub\",\n}\n",
	".gemini/config/hooks.json":             "{\n  \"lint\": { \"PreToolUse\": [ { \"matcher\": \"run_command\", \"hooks\": [ { \"type\": \"command\", \"command\": \"lint\" } ] } ] }\n}\n",
	".gemini/antigravity-cli/settings.json": "{\n  \"colorScheme\": \"tokyo night\"\n}\n",
	".kimi-code/config.toml":                "default_model = \"k2\"\n\n[[hooks]]\nevent = \"Stop\"\ncommand = \"say done\"",
	".grok/settings.json":                   "{}",
	"project/main.go":                       "package main\n",
}

// computer is a machine of a user with all clients, and a build of acc that was made elsewhere.
type computer struct {
	*testing.T
	home, data, build, fake string
}

func newComputer(t *testing.T) *computer {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// A space in the path of the data home has to survive the shell of every client.
	c := &computer{T: t, home: filepath.Join(root, "home"), data: filepath.Join(root, "my data"), build: filepath.Join(root, "build"), fake: filepath.Join(root, "fake")}
	for name, content := range userFiles {
		c.write(filepath.Join(c.home, name), content, 0o600)
	}
	for _, client := range installed {
		c.write(filepath.Join(c.fake, client.command), "#!/bin/sh\necho 9.9.9\n", 0o700)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(c.build, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"acc", "acc-hook"} {
		copyFile(t, self, filepath.Join(c.build, name))
	}
	git := exec.Command("git", "init", "-q", filepath.Join(c.home, "project"))
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return c
}

func (c *computer) write(path, content string, mode os.FileMode) {
	c.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		c.Fatal(err)
	}
}

// run runs a command line in the shell, as clients do, with nothing but what a client's hook can count on.
func (c *computer) run(line, stdin string, env ...string) (stdout, stderr string, code int) {
	c.Helper()
	cmd := exec.CommandContext(c.Context(), "/bin/sh", "-c", line)
	cmd.Dir = filepath.Join(c.home, "project")
	cmd.Env = append([]string{"PATH=" + c.fake + ":/usr/bin:/bin", "HOME=" + c.home}, env...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// acc runs a built acc with the data home named in the environment.
func (c *computer) acc(args string) string {
	c.Helper()
	out, errs, code := c.run("'"+filepath.Join(c.build, "acc")+"' "+args, "", "ACC_DATA_HOME="+c.data)
	if code != 0 {
		c.Fatalf("acc %s: exit %d\n%s%s", args, code, out, errs)
	}
	return out
}

// tree gives every file below the home directory with its mode and content.
func (c *computer) tree() map[string]string {
	c.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(c.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(c.home, path)
		all[name] = info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[name] += fmt.Sprintf(" %d bytes %x", len(data), sha256.Sum256(data))
		}
		return nil
	})
	if err != nil {
		c.Fatal(err)
	}
	return all
}

var hookCommand = regexp.MustCompile(`"?command"?\s*[:=]\s*("(?:[^"\\]|\\.)*acc-hook(?:[^"\\]|\\.)*")`)

// installedCommands finds the command lines of acc's hooks in a client's file.
func (c *computer) installedCommands(file string) []string {
	c.Helper()
	data, err := os.ReadFile(filepath.Join(c.home, file))
	if err != nil {
		c.Fatal(err)
	}
	var all []string
	for _, found := range hookCommand.FindAllStringSubmatch(string(data), -1) {
		line, err := strconv.Unquote(found[1])
		if err != nil {
			c.Fatal(err)
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestInstalledHooksWork installs into every client, runs what was written into each client's
// configuration with payloads that the client really sent, in an environment that knows nothing of the
// data home and after the build is gone, and takes everything out again.
func TestInstalledHooksWork(t *testing.T) {
	c := newComputer(t)
	before := c.tree()
	c.acc("install --dry-run")
	if diff := cmp.Diff(before, c.tree()); diff != "" {
		t.Fatalf("a dry run changed files:\n%s", diff)
	}
	if _, err := os.Lstat(c.data); err == nil {
		t.Fatal("a dry run made the data home")
	}
	c.acc("install")
	after := c.tree()
	if again := c.acc("install"); strings.Contains(again, "create") || strings.Contains(again, "installed into") {
		t.Errorf("a second installation found something to do:\n%s", again)
	}
	if diff := cmp.Diff(after, c.tree()); diff != "" {
		t.Errorf("a second installation changed files:\n%s", diff)
	}
	for _, client := range installed {
		commands := c.installedCommands(client.hooks)
		i := slices.IndexFunc(commands, func(line string) bool { return strings.HasSuffix(line, "acc-hook' "+client.adapter+client.event) })
		if i < 0 {
			t.Errorf("%s: the commands in %s are %q", client.adapter, client.hooks, commands)
			continue
		}
		heard := ""
		for _, point := range []string{"start", "turn"} {
			out, errs, code := c.run(commands[i], c.payload(client.adapter, point))
			if code != 0 || errs != "" {
				t.Errorf("%s %s: exit %d, %s", client.adapter, point, code, errs)
			}
			heard += out
		}
		if !strings.Contains(heard, "ACC CLI (append): --session ") {
			t.Errorf("%s: the model was not told who it is: %s", client.adapter, heard)
		}
	}
	status, err := view.Status.Decode([]byte(c.acc("status --json")))
	if err != nil {
		t.Fatal(err)
	}
	var harnesses []string
	for _, s := range status.Sessions {
		harnesses = append(harnesses, s.Harness)
	}
	slices.Sort(harnesses)
	if diff := cmp.Diff([]string{"antigravity", "claude_code", "codex", "gemini_cli", "grok", "kimi"}, harnesses); diff != "" {
		t.Errorf("who is in the room of the custom data home (-want +got):\n%s", diff)
	}
	c.acc("uninstall")
	if diff := cmp.Diff(before, c.tree()); diff != "" {
		t.Errorf("uninstalling did not give the home directory back (-before +after):\n%s", diff)
	}
}

// payload is what a client sent, with the directories of this machine.
func (c *computer) payload(adapter, point string) string {
	c.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "hooks", adapter+"."+point+".json"))
	if err != nil {
		c.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "/home/user/", c.home+"/")
}

// TestOnlyItsOwn: what another data home installed is neither overwritten nor taken out.
func TestOnlyItsOwn(t *testing.T) {
	c := newComputer(t)
	c.acc("install --adapter codex --adapter grok")
	wired := c.tree()
	theirs := "ACC_DATA_HOME=" + filepath.Join(filepath.Dir(c.data), "theirs")
	for line, good := range map[string]func(out, errs string, code int) bool{
		"install": func(_, errs string, code int) bool {
			return code == 4 && strings.Contains(errs, "acc: Codex: ") && strings.Contains(errs, "acc: Grok: ")
		},
		"uninstall": func(out, errs string, code int) bool {
			return code == 0 && errs == "" && out == "nothing of this data home is in: Codex, Grok\n"
		},
	} {
		if out, errs, code := c.run("'"+filepath.Join(c.build, "acc")+"' "+line+" --adapter codex --adapter grok", "", theirs); !good(out, errs, code) {
			t.Errorf("%s of another data home: exit %d\n%s%s", line, code, out, errs)
		}
		if diff := cmp.Diff(wired, c.tree()); diff != "" {
			t.Errorf("%s of another data home changed files:\n%s", line, diff)
		}
	}
}

// TestOneBrokenClient: a configuration that cannot be edited is left alone, and the others are installed.
func TestOneBrokenClient(t *testing.T) {
	c := newComputer(t)
	c.write(filepath.Join(c.home, ".codex/config.toml"), "model = \n", 0o600)
	out, errs, code := c.run("'"+filepath.Join(c.build, "acc")+"' install", "", "ACC_DATA_HOME="+c.data)
	if code != 4 || !strings.Contains(errs, "acc: Codex: ") || !strings.Contains(out, "installed into: Claude Code 9.9.9, Gemini CLI 9.9.9, Kimi Code 9.9.9, Grok 9.9.9, Antigravity CLI 9.9.9\n") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if data, err := os.ReadFile(filepath.Join(c.home, ".codex/config.toml")); err != nil || string(data) != "model = \n" {
		t.Errorf("the broken file is %q now, %v", data, err)
	}
}

package install_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest/installtest"
	"github.com/acc-control-plane/acc/adapters/claudecode/install"
)

var events = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"}

const (
	settings = `{
    "model": "opus",
    "permissions": { "allow": ["Bash(go test:*)"], "deny": [] },
    "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ] },
    "enabledPlugins": { "go-lsp@official": true }
}`
	marketplaces = `{
  "official": {
    "source": {
      "source": "github",
      "repo": "vendor/plugins"
    },
    "installLocation": "HOME/.claude/plugins/marketplaces/official",
    "lastUpdated": "2026-10-01T08:00:00.000Z"
  }
}`
	plugins = `{
  "version": 2,
  "plugins": {
    "go-lsp@official": [
      {
        "scope": "user",
        "installPath": "HOME/.claude/plugins/cache/official/go-lsp/1.0.0",
        "version": "1.0.0",
        "installedAt": "2026-10-01T08:00:00.000Z",
        "lastUpdated": "2026-10-01T08:00:00.000Z"
      }
    ]
  }
}`
)

func TestInstaller(t *testing.T) {
	installtest.Run(t, installtest.Suite{
		Installer: installtest.Must(t, install.New),
		Homes: map[string]map[string]string{
			"a user with plugins": {
				".claude/settings.json": settings, ".claude/plugins/known_marketplaces.json": marketplaces,
				".claude/plugins/installed_plugins.json": plugins, ".claude/plugins/cache/official/go-lsp/1.0.0/x": "x",
			},
			"a new user":      {".claude/projects/x": "x"},
			"a status line":   {".claude/settings.json": `{"statusLine": {"type": "command", "command": "date"}, "model": "opus"}`},
			"empty settings":  {".claude/settings.json": "{}\n"},
			"Windows's lines": {".claude/settings.json": "\xef\xbb\xbf{\r\n  \"model\": \"opus\"\r\n}\r\n"},
		},
		Edited: []string{".claude/settings.json", ".claude/plugins/known_marketplaces.json", ".claude/plugins/installed_plugins.json"},
		Bad: map[string]map[string]string{
			".claude/settings.json":                   {"comment": "{\n  // mine\n  \"a\": 1\n}", "trailing comma": "{\"a\": 1,}", "cut off": "{\"a\": ", "a name twice": `{"a":1,"a":2}`, "wrong shape": `{"enabledPlugins":[]}`},
			".claude/plugins/known_marketplaces.json": {"byte order mark": "\xef\xbb\xbf{}", "comment": "{} // x"},
			".claude/plugins/installed_plugins.json":  {"byte order mark": "\xef\xbb\xbf{}", "list": "[]"},
		},
		Events: events,
		Unwire: func(h *installtest.Home, event string) {
			h.Unset(".claude/plugins/marketplaces/acc-local/agents-can-communicate/hooks/hooks.json", "hooks", event)
		},
	})
}

// TestStatusLine belongs to whoever changed it last: the user's own is never overwritten nor taken away, and what the
// user took out does not come back unasked.
func TestStatusLine(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".claude/settings.json": `{"model": "opus"}`})
	h.Machine.Bin, h.Machine.Indicator = "/data home/bin", adapter.ShowIndicator
	h.Install()
	h.Machine.Indicator = adapter.KeepIndicator
	const path = ".claude/settings.json"
	acc := `"statusLine": {"type":"command","command":"'/data home/bin/acc-indicator' --adapter claude_code","refreshInterval":5}`
	with := h.Read(path)
	if !strings.Contains(strings.Join(strings.Fields(with), ""), strings.Join(strings.Fields(acc), "")) {
		t.Fatalf("settings.json is\n%s", with)
	}
	before, _, _ := strings.Cut(with, `"statusLine"`)
	_, after, _ := strings.Cut(with, `"refreshInterval": 5`)
	_, after, _ = strings.Cut(after, "}")
	for name, mine := range map[string]string{"changed": before + `"statusLine": {"type": "command", "command": "date"}` + after, "taken out": strings.TrimRight(before, " \n,") + after} {
		want := map[string]adapter.IndicatorState{"changed": adapter.IndicatorOther, "taken out": adapter.IndicatorOff}[name]
		h.Write(path, mine)
		if d := h.Doctor(); d.Indicator != want || len(d.Problems) > 0 {
			t.Errorf("%s: doctor says %+v", name, d)
		}
		if p := h.Install(); h.Read(path) != mine || p.Indicator != want {
			t.Errorf("%s: installing again says %q and made\n%s", name, p.Indicator, h.Read(path))
		}
		h.Remove()
		if got := h.Read(path); strings.Contains(got, "acc-") || strings.Contains(got, `"command": "date"`) != (name == "changed") {
			t.Errorf("%s: uninstalling left\n%s", name, got)
		}
		h.Machine.Indicator = adapter.ShowIndicator
		h.Write(path, with)
		h.Install()
		h.Machine.Indicator = adapter.KeepIndicator
	}
	// Without a record it is told that the status line stays.
	h.Write(path, with)
	if err := os.Remove(filepath.Join(h.Machine.Data, "installs.json")); err != nil {
		t.Fatal(err)
	}
	h.Machine.Indicator = adapter.HideIndicator
	if p := h.Plan(); p.Indicator != adapter.IndicatorOn || len(p.Notes) != 1 {
		t.Errorf("%+v", p)
	}
}

// TestHookGoneFromTheCopy is named by file and event; the file that the client runs has all of them.
func TestHookGoneFromTheCopy(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".claude/settings.json": "{}"})
	h.Install()
	h.Unset(".claude/plugins/cache/acc-local/agents-can-communicate/0.1.0/hooks/hooks.json", "hooks", "SessionStart")
	d := h.Doctor()
	if len(d.Problems) != 1 || !strings.HasSuffix(d.Problems[0].Text, "hooks.json was changed after acc wrote it; it has no hook of acc at SessionStart") {
		t.Errorf("%+v", d.Problems)
	}
	for _, w := range d.Hooks {
		if w.State != adapter.Written {
			t.Errorf("%+v", w)
		}
	}
}

// TestVersionOfTheRegistry is the client's: one that it raised later is neither a fault, nor set back, nor taken away.
func TestVersionOfTheRegistry(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".claude/projects/x": "x"})
	h.Install()
	const path = ".claude/plugins/installed_plugins.json"
	raised := strings.Replace(h.Read(path), `"version": 2`, `"version": 3`, 1)
	h.Write(path, raised)
	if d := h.Doctor(); len(d.Problems)+len(d.Modified) > 0 {
		t.Errorf("doctor says %+v", d)
	}
	if h.Install(); h.Read(path) != raised {
		t.Errorf("installing again made\n%s", h.Read(path))
	}
	if h.Remove(); !strings.Contains(h.Read(path), `"version": 3`) || strings.Contains(h.Read(path), "acc") {
		t.Errorf("uninstalling left\n%s", h.Read(path))
	}
}

// TestHooksFile shows the whole file that the client reads.
func TestHooksFile(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".claude/settings.json": settings})
	h.Machine.Bin = "/data home/bin"
	h.Install()
	want := `{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "'/data home/bin/acc-hook' claude_code",
            "timeout": 10
          }
        ]
      }
    ],
`
	got := h.Read(".claude/plugins/marketplaces/acc-local/agents-can-communicate/hooks/hooks.json")
	if !strings.HasPrefix(got, want) || !strings.Contains(got, `"matcher": "Write|Edit|MultiEdit|NotebookEdit|Bash"`) {
		t.Errorf("hooks.json is\n%s", got)
	}
	if cached := h.Read(".claude/plugins/cache/acc-local/agents-can-communicate/0.1.0/hooks/hooks.json"); cached != got {
		t.Errorf("the cached copy differs:\n%s", cached)
	}
	if text := h.Read(".claude/plugins/marketplaces/acc-local/agents-can-communicate/skills/acc/SKILL.md"); !strings.Contains(text, "'/data home/bin/acc' status OWNER") {
		t.Errorf("the skill names no command:\n%s", text)
	}
	h.Machine.GOOS, h.Machine.Bin = "windows", `C:\Users\A B\acc\bin`
	h.Install()
	got = h.Read(".claude/plugins/marketplaces/acc-local/agents-can-communicate/hooks/hooks.json")
	if !strings.Contains(got, `"command": "C:/Users/A B/acc/bin/acc-hook.exe",`) || !strings.Contains(got, `"claude_code"`) {
		t.Errorf("on Windows hooks.json is\n%s", got)
	}
}

// TestCommandsStay: what the client's registries and hooks say is the same for every version, apart from
// the version.
func TestCommandsStay(t *testing.T) {
	h := installtest.Make(t, install.New, nil)
	h.Install()
	path := ".claude/plugins/marketplaces/acc-local/agents-can-communicate/hooks/hooks.json"
	before := h.Read(path)
	h.Machine.Version = "9.9.9"
	h.Install()
	if after := h.Read(path); after != before {
		t.Errorf("hooks changed with the version:\n%s", after)
	}
	if old := h.Read(".claude/plugins/cache/acc-local/agents-can-communicate/0.1.0/hooks/hooks.json"); old != "" {
		t.Error("the old version's copy stayed")
	}
	if got := h.Read(".claude/plugins/installed_plugins.json"); !strings.Contains(got, `agents-can-communicate/9.9.9"`) || strings.Count(got, "agents-can-communicate@acc-local") != 1 {
		t.Errorf("installed_plugins.json is\n%s", got)
	}
}

func TestConfigDirVariable(t *testing.T) {
	h := installtest.Make(t, install.New, nil)
	h.Setenv("CLAUDE_CONFIG_DIR", h.Path("elsewhere"))
	h.Install()
	if h.Read("elsewhere/settings.json") == "" || h.Read(".claude/settings.json") != "" {
		t.Error("CLAUDE_CONFIG_DIR was not followed")
	}
	h.Setenv("CLAUDE_CONFIG_DIR", "")
	h.Remove() // finds the only installation
	if _, err := os.Lstat(h.Path("elsewhere")); err == nil {
		t.Error("the other directory was not cleared")
	}
	h.Setenv("CLAUDE_CONFIG_DIR", "relative")
	if _, err := h.Installer.Plan(context.Background(), h.Machine); err == nil {
		t.Error("a relative directory was accepted")
	}
}

func TestAVersionInUseStays(t *testing.T) {
	h := installtest.Make(t, install.New, nil)
	before := h.Tree()
	h.Install()
	mark := ".claude/plugins/cache/acc-local/agents-can-communicate/0.1.0/.in_use/"
	h.Write(mark+strconv.Itoa(os.Getpid()), "")
	p := h.Remove()
	if len(p.Kept) != 3 || h.Read(".claude/plugins/cache/acc-local/agents-can-communicate/0.1.0/skills/acc/SKILL.md") == "" {
		t.Errorf("kept %+v", p.Kept)
	}
	if err := os.Remove(h.Path(mark + strconv.Itoa(os.Getpid()))); err != nil {
		t.Fatal(err)
	}
	h.Write(mark+"999999999", "") // nobody has such an id
	h.Write(".claude/plugins/cache/acc-local/agents-can-communicate/0.1.0/.orphaned_at", "1")
	h.Remove()
	h.Same("uninstalling", before)
}

func TestDetect(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{
		"npm/@anthropic-ai/claude-code/package.json":   `{"name":"@anthropic-ai/claude-code","version":"2.1.332","bin":{"claude":"bin/claude.exe"}}`,
		"npm/@anthropic-ai/claude-code/bin/claude.exe": "x",
	})
	if err := os.MkdirAll(h.Path("bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(h.Path("npm/@anthropic-ai/claude-code/bin/claude.exe"), h.Path("bin/claude")); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("links need a privilege there: ", err)
		}
		t.Fatal(err)
	}
	h.Machine.Run = func(context.Context, adapter.ClientCommand) ([]byte, error) {
		return nil, errors.New("the client was started although its files tell")
	}
	detect := func() adapter.Detection {
		t.Helper()
		d, err := h.Installer.Detect(context.Background(), h.Machine)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	want := adapter.Detection{Present: true, Command: h.Path("bin/claude"), Root: h.Path(".claude"), Version: "2.1.332"}
	if diff := cmp.Diff(want, detect()); diff != "" {
		t.Errorf("from files (-want +got):\n%s", diff)
	}
	if err := os.RemoveAll(h.Path("npm/@anthropic-ai/claude-code/package.json")); err != nil {
		t.Fatal(err)
	}
	h.Machine.Run = func(ctx context.Context, c adapter.ClientCommand) ([]byte, error) {
		if _, bounded := ctx.Deadline(); !bounded || !slices.Equal(c.Args, []string{"--version"}) {
			t.Errorf("probe %+v without a deadline or of something else", c)
		}
		return []byte("2.1.400 (Claude Code)\n"), nil
	}
	if d := detect(); d.Version != "2.1.400" {
		t.Errorf("from the command: %+v", d)
	}
	h.Machine.LookPath = func(string) string { return "" }
	if d := detect(); d.Present || d.Reason == "" {
		t.Errorf("without command and files: %+v", d)
	}
	h.Write(".claude/settings.json", "{}")
	if d := detect(); !d.Present || d.Version != "" || d.Reason == "" {
		t.Errorf("with files alone: %+v", d)
	}
}

// TestDoctorBelievesTheClient: the answers are as Claude Code 2.1.332 gave them.
func TestDoctorBelievesTheClient(t *testing.T) {
	for name, tt := range map[string]struct {
		answer string
		err    error
		state  adapter.WiringState
		says   string
	}{
		"enabled":  {`[{"id":"agents-can-communicate@acc-local","version":"0.1.0","scope":"user","enabled":true,"projectEnabled":false},{"id":"x@builtin","enabled":true,"hasUserConfig":true}]`, nil, adapter.Listed, ""},
		"disabled": {`[{"id":"agents-can-communicate@acc-local","enabled":false}]`, nil, adapter.Refused, "claude plugin enable"},
		"broken":   {`[{"id":"agents-can-communicate@acc-local","enabled":true,"errors":["Marketplace acc-local not found"]}]`, nil, adapter.Refused, "not found"},
		"unknown":  {`[]`, nil, adapter.Refused, "does not list"},
		"silent":   {``, errors.New("it took too long"), adapter.Written, "too long"},
		"garbage":  {`<html>`, nil, adapter.Written, "something else"},
	} {
		t.Run(name, func(t *testing.T) {
			h := installtest.Make(t, install.New, nil)
			h.Install()
			h.Machine.Run = func(_ context.Context, c adapter.ClientCommand) ([]byte, error) {
				if c.Args[0] == "--version" {
					return []byte("2.1.332"), nil
				}
				return []byte(tt.answer), tt.err
			}
			d := h.Doctor()
			if len(d.Hooks) != len(events) {
				t.Errorf("hooks %+v", d.Hooks)
			}
			for _, w := range d.Hooks {
				if w.State != tt.state {
					t.Errorf("%s is %s, not %s", w.Event, w.State, tt.state)
				}
			}
			said := ""
			for _, p := range d.Problems {
				said += p.Text
			}
			if !strings.Contains(said+strings.Join(d.Steps, ""), tt.says) {
				t.Errorf("nothing says %q: %+v", tt.says, d)
			}
		})
	}
}

func TestADisabledPluginStaysDisabled(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".claude/settings.json": settings})
	before := h.Tree()
	h.Install()
	path := filepath.Join(".claude", "settings.json")
	h.Write(path, strings.Replace(h.Read(path), `acc-local": true`, `acc-local": false`, 1))
	h.Machine.Version = "0.2.0"
	h.Install()
	if !strings.Contains(h.Read(path), `acc-local": false`) {
		t.Errorf("an update enabled the plugin again:\n%s", h.Read(path))
	}
	if d := h.Doctor(); len(d.Problems) > 0 {
		t.Errorf("doctor complains: %+v", d.Problems)
	}
	h.Remove()
	h.Same("uninstalling", before)
}

package install_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest/installtest"
	"github.com/acc-control-plane/acc/adapters/codex/install"
)

var events = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"}

const (
	config = `# my codex
model = "gpt-5.5"

[sandbox_workspace_write]
writable_roots = [
  "HOME/.cache/go-build", # builds
]
network_access = false

[projects."HOME/project"]
trust_level = "trusted"

[hooks.state."HOME/.codex/hooks.json:stop:0:0"]
trusted_hash = "sha256:53dac8c5feaef3fa564d088de5a55337f522ebea375fc486f76cc50440d96e19"
`
	hooks = `{
  "hooks": {
    "Stop": [
      { "hooks": [ { "type": "command", "command": "say done", "timeout": 3 } ] }
    ]
  }
}
`
)

func TestInstaller(t *testing.T) {
	installtest.Run(t, installtest.Suite{
		Installer: installtest.Must(t, install.New),
		Homes: map[string]map[string]string{
			"a user with hooks": {".codex/config.toml": config, ".codex/hooks.json": hooks, ".codex/rules/default.rules": "# mine\n", ".codex/skills/mine/SKILL.md": "mine"},
			"a new user":        {".codex/auth.json": "{}"},
			"short files":       {".codex/config.toml": "model = \"m\"", ".codex/hooks.json": "{}"},
			"dotted keys":       {".codex/config.toml": "sandbox_workspace_write.network_access = true\r\nmodel = \"m\"\r\n", ".codex/hooks.json": "{\"hooks\":{}}"},
			"profiles":          {".codex/config.toml": "default_permissions = \"mine\"\n\n[permissions.mine.filesystem]\n\":root\" = \"read\"\n"},
		},
		Edited: []string{".codex/config.toml", ".codex/hooks.json"},
		Bad: map[string]map[string]string{
			".codex/hooks.json":  {"comment": "{\n  // mine\n  \"hooks\": {}\n}", "trailing comma": `{"hooks": {},}`, "byte order mark": "\xef\xbb\xbf{}", "wrong shape": `{"hooks":{"Stop":{}}}`, "two values": "{}{}"},
			".codex/config.toml": {"cut off": "model = ", "a table twice": "[a]\n[a]\n", "a scalar in the way": "sandbox_workspace_write = true\n"},
		},
		Events: events,
		Unwire: func(h *installtest.Home, event string) { h.Unset(".codex/hooks.json", "hooks", event) },
	})
}

// TestGroups shows what the user is asked to trust: none of it may change between versions.
func TestGroups(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".codex/hooks.json": hooks})
	h.Machine.Bin = "/data/bin"
	h.Install()
	want := `{
  "hooks": {
    "Stop": [
      { "hooks": [ { "type": "command", "command": "say done", "timeout": 3 } ] },
      {
        "hooks": [
          {
            "type": "command",
            "command": "/data/bin/acc-hook codex",
            "timeout": 10
          }
        ]
      }
    ],
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/data/bin/acc-hook codex",
            "timeout": 10,
            "additionalContextLimit": 0
          }
        ]
      }
    ],
    "UserPromptSubmit": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/data/bin/acc-hook codex",
            "timeout": 10,
            "additionalContextLimit": 0
          }
        ]
      }
    ],
    "PreToolUse": [
      {
        "matcher": "Bash|apply_patch",
        "hooks": [
          {
            "type": "command",
            "command": "/data/bin/acc-hook codex",
            "timeout": 10,
            "additionalContextLimit": 0
          }
        ]
      }
    ],
    "PostToolUse": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/data/bin/acc-hook codex",
            "timeout": 10,
            "additionalContextLimit": 0
          }
        ]
      }
    ],
    "SessionEnd": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/data/bin/acc-hook codex",
            "timeout": 3
          }
        ]
      }
    ]
  }
}
`
	got := h.Read(".codex/hooks.json")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hooks.json (-want +got):\n%s", diff)
	}
	h.Machine.Version = "9.9.9"
	h.Install()
	if after := h.Read(".codex/hooks.json"); after != got {
		t.Errorf("another version changed what the user trusted:\n%s", after)
	}
}

// TestSandboxGrant: model code may write to the stores, and to nothing else of acc.
func TestSandboxGrant(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".codex/config.toml": config})
	h.Install()
	got := h.Read(".codex/config.toml")
	want := strings.ReplaceAll(config, "HOME", h.Dir)
	want = strings.Replace(want, "# builds\n", "# builds\n  \""+h.Machine.Data+"/workspaces\",\n", 1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config.toml (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(h.Machine.Data + "/workspaces"); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("Codex would ignore the root: %v", err)
	}
	for _, forbidden := range []string{"/runtime", "/native-workspaces", "installs.json"} {
		if strings.Contains(got, h.Machine.Data+forbidden) {
			t.Errorf("%s became writable", forbidden)
		}
	}
}

func TestARootThatTheUserGrantedStays(t *testing.T) {
	h := installtest.Make(t, install.New, nil)
	h.Write(".codex/config.toml", "[sandbox_workspace_write]\nwritable_roots = ['"+h.Machine.Data+"/workspaces']\n")
	before := h.Tree()
	h.Install()
	h.Remove()
	h.Same("uninstalling", before)
}

func TestProfilesAreTold(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".codex/config.toml": "default_permissions = \"mine\"\n"})
	p := h.Install()
	if !strings.Contains(strings.Join(p.Steps, "\n"), "permission profile") {
		t.Errorf("steps %q", p.Steps)
	}
	if got := h.Read(".codex/config.toml"); got != "default_permissions = \"mine\"\n" {
		t.Errorf("config.toml became %q", got)
	}
}

func TestTrustIsNeverWritten(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".codex/config.toml": config, ".codex/hooks.json": hooks})
	h.Install()
	if got := h.Read(".codex/config.toml"); strings.Count(got, "trusted_hash") != 1 {
		t.Errorf("config.toml is\n%s", got)
	}
	// What Codex wrote when the user trusted the hooks stays when acc goes: it is the client's.
	trusted := "\n[hooks.state.\"" + h.Path(".codex/hooks.json") + ":stop:1:0\"]\ntrusted_hash = \"sha256:aa\"\n"
	h.Write(".codex/config.toml", h.Read(".codex/config.toml")+trusted)
	h.Remove()
	if got := h.Read(".codex/config.toml"); got != strings.ReplaceAll(config, "HOME", h.Dir)+trusted {
		t.Errorf("config.toml is\n%s", got)
	}
}

func TestRules(t *testing.T) {
	h := installtest.Make(t, install.New, nil)
	h.Machine.Bin = `/data "x"/bin`
	h.Install()
	want := `# Written by acc install. acc uninstall removes it.
prefix_rule(
    pattern = ["/data \"x\"/bin/acc", ["status", "sync", "work", "claim", "release", "message", "request", "ask", "inbox", "reply", "ack", "receipts", "thread", "whoami", "finish", "help"]],
    decision = "allow",
    justification = "talks to the other AI sessions of this project and touches none of its files",
)
`
	if diff := cmp.Diff(want, h.Read(".codex/rules/agents-can-communicate.rules")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	windows := installtest.Make(t, install.New, nil)
	windows.Machine.GOOS = "windows"
	windows.Install()
	if windows.Read(".codex/rules/agents-can-communicate.rules") != "" {
		t.Error("rules were written on Windows")
	}
}

func TestAForeignRulesFileIsLeftAlone(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".codex/rules/agents-can-communicate.rules": "# somebody else's\n"})
	before := h.Tree()
	if _, err := h.Installer.Plan(context.Background(), h.Machine); err == nil {
		t.Error("a foreign file was taken")
	}
	h.Same("refusing", before)
}

// TestDoctorBelievesTheClient: the answers are as Codex 0.171.0 gave them.
func TestDoctorBelievesTheClient(t *testing.T) {
	const (
		greeting = `{"id":0,"result":{"userAgent":"acc/0.171.0","codexHome":"HOME/.codex","platformFamily":"unix","platformOs":"linux"}}
{"method":"configWarning","params":{"summary":"Codex could not find bubblewrap on PATH.","details":null}}
`
		hook = `{"key":"HOME/.codex/hooks.json:x:0:0","eventName":"EVENT","handlerType":"command","command":"COMMAND","async":false,"matcher":null,"timeoutSec":10,"statusMessage":null,"additionalContextLimit":null,"sourcePath":"HOME/.codex/hooks.json","source":"user","pluginId":null,"environmentId":null,"displayOrder":0,"enabled":true,"isManaged":false,"currentHash":"sha256:00","trustStatus":"TRUST"}`
	)
	list := func(events []string, trust, warning string) string {
		var all []string
		for _, e := range events {
			all = append(all, strings.NewReplacer("EVENT", strings.ToLower(e[:1])+e[1:], "TRUST", trust).Replace(hook))
		}
		return greeting + `{"id":1,"result":{"data":[{"cwd":"HOME","hooks":[` + strings.Join(all, ",") + `],"warnings":[` + warning + `],"errors":[]}]}}` + "\n"
	}
	for name, tt := range map[string]struct {
		answer string
		err    error
		first  adapter.WiringState
		last   adapter.WiringState
		says   string
	}{
		"trusted":        {list(events, "trusted", ""), nil, adapter.Listed, adapter.Listed, ""},
		"untrusted":      {list(events, "untrusted", ""), nil, adapter.Refused, adapter.Refused, "Review hooks"},
		"modified":       {list(events, "modified", ""), nil, adapter.Refused, adapter.Refused, "Review hooks"},
		"one missing":    {list(events[:5], "trusted", ""), nil, adapter.Listed, adapter.Unwritten, ""},
		"another's":      {strings.ReplaceAll(list(events, "trusted", ""), "COMMAND", "other"), nil, adapter.Unwritten, adapter.Unwritten, ""},
		"disabled":       {strings.ReplaceAll(list(events, "trusted", ""), `"enabled":true`, `"enabled":false`), nil, adapter.Refused, adapter.Refused, "Review hooks"},
		"not read":       {list(nil, "", `"failed to parse hooks config HOME/.codex/hooks.json: expected value at line 1 column 1"`), nil, adapter.Unwritten, adapter.Unwritten, "failed to parse"},
		"no answer":      {greeting, nil, adapter.Written, adapter.Written, "no list of hooks"},
		"does not start": {"", errors.New("it took too long"), adapter.Written, adapter.Written, "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			h := installtest.Make(t, install.New, nil)
			h.Install()
			h.Machine.Run = func(_ context.Context, c adapter.ClientCommand) ([]byte, error) {
				if c.Args[0] == "--version" {
					return []byte("codex-cli 0.171.0\n"), nil
				}
				if c.Until == "" || strings.Contains(string(c.Input), "thread/") {
					t.Errorf("the client was asked %q", c.Input)
				}
				quoted := "'" + h.Machine.Bin + "/acc-hook' codex"
				return []byte(strings.NewReplacer("COMMAND", quoted, "HOME", h.Dir).Replace(tt.answer)), tt.err
			}
			d := h.Doctor()
			if len(d.Hooks) != len(events) || d.Hooks[0].State != tt.first || d.Hooks[5].State != tt.last {
				t.Errorf("hooks %+v", d.Hooks)
			}
			said := strings.Join(d.Steps, "")
			for _, p := range d.Problems {
				said += p.Text
			}
			if !strings.Contains(said, tt.says) || tt.says == "" && tt.first == adapter.Listed && said != "" {
				t.Errorf("says %q", said)
			}
		})
	}
}

func TestCodexHome(t *testing.T) {
	h := installtest.Make(t, install.New, nil)
	h.Setenv("CODEX_HOME", h.Path("elsewhere"))
	h.Install()
	if h.Read("elsewhere/hooks.json") == "" || h.Read(".codex/hooks.json") != "" {
		t.Error("CODEX_HOME was not followed")
	}
	h.Remove()
}

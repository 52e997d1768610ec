package install_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest/installtest"
	"github.com/acc-control-plane/acc/adapters/grok/install"
)

var events = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"}

func TestInstaller(t *testing.T) {
	installtest.Run(t, installtest.Suite{
		Installer: installtest.Must(t, install.New),
		Homes: map[string]map[string]string{
			"a user with hooks": {".grok/config.toml": "# mine\n[models]\ndefault = \"g\"\n", ".grok/hooks/mine.json": `{"hooks":{}}`, ".grok/skills/mine/SKILL.md": "mine"},
			"a new user":        {".grok/config.toml": "[cli]\ninstaller = \"npm\"\n"},
		},
		Events: events,
		Unwire: func(h *installtest.Home, event string) { h.Unset(".grok/hooks/acc.json", "hooks", event) },
	})
}

func TestHooksFile(t *testing.T) {
	h := installtest.Make(t, install.New, nil)
	h.Machine.Bin = "/data/bin"
	h.Install()
	var groups []string
	for _, e := range events {
		timeout := map[string]string{"PreToolUse": "5", "SessionEnd": "5"}[e]
		if timeout == "" {
			timeout = "10"
		}
		groups = append(groups, `    "`+e+`": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/data/bin/acc-hook grok",
            "timeout": `+timeout+`
          }
        ]
      }
    ]`)
	}
	want := "{\n  \"hooks\": {\n" + strings.Join(groups, ",\n") + "\n  }\n}\n"
	if diff := cmp.Diff(want, h.Read(".grok/hooks/acc.json")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGrokHome(t *testing.T) {
	h := installtest.Make(t, install.New, nil)
	h.Setenv("GROK_HOME", h.Path("elsewhere"))
	h.Install()
	if h.Read("elsewhere/hooks/acc.json") == "" || h.Read(".grok/hooks/acc.json") != "" {
		t.Error("GROK_HOME was not followed")
	}
	h.Remove()
}

// TestDoctorBelievesTheClient: the answers are as Grok 1.0.41 gave them.
func TestDoctorBelievesTheClient(t *testing.T) {
	list := func(names ...string) string {
		var hooks []string
		for _, n := range names {
			hooks = append(hooks, `{"event":"`+n+`","hookType":"command","target":"COMMAND","source":{"type":"user","path":"HOME/.grok/hooks"},"matcher":null}`)
		}
		return `{"grokVersion":"1.0.41","projectRoot":null,"hooks":[` + strings.Join(hooks, ",") + `],"skills":[]}`
	}
	all := []string{"session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use", "stop", "session_end"}
	for name, tt := range map[string]struct {
		answer string
		err    error
		first  adapter.WiringState
		last   adapter.WiringState
		says   string
	}{
		"all":       {list(all...), nil, adapter.Listed, adapter.Listed, ""},
		"one":       {list(all[:1]...), nil, adapter.Listed, adapter.Unwritten, ""},
		"another's": {strings.ReplaceAll(list(all...), "COMMAND", "other"), nil, adapter.Unwritten, adapter.Unwritten, ""},
		"garbage":   {"usage: grok", nil, adapter.Written, adapter.Written, "something else"},
		"silent":    {"", errors.New("it took too long"), adapter.Written, adapter.Written, "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			h := installtest.Make(t, install.New, nil)
			h.Install()
			h.Machine.Run = func(_ context.Context, c adapter.ClientCommand) ([]byte, error) {
				if c.Args[0] == "--version" {
					return []byte("grok 1.0.41 (4220f3b224a6)\n"), nil
				}
				return []byte(strings.NewReplacer("COMMAND", "'"+h.Machine.Bin+"/acc-hook' grok", "HOME", h.Dir).Replace(tt.answer)), tt.err
			}
			d := h.Doctor()
			if d.Version != "1.0.41" {
				t.Errorf("version %q", d.Version)
			}
			if len(d.Hooks) != len(events) || d.Hooks[0].State != tt.first || d.Hooks[5].State != tt.last {
				t.Errorf("hooks %+v", d.Hooks)
			}
			said := ""
			for _, p := range d.Problems {
				said += p.Text
			}
			if !strings.Contains(said, tt.says) || tt.says == "" && said != "" {
				t.Errorf("says %q", said)
			}
		})
	}
}

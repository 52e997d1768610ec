package install_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest/installtest"
	"github.com/acc-control-plane/acc/adapters/geminicli/install"
)

var events = []string{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"}

const settings = `{
  // mine
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "hooks": { "BeforeTool": [ { "matcher": "*", "hooks": [ { "name": "mine", "type": "command", "command": "true" } ] } ] },
}
`

func TestInstaller(t *testing.T) {
	installtest.Run(t, installtest.Suite{
		Installer: installtest.Must(t, install.New),
		Homes: map[string]map[string]string{
			"a user with extensions": {
				".gemini/settings.json":                         settings,
				".gemini/extensions/mine/gemini-extension.json": `{"name":"mine","version":"1.0.0"}`,
				".gemini/extensions/extension-enablement.json":  `{"mine":{"overrides":["HOME/*"]}}`,
				".gemini/extensions/extension_integrity.json":   `{}`,
				".gemini/config/hooks.json":                     `{}`,
			},
			"a new user": {".gemini/settings.json": "{}"},
		},
		Events: events,
		Unwire: func(h *installtest.Home, event string) {
			h.Unset(".gemini/extensions/agents-can-communicate/hooks/hooks.json", "hooks", event)
		},
	})
}

func TestHooksFile(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".gemini/settings.json": settings})
	h.Machine.Bin = "/data home/bin"
	h.Install()
	want := `{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "name": "acc-SessionStart",
            "type": "command",
            "command": "'/data home/bin/acc-hook' gemini_cli",
            "timeout": 10000
          }
        ]
      }
    ],
`
	got := h.Read(".gemini/extensions/agents-can-communicate/hooks/hooks.json")
	if !strings.HasPrefix(got, want) || !strings.Contains(got, `"matcher": "^(write_file|replace|run_shell_command)$"`) {
		t.Errorf("hooks.json is\n%s", got)
	}
	if diff := cmp.Diff(settings, h.Read(".gemini/settings.json")); diff != "" {
		t.Errorf("the user's settings changed:\n%s", diff)
	}
}

func TestDetectTellsTheVendorsClientsApart(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".gemini/config/hooks.json": "{}"})
	h.Machine.LookPath = func(string) string { return "" }
	d, err := h.Installer.Detect(context.Background(), h.Machine)
	if err != nil || d.Present {
		t.Errorf("Antigravity's directory counts as Gemini CLI: %+v, %v", d, err)
	}
	h.Write(".gemini/settings.json", "{}")
	if d, err := h.Installer.Detect(context.Background(), h.Machine); err != nil || !d.Present {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestDoctorBelievesTheClient: the answers are as Gemini CLI 0.61.0 gave them.
func TestDoctorBelievesTheClient(t *testing.T) {
	entry := func(active string, events ...string) string {
		hooks := `"` + strings.Join(events, `":[{"hooks":[]}],"`) + `":[{"hooks":[]}]`
		return `Warning: something
[
  {"name": "agents-can-communicate", "version": "0.1.0", "path": "/x", "contextFiles": [], "hooks": {` + hooks + `}, "isActive": ` + active + `, "id": "43", "resolvedSettings": [], "skills": [], "agents": []}
]
`
	}
	for name, tt := range map[string]struct {
		answer string
		err    error
		first  adapter.WiringState
		last   adapter.WiringState
		says   string
	}{
		"active":       {entry("true", events...), nil, adapter.Listed, adapter.Listed, ""},
		"one hook":     {entry("true", events[:1]...), nil, adapter.Listed, adapter.Unwritten, ""},
		"disabled":     {entry("false", events...), nil, adapter.Refused, adapter.Refused, "extensions enable"},
		"not there":    {"[]", nil, adapter.Refused, adapter.Refused, "does not list"},
		"garbage":      {"usage: gemini", nil, adapter.Written, adapter.Written, "something else"},
		"without JSON": {"[x]", nil, adapter.Written, adapter.Written, "something else"},
		"silent":       {"", errors.New("it took too long"), adapter.Written, adapter.Written, "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			h := installtest.Make(t, install.New, map[string]string{".gemini/settings.json": settings})
			h.Install()
			h.Machine.Run = func(_ context.Context, c adapter.ClientCommand) ([]byte, error) {
				if c.Args[0] == "--version" {
					return []byte("0.61.0\n"), nil
				}
				if !c.Stderr {
					t.Error("the list is on standard error")
				}
				return []byte(tt.answer), tt.err
			}
			d := h.Doctor()
			if len(d.Hooks) != len(events) || d.Hooks[0].State != tt.first || d.Hooks[5].State != tt.last {
				t.Errorf("hooks %+v", d.Hooks)
			}
			said := strings.Join(d.Steps, "")
			for _, p := range d.Problems {
				said += p.Text
			}
			if !strings.Contains(said, tt.says) || tt.says == "" && said != "" {
				t.Errorf("says %q", said)
			}
		})
	}
}

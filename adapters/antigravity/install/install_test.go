package install_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest/installtest"
	"github.com/acc-control-plane/acc/adapters/antigravity/install"
)

var events = []string{"SessionStart", "PreInvocation", "Stop"}

const (
	hooks    = "{\n  \"mine\": {\n    \"Stop\": [ { \"type\": \"command\", \"command\": \"true\", \"timeout\": 5 } ]\n  }\n}\n"
	settings = "{\n  \"permissions\": {\n    \"allow\": [\n      \"command(ls)\"\n    ]\n  }\n}"
)

func TestInstaller(t *testing.T) {
	installtest.Run(t, installtest.Suite{
		Installer: installtest.Must(t, install.New),
		Homes: map[string]map[string]string{
			"a user with hooks": {".gemini/config/hooks.json": hooks, ".gemini/antigravity-cli/settings.json": settings, ".gemini/settings.json": "{}"},
			"a new user":        {".gemini/antigravity-cli/x": "x"},
		},
		Edited: []string{".gemini/config/hooks.json"},
		Bad: map[string]map[string]string{
			".gemini/config/hooks.json": {"comment": "{} // x", "byte order mark": "\xef\xbb\xbf{}", "list": "[]", "cut off": "{\"mine\": {"},
		},
		Events: events,
		Unwire: func(h *installtest.Home, event string) { h.Unset(".gemini/config/hooks.json", "acc", event) },
	})
}

// TestFiles shows what is written where nothing has to be quoted.
func TestFiles(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".gemini/config/hooks.json": hooks, ".gemini/antigravity-cli/settings.json": settings, ".gemini/config/config.json": "{\n  \"userSettings\": {}\n}\n"})
	before := h.Tree()
	h.Machine.Bin = "/data/bin"
	h.Install()
	handler := func(event string) string {
		return "    \"" + event + "\": [\n      {\n        \"type\": \"command\",\n        \"command\": \"/data/bin/acc-hook antigravity " + event + "\",\n        \"timeout\": 10\n      }\n    ]"
	}
	want := strings.TrimSuffix(hooks, "\n}\n") + ",\n  \"acc\": {\n" + handler("SessionStart") + ",\n" + handler("PreInvocation") + ",\n" + handler("Stop") + "\n  }\n}\n"
	if diff := cmp.Diff(want, h.Read(".gemini/config/hooks.json")); diff != "" {
		t.Errorf("hooks.json (-want +got):\n%s", diff)
	}
	want = strings.Replace(settings, `"command(ls)"`, "\"command(ls)\",\n      \"command(/data/bin/acc)\",\n      \"command(/data/bin/acc-antigravity-relay)\"", 1)
	if diff := cmp.Diff(want, h.Read(".gemini/antigravity-cli/settings.json")); diff != "" {
		t.Errorf("settings.json (-want +got):\n%s", diff)
	}
	if got := h.Read(".gemini/config/config.json"); !strings.Contains(got, "\"allow\": [\n        \"command(/data/bin/acc)\"") {
		t.Errorf("config.json is\n%s", got)
	}
	if got := h.Read(".gemini/config/plugins/agents-can-communicate/skills/acc/SKILL.md"); !strings.Contains(got, "\n    /data/bin/acc-antigravity-relay OWNER\n") {
		t.Errorf("the skill does not tell how to start the relay:\n%s", got)
	}
	h.Remove()
	h.Same("uninstalling", before)
}

func TestAPathThatMustBeQuotedIsToldRatherThanAllowed(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".gemini/antigravity-cli/settings.json": settings})
	p := h.Install()
	if h.Read(".gemini/antigravity-cli/settings.json") != settings || !strings.Contains(strings.Join(p.Notes, ""), "ask before each") {
		t.Errorf("notes %q, settings\n%s", p.Notes, h.Read(".gemini/antigravity-cli/settings.json"))
	}
}

func TestDoctorBelievesTheClient(t *testing.T) {
	list := func(names ...string) string {
		var groups []string
		for _, n := range names {
			groups = append(groups, `{"name":"acc","event":"`+n+`","actions":[{"type":"command","command":"COMMAND `+n+`"}]}`)
		}
		return `{"command":{"name":"hooks","data":{"hooks":[` + strings.Join(groups, ",") + `]}}}`
	}
	for name, tt := range map[string]struct {
		answer string
		err    error
		first  adapter.WiringState
		last   adapter.WiringState
		says   string
	}{
		"all":     {list(events...), nil, adapter.Listed, adapter.Listed, ""},
		"one":     {list(events[:1]...), nil, adapter.Listed, adapter.Unwritten, ""},
		"garbage": {"not signed in", nil, adapter.Written, adapter.Written, "something else"},
		"silent":  {"", errors.New("it took too long"), adapter.Written, adapter.Written, "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			h := installtest.Make(t, install.New, nil)
			h.Install()
			h.Machine.Run = func(_ context.Context, c adapter.ClientCommand) ([]byte, error) {
				if c.Args[0] == "--version" {
					return []byte("1.2.7\n"), nil
				}
				return []byte(strings.ReplaceAll(tt.answer, "COMMAND", "'"+h.Machine.Bin+"/acc-hook' antigravity")), tt.err
			}
			d := h.Doctor()
			if len(d.Hooks) != len(events) || d.Hooks[0].State != tt.first || d.Hooks[2].State != tt.last {
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

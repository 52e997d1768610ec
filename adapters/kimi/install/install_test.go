package install_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest/installtest"
	"github.com/acc-control-plane/acc/adapters/kimi/install"
	"github.com/acc-control-plane/acc/protocol"
)

var events = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionHeartbeat", "PostCompact", "SessionEnd"}

const config = `# mine
default_model = "fake"

[providers.fake]
type = "openai" # local
api_key = "dummy"

[[hooks]]
event = "Stop"
command = "say done"
`

func TestInstaller(t *testing.T) {
	installtest.Run(t, installtest.Suite{
		Installer: installtest.Must(t, install.New),
		Homes: map[string]map[string]string{
			"a user with hooks": {".kimi-code/config.toml": config, ".kimi-code/skills/mine/SKILL.md": "mine"},
			"a new user":        {".kimi-code/device_id": "x"},
			"no final newline":  {".kimi-code/config.toml": "default_model = \"m\""},
			"Windows's lines":   {".kimi-code/config.toml": "default_model = \"m\"\r\n\r\n[telemetry]\r\n"},
		},
		Edited: []string{".kimi-code/config.toml"},
		Bad: map[string]map[string]string{
			".kimi-code/config.toml": {"byte order mark": "\xef\xbb\xbfa = 1\n", "cut off": "a = [", "a key twice": "a = 1\na = 2\n", "hooks as a value": "hooks = []\n", "half a block": "# <<< acc\n"},
		},
		Events: events,
		Unwire: func(h *installtest.Home, event string) {
			before, block, _ := strings.Cut(h.Read(".kimi-code/config.toml"), "# >>> acc")
			h.Write(".kimi-code/config.toml", before+"# >>> acc"+strings.Replace(block, "event = \""+event+"\"", "event = \"Notification\"", 1))
		},
	})
}

func TestBlock(t *testing.T) {
	h := installtest.Make(t, install.New, map[string]string{".kimi-code/config.toml": config})
	h.Machine.Bin = `/data "home"/bin`
	h.Install()
	hook := func(lines string) string {
		event, matcher, _ := strings.Cut(lines, " ")
		if matcher != "" {
			matcher = "matcher = \"" + matcher + "\"\n"
		}
		timeout := "10"
		if event == "SessionEnd" {
			timeout = "5"
		}
		return "[[hooks]]\nevent = \"" + event + "\"\n" + matcher + `command = "'/data \"home\"/bin/acc-hook' kimi"` + "\ntimeout = " + timeout + "\n"
	}
	want := config + "\n# >>> acc: written by acc install, removed by acc uninstall\n" +
		hook("SessionStart") + hook("UserPromptSubmit") + hook("PreToolUse ^(Write|Edit|Bash)$") + hook("Stop") + hook("SessionHeartbeat") + hook("PostCompact") + hook("SessionEnd") +
		"# <<< acc\n"
	if diff := cmp.Diff(want, h.Read(".kimi-code/config.toml")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// kimi answers as the real client's doctor does, once for each word of the script.
func kimi(t *testing.T, h *installtest.Home, script ...string) {
	h.Machine.Run = func(_ context.Context, c adapter.ClientCommand) ([]byte, error) {
		if c.Args[0] == "--version" {
			return []byte("2.1.0\n"), nil
		}
		if len(script) == 0 || c.Args[0] != "doctor" {
			t.Fatalf("the client was started with %q", c.Args)
		}
		word := script[0]
		script = script[1:]
		if word == "bad" {
			return nil, errors.New("exit status 1: Kimi doctor found 1 issue.\n\n  hooks[1]: Unrecognized key: \"name\"")
		}
		return []byte("All checked config files are valid.\n"), nil
	}
	t.Cleanup(func() {
		if len(script) > 0 {
			t.Errorf("the client was not asked %d times more", len(script))
		}
	})
}

func TestAConfigurationThatTheClientRefusesIsPutBack(t *testing.T) {
	for name, script := range map[string][]string{"before": {"bad"}, "after": {"good", "bad"}} {
		t.Run(name, func(t *testing.T) {
			h := installtest.Make(t, install.New, map[string]string{".kimi-code/config.toml": config})
			before := h.Tree()
			kimi(t, h, script...)
			err := h.Plan().Apply(context.Background())
			if protocol.CodeOf(err) != protocol.Data || !strings.Contains(err.Error(), `Unrecognized key: "name"`) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v", err)
			}
			h.Same("the client refused", before)
			if d := h.Machine.Data; h.Doctor().Installed {
				t.Errorf("%s records an installation", d)
			}
		})
	}
	h := installtest.Make(t, install.New, map[string]string{".kimi-code/config.toml": config})
	kimi(t, h, "good", "good")
	h.Install()
}

func TestDoctorAsksTheClient(t *testing.T) {
	h := installtest.Make(t, install.New, nil)
	h.Install()
	kimi(t, h, "good", "bad")
	if d := h.Doctor(); len(d.Problems) > 0 || d.Hooks[0].State != adapter.Written || d.Version != "2.1.0" {
		t.Errorf("%+v", d)
	}
	d := h.Doctor()
	if len(d.Hooks) != len(events) || d.Hooks[0].State != adapter.Refused || len(d.Problems) != 1 || d.Problems[0].Remedy != "kimi doctor" {
		t.Errorf("%+v", d)
	}
}

func TestKimiCodeHome(t *testing.T) {
	h := installtest.Make(t, install.New, nil)
	h.Setenv("KIMI_CODE_HOME", h.Path("elsewhere"))
	h.Install()
	if h.Read("elsewhere/config.toml") == "" || h.Read(".kimi-code/config.toml") != "" {
		t.Error("KIMI_CODE_HOME was not followed")
	}
	h.Remove()
}

package install_test

import (
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest/installtest"
	"github.com/acc-control-plane/acc/examples/adapter-echo/install"
)

func TestInstaller(t *testing.T) {
	installer, err := install.New()
	if err != nil {
		t.Fatal(err)
	}
	const settings = ".echo/settings.json"
	installtest.Run(t, installtest.Suite{
		Installer: installer,
		Homes: map[string]map[string]string{
			"a user with hooks":  {settings: "{\n  \"theme\": \"dark\",\n  \"hooks\": {\n    \"stop\": [\"say done\"]\n  }\n}\n"},
			"a new user":         {".echo/inbox/old.sock": ""},
			"no hooks, one line": {settings: `{"theme":"dark"}`},
		},
		Edited: []string{settings},
		Bad: map[string]map[string]string{settings: {
			"cut off": `{"hooks":`, "a comment": "{} // mine", "hooks as a list": `{"hooks":[]}`, "a key twice": `{"hooks":{},"hooks":{}}`,
		}},
		Events: []string{"start", "prompt", "tool", "result", "stop", "end"},
		Unwire: func(h *installtest.Home, event string) { h.Unset(settings, "hooks", event) },
	})
}

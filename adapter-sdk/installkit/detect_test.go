package installkit_test

import (
	"context"
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
)

func TestWhatClientsPrintOfTheirVersion(t *testing.T) {
	for printed, want := range map[string]string{
		"tool 3.2.0\n": "3.2.0", "tool v3.2.0\n": "3.2.0", "v3.2.0-beta.1": "3.2.0-beta.1", "3.2.0 (build 1.2)": "3.2.0", "tool rev3.2.0": "", "tool 3.2": "",
	} {
		m := adapter.Machine{
			Home: t.TempDir(), LookPath: func(string) string { return "/usr/bin/tool" },
			Env: func(string) string { return "" },
			Run: func(context.Context, adapter.ClientCommand) ([]byte, error) { return []byte(printed), nil },
		}
		d, err := installkit.Find(t.Context(), m, installkit.Search{Command: "tool", RootDefault: ".tool", VersionArgs: []string{"--version"}})
		if err != nil || d.Version != want || (d.Reason == "") != (want != "") {
			t.Errorf("%q: version %q, reason %q, %v; want %q", printed, d.Version, d.Reason, err, want)
		}
	}
}

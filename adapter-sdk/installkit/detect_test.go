package installkit_test

import (
	"context"
	"os"
	"path/filepath"
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

// TestWhyAClientIsNotFound: a directory that two clients share is not said to be missing because one of them never
// used it.
func TestWhyAClientIsNotFound(t *testing.T) {
	home := t.TempDir()
	root := filepath.Join(home, ".shared")
	m := adapter.Machine{Home: home, Env: func(string) string { return "" }}
	s := installkit.Search{Command: "tool", RootDefault: ".shared", Evidence: []string{"tool.json"}}
	expect := func(present bool, reason string) {
		t.Helper()
		d, err := installkit.Find(t.Context(), m, s)
		if err != nil || d.Present != present || d.Reason != reason {
			t.Errorf("%+v, %v; want %q", d, err, reason)
		}
	}
	expect(false, "tool is not on PATH and "+root+" is not there")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	expect(false, "tool is not on PATH and "+root+" holds nothing of it")
	if err := os.WriteFile(filepath.Join(root, "tool.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(true, "the version is unknown because tool is not on PATH")
}

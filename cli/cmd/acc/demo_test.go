package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestDemoNeedsItsHook copies acc to a place without acc-hook and without go to build it with: the demo
// must fail and say what is missing, not play something else.
func TestDemoNeedsItsHook(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "acc")
	if runtime.GOOS == "windows" {
		alone += ".exe"
	}
	copyFile(t, self, alone)
	cmd := exec.CommandContext(t.Context(), alone, "demo", "--json")
	cmd.Env = append(os.Environ(), "PATH="+t.TempDir())
	var out bytes.Buffer
	cmd.Stdout = &out
	err = cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 4 || !strings.Contains(out.String(), `"reason":"executable_missing","message":"the demo needs the executable acc-hook`) {
		t.Errorf("%v: %s", err, out.String())
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

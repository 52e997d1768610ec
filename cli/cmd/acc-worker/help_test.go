package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHelpAndVersion: whoever finds the executable learns what it is, and that something else is for people.
func TestHelpAndVersion(t *testing.T) {
	worker := filepath.Join(t.TempDir(), "acc-worker.exe")
	if out, err := exec.Command("go", "build", "-o", worker, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	for arg, want := range map[string]string{"--help": "people use acc update", "-h": "usage: acc-worker", "--version": "acc-worker 0.0.0-devel\n"} {
		if out, err := exec.Command(worker, arg).Output(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %q, %v", arg, out, err)
		}
	}
	out, err := exec.Command(worker, "bogus").CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 2 || !strings.Contains(string(out), "acc-worker --help") {
		t.Errorf("an unknown argument: %q, %v", out, err)
	}
}

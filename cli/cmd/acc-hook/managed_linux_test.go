package main

import (
	"math"
	"os/exec"
	"path/filepath"
	"testing"
)

// maxAdmission is how many system calls more a hook makes in a managed runtime, where no other executable has to
// take its place.
const maxAdmission = 20

// TestAdmissionCosts: being let in costs a hook little.
func TestAdmissionCosts(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	m := newManaged(t, "1.0.0")
	c := m.conversation("ana")
	run(t, m.installed(c, c.payload("SessionStart", `"source":"startup"`)))
	run(t, m.installed(c, c.payload("UserPromptSubmit", `"prompt":"x"`)))
	guard := c.payload("PreToolUse", `"tool_name":"Edit"`, `"tool_input":{"file_path":`+quoted(filepath.Join(m.project, "src/free.go"))+`}`)
	// The least of several: a busy scheduler makes calls of its own.
	without, with := math.MaxInt, math.MaxInt
	for range 10 {
		unmanaged := c.command(guard)
		unmanaged.Env = append(unmanaged.Env, "ACC_UNMANAGED=1")
		n, _, _ := calls(t, unmanaged)
		without = min(without, n)
		n, _, _ = calls(t, m.installed(c, guard))
		with = min(with, n)
	}
	t.Logf("%d system calls, %d of them to be let in", with, with-without)
	if with-without > maxAdmission {
		t.Errorf("to be let in takes %d system calls, at most %d", with-without, maxAdmission)
	}
}

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestProgressIsForPeopleAtATerminal: who waits longer than a second at a terminal is told so, and the line is
// gone in the end; a program that asks for JSON is told nothing beside it.
func TestProgressIsForPeopleAtATerminal(t *testing.T) {
	s := newStand(t)
	ada := s.attach("ada")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, json := range []bool{false, true} {
		master, slave := openTerminal(t)
		cmd := exec.CommandContext(t.Context(), exe)
		cmd.Args = []string{"acc", "inbox", "--wait", "2500ms"}
		if json {
			cmd.Args = append(cmd.Args, "--json")
		}
		cmd.Dir = filepath.Join(s.dir, "project")
		cmd.Env = append(os.Environ(), "ACC_DATA_HOME="+filepath.Join(s.dir, "data"), "ACC_SESSION="+ada.SessionID, "ACC_GENERATION="+ada.Generation)
		cmd.Stderr = slave
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		slave.Close()
		_ = cmd.Wait() // nothing arrives
		var seen []byte
		for buffer := make([]byte, 4096); ; {
			n, err := master.Read(buffer)
			seen = append(seen, buffer[:n]...)
			if err != nil {
				break
			}
		}
		switch at := bytes.Index(seen, []byte("\rwaiting: ")); {
		case json && len(seen) > 0:
			t.Errorf("beside JSON a terminal is told %q", seen)
		case !json && (at < 0 || !bytes.Contains(seen[at:], []byte("\r\x1b[Kacc: nothing arrived within 2.5s"))):
			t.Errorf("who waits is told %q", seen)
		}
	}
}

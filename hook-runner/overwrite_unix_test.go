//go:build unix

package hookrunner

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestNotToBeWrittenOver: what lies in the place of a note and cannot be written over is replaced, and what it leads to
// stays as it is.
func TestNotToBeWrittenOver(t *testing.T) {
	for what, put := range map[string]func(path, other string) error{
		"too much":         func(path, _ string) error { return os.WriteFile(path, bytes.Repeat([]byte("x"), 200_000), 0o600) },
		"a FIFO":           func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"a symbolic link":  func(path, other string) error { return os.Symlink(other, path) },
		"one of two names": func(path, other string) error { return os.Link(other, path) },
	} {
		t.Run(what, func(t *testing.T) {
			f := testFiles(t)
			other := filepath.Join(t.TempDir(), "other")
			if err := os.WriteFile(other, []byte("keep"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Dir(f.stem), 0o700); err != nil {
				t.Fatal(err)
			}
			for _, ending := range []string{firedEnding, shownEnding} {
				if err := put(f.stem+ending, other); err != nil {
					t.Fatal(err)
				}
			}
			f.fired("session_a", Firing{Event: "Stop", At: time.Now()}, "")
			if all := notes(t, f); len(all) != 1 {
				t.Errorf("noted %+v", all)
			}
			here := opened{owner: pair("a"), pid: 7}
			if err := f.remember(here, []string{"k"}); err != nil {
				t.Error(err)
			}
			if known, header := f.shownTo(&here); !header || len(known) != 1 {
				t.Errorf("remembered %q, header %v", known, header)
			}
			if data, err := os.ReadFile(other); string(data) != "keep" || err != nil {
				t.Errorf("the other file holds %q, %v", data, err)
			}
		})
	}
}

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWatchRepaintsATerminal lets acc watch draw on a real pseudo-terminal while somebody else acts.
func TestWatchRepaintsATerminal(t *testing.T) {
	for name, test := range map[string]struct {
		env    string
		colour bool
	}{"with colour": {"NO_COLOR=", true}, "without": {"NO_COLOR=1", false}} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			ada := s.attach("ada")
			s.attach("bob")
			master, slave := openTerminal(t)
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), exe)
			cmd.Args = []string{"acc", "watch"}
			cmd.Dir = filepath.Join(s.dir, "project")
			cmd.Env = append(os.Environ(), "ACC_DATA_HOME="+filepath.Join(s.dir, "data"), "TERM=xterm", test.env)
			cmd.Stdout = slave
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			slave.Close() // so that the end of the process ends the reading
			screen := &screen{t: t, from: master}
			screen.until("ada  online")
			s.acc(ada, nil, "claim", "--resource", "notes.md")
			screen.until("claimed file:notes.md")
			if got := bytes.Contains(screen.seen, []byte("\x1b[1m")); got != test.colour {
				t.Errorf("colour %v, want %v", got, test.colour)
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("an interrupted watch is no error: %v", err)
			}
			screen.rest()
			if cut, whole := bytes.LastIndex(screen.seen, []byte("\x1b[?7l")), bytes.LastIndex(screen.seen, []byte("\x1b[?7h")); cut < 0 || whole < cut {
				t.Errorf("the terminal is left to cut lines: %q", screen.seen)
			}
		})
	}
}

// screen collects what was drawn.
type screen struct {
	t    *testing.T
	from *os.File
	seen []byte
}

func (s *screen) until(text string) {
	s.t.Helper()
	buf := make([]byte, 4096)
	for !plainContains(s.seen, text) {
		n, err := s.from.Read(buf)
		if err != nil {
			s.t.Fatalf("%v before %q was drawn: %q", err, text, s.seen)
		}
		s.seen = append(s.seen, buf[:n]...)
	}
}

// rest reads what was drawn until the other end was closed.
func (s *screen) rest() {
	data, _ := io.ReadAll(s.from) // a terminal whose other end is closed fails
	s.seen = append(s.seen, data...)
}

// plainContains looks behind the styles.
func plainContains(seen []byte, text string) bool {
	for _, style := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m"} {
		seen = bytes.ReplaceAll(seen, []byte(style), nil)
	}
	return bytes.Contains(seen, []byte(text))
}

// openTerminal gives the two ends of a pseudo-terminal.
func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

//go:build unix

package smallfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

var errNotDirectory error = unix.ENOTDIR

func TestReadNeverWaitsForAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(pipe, Options{Max: 10}); !errors.Is(err, ErrNotRegular) {
		t.Errorf("error %v, want %v", err, ErrNotRegular)
	}
}

// Files of the process table announce size 0 and hold more.
func TestReadWhatAnnouncesNoSize(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc here")
	}
	got, err := Read("/proc/self/status", Options{Max: 1 << 16})
	if err != nil || len(got.Data) < 100 {
		t.Errorf("%d bytes, error %v", len(got.Data), err)
	}
	if _, err := Read("/proc/self/status", Options{Max: 10}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v, want %v", err, ErrTooLarge)
	}
}

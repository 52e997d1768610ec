//go:build unix

package relay

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestLeftovers: of all that looks like a relay's directory, only what a killed relay left is removed.
func TestLeftovers(t *testing.T) {
	temp, err := os.MkdirTemp("", "acc") // a socket's path is short
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	listen := func(path string, killed bool) {
		t.Helper()
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		must(err)
		l.SetUnlinkOnClose(false)
		must(os.Chmod(path, 0o600))
		if killed {
			must(l.Close())
			return
		}
		t.Cleanup(func() { _ = l.Close() })
	}
	for _, tt := range []struct {
		name string
		make func(dir, socket string)
		gone bool
	}{
		{"killed", func(_, socket string) { listen(socket, true) }, true},
		{"running", func(_, socket string) { listen(socket, false) }, false},
		{"starting", func(dir, socket string) { listen(socket, true); must(os.Chtimes(dir, time.Time{}, time.Now())) }, false},
		{"empty", func(string, string) {}, false},
		{"a file", func(_, socket string) { must(os.WriteFile(socket, nil, 0o600)) }, false},
		{"a socket for all", func(_, socket string) { listen(socket, true); must(os.Chmod(socket, 0o666)) }, false},
		{"open to others", func(dir, socket string) { listen(socket, true); must(os.Chmod(dir, 0o755)) }, false},
		{"a link", func(dir, socket string) {
			elsewhere := filepath.Join(temp, "elsewhere")
			must(os.Mkdir(elsewhere, 0o700))
			listen(filepath.Join(elsewhere, socketName), true)
			must(os.Remove(dir))
			must(os.Symlink(elsewhere, dir))
		}, false},
		{"more in it", func(dir, socket string) {
			listen(socket, true)
			must(os.WriteFile(filepath.Join(dir, "work"), nil, 0o600))
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(temp, dirPrefix+"1")
			must(os.Mkdir(dir, 0o700))
			old := time.Now().Add(-time.Hour)
			tt.make(dir, filepath.Join(dir, socketName))
			if tt.name != "starting" {
				must(os.Chtimes(dir, old, old))
			}
			clearLeftovers(temp, time.Now())
			if _, err := os.Lstat(dir); os.IsNotExist(err) != tt.gone {
				t.Errorf("its directory: %v", err)
			}
			must(os.RemoveAll(dir))
		})
	}
}

//go:build unix

package localsocket

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// place gives a short private directory: the path of a socket has at most about 100 bytes.
func place(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "acc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// listen serves a private socket; what arrives on each connection is sent to the channel.
func listen(t *testing.T, path string) (*net.UnixListener, <-chan string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	t.Cleanup(func() { _ = l.Close() })
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	arrived := make(chan string, 10)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			data, _ := io.ReadAll(c)
			_ = c.Close()
			arrived <- string(data)
		}
	}()
	return l, arrived
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestSend(t *testing.T) {
	path := filepath.Join(place(t), "1.sock")
	l, arrived := listen(t, path)
	for _, pid := range []int{0, os.Getpid()} {
		if err := Send(within(t, 5*time.Second), path, Peer{pid}, []byte("hello\n")); err != nil {
			t.Fatal(err)
		}
		if got := <-arrived; got != "hello\n" {
			t.Errorf("%q arrived", got)
		}
	}
	if err := Send(context.Background(), path, Peer{}, []byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("without a deadline: %v", err)
	}
	if runtime.GOOS == "linux" {
		if err := Send(within(t, 5*time.Second), path, Peer{1}, []byte("x")); !errors.Is(err, ErrForeign) {
			t.Errorf("another process: %v", err)
		}
		if got := <-arrived; got != "" {
			t.Errorf("another process was told %q", got)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Send(within(t, 5*time.Second), path, Peer{}, []byte("x")); !errors.Is(err, ErrRefused) {
		t.Errorf("nobody there: %v", err)
	}
}

// TestVerify: whatever is not a private socket in a private place of this user is refused, and nothing
// is written to it.
func TestVerify(t *testing.T) {
	tests := []struct {
		name string
		set  func(t *testing.T, dir string) (path string)
		want error
	}{
		{"private", func(_ *testing.T, dir string) string { return filepath.Join(dir, "1.sock") }, nil},
		{"open to others", func(t *testing.T, dir string) string {
			return changed(t, filepath.Join(dir, "1.sock"), 0o660)
		}, ErrUnsafe},
		{"a link to it", func(t *testing.T, dir string) string {
			return linked(t, filepath.Join(dir, "1.sock"), filepath.Join(dir, "2.sock"))
		}, ErrUnsafe},
		{"behind a link", func(t *testing.T, dir string) string {
			return filepath.Join(linked(t, dir, dir+".link"), "1.sock")
		}, ErrUnsafe},
		{"in a place that others write", func(t *testing.T, dir string) string {
			return filepath.Join(changed(t, dir, 0o777), "1.sock")
		}, ErrUnsafe},
		{"a file", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "file")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, ErrUnsafe},
		{"relative", func(*testing.T, string) string { return "1.sock" }, ErrUnsafe},
		{"roundabout", func(_ *testing.T, dir string) string { return dir + "/x/../1.sock" }, ErrUnsafe},
		{"absent", func(_ *testing.T, dir string) string { return filepath.Join(dir, "3.sock") }, fs.ErrNotExist},
		{"another user's", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "1.sock")
			if os.Geteuid() != 0 {
				t.Skip("giving a socket away takes root")
			}
			if err := os.Chown(path, 12345, -1); err != nil {
				t.Fatal(err)
			}
			return path
		}, ErrUnsafe},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := place(t)
			_, arrived := listen(t, filepath.Join(dir, "1.sock"))
			path := tt.set(t, dir)
			if err := Send(within(t, 5*time.Second), path, Peer{}, []byte("x")); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if tt.want == nil {
				if got := <-arrived; got != "x" {
					t.Errorf("%q arrived", got)
				}
				return
			}
			select {
			case got := <-arrived:
				t.Errorf("%q arrived", got)
			default:
			}
		})
	}
}

func changed(t *testing.T, path string, mode fs.FileMode) string {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func linked(t *testing.T, to, path string) string {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(path) })
	return path
}

// TestListenersThatDoNotTake: a full queue and a reader that does not read end at the deadline.
func TestListenersThatDoNotTake(t *testing.T) {
	path := filepath.Join(place(t), "1.sock")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	changed(t, path, 0o600)
	big := []byte(strings.Repeat("x", 8<<20))
	if err := Send(within(t, 50*time.Millisecond), path, Peer{}, big); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a reader that does not read: %v", err)
	}
	for range 20 { // each leaves a connection in the queue that nobody takes
		err = Send(within(t, 20*time.Millisecond), path, Peer{}, nil)
	}
	if runtime.GOOS == "linux" && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a full queue: %v", err)
	}
}

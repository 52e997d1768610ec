package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/cli/registry"
	"github.com/acc-control-plane/acc/hook-runner"
)

// asServer makes the test binary the real acc-mcp, asClient a client of it (see life_test.go), and
// asHook the real acc-hook.
const (
	asHook   = "ACC_MCP_TEST_HOOK"
	asServer = "ACC_MCP_TEST_SERVER"
	asClient = "ACC_MCP_TEST_CLIENT"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asServer) != "":
		main()
		os.Exit(0)
	case os.Getenv(asClient) != "":
		client()
	case os.Getenv(asHook) != "":
		adapters, err := registry.Hooks()
		hookrunner.Main(nil, adapters, err)
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for something that must come; no test passes sooner or later by it.
const patience = 60 * time.Second

// place is a data home and a project of one test.
type place struct{ home, project string }

func newPlace(t *testing.T) place {
	t.Helper()
	p := place{home: filepath.Join(t.TempDir(), "home"), project: filepath.Join(t.TempDir(), "project")}
	for _, dir := range []string{p.home, filepath.Join(p.project, ".git"), filepath.Join(p.project, "src")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// A repository as far as discovery looks at one.
	for name, content := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\tbare = false\n"} {
		if err := os.WriteFile(filepath.Join(p.project, ".git", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(p.project, ".git", dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// command is a start of the real server in a place.
func (p place) command(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Dir = p.project
	cmd.Env = append([]string{asServer + "=1", "ACC_DATA_HOME=" + p.home, "HOME=" + p.home, "PATH=" + os.Getenv("PATH")}, env...)
	return cmd
}

// peer is a running server at the end of two pipes.
type peer struct {
	t     *testing.T
	in    io.WriteCloser
	lines chan string
	cmd   *exec.Cmd
	err   *lockedBuffer
}

func (p place) start(t *testing.T, env ...string) *peer {
	t.Helper()
	cmd := p.command(t, env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := &lockedBuffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &peer{t: t, in: in, cmd: cmd, err: stderr, lines: make(chan string, 100)}
	go func() {
		defer close(s.lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				s.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return s
}

func (s *peer) send(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatalf("the server no longer reads: %v", err)
	}
}

// receive gives the next line.
func (s *peer) receive() string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case line, open := <-s.lines:
		if !open {
			s.t.Fatalf("the server closed its output; stderr: %s", s.err)
		}
		return strings.TrimSuffix(line, "\n")
	case <-ctx.Done():
		s.t.Fatalf("the server says nothing; stderr: %s", s.err)
	}
	return ""
}

// hangUp closes the server's input.
func (s *peer) hangUp() { _ = s.in.Close() }

// end closes the server's input, and fails unless it then ends by itself, quietly and with status 0.
func (s *peer) end() {
	s.t.Helper()
	s.hangUp()
	for line := range s.lines {
		s.t.Errorf("a line that nobody asked for: %s", line)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the server ended with %v", err)
	}
	if said := s.err.String(); said != "" {
		s.t.Errorf("the server wrote to stderr: %s", said)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestHelpAndVersion are for people: a client starts the server without arguments.
func TestHelpAndVersion(t *testing.T) {
	p := newPlace(t)
	for arg, want := range map[string]string{"--help": help, "-h": help, "--version": "acc-mcp 0.0.0-devel\n"} {
		cmd := p.command(t)
		cmd.Args = append(cmd.Args, arg)
		if out, err := cmd.Output(); err != nil || string(out) != want {
			t.Errorf("%s: %q, %v", arg, out, err)
		}
	}
}

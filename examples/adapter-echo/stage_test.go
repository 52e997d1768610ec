package echo

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest"
)

// stage is a run of the real client in a home of its own, with this program as its hook.
type stage struct {
	*testing.T
	dir    string
	client string // the executable
	cmd    *exec.Cmd
	input  io.WriteCloser
	output *bufio.Scanner
	lines  []string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "echo") // short: a socket's path is at most a hundred bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	s := &stage{T: t, dir: dir, client: filepath.Join(dir, "echo-client.exe")}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", s.client, "./echo-client")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"probe", "project", "home"} {
		s.must(os.Mkdir(s.path(name), 0o700))
	}
	self, err := os.Executable()
	s.must(err)
	hooks := map[string][]string{}
	for _, event := range []string{"start", "prompt", "tool", "result", "stop", "end"} {
		hooks[event] = []string{`"` + self + `"`}
	}
	settings, err := json.Marshal(map[string]any{"hooks": hooks})
	s.must(err)
	s.must(os.WriteFile(s.path("home/settings.json"), settings, 0o600))
	s.cmd = exec.CommandContext(t.Context(), s.client, "-session", "echo-1")
	s.cmd.Dir = s.path("project")
	s.cmd.Env = append(os.Environ(), "ECHO_HOME="+s.path("home"), probeVariable+"="+s.path("probe"))
	s.cmd.Stderr = os.Stderr
	s.input, err = s.cmd.StdinPipe()
	s.must(err)
	out, err := s.cmd.StdoutPipe()
	s.must(err)
	s.output = bufio.NewScanner(out)
	s.must(s.cmd.Start())
	limit := time.AfterFunc(time.Minute, func() { _ = s.cmd.Process.Kill() }) // a client that hangs ends the test
	t.Cleanup(func() { limit.Stop() })
	return s
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// say plays one step and gives what the client printed for it.
func (s *stage) say(step string) string {
	s.Helper()
	if _, err := fmt.Fprintln(s.input, step); err != nil {
		s.Fatal(err)
	}
	name, _, _ := strings.Cut(step, " ")
	from := len(s.lines)
	for s.output.Scan() {
		line := s.output.Text()
		if line == "done "+name || line == "nothing came" {
			break
		}
		s.lines = append(s.lines, line)
	}
	return strings.Join(s.lines[from:], "\n")
}

// end closes the client's input, which ends the session.
func (s *stage) end() {
	s.Helper()
	s.must(s.input.Close())
	for s.output.Scan() {
		s.lines = append(s.lines, s.output.Text())
	}
	s.must(s.cmd.Wait())
}

func (s *stage) transcript() string { return strings.Join(s.lines, "\n") }

// calls gives the payloads in the order in which the hook was called.
func (s *stage) calls() []string {
	s.Helper()
	files, err := filepath.Glob(s.path("probe/call-*.json"))
	s.must(err)
	slices.Sort(files)
	var all []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		s.must(err)
		all = append(all, string(data))
	}
	return all
}

func (s *stage) called(event string) bool {
	return slices.ContainsFunc(s.calls(), func(p string) bool { return strings.Contains(p, `"event":"`+event+`"`) })
}

// trial says what was tried here.
func (s *stage) trial() adaptertest.Trial {
	return adaptertest.Trial{
		Dir: "hook", Client: "echo-client", Version: "1.0.0", Program: s.client, Authority: "user", Command: "go test . -run TestEvidence -record",
	}
}

// captured fails for each payload whose kind is not among the captures.
func (s *stage) captured() {
	s.Helper()
	for _, name := range captures(s.calls()) {
		if _, err := os.Stat(filepath.Join("hook", "testdata", name)); err != nil {
			s.Errorf("a call of this kind is not captured: %v", err)
		}
	}
}

// captures names the payloads by event and tool.
func captures(calls []string) []string {
	var names []string
	for _, call := range calls {
		var p struct {
			Event, Text string
			Tool        struct{ Name string }
		}
		_ = json.Unmarshal([]byte(call), &p)
		name := p.Event
		if p.Tool.Name != "" {
			name += "-" + p.Tool.Name
		}
		if strings.HasPrefix(p.Text, "[acc wake]") {
			name += "-woken"
		}
		names = append(names, name+".json")
	}
	return names
}

// capture keeps the payloads, without what is of this run alone.
func (s *stage) capture() {
	s.Helper()
	project, err := json.Marshal(s.path("project"))
	s.must(err)
	calls := s.calls()
	for i, name := range captures(calls) {
		text := strings.ReplaceAll(calls[i], string(project), `"/home/user/project"`)
		s.must(os.WriteFile(filepath.Join("hook", "testdata", name), []byte(text+"\n"), 0o644))
	}
}

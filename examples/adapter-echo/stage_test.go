package echo

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
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
	s.store("home/settings.json", map[string]any{"hooks": hooks})
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

// compare holds what was found against the evidence on file: a capability that works and is not on file
// is as wrong as one that is on file and does not work.
func (s *stage) compare(findings []finding) {
	s.Helper()
	data, err := os.ReadFile("hook/certification.json")
	s.must(err)
	m, err := certification.Parse(data)
	s.must(err)
	for _, f := range findings {
		want := certification.Fail
		if f.passed {
			want = certification.Pass
		}
		i := slices.IndexFunc(m.Rows(), func(e certification.Evidence) bool { return e.Capability == f.capability })
		if i < 0 || m.Rows()[i].ObservedState != want {
			s.Errorf("%s: now it is %s, on file is something else; look at it, then: go test . -run TestEvidence -record\n%s", f.capability, want, s.transcript())
		}
	}
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

// write keeps captures, fixtures, the provenance and the manifest.
func (s *stage) write(findings []finding) {
	s.Helper()
	now := time.Now().UTC()
	platform := certification.Platform(runtime.GOOS, runtime.GOARCH)
	program, err := os.ReadFile(s.client)
	s.must(err)
	sum := sha256.Sum256(program)
	id := "echo-client-1.0.0-" + platform + "-" + now.Format("20060102T150405Z")
	project, err := json.Marshal(s.path("project"))
	s.must(err)
	calls := s.calls()
	for i, name := range captures(calls) {
		text := strings.ReplaceAll(calls[i], string(project), `"/home/user/project"`)
		s.must(os.WriteFile(filepath.Join("hook", "testdata", name), []byte(text+"\n"), 0o600))
	}
	var rows []map[string]any
	for _, f := range findings {
		result := "fail"
		if f.passed {
			result = "pass"
		}
		fixture := "fixtures/1.0.0-" + platform + "/" + string(f.capability) + ".json"
		s.must(os.MkdirAll(filepath.Join("hook", filepath.Dir(fixture)), 0o755))
		s.storeAt(filepath.Join("hook", fixture), map[string]any{"capability": f.capability, "saw": f.saw, "transcript": s.lines})
		rows = append(rows, map[string]any{
			"client": "echo-client", "version": "1.0.0", "platform": platform, "observedAt": now.Format(time.RFC3339), "capability": f.capability,
			"fixture": fixture, "provenance": "fixtures/provenance.json", "provenanceId": id, "idleBehavior": f.idle, "busyBehavior": f.busy,
			"authorityLevel": "user", "limitations": []string{}, "result": result,
		})
	}
	s.storeAt("hook/fixtures/provenance.json", map[string]any{"runs": []any{map[string]any{
		"provenanceId": id, "observedAt": now.Format(time.RFC3339), "client": "echo-client", "version": "1.0.0", "platform": platform,
		"clientSha256": hex.EncodeToString(sum[:]), "tool": "go test . -run TestEvidence -record",
	}}})
	s.storeAt("hook/certification.json", map[string]any{"evidence": rows})
}

func (s *stage) store(name string, value any) { s.Helper(); s.storeAt(s.path(name), value) }

func (s *stage) storeAt(path string, value any) {
	s.Helper()
	data, err := json.MarshalIndent(value, "", "  ")
	s.must(err)
	s.must(os.WriteFile(path, append(data, '\n'), 0o600))
}

package endtoend

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// computer is a machine on which somebody installs acc from an archive, for a client that is played by a shell under the
// client's name: it runs the hooks that it is told to.
type computer struct {
	*testing.T
	releases
	registry *registry
	home     string
	data     string
	fake     string
}

const (
	fakeClient  = "#!/bin/sh\necho '2.1.300 (Claude Code)'\n"
	fakeSession = `while read -r line; do sh -c "$line"; echo "exit $?"; done`
)

func newComputer(t *testing.T, version string) *computer {
	t.Helper()
	c := newBareComputer(t)
	c.registry.publish(t, c.releases, version)
	c.install(version)
	return c
}

// newBareComputer is one on which there is no acc yet.
func newBareComputer(t *testing.T) *computer {
	t.Helper()
	r := theReleases(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &computer{T: t, releases: r, registry: newRegistry(t), home: filepath.Join(root, "home"), data: filepath.Join(root, "data"), fake: filepath.Join(root, "fake")}
	for _, dir := range []string{filepath.Join(c.home, "project"), c.fake} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	shell, err := os.ReadFile("/bin/sh")
	if err == nil {
		err = os.WriteFile(filepath.Join(c.fake, "claude"), []byte(fakeClient), 0o700)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(c.fake, "process"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(c.fake, "process", "claude"), shell, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// install installs a version from its archive.
func (c *computer) install(version string, options ...string) string {
	c.Helper()
	unpacked := c.TempDir()
	unpack(c.T, filepath.Join(c.dirs[version], "acc-"+version+"-"+c.here.Name+".tar.gz"), unpacked)
	out, err := c.run(filepath.Join(unpacked, "bin", "acc"), append([]string{"install", "--adapter", "claude_code"}, options...)...)
	if err != nil {
		c.Fatalf("acc install: %v\n%s", err, out)
	}
	if !strings.Contains(out, "acc "+version+", kept up to date by acc update") {
		c.Errorf("acc install says not how it is kept up to date:\n%s", out)
	}
	return out
}

func (c *computer) environment() []string {
	return []string{
		"PATH=" + c.fake + ":/usr/bin:/bin", "HOME=" + c.home, "ACC_DATA_HOME=" + c.data, "ACC_REGISTRY=" + c.registry.URL, "NO_PROXY=127.0.0.1",
	}
}

// run runs a program and gives what it said.
func (c *computer) run(program string, args ...string) (string, error) {
	cmd := exec.CommandContext(c.Context(), program, args...)
	cmd.Dir, cmd.Env = filepath.Join(c.home, "project"), c.environment()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// acc runs the installed acc.
func (c *computer) acc(args ...string) (string, error) {
	return c.run(filepath.Join(c.data, "acc", "runtime", "bin", "acc"), args...)
}

// control is what the runtime's record says.
type control struct {
	Phase           string
	Active, Pending *struct{ Generation, Version string }
}

func (c *computer) control() control {
	c.Helper()
	raw, err := os.ReadFile(filepath.Join(c.data, "acc", "runtime", "control.json"))
	if err != nil {
		c.Fatal(err)
	}
	var r control
	if err := json.Unmarshal(raw, &r); err != nil {
		c.Fatal(err)
	}
	return r
}

// generations are the versions that are installed.
func (c *computer) generations() []string {
	c.Helper()
	entries, err := os.ReadDir(filepath.Join(c.data, "acc", "runtime", "generations"))
	if err != nil {
		c.Fatal(err)
	}
	var versions []string
	for _, e := range entries {
		version, _, _ := strings.Cut(e.Name(), "-")
		versions = append(versions, version)
	}
	return versions
}

// await waits until something is so.
func (c *computer) await(what string, so func() bool) {
	c.Helper()
	for deadline := time.Now().Add(3 * time.Minute); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.Fatalf("not after three minutes: %s; %+v", what, c.control())
		}
	}
}

// session is one session of the client, in a process of its own.
type session struct {
	*computer
	id   string
	in   io.WriteCloser
	out  *bufio.Reader
	cmd  *exec.Cmd
	mu   sync.Mutex
	runs int
	// updating says that events may be skipped, because clients are being brought up to date: the hook says so and
	// ends well. skipped counts them.
	updating bool
	skipped  int
}

// open begins one. updating says that its first event may be skipped.
func (c *computer) open(id string, updating bool) *session {
	c.Helper()
	s := &session{computer: c, id: id, updating: updating}
	s.cmd = exec.CommandContext(c.Context(), filepath.Join(c.fake, "process", "claude"), "-c", fakeSession)
	s.cmd.Dir, s.cmd.Env = filepath.Join(c.home, "project"), c.environment()
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		c.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		c.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = s.in.Close(); _ = s.cmd.Wait() })
	s.hook("SessionStart", `"source":"startup"`)
	return s
}

// hook lets the client run a hook. One that fails or complains is an error of the test.
func (s *session) hook(event, more string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs++
	base := filepath.Join(s.home, fmt.Sprintf("%s-%d", s.id, s.runs))
	payload := fmt.Sprintf(`{"session_id":%q,"transcript_path":"%s/transcript.jsonl","cwd":"%s/project","hook_event_name":%q,%s}`, s.id, s.home, s.home, event, more)
	if err := os.WriteFile(base+".in", []byte(payload), 0o600); err != nil {
		s.Error(err)
	}
	fmt.Fprintf(s.in, "'%s/acc/runtime/bin/acc-hook' claude_code <'%s.in' >'%s.out' 2>'%s.err'\n", s.data, base, base, base)
	line, err := s.out.ReadString('\n')
	out, _ := os.ReadFile(base + ".out")
	complaint, _ := os.ReadFile(base + ".err")
	if s.updating && strings.HasPrefix(string(complaint), "acc-hook: acc is being updated and this event was skipped") {
		s.skipped++
		complaint = nil
	}
	if err != nil || line != "exit 0\n" || len(complaint) > 0 {
		s.Errorf("%s of %s: %q, %v: %s", event, s.id, line, err, complaint)
	}
	return string(out)
}

func (s *session) turn() { s.hook("UserPromptSubmit", `"prompt":"go on"`) }

func (s *session) end() { s.hook("SessionEnd", `"reason":"prompt_input_exit"`) }

// watcher tells which executables were opened: the kernel opens what it executes.
type watcher struct {
	t     *testing.T
	fd    int
	names map[int32]string
}

func watch(t *testing.T, paths map[string]string) *watcher {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	w := &watcher{t: t, fd: fd, names: map[int32]string{}}
	for name, path := range paths {
		wd, err := syscall.InotifyAddWatch(fd, path, syscall.IN_OPEN)
		if err != nil {
			t.Fatal(err)
		}
		w.names[int32(wd)] = name
	}
	return w
}

// opened gives what was opened since it was asked last, each once.
func (w *watcher) opened() string {
	w.t.Helper()
	seen := map[string]bool{}
	var buffer [64 << 10]byte
	for {
		n, err := syscall.Read(w.fd, buffer[:])
		if err != nil || n <= 0 {
			break
		}
		for rest := buffer[:n]; len(rest) >= syscall.SizeofInotifyEvent; {
			seen[w.names[int32(binary.NativeEndian.Uint32(rest))]] = true
			rest = rest[syscall.SizeofInotifyEvent+int(binary.NativeEndian.Uint32(rest[12:])):]
		}
	}
	var all []string
	for _, name := range []string{first, second} {
		if seen[name] {
			all = append(all, name)
		}
	}
	return strings.Join(all, " ")
}

// TestAnInstallationUpdatesItself lets acc 1.0.0 become 1.1.0 by itself while hooks of a session run without pause.
func TestAnInstallationUpdatesItself(t *testing.T) {
	c := newComputer(t, first)
	before := c.control().Active
	if before.Version != first {
		t.Fatalf("%+v", before)
	}
	hookOf := func(generation string) string {
		return filepath.Join(c.data, "acc", "runtime", "generations", generation, "bin", "acc-hook")
	}
	old := c.open("00000000-0000-4000-8000-00000000000a", false)
	if pins, _ := filepath.Glob(filepath.Join(c.data, "acc", "runtime", "pins", "*.json")); len(pins) != 1 {
		t.Fatalf("the session is not pinned: %v", pins)
	}

	// Any command starts the worker, once a release was not looked for since a day; it never was.
	c.registry.publish(t, c.releases, second)
	stop, stopped := make(chan struct{}), make(chan struct{})
	turns := 0
	old.updating = true
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				old.turn()
				turns++
			}
		}
	}()
	if out, err := c.acc("status"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.await("the new release is active", func() bool { return c.control().Active.Version == second && c.control().Phase == "ready" })
	c.await("the worker has ended", func() bool {
		_, err := os.Stat(filepath.Join(c.data, "acc", "runtime", "reclaim.json"))
		return err == nil
	})
	close(stop)
	<-stopped
	old.updating = false
	t.Logf("%d turns while it updated itself, of which %d were skipped", turns, old.skipped)
	if turns <= old.skipped {
		t.Error("no hook did its work meanwhile")
	}

	// The session stays on the release that it began with; a new one has the new release.
	w := watch(t, map[string]string{first: hookOf(before.Generation), second: hookOf(c.control().Active.Generation)})
	old.turn()
	if got := w.opened(); !strings.Contains(got, first) {
		t.Errorf("a hook of the old session ran %q", got)
	}
	young := c.open("00000000-0000-4000-8000-00000000000b", false)
	young.turn()
	if got := w.opened(); got != second {
		t.Errorf("hooks of a new session ran %q", got)
	}
	if got := c.generations(); len(got) != 2 {
		t.Errorf("generations: %v", got)
	}
	if out, err := c.acc("status"); err != nil || !strings.Contains(out, "claude_code") {
		t.Errorf("%v: %s", err, out)
	}

	// When it ends, the client's next session moves on, and the old release goes.
	old.end()
	_ = w.opened()
	old.id = "00000000-0000-4000-8000-00000000000c"
	old.hook("SessionStart", `"source":"startup"`)
	if got := w.opened(); got != second {
		t.Errorf("after its session has ended, the client ran %q", got)
	}
	if out, err := c.acc("update"); err != nil || !strings.Contains(out, "nothing later") {
		t.Errorf("%v: %s", err, out)
	}
	if got := c.generations(); len(got) != 1 || got[0] != second {
		t.Errorf("generations: %v", got)
	}
	old.turn()
	young.turn()
}

// TestAskedUpdates lets people do it: look, choose, update, and go back.
func TestAskedUpdates(t *testing.T) {
	c := newComputer(t, first)
	say := func(want string, args ...string) {
		t.Helper()
		if out, err := c.acc(args...); err != nil || !strings.Contains(out, want) {
			t.Errorf("acc %s: %v: %s", strings.Join(args, " "), err, out)
		}
	}
	say("1.0.0 is active; later releases are not looked for", "update", "--auto", "off")
	say("the registry has nothing later", "update", "--check")
	c.registry.publish(t, c.releases, second)
	say("acc 1.1.0 is there; 1.0.0 is active", "update", "--check")
	say("updates stay on 1.0.0", "update", "--pin", first)
	say("the registry has nothing later", "update")
	say("1.0.0 is active", "update", "--pin", "none")
	say("acc 1.1.0 is active; it was 1.0.0", "update")
	say("acc 1.1.0 (", "version")
	out, err := c.acc("update", "--json")
	var answer struct {
		Data struct{ Outcome, Active, Latest string }
	}
	if err != nil || json.Unmarshal([]byte(out), &answer) != nil || answer.Data.Outcome != "current" || answer.Data.Active != second || answer.Data.Latest != second {
		t.Errorf("%v: %s", err, out)
	}
	if got := c.generations(); len(got) != 1 {
		t.Errorf("generations: %v", got)
	}

	// An older release is taken only where somebody says so.
	unpacked := t.TempDir()
	unpack(t, filepath.Join(c.dirs[first], "acc-"+first+"-"+c.here.Name+".tar.gz"), unpacked)
	if out, err := c.run(filepath.Join(unpacked, "bin", "acc"), "install", "--adapter", "claude_code"); err == nil {
		t.Errorf("an older release was installed: %s", out)
	}
	if got := c.control(); got.Active.Version != second || got.Pending != nil {
		t.Errorf("%+v", got)
	}
	c.install(first, "--downgrade")
	c.await("the older release is active", func() bool {
		if c.control().Active.Version == first {
			return true
		}
		_, _ = c.acc("update") // finishes what waits
		return c.control().Active.Version == first
	})
}

// TestTamperedReleaseIsRefused: a bit in the package that the registry serves, with the registry's own hash made to
// fit, leaves the old release active.
func TestTamperedReleaseIsRefused(t *testing.T) {
	c := newComputer(t, first)
	good, err := os.ReadFile(c.tgz(second, c.carrier()))
	if err != nil {
		t.Fatal(err)
	}
	c.registry.publish(t, c.releases, second)
	described, err := describe(c.tgz(second, c.carrier()))
	if err != nil {
		t.Fatal(err)
	}
	evil := bytes.Clone(good)
	evil[len(evil)/2] ^= 1
	c.registry.serve(c.carrier(), second, &published{described: described, archive: evil})
	out, err := c.acc("update")
	if err == nil || !strings.Contains(out, "the package is refused") && !strings.Contains(out, "registry") {
		t.Errorf("%v: %s", err, out)
	}
	if got := c.control(); got.Active.Version != first || got.Pending != nil || len(c.generations()) != 1 {
		t.Errorf("%+v, %v", got, c.generations())
	}
}

// TestEveryFileOfAReleaseCounts flips a bit at the beginning, in the middle and at the end of each file in the package of a
// real release, signature and manifest included, with the registry's own hash made to fit. Nothing of it is started, the
// old release stays, and both acc update and acc doctor say why.
func TestEveryFileOfAReleaseCounts(t *testing.T) {
	expensive(t)
	c := newComputer(t, first)
	c.registry.publish(t, c.releases, second)
	described, err := describe(c.tgz(second, c.carrier()))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := os.Open(c.tgz(second, c.carrier()))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	var entries []*tar.Header
	var contents [][]byte
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	for all := tar.NewReader(unzipped); ; {
		h, err := all.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(all)
		if err != nil {
			t.Fatal(err)
		}
		entries, contents = append(entries, h), append(contents, content)
	}
	for i, e := range entries {
		for _, at := range []int{0, len(contents[i]) / 2, len(contents[i]) - 1} {
			contents[i][at] ^= 1
			c.registry.serve(c.carrier(), second, &published{described: described, archive: repacked(t, entries, contents)})
			contents[i][at] ^= 1
			out, err := c.acc("update")
			if err == nil || !strings.Contains(out, "the package is refused") && !strings.Contains(out, "signed") && !strings.Contains(out, "signature") {
				t.Errorf("%s at %d: %v: %s", e.Name, at, err, out)
			}
			if got := c.control(); got.Active.Version != first || got.Pending != nil || got.Phase != "ready" || len(c.generations()) != 1 {
				t.Errorf("%s at %d: %+v, %v", e.Name, at, got, c.generations())
			}
		}
	}
	if out, err := c.acc("doctor"); !strings.Contains(out, "the package is refused") {
		t.Errorf("%v: %s", err, out)
	}
	c.registry.serve(c.carrier(), second, &published{described: described, archive: repacked(t, entries, contents)})
	if out, err := c.acc("update"); err != nil || c.control().Active.Version != second {
		t.Errorf("untouched: %v: %s", err, out)
	}
	t.Logf("%d files", len(entries))
}

// repacked is a package again, without the time that compressing takes.
func repacked(t *testing.T, entries []*tar.Header, contents [][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(zipped)
	for i, h := range entries {
		if err := archive.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write(contents[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

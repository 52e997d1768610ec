package samplevendor

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// play lets two sessions of the client work in one repository, with the assembled acc.
func (v *vendor) play() {
	p := newPlay(v)
	const mine = "{\n  \"theme\": \"dark\"\n}\n"
	p.store("home/.echo/settings.json", mine)
	p.acc("install", "--adapter", "echo", "--delivery", "actionable")

	ada, ben := p.session("ada"), p.session("ben")
	p.acc("status").has("ada  online", "ben  online")

	// The guard: what one holds, the other is refused, by the file tool and by the shell.
	ada.say("shell acc claim --resource src/a.txt --enforcement guarded --reason porting "+ada.owner).has("claimed file:src/a.txt", "ran shell")
	ben.say("write src/a.txt mine").has("refused: src/a.txt is claimed by ada")
	ben.say("shell echo mine >src/a.txt").has("refused: src/a.txt is claimed by ada")
	ada.say("write src/a.txt hers").has("ran write")
	if text := p.read("project/src/a.txt"); text != "hers\n" {
		p.Errorf("src/a.txt has %q", text)
	}

	// The projection: a note, which wakes nobody, reaches the model with its next turn.
	note := ada.message("note", "Clamp", "it moves to floats")
	p.acc("receipts", note).has("ben  queued")
	ben.say("prompt hello").has("context| ```acc-peer-message", "it moves to floats")
	p.acc("receipts", note).has("ben  offered")

	// The live offer: a question is handed to the idle session, which begins a turn with it.
	ben.say("stop")
	question := ada.message("question", "Clamp?", "which half is yours?")
	ben.say("listen 10").has("prompt| [acc wake]", "which half is yours?")
	p.acc("receipts", question).has("ben  offered")

	// The certification: doctor says what was proved with this client's version.
	p.acc("doctor").has("Echo 1.0.0", "refused edits", "0 FAIL")

	// Out again, to the byte.
	ada.end()
	ben.end()
	p.acc("status").hasNot("ada  online", "ben  online")
	p.acc("uninstall", "--adapter", "echo")
	if text := p.read("home/.echo/settings.json"); text != mine {
		p.Errorf("after uninstalling the settings are %q", text)
	}
}

// play is a home, a repository and an environment.
type play struct {
	*testing.T
	dir string
	env []string
}

func newPlay(v *vendor) *play {
	p := &play{T: v.T, dir: v.dir}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "ACC_") && !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "XDG_") && name != "HOME" && name != "PATH" {
			p.env = append(p.env, pair)
		}
	}
	p.env = append(p.env, "HOME="+p.path("home"), "PATH="+v.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "ACC_DATA_HOME="+p.path("data"))
	for _, dir := range []string{"home/.echo", "project/src"} {
		if err := os.MkdirAll(p.path(dir), 0o700); err != nil {
			p.Fatal(err)
		}
	}
	p.run("git", "init", "-q")
	return p
}

func (p *play) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *play) store(name, text string) {
	p.Helper()
	if err := os.WriteFile(p.path(name), []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

func (p *play) read(name string) string {
	p.Helper()
	data, err := os.ReadFile(p.path(name))
	if err != nil {
		p.Error(err)
	}
	return string(data)
}

// printed is what a command or a client printed.
type printed struct {
	*testing.T
	what, text string
}

func (o printed) has(parts ...string) {
	o.Helper()
	for _, part := range parts {
		if !strings.Contains(o.text, part) {
			o.Errorf("%s: nothing of %q in\n%s", o.what, part, o.text)
		}
	}
}

func (o printed) hasNot(parts ...string) {
	o.Helper()
	for _, part := range parts {
		if strings.Contains(o.text, part) {
			o.Errorf("%s: there is %q in\n%s", o.what, part, o.text)
		}
	}
}

func (p *play) run(name string, args ...string) printed {
	p.Helper()
	cmd := p.command(name, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return printed{p.T, strings.Join(cmd.Args, " "), string(out)}
}

func (p *play) acc(args ...string) printed { p.Helper(); return p.run("acc", args...) }

// command gives a command in the repository. It is looked up where the sessions look.
func (p *play) command(name string, args ...string) *exec.Cmd {
	if own := filepath.Join(p.dir, "bin", name); fileThere(own) {
		name = own
	}
	cmd := exec.CommandContext(p.Context(), name, args...)
	cmd.Dir, cmd.Env = p.path("project"), slices.Clone(p.env)
	return cmd
}

func fileThere(path string) bool { _, err := os.Stat(path); return err == nil }

// session is a client that runs.
type session struct {
	*play
	name  string
	owner string // the options of its acc header
	cmd   *exec.Cmd
	input io.WriteCloser
	lines *bufio.Scanner
}

var header = regexp.MustCompile(`(?m)^context\| ACC CLI \(append\): (--session .*)$`)

func (p *play) session(name string) *session {
	p.Helper()
	cmd := p.command("echo-client", "-session", "echo-"+name)
	cmd.Env = append(cmd.Env, "ACC_PARTICIPANT="+name)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		p.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	limit := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() }) // a client that hangs ends the test
	p.Cleanup(func() { limit.Stop(); _ = cmd.Process.Kill() })
	s := &session{play: p, name: name, cmd: cmd, input: input, lines: bufio.NewScanner(out)}
	first := s.say("prompt good morning")
	found := header.FindStringSubmatch(first.text)
	if found == nil {
		p.Fatalf("%s was told no owner header:\n%s", name, first.text)
	}
	s.owner = found[1]
	return s
}

// say plays one step and gives what the client printed up to its end.
func (s *session) say(step string) printed {
	s.Helper()
	if _, err := fmt.Fprintln(s.input, step); err != nil {
		s.Fatalf("%s: %s: %v", s.name, step, err)
	}
	word, _, _ := strings.Cut(step, " ")
	var text strings.Builder
	for s.lines.Scan() {
		if line := s.lines.Text(); line != "done "+word {
			text.WriteString(line + "\n")
			continue
		}
		break
	}
	return printed{s.T, s.name + ": " + step, text.String()}
}

var messageID = regexp.MustCompile(`message_[0-9A-Z]+`)

// message sends one to ben from the model's shell, and gives its id.
func (s *session) message(kind, subject, body string) string {
	s.Helper()
	out := s.say(fmt.Sprintf("shell acc message --to ben --type %s --subject '%s' --body '%s' %s", kind, subject, body, s.owner))
	id := messageID.FindString(out.text)
	if id == "" {
		s.Fatalf("%s: no message id in\n%s", out.what, out.text)
	}
	return id
}

func (s *session) end() {
	s.Helper()
	_ = s.input.Close()
	for s.lines.Scan() {
		continue
	}
	if err := s.cmd.Wait(); err != nil {
		s.Errorf("%s: %v", s.name, err)
	}
}

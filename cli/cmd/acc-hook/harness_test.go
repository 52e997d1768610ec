package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// executable is the program under test, built once from this checkout.
var executable string

func TestMain(m *testing.M) {
	if step := os.Getenv("ACC_TEST_STOP_AT"); step != "" {
		holdWriterLock(step)
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "acc-hook-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		executable = filepath.Join(dir, "acc-hook.exe")
		build := exec.Command("go", "build", "-o", executable, ".")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "go build:", err)
			return 1
		}
		return m.Run()
	}())
}

// machine is a user's machine: a data home and a project in a Git repository.
type machine struct {
	t       *testing.T
	home    string
	project string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, home: filepath.Join(root, "data"), project: filepath.Join(root, "project")}
	if err := os.MkdirAll(filepath.Join(m.project, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	git := exec.Command("git", "-c", "init.defaultBranch=main", "init", "-q", m.project)
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	return m
}

// room enters the project's room as any other program of acc would.
func (m *machine) room() *room.Room {
	m.t.Helper()
	r, err := room.Enter(context.Background(), room.Request{Dir: m.project, Env: func(name string) string {
		if name == "ACC_DATA_HOME" {
			return m.home
		}
		return ""
	}})
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

// conversation is one session of the client.
type conversation struct {
	*machine
	id  string
	cwd string
	env []string
}

var conversations atomic.Int64

func (m *machine) conversation(name string) *conversation {
	return &conversation{
		machine: m, cwd: m.project,
		id:  fmt.Sprintf("%s-%d", name, conversations.Add(1)),
		env: []string{"ACC_PARTICIPANT=" + name, "CLAUDE_PID=" + strconv.Itoa(os.Getpid()), "AI_AGENT=claude-code_2-1-332_harness"},
	}
}

// result is what a hook left behind.
type result struct {
	code           int
	stdout, stderr string
	took           time.Duration
}

// context is the text that the answer adds to the model's context.
func (r result) context(t *testing.T) string { return r.member(t, "additionalContext") }

func (r result) member(t *testing.T, name string) string {
	t.Helper()
	if r.stdout == "" {
		return ""
	}
	d := jsontext.NewDecoder(strings.NewReader(r.stdout))
	for {
		token, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return ""
		}
		if err != nil {
			t.Fatalf("%q is not JSON: %v", r.stdout, err)
		}
		if token.Kind() == '"' && token.String() == name {
			value, err := d.ReadToken()
			if err != nil {
				t.Fatal(err)
			}
			return value.String()
		}
	}
}

// payload gives the start of every payload of the conversation; more are members after it.
func (c *conversation) payload(event string, more ...string) string {
	var b bytes.Buffer
	b.WriteString(`{"session_id":` + quoted(c.id) + `,"transcript_path":"/x.jsonl","cwd":` + quoted(c.cwd) + `,"hook_event_name":` + quoted(event))
	for _, member := range more {
		b.WriteString("," + member)
	}
	return b.String() + "}"
}

func quoted(s string) string {
	q, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err)
	}
	return string(q)
}

// command prepares one hook process.
func (c *conversation) command(payload string) *exec.Cmd {
	cmd := exec.Command(executable, "claude_code")
	cmd.Dir = os.TempDir() // a hook may be started anywhere
	cmd.Env = append([]string{"ACC_DATA_HOME=" + c.home, "PATH=/nowhere", "TZ=UTC"}, c.env...)
	cmd.Stdin = strings.NewReader(payload)
	return cmd
}

// run runs a prepared hook process to its end.
func run(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	started := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), time.Since(started)}
}

// hook runs one hook and insists that it did not complain.
func (c *conversation) hook(event string, more ...string) result {
	c.t.Helper()
	r := run(c.t, c.command(c.payload(event, more...)))
	if r.code != 0 || r.stderr != "" {
		c.t.Fatalf("%s: exit %d, stderr %q, stdout %q", event, r.code, r.stderr, r.stdout)
	}
	return r
}

func (c *conversation) start(source string) result {
	c.t.Helper()
	return c.hook("SessionStart", `"source":`+quoted(source))
}

func (c *conversation) prompt() result {
	c.t.Helper()
	return c.hook("UserPromptSubmit", `"prompt":"go on"`)
}

func (c *conversation) edit(file string) result {
	c.t.Helper()
	return c.hook("PreToolUse", `"tool_name":"Edit"`, `"tool_input":{"file_path":`+quoted(file)+`,"old_string":"a","new_string":"b"}`)
}

func (c *conversation) afterTool() result {
	c.t.Helper()
	return c.hook("PostToolUse", `"tool_name":"Bash"`, `"tool_input":{"command":"true"}`, `"tool_response":{"stdout":""}`)
}

// owner reads the pair out of the header line, as a model would.
func owner(t *testing.T, context string) core.Owner {
	t.Helper()
	words := strings.Fields(context)
	var o core.Owner
	for i := range len(words) - 1 {
		switch words[i] {
		case "--session":
			o.SessionID = words[i+1]
		case "--generation":
			o.Generation = words[i+1]
		}
	}
	if o.SessionID == "" || o.Generation == "" {
		t.Fatalf("no owner header in %q", context)
	}
	return o
}

// receipt gives the state of a message with a participant.
func (m *machine) receipt(messageID, participant string) protocol.Receipt {
	m.t.Helper()
	receipts, err := m.room().Core.Receipts(context.Background(), messageID)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, r := range receipts {
		if r.RecipientParticipantID == participant {
			return r
		}
	}
	m.t.Fatalf("no receipt of %s with %s in %+v", messageID, participant, receipts)
	return protocol.Receipt{}
}

// ask sends a question as from to to and gives its id.
func (m *machine) ask(from core.Owner, to, subject, body string) string {
	m.t.Helper()
	sent, err := m.room().Core.Send(context.Background(), from, core.SendRequest{
		To: []string{to}, MessageKind: protocol.Question, Subject: subject, Body: body,
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return sent.Message.MessageID
}

// claim takes a guarded exclusive claim.
func (m *machine) claim(o core.Owner, resource, reason string) protocol.Claim {
	m.t.Helper()
	got, err := m.room().Core.Claim(context.Background(), o, core.ClaimRequest{
		Resource: resource, Mode: protocol.Exclusive, Enforcement: protocol.Guarded, Reason: reason,
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return got.Claim
}

// roster gives the sessions that are not offline.
func (m *machine) roster() []core.SessionStatus {
	m.t.Helper()
	status, err := m.room().Core.Status(context.Background(), core.StatusQuery{})
	if err != nil {
		m.t.Fatal(err)
	}
	return slices.DeleteFunc(status.Sessions, func(s core.SessionStatus) bool { return s.Presence == protocol.Offline })
}

// openSessions gives the ids of the sessions that are not offline.
func (m *machine) openSessions() []string {
	m.t.Helper()
	var ids []string
	for _, s := range m.roster() {
		ids = append(ids, s.SessionID)
	}
	return ids
}

// bindingFiles gives the owner files of the room.
func (m *machine) bindingFiles() []string {
	m.t.Helper()
	names, err := filepath.Glob(filepath.Join(m.room().Dir, "bindings", "*"))
	if err != nil {
		m.t.Fatal(err)
	}
	return names
}

// isHex says that s is n hex digits.
func isHex(s string, n int) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == n
}

//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
)

// bin is where the executables of this checkout and the client are.
var bin string

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "agy" {
		os.Exit(agy(os.Args[1:]))
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "acc-relay-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		bin = dir
		build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "../acc", "../acc-hook", ".")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "go build:", err)
			return 1
		}
		return m.Run()
	}())
}

// machine has a project, a person's shell that is attached as "asker", and a conversation of the client that
// takes part as "reader".
type machine struct {
	*testing.T
	ctx     context.Context
	home    datahome.Home
	project string
	env     []string
	asker   []string // owner pair

	client *exec.Cmd
	orders io.Writer
	done   *bufio.Scanner
	header string // of the reader, as its model was told
}

func newMachine(t *testing.T, policy protocol.LivePolicy) *machine {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	m := &machine{T: t, ctx: ctx, home: datahome.Home{Root: filepath.Join(root, "data")}, project: filepath.Join(root, "project")}
	m.env = []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + root, "TMPDIR=" + os.TempDir(), "ACC_DATA_HOME=" + m.home.Root, "ACC_PARTICIPANT=reader", behaviourVariable + "=" + filepath.Join(root, "behaviour")}
	if out, err := exec.Command("git", "-c", "init.defaultBranch=main", "init", "-q", m.project).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	m.must(livefiles.NewPolicies(m.home).SetLivePolicy("antigravity", policy))
	pair := strings.Fields(m.acc("attach", "--participant", "asker"))
	m.asker = []string{"--session", pair[0], "--generation", pair[1]}
	m.start()
	return m
}

func (m *machine) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// acc runs a command in the person's shell.
func (m *machine) acc(args ...string) string {
	m.Helper()
	cmd := exec.CommandContext(m.ctx, filepath.Join(bin, "acc"), args...)
	cmd.Dir, cmd.Env = m.project, m.env
	out, err := cmd.Output()
	if err != nil {
		m.Fatalf("acc %v: %v\n%s", args, err, err.(*exec.ExitError).Stderr)
	}
	return string(out)
}

// start starts the client and lets a person have a first turn with it.
func (m *machine) start() {
	m.Helper()
	link := filepath.Join(bin, "agy")
	self, err := os.Executable()
	m.must(err)
	if err := os.Link(self, link); err != nil && !errors.Is(err, fs.ErrExist) {
		data, err := os.ReadFile(self) // another file system
		m.must(err)
		m.must(os.WriteFile(link, data, 0o755))
	}
	m.client = exec.CommandContext(m.ctx, link)
	m.client.Dir, m.client.Env = m.project, m.env
	orders, err := m.client.StdinPipe()
	m.must(err)
	out, err := m.client.StdoutPipe()
	m.must(err)
	m.orders, m.done = orders, bufio.NewScanner(out)
	m.done.Buffer(nil, 1<<20)
	m.must(m.client.Start())
	m.Cleanup(m.kill)
	m.hook("SessionStart")
	told := m.turn()
	m.header = regexp.MustCompile(`--session \S+ --generation \S+ --cwd \S+ --workspace \S+`).FindString(told)
	if m.header == "" {
		m.Fatalf("the model was told %q", told)
	}
}

func (m *machine) kill() { _ = m.client.Process.Kill(); _ = m.client.Wait() }

func (m *machine) obey(o order) done {
	m.Helper()
	line, err := json.Marshal(o)
	m.must(err)
	_, err = m.orders.Write(append(line, '\n'))
	m.must(err)
	var d done
	if !m.done.Scan() {
		m.Fatalf("the client ended: %v", m.done.Err())
	}
	m.must(json.Unmarshal(m.done.Bytes(), &d))
	return d
}

func (m *machine) hook(event string, members ...string) string {
	m.Helper()
	payload := `{"conversationId":"` + conversationID + `","workspacePaths":["` + m.project + `"]`
	for _, member := range members {
		payload += "," + member
	}
	d := m.obey(order{Hook: event, Payload: payload + "}"})
	if d.Code != 0 || d.Errors != "" {
		m.Fatalf("%s: exit %d, %s", event, d.Code, d.Errors)
	}
	return d.Out
}

// turn is the beginning of a turn: what the hook adds to it, decoded.
func (m *machine) turn() string {
	m.Helper()
	var answer struct {
		Steps []struct {
			Message string `json:"ephemeralMessage"`
		} `json:"injectSteps"`
	}
	out := m.hook("PreInvocation", `"invocationNum":0`)
	if out == "" {
		return ""
	}
	m.must(json.Unmarshal([]byte(out), &answer))
	return answer.Steps[0].Message
}

// rest is the end of a turn.
func (m *machine) rest() { m.Helper(); m.hook("Stop", `"executionNum":0`) }

func (m *machine) shell(command string) done { m.Helper(); return m.obey(order{Shell: command}) }

// delivery is one outcome as acc prints it.
type delivery struct {
	Outcome   string `json:"outcome"`
	Transport string `json:"transport"`
	Code      string `json:"errorCode"`
	Native    string `json:"nativeReasonCode"`
}

func (m *machine) ask(subject string) (id string, d delivery) {
	m.Helper()
	out := m.acc(append([]string{"message", "--json", "--to", "reader", "--type", "question", "--subject", subject, "--body", "the body of " + subject}, m.asker...)...)
	var sent struct {
		Data struct {
			Message struct {
				ID string `json:"messageId"`
			} `json:"message"`
			Delivery []delivery `json:"delivery"`
		} `json:"data"`
	}
	m.must(json.Unmarshal([]byte(out), &sent))
	return sent.Data.Message.ID, sent.Data.Delivery[0]
}

func (m *machine) receipt(id string) string {
	m.Helper()
	var got struct {
		Data struct {
			Receipts []struct {
				State string `json:"state"`
			} `json:"receipts"`
		} `json:"data"`
	}
	m.must(json.Unmarshal([]byte(m.acc("receipts", "--json", id)), &got))
	return got.Data.Receipts[0].State
}

// relay starts a relay as an agent does.
func (m *machine) relay() done { m.Helper(); return m.shell("acc-antigravity-relay " + m.header) }

// record is what the relay leaves for hooks.
func (m *machine) record() (r struct {
	PID    int    `json:"pid"`
	Socket string `json:"socketPath"`
}, found bool) {
	m.Helper()
	names, err := filepath.Glob(filepath.Join(m.home.Acc(), "live-endpoints", "antigravity_relay_*.json"))
	m.must(err)
	if len(names) != 1 {
		return r, false
	}
	data, err := os.ReadFile(names[0])
	m.must(err)
	m.must(json.Unmarshal(data, &r))
	return r, true
}

var woken = delivery{Outcome: "woken", Transport: "antigravity-relay"}

// TestVersion needs no client.
func TestVersion(t *testing.T) {
	out, err := exec.Command(filepath.Join(bin, "acc-antigravity-relay"), "--version").CombinedOutput()
	if err != nil || string(out) != "acc-antigravity-relay 0.0.0-devel\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// TestStory: without a relay a question waits; with one it wakes the idle conversation, whose hook brings
// the body and whose agent answers; and with the client the relay is gone.
func TestStory(t *testing.T) {
	m := newMachine(t, protocol.LiveActionable)
	m.rest()
	early, d := m.ask("early")
	if d != (delivery{Outcome: "queued", Transport: "durable", Code: "no_live_transport", Native: "native_endpoint_unavailable"}) {
		t.Errorf("without a relay: %+v", d)
	}
	if told := m.turn(); !strings.Contains(told, "the body of early") || m.receipt(early) != "offered" {
		t.Errorf("the next turn: %q, %s", told, m.receipt(early))
	}

	if got := m.relay(); got.Code != 0 || !strings.HasPrefix(got.Out, "started: ") || got.Errors != "" {
		t.Fatalf("the relay: %+v", got)
	}
	if got := m.relay(); got.Code != 0 || !strings.HasPrefix(got.Out, "already started: ") {
		t.Errorf("again: %+v", got)
	}
	m.rest()
	id, d := m.ask("late")
	if d != woken {
		t.Fatalf("an idle conversation: %+v", d)
	}
	if state := m.receipt(id); state != "queued" {
		t.Errorf("nobody has looked yet, the receipt says %s", state)
	}
	if _, d := m.ask("second"); d.Code != "wake_in_flight" {
		t.Errorf("a second wake at once: %+v", d)
	}
	got := m.obey(order{Woken: true}).Woken
	if len(got) != 1 || !strings.HasPrefix(got[0], "[acc wake] Message "+id+" ") || strings.Contains(got[0], "body") {
		t.Fatalf("the conversation was told %q", got)
	}
	if told := m.turn(); !strings.Contains(told, "the body of late") || m.receipt(id) != "offered" {
		t.Errorf("the woken turn: %q, %s", told, m.receipt(id))
	}
	if got := m.shell("acc reply --message " + id + " --body 'It works.' " + m.header); got.Code != 0 {
		t.Errorf("the answer: %+v", got)
	}
	if state := m.receipt(id); state != "acknowledged" {
		t.Errorf("answered, and %s", state)
	}
	m.rest()
	m.private()

	record, _ := m.record()
	m.kill()
	for errors.Is(syscall.Kill(record.PID, 0), nil) {
		if m.ctx.Err() != nil {
			t.Fatal("the relay outlives the client")
		}
		time.Sleep(50 * time.Millisecond)
	}
	if _, found := m.record(); found {
		t.Error("its record is left")
	}
	if _, err := os.Stat(filepath.Dir(record.Socket)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its socket is left: %v", err)
	}
	if _, d := m.ask("too late"); d.Outcome != "queued" || d.Code != "recipient_offline" {
		t.Errorf("after the client: %+v", d)
	}
}

// private: neither credential is in a file of acc, in what acc shows, or in what others may see of the relay.
func (m *machine) private() {
	m.Helper()
	record, found := m.record()
	if !found {
		m.Fatal("no record")
	}
	generation := regexp.MustCompile(`--generation (\S+)`).FindStringSubmatch(m.header)[1]
	look := func(where, text string, secrets ...string) {
		m.Helper()
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				m.Errorf("%s shows %.12s…", where, secret)
			}
		}
	}
	m.must(filepath.WalkDir(m.home.Root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		look(path, string(data), csrfToken)
		if strings.Contains(path, "live-endpoints") {
			look(path, string(data), generation)
		}
		return err
	}))
	for _, args := range [][]string{{"status"}, {"status", "--json"}, {"doctor"}, {"doctor", "--json"}, {"sync", "--json", "--scope", "full"}} {
		cmd := exec.CommandContext(m.ctx, filepath.Join(bin, "acc"), args...)
		cmd.Dir, cmd.Env = m.project, m.env
		out, _ := cmd.CombinedOutput() // doctor may find fault with this machine
		look("acc "+args[0], string(out), csrfToken, generation, record.Socket, "antigravity_endpoint_")
	}
	if runtime.GOOS == "linux" {
		for _, name := range []string{"cmdline", "environ"} {
			data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", record.PID, name))
			m.must(err)
			look(name, string(data), csrfToken, generation)
		}
	}
}

// TestMisbehavingCommand: whatever the client's command does with a wake, the receipt stays queued until a hook has
// shown the body, which it does once.
func TestMisbehavingCommand(t *testing.T) {
	m := newMachine(t, protocol.LiveActionable)
	if got := m.relay(); got.Code != 0 {
		t.Fatalf("%+v", got)
	}
	m.rest()
	failed := func(code string) delivery {
		return delivery{Outcome: "queued", Transport: "antigravity-relay", Code: code}
	}
	for how, want := range map[string]delivery{
		"drops": woken, "refuses": failed("transport_rejected"), "hangs": failed("transport_error"),
	} {
		m.must(os.WriteFile(filepath.Join(filepath.Dir(m.project), "behaviour"), []byte(how), 0o600))
		id, d := m.ask(how)
		if d != want || m.receipt(id) != "queued" {
			t.Errorf("%s: %+v, %s", how, d, m.receipt(id))
		}
		if told := m.turn(); strings.Count(told, "the body of "+how) != 1 || m.receipt(id) != "offered" {
			t.Errorf("%s: the next turn shows %q, %s", how, told, m.receipt(id))
		}
		m.rest()
	}
}

// TestTerminated: terminated, it leaves nothing; and the next question waits without a claim.
func TestTerminated(t *testing.T) {
	m := newMachine(t, protocol.LiveActionable)
	if got := m.relay(); got.Code != 0 {
		t.Fatalf("%+v", got)
	}
	m.rest()
	record, _ := m.record()
	m.must(syscall.Kill(record.PID, syscall.SIGTERM))
	for errors.Is(syscall.Kill(record.PID, 0), nil) {
		if m.ctx.Err() != nil {
			t.Fatal("it does not end")
		}
		time.Sleep(20 * time.Millisecond)
	}
	id, d := m.ask("q")
	if d != (delivery{Outcome: "queued", Transport: "antigravity-relay", Code: "recipient_unavailable"}) || m.receipt(id) != "queued" {
		t.Errorf("%+v, %s", d, m.receipt(id))
	}
	if got := m.relay(); !strings.HasPrefix(got.Out, "started: ") {
		t.Errorf("again: %+v", got)
	}
}

// TestKilledRelay: one that was killed without a word is neither asked nor in the way of another, which clears up
// after it.
func TestKilledRelay(t *testing.T) {
	m := newMachine(t, protocol.LiveActionable)
	if got := m.relay(); got.Code != 0 {
		t.Fatalf("%+v", got)
	}
	m.rest()
	record, _ := m.record()
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(record.Socket)) })
	m.must(syscall.Kill(record.PID, syscall.SIGKILL))
	for errors.Is(syscall.Kill(record.PID, 0), nil) && m.ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
	}
	if _, d := m.ask("q"); d.Code != "recipient_unavailable" {
		t.Errorf("%+v", d)
	}
	old := time.Now().Add(-time.Hour)
	m.must(os.Chtimes(filepath.Dir(record.Socket), old, old))
	if got := m.relay(); !strings.HasPrefix(got.Out, "started: ") {
		t.Errorf("again: %+v", got)
	}
	if _, err := os.Lstat(filepath.Dir(record.Socket)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the killed one's directory: %v", err)
	}
	m.turn()
	m.rest()
	if _, d := m.ask("r"); d != woken {
		t.Errorf("with the next one: %+v", d)
	}
}

// TestNotStarted: each reason, and that nothing runs then.
func TestNotStarted(t *testing.T) {
	off := newMachine(t, protocol.LiveOff)
	if got := off.relay(); got.Code != 0 || !strings.HasPrefix(got.Out, "not started: ") {
		t.Errorf("switched off: %+v", got)
	}
	m := newMachine(t, protocol.LiveActionable)
	refused := func(name string, got done, code int, want string) {
		t.Helper()
		if got.Code != code || !strings.Contains(got.Errors, want) || got.Out != "" || strings.Contains(got.Errors, csrfToken) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	refused("nobody", m.shell("acc-antigravity-relay"), 2, "append the four options")
	refused("a wrong key", m.shell("acc-antigravity-relay "+regexp.MustCompile(`--generation \S+`).ReplaceAllString(m.header, "--generation AAAAAAAAAAAAAAAAAAAAAA")), 5, "")
	refused("another client's session", m.shell("cd "+m.project+" && acc-antigravity-relay "+strings.Join(m.asker, " ")), 2, "not of Antigravity")
	refused("no credential", m.shell("unset ANTIGRAVITY_CSRF_TOKEN; acc-antigravity-relay "+m.header), 2, "ANTIGRAVITY_CSRF_TOKEN")
	refused("the second half", m.shell("acc-antigravity-relay serve </dev/null >/dev/null"), 2, "without the word")
	outside := exec.CommandContext(m.ctx, "/bin/sh", "-c", "acc-antigravity-relay "+m.header)
	outside.Env = append(m.env, "ANTIGRAVITY_LS_ADDRESS=127.0.0.1:1", "ANTIGRAVITY_CSRF_TOKEN=x")
	if out, err := outside.CombinedOutput(); err == nil || !strings.Contains(string(out), "not started by Antigravity") {
		t.Errorf("another shell: %v, %s", err, out)
	}
	for _, one := range []*machine{off, m} {
		if _, found := one.record(); found {
			t.Error("a relay runs")
		}
	}
}

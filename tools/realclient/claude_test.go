//go:build unix

package realclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
)

// stage is one machine: a project, acc's data, a person's shell that is attached as "asker", and a real
// client that speaks as "reader".
type stage struct {
	*testing.T
	ctx     context.Context
	root    string
	project string
	bin     string
	home    datahome.Home
	owner   []string // of the asker
	model   *Model
}

// eventually is how long a client may take for anything.
const eventually = 60 * time.Second

// client gives the executable that a variable names, or skips.
func client(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("no real client: set %s to its executable, see doc.go", variable)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("a client needs a terminal: install tmux")
	}
	return path
}

// built is where the executables of this run are.
func built() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("acc-realclient-%d", os.Getpid()))
}

// binaries builds acc and acc-hook once.
func binaries(t *testing.T) string {
	t.Helper()
	dir := built()
	if _, err := os.Stat(filepath.Join(dir, "acc-hook")); err == nil {
		return dir
	}
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "./cmd/acc", "./cmd/acc-hook", "./cmd/acc-indicator")
	build.Dir = filepath.Join("..", "..", "cli")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(built())
	os.Exit(code)
}

func newStage(t *testing.T, adapterID string, policy protocol.LivePolicy, script Script) *stage {
	t.Helper()
	root, err := os.MkdirTemp("/tmp", "arc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	s := &stage{
		T: t, ctx: ctx, root: root, project: filepath.Join(root, "project"), bin: binaries(t), home: datahome.Home{Root: filepath.Join(root, "data")},
	}
	s.must(os.MkdirAll(s.project, 0o755))
	if out, err := exec.Command("git", "-c", "init.defaultBranch=main", "init", "-q", s.project).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	if policy != protocol.LiveOff {
		s.must(livefiles.NewPolicies(s.home).SetLivePolicy(adapterID, policy))
	}
	s.model, err = StartModel(script)
	s.must(err)
	t.Cleanup(s.model.Close)
	pair := strings.Fields(s.acc("attach", "--participant", "asker"))
	s.owner = []string{"--session", pair[0], "--generation", pair[1]}
	return s
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// acc runs a command in the project and gives its standard output.
func (s *stage) acc(args ...string) string { s.Helper(); return s.accIn(nil, args...) }

// accIn is acc with more variables.
func (s *stage) accIn(env []string, args ...string) string {
	s.Helper()
	cmd := exec.CommandContext(s.ctx, filepath.Join(s.bin, "acc"), args...)
	cmd.Dir = s.project
	cmd.Env = append(append(os.Environ(), "ACC_DATA_HOME="+s.home.Root, "HOME="+s.root), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		s.Fatalf("acc %s: %v\n%s%s", args[0], err, out.String(), errs.String())
	}
	return out.String()
}

// delivery is one outcome as acc prints it.
type delivery struct {
	Recipient       string `json:"recipientParticipantId"`
	Outcome         string `json:"outcome"`
	Transport       string `json:"transport"`
	Code            string `json:"errorCode"`
	EndReason       string `json:"endReason"`
	PendingApproval bool   `json:"pendingApproval"`
	Native          string `json:"nativeReasonCode"`
	LaunchOption    string `json:"nativeLaunchOption"`
}

// ask sends a question to the reader and gives its id and outcome.
func (s *stage) ask(body string) (string, delivery) { s.Helper(); return s.askOf("reader", body) }

func (s *stage) askOf(to, body string) (string, delivery) {
	s.Helper()
	out := s.acc(append([]string{"message", "--json", "--to", to, "--type", "question", "--subject", "a question", "--body", body}, s.owner...)...)
	var sent struct {
		Data struct {
			Message struct {
				ID string `json:"messageId"`
			} `json:"message"`
			Delivery []delivery `json:"delivery"`
		} `json:"data"`
	}
	s.must(json.Unmarshal([]byte(out), &sent))
	if len(sent.Data.Delivery) != 1 {
		s.Fatalf("no outcome in %s", out)
	}
	return sent.Data.Message.ID, sent.Data.Delivery[0]
}

// receipt is the reader's.
type receipt struct {
	State string `json:"state"`
	Offer *struct {
		Transport string `json:"transport"`
	} `json:"offer"`
}

func (s *stage) receipt(id string) receipt {
	s.Helper()
	var got struct {
		Data struct {
			Receipts []receipt `json:"receipts"`
		} `json:"data"`
	}
	s.must(json.Unmarshal([]byte(s.acc("receipts", "--json", id)), &got))
	return got.Data.Receipts[0]
}

// until waits for something that the client is about to do.
func (s *stage) until(what string, c interface{ Screen(context.Context) string }, done func() bool) {
	s.Helper()
	for deadline := time.Now().Add(eventually); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("not %s within %s; the screen:\n%s", what, eventually, c.Screen(s.ctx))
		}
	}
}

// claude starts the client and waits until it can be reached or has said that it cannot.
func (s *stage) claude(settings map[string]any, args ...string) *Claude {
	s.Helper()
	c, err := StartClaude(s.ctx, ClaudeSetup{
		Command: client(s.T, "ACC_REAL_CLAUDE"), Root: s.root, Project: s.project, Hook: filepath.Join(s.bin, "acc-hook"), Bin: s.bin,
		Data: s.home.Root, Participant: "reader", Model: s.model.URL, Settings: settings, Args: args,
	})
	s.must(err)
	s.Cleanup(c.Close)
	s.until("in the room", c, func() bool { return strings.Contains(s.acc("status"), "reader") })
	s.idle(c)
	return c
}

// idle waits until the client says that it is.
func (s *stage) idle(c *Claude) {
	s.Helper()
	s.until("idle", c, func() bool { e, err := c.Entry(); return err == nil && e.Status == "idle" })
}

// wakes counts the wakes that the model has seen, by message.
func (s *stage) wakes() int {
	seen := map[string]bool{}
	for _, r := range s.model.Requests() {
		for _, id := range regexp.MustCompile(`\[acc wake\] Message (\S+)`).FindAllStringSubmatch(r.Seen, -1) {
			seen[id[1]] = true
		}
	}
	return len(seen)
}

// answering is a model that answers every question that it is shown, with the command that the wake and
// the owner header name, and does what the person's prompt says: "bash COMMAND".
func answering(p Prompt) []Step {
	if command, ok := strings.CutPrefix(p.Newest, "bash "); ok {
		return []Step{{Tool: "Bash", Input: map[string]any{"command": command}}}
	}
	header := regexp.MustCompile(`ACC CLI \(append\): (--session \S+ --generation \S+)`).FindAllStringSubmatch(p.Seen, -1)
	id := regexp.MustCompile(`\[acc wake\] Message (\S+)`).FindStringSubmatch(p.Newest)
	if header == nil || id == nil {
		return nil
	}
	command := "acc reply --message " + id[1] + " --body 'It works.' " + header[len(header)-1][1]
	return []Step{{Tool: "Bash", Input: map[string]any{"command": command}}}
}

func silent(Prompt) []Step { return nil }

// examined looks for what acc doctor finds of an endpoint. It also finds fault with this machine, so its exit code says
// nothing here.
func (s *stage) examined(want string) {
	s.Helper()
	cmd := exec.CommandContext(s.ctx, filepath.Join(s.bin, "acc"), "doctor")
	cmd.Dir, cmd.Env = s.project, append(os.Environ(), "ACC_DATA_HOME="+s.home.Root, "HOME="+s.root)
	if out, _ := cmd.CombinedOutput(); !regexp.MustCompile(want).Match(out) {
		s.Errorf("acc doctor says nothing like %q:\n%s", want, out)
	}
}

func (s *stage) expect(got delivery, want delivery) {
	s.Helper()
	want.Recipient = "reader"
	if got != want {
		s.Errorf("outcome %+v, want %+v", got, want)
	}
}

var woken = delivery{Outcome: "woken", Transport: "claude-inbox"}

func gone(code string) delivery {
	return delivery{Outcome: "queued", Transport: "claude-inbox", Code: code}
}

// TestClaudeIdle: a question from a plain shell reaches an idle terminal in which nobody ever typed, and
// its model answers with acc reply.
func TestClaudeIdle(t *testing.T) {
	client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveActionable, answering)
	c := s.claude(nil)
	s.examined(`the endpoint of reader is verified \(livePush, idleWake, busyQueue; actionable\); its lease runs for \S+\n`)
	id, outcome := s.ask("Does it work?")
	s.expect(outcome, woken)
	s.until("answered", c, func() bool { return s.receipt(id).State == "acknowledged" })
	if r := s.receipt(id); r.Offer == nil || r.Offer.Transport != "next-turn" {
		t.Errorf("the hook carried it, the receipt says %+v", r)
	}
	if inbox := s.acc(append([]string{"inbox"}, s.owner...)...); !strings.Contains(inbox, "Re: a question") {
		t.Errorf("the asker's inbox:\n%s", inbox)
	}
	last := s.model.Requests()[len(s.model.Requests())-1].Seen
	if !strings.Contains(last, "acc-peer-message") || !strings.Contains(last, "Does it work?") {
		t.Error("the body did not reach the model by the hook")
	}
	s.idle(c)
	if got := s.acc(append([]string{"message", "--to", "reader", "--type", "note", "--subject", "n", "--body", "b"}, s.owner...)...); !strings.Contains(got, "queued") {
		t.Errorf("a note is not actionable: %s", got)
	}
}

// TestClaudeBusy: a hundred questions to a session that works cross as few wakes, none twice, and all of
// them arrive.
func TestClaudeBusy(t *testing.T) {
	client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveActionable, func(p Prompt) []Step {
		if strings.HasPrefix(p.Newest, "bash ") {
			return answering(p)
		}
		return nil
	})
	c := s.claude(nil)
	asked := filepath.Join(s.root, "asked")
	s.must(c.Type(s.ctx, "bash until test -e "+asked+"; do sleep 0.2; done"))
	s.until("busy", c, func() bool { e, err := c.Entry(); return err == nil && e.Status == "busy" })
	outcomes := map[string]int{}
	var ids []string
	for i := range 100 {
		id, o := s.ask(fmt.Sprintf("question %d", i))
		ids = append(ids, id)
		outcomes[o.Outcome+" "+o.Code]++
	}
	t.Logf("outcomes of 100 questions: %v", outcomes)
	if outcomes["woken "] != 1 || outcomes["queued wake_in_flight"] != 99 {
		t.Errorf("%v", outcomes)
	}
	s.must(os.WriteFile(asked, nil, 0o600))
	s.until("all shown", c, func() bool {
		for _, id := range ids {
			if s.receipt(id).State == "queued" {
				return false
			}
		}
		return true
	})
	t.Logf("%d wakes carried %d questions", s.wakes(), len(ids))
	if s.wakes() > 30 {
		t.Errorf("a flood: %d wakes", s.wakes())
	}
	last := s.model.Requests()[len(s.model.Requests())-1].Seen
	for i, id := range ids {
		if n := strings.Count(last, id+" | from asker"); n != 1 {
			t.Errorf("question %d was shown %d times", i, n)
		}
	}
}

// TestClaudeClear: after /clear the new conversation is reached, and nothing reaches the old one.
func TestClaudeClear(t *testing.T) {
	client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveActionable, answering)
	c := s.claude(nil)
	before, err := c.Entry()
	s.must(err)
	s.must(c.Type(s.ctx, "/clear"))
	s.until("cleared", c, func() bool { e, err := c.Entry(); return err == nil && e.SessionID != before.SessionID })
	var id string
	s.until("reachable again", c, func() bool {
		var o delivery
		id, o = s.ask("After the clearing?")
		return o == delivery{Recipient: "reader", Outcome: "woken", Transport: "claude-inbox"}
	})
	s.until("answered", c, func() bool { return s.receipt(id).State == "acknowledged" })
}

// TestClaudeResume: a conversation that its person left and came back to, in another process, is reached
// again, although the client corrects its registry only after the hooks of the start have run.
func TestClaudeResume(t *testing.T) {
	client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveActionable, answering)
	c := s.claude(nil)
	s.must(c.Type(s.ctx, "hello"))
	s.until("told", c, func() bool { return len(s.model.Requests()) > 0 })
	s.idle(c)
	before, err := c.Entry()
	s.must(err)
	s.must(c.Type(s.ctx, "/exit"))
	s.until("gone", c, func() bool { return errors.Is(syscall.Kill(c.PID(), 0), syscall.ESRCH) })
	waiting, outcome := s.ask("While you are away?")
	s.expect(outcome, delivery{Outcome: "queued", Transport: "durable", Code: "recipient_offline", EndReason: outcome.EndReason})
	c.Close()
	c = s.claude(nil, "--resume", before.SessionID)
	if after, err := c.Entry(); err != nil || after.SessionID != before.SessionID {
		t.Fatalf("resumed as %+v, %v", after, err)
	}
	id, outcome := s.ask("Back again?")
	s.expect(outcome, woken)
	s.until("answered", c, func() bool { return s.receipt(id).State == "acknowledged" })
	if r := s.receipt(waiting); r.State != "offered" {
		t.Errorf("what waited came with the same turn: %+v", r)
	}
}

// TestClaudeResumeInside: a person who types /resume in a running client changes the conversation and not the
// process; what is asked then reaches the conversation on the screen, and none of it the one that was left.
func TestClaudeResumeInside(t *testing.T) {
	client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveActionable, answering)
	c := s.claude(nil)
	s.must(c.Type(s.ctx, "the first conversation"))
	s.until("told", c, func() bool { return len(s.model.Requests()) > 0 })
	s.idle(c)
	first, err := c.Entry()
	s.must(err)
	s.must(c.Type(s.ctx, "/clear"))
	s.until("cleared", c, func() bool { e, err := c.Entry(); return err == nil && e.SessionID != first.SessionID })
	s.must(c.Type(s.ctx, "the second conversation"))
	s.until("told again", c, func() bool { r := s.model.Requests(); return r[len(r)-1].Newest == "the second conversation" })
	s.idle(c)
	second, err := c.Entry()
	s.must(err)
	pid := c.PID()
	s.must(c.Type(s.ctx, "/resume "+first.SessionID))
	s.until("resumed", c, func() bool { e, err := c.Entry(); return err == nil && e.SessionID == first.SessionID })
	s.idle(c)
	var id string
	var last delivery
	s.until("reachable", c, func() bool {
		id, last = s.ask("Back in the first?")
		return last == delivery{Recipient: "reader", Outcome: "woken", Transport: "claude-inbox"}
	})
	s.until("answered", c, func() bool { return s.receipt(id).State == "acknowledged" })
	if after, err := c.Entry(); err != nil || c.PID() != pid || after.SessionID != first.SessionID || after.SessionID == second.SessionID {
		t.Errorf("the client is at %+v, %v", after, err)
	}
	for _, r := range s.model.Requests() {
		if strings.Contains(r.Seen, "the second conversation") && strings.Contains(r.Seen, id) {
			t.Error("it reached the conversation that was left")
		}
	}
}

// TestClaudeVerifies: registry and socket are looked at before every wake, and no byte crosses when they
// are not what they were.
func TestClaudeVerifies(t *testing.T) {
	client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveActionable, silent)
	c := s.claude(nil)
	entry, err := c.Entry()
	s.must(err)
	aside := filepath.Join(s.root, "aside")
	registry, err := os.ReadFile(c.EntryPath())
	s.must(err)
	edit := func(from, to string) func() {
		return func() {
			changed := strings.Replace(string(registry), from, to, 1)
			if changed == string(registry) {
				t.Fatalf("no %s in %s", from, registry)
			}
			s.must(os.WriteFile(c.EntryPath(), []byte(changed), 0o600))
		}
	}
	start := regexp.MustCompile(`"procStart":"\d+"`).FindString(string(registry))
	restore := func() { s.must(os.WriteFile(c.EntryPath(), registry, 0o600)) }
	const foreign = "the socket is another process's"
	moveBack := func() { _ = os.Remove(entry.Socket); s.must(os.Rename(aside, entry.Socket)) }
	for _, tt := range []struct {
		name     string
		set, end func()
	}{
		{"the registry entry is gone", func() { s.must(os.Remove(c.EntryPath())) }, restore},
		{"the registry names another conversation", edit(entry.SessionID, "00000000-0000-4000-8000-00000000dead"), restore},
		{"the number was given to another process", edit(start, `"procStart":"1"`), restore},
		{"the registry names another socket", edit(entry.Socket, entry.Socket+"x"), restore},
		{"the socket is a link", func() {
			s.must(os.Rename(entry.Socket, aside))
			s.must(os.Symlink(aside, entry.Socket))
		}, moveBack},
		{foreign, func() {
			s.must(os.Rename(entry.Socket, aside))
			fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			s.must(err)
			t.Cleanup(func() { _ = syscall.Close(fd) })
			s.must(syscall.Bind(fd, &syscall.SockaddrUnix{Name: entry.Socket}))
			s.must(syscall.Listen(fd, 5))
			s.must(os.Chmod(entry.Socket, 0o600))
		}, moveBack},
	} {
		tt.set()
		id, outcome := s.ask(tt.name)
		if tt.name != foreign { // who listens is seen only by who connects, and no message is to be sent for that
			s.examined("the endpoint of reader cannot be reached: native_(session|endpoint)_unavailable")
		}
		tt.end()
		s.expect(outcome, gone("recipient_unavailable"))
		if r := s.receipt(id); r.State != "queued" {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
	if n := len(s.model.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
	id, outcome := s.ask("And now everything is as it was.")
	s.expect(outcome, woken)
	s.until("shown", c, func() bool { return s.receipt(id).State == "offered" })
}

// TestClaudeKilled: a client that dies without a word is offline, its questions wait, and the next one
// under its name gets them.
func TestClaudeKilled(t *testing.T) {
	client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveActionable, silent)
	c := s.claude(nil)
	s.must(syscall.Kill(c.PID(), syscall.SIGKILL))
	s.until("dead", c, func() bool { return errors.Is(syscall.Kill(c.PID(), 0), syscall.ESRCH) })
	id, outcome := s.ask("Anybody?")
	s.expect(outcome, delivery{Outcome: "queued", Transport: "durable", Code: "recipient_offline"})
	s.examined("stale: an endpoint is published for reader, whose session is not open")
	if _, err := os.Lstat(c.EntryPath()); errors.Is(err, fs.ErrNotExist) {
		t.Log("this version cleans its registry up even when it is killed")
	}
	c.Close()
	c = s.claude(nil)
	s.must(c.Type(s.ctx, "hello"))
	s.until("shown", c, func() bool { return s.receipt(id).State == "offered" })
}

// TestClaudeHolds: in a session that asks nobody for permission a wake waits for a person; nothing claims
// that it was delivered.
func TestClaudeHolds(t *testing.T) {
	client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveActionable, silent)
	c := s.claude(map[string]any{"skipDangerousModePermissionPrompt": true}, "--permission-mode", "bypassPermissions")
	id, outcome := s.ask("May I?")
	s.expect(outcome, delivery{Outcome: "woken", Transport: "claude-inbox", PendingApproval: true})
	s.until("held", c, func() bool { e, err := c.Entry(); return err == nil && e.Status == "waiting" })
	if r := s.receipt(id); r.State != "queued" || len(s.model.Requests()) != 0 {
		t.Errorf("%+v, the model was asked %d times", r, len(s.model.Requests()))
	}
}

// TestClaudeRefuses: a session that takes nothing from others is not asked.
func TestClaudeRefuses(t *testing.T) {
	client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveActionable, silent)
	s.claude(map[string]any{"crossSessionInbound": "refuse"})
	_, outcome := s.ask("Hello?")
	s.expect(outcome, gone("delivery_disabled"))
}

// TestClaudeOff: what was never switched on publishes nothing.
func TestClaudeOff(t *testing.T) {
	client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveOff, silent)
	s.claude(nil)
	_, outcome := s.ask("Hello?")
	s.expect(outcome, delivery{Outcome: "queued", Transport: "durable", Code: "no_live_transport"})
	if left, err := filepath.Glob(filepath.Join(s.home.Acc(), "live-endpoints", "*")); err != nil || len(left) != 0 {
		t.Errorf("published: %v, %v", left, err)
	}
}

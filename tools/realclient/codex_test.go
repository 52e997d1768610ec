//go:build unix

package realclient

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
)

// codex starts the client and lets a person type, because the client runs no hook before that.
func (s *stage) codex(config string, args ...string) *Codex {
	s.Helper()
	c := s.emptyCodex(config, args...)
	s.must(c.Type(s.ctx, "hello"))
	looks := 0
	s.until("in the room", c, func() bool {
		if looks++; looks%20 == 0 { // a client that was still starting took the key for a part of the text
			s.must(c.Enter(s.ctx))
		}
		return strings.Contains(s.acc("status"), "codex-")
	})
	return c
}

// emptyCodex starts the client.
func (s *stage) emptyCodex(config string, args ...string) *Codex {
	s.Helper()
	temp, err := os.MkdirTemp("/var/tmp", "arc")
	s.must(err)
	s.Cleanup(func() { _ = os.RemoveAll(temp) })
	c, err := StartCodex(s.ctx, CodexSetup{
		Command: client(s.T, "ACC_REAL_CODEX"), Root: s.root, Temp: temp, Project: s.project, Hook: filepath.Join(s.bin, "acc-hook"), Bin: s.bin,
		Data: s.home.Root, Model: s.model.URL, Config: config, Args: args,
	})
	s.must(err)
	s.Cleanup(c.Close)
	s.until("ready", c, func() bool { return strings.Contains(c.Screen(s.ctx), "Ask Codex") })
	return c
}

// replying answers a question that it is shown, and does what a prompt "bash COMMAND" says.
func replying(p Prompt) []Step {
	if command, ok := strings.CutPrefix(p.Newest, "bash "); ok {
		return []Step{{Tool: "exec_command", Input: map[string]any{"cmd": withHeader(p, command)}}}
	}
	id := regexp.MustCompile(`(message_\w+) \| from \S+ \| question`).FindStringSubmatch(p.Newest)
	if id == nil {
		return nil
	}
	return []Step{{Tool: "exec_command", Input: map[string]any{"cmd": withHeader(p, "ACC reply --message "+id[1]+" --body 'It works.' OWNER")}}}
}

// withHeader puts the owner pair of the conversation where a command says OWNER, and acc where it says ACC.
func withHeader(p Prompt, command string) string {
	header := regexp.MustCompile(`ACC CLI \(append\): (--session \S+ --generation \S+)`).FindAllStringSubmatch(p.Seen, -1)
	if header == nil {
		return "echo no owner header"
	}
	// The client's shell reads the profile, so that its PATH is not ours.
	return strings.NewReplacer("OWNER", header[len(header)-1][1], "ACC", filepath.Join(built(), "acc")).Replace(command)
}

const open = `sandbox_mode = "danger-full-access"`

// TestCodexIdle: a question from a plain shell reaches an idle terminal, and its model answers with acc
// reply.
func TestCodexIdle(t *testing.T) {
	client(t, "ACC_REAL_CODEX")
	s := newStage(t, "codex", protocol.LiveActionable, replying)
	c := s.codex(open)
	var id string
	var outcome delivery
	s.until("reachable", c, func() bool {
		id, outcome = s.askOf("codex", "Does it work?")
		return outcome.Code != "no_live_transport"
	})
	if outcome.Outcome != "offered" || outcome.Transport != "codex-app-server" {
		t.Errorf("outcome %+v", outcome)
	}
	s.examined(`the endpoint of codex-\S+ is verified \(livePush, idleWake, busyQueue; actionable\); its lease runs for \S+\n`)
	s.until("answered", c, func() bool { return s.receipt(id).State == "acknowledged" })
	if inbox := s.acc(append([]string{"inbox"}, s.owner...)...); !strings.Contains(inbox, "Re: a question") {
		t.Errorf("the asker's inbox:\n%s", inbox)
	}
}

// TestCodexBusy: of a hundred questions to a thread that works, one is put into its queue for each turn; its hooks tell
// the others, and all arrive once.
func TestCodexBusy(t *testing.T) {
	client(t, "ACC_REAL_CODEX")
	s := newStage(t, "codex", protocol.LiveActionable, func(p Prompt) []Step {
		if strings.HasPrefix(p.Newest, "bash ") {
			return replying(p)
		}
		return nil
	})
	c := s.codex(open)
	s.until("told", c, func() bool { return len(s.model.Requests()) > 0 })
	asked := filepath.Join(s.root, "asked")
	s.must(c.Type(s.ctx, "bash until test -e "+asked+"; do sleep 0.2; done"))
	s.until("busy", c, func() bool { r := s.model.Requests(); return strings.HasPrefix(r[len(r)-1].Newest, "bash ") })
	var ids []string
	for i := range 100 {
		id, o := s.askOf("codex", fmt.Sprintf("question %d", i))
		if ids = append(ids, id); o.Outcome != "offered" && o.Code != "wake_in_flight" {
			t.Errorf("question %d: %+v", i, o)
		}
	}
	s.must(os.WriteFile(asked, nil, 0o600))
	crossed := 0
	s.until("all shown", c, func() bool {
		crossed = 0
		for _, id := range ids {
			switch r := s.receipt(id); {
			case r.State == "queued":
				return false
			case r.Offer != nil && r.Offer.Transport == "codex-app-server":
				crossed++
			}
		}
		return true
	})
	t.Logf("%d of %d questions crossed", crossed, len(ids))
	if crossed == 0 || crossed > 15 {
		t.Errorf("%d questions took a turn each", crossed)
	}
	seen := func() string { r := s.model.Requests(); return r[len(r)-1].Seen }
	s.until("told all", c, func() bool {
		for _, id := range ids {
			if !strings.Contains(seen(), id+" | from asker") {
				return false
			}
		}
		return true
	})
	for i, id := range ids {
		if n := strings.Count(seen(), id+" | from asker"); n != 1 {
			t.Errorf("question %d was shown %d times", i, n)
		}
	}
}

// TestCodexEmpty: a terminal in which nobody has typed yet is found by who looks, and the question begins its first
// turn; its model answers with the header that its first hook tells.
func TestCodexEmpty(t *testing.T) {
	client(t, "ACC_REAL_CODEX")
	s := newStage(t, "codex", protocol.LiveActionable, replying)
	c := s.emptyCodex(open)
	s.until("found", c, func() bool { return strings.Contains(s.accIn([]string{"CODEX_HOME=" + c.home}, "status"), "codex-") })
	if n := len(s.model.Requests()); n != 0 {
		t.Errorf("looking cost %d requests", n)
	}
	id, outcome := s.askOf("codex", "Does it work?")
	if outcome.Outcome != "offered" || outcome.Transport != "codex-app-server" {
		t.Errorf("outcome %+v", outcome)
	}
	s.until("answered", c, func() bool { return s.receipt(id).State == "acknowledged" })
	if got := s.accIn([]string{"CODEX_HOME=" + c.home}, "status"); strings.Count(got, "codex-") != 1 {
		t.Errorf("one terminal shows as\n%s", got)
	}
}

// TestCodexEmbedded: a terminal that runs its thread itself is told apart, with the reason.
func TestCodexEmbedded(t *testing.T) {
	client(t, "ACC_REAL_CODEX")
	s := newStage(t, "codex", protocol.LiveActionable, replying)
	c := s.codex(open, "--no-daemon")
	id, outcome := s.askOf("codex", "Does it work?")
	if outcome.Outcome != "queued" || outcome.Code != "no_live_transport" || outcome.Native != "client_session_embedded" || outcome.LaunchOption != "--no-daemon" {
		t.Errorf("outcome %+v", outcome)
	}
	s.examined("cannot be woken: client_session_embedded.*it was started with --no-daemon")
	s.must(c.Type(s.ctx, "hello again"))
	s.until("shown", c, func() bool { return s.receipt(id).State == "offered" })
}

// TestCodexExec: a run without a terminal cannot be reached either, and what it was started as is named.
func TestCodexExec(t *testing.T) {
	client(t, "ACC_REAL_CODEX")
	s := newStage(t, "codex", protocol.LiveActionable, replying)
	asked := filepath.Join(s.root, "asked")
	temp, err := os.MkdirTemp("/var/tmp", "arc")
	s.must(err)
	s.Cleanup(func() { _ = os.RemoveAll(temp) })
	c, err := StartCodex(s.ctx, CodexSetup{
		Command: client(t, "ACC_REAL_CODEX"), Root: s.root, Temp: temp, Project: s.project, Hook: filepath.Join(s.bin, "acc-hook"), Bin: s.bin,
		Data: s.home.Root, Model: s.model.URL, Config: open, Args: []string{"exec", "bash until test -e " + asked + "; do sleep 0.2; done"},
	})
	s.must(err)
	s.Cleanup(c.Close)
	s.until("working", c, func() bool { return len(s.model.Requests()) > 0 })
	id, outcome := s.askOf("codex", "Does it work?")
	if outcome.Outcome != "queued" || outcome.Code != "no_live_transport" || outcome.Native != "client_session_embedded" || outcome.LaunchOption != "exec" {
		t.Errorf("outcome %+v", outcome)
	}
	if r := s.receipt(id); r.State != "queued" {
		t.Errorf("%+v", r)
	}
	s.must(os.WriteFile(asked, nil, 0o600))
	s.until("shown", c, func() bool { return s.receipt(id).State == "offered" })
}

// TestCodexQuit: 20 s after a terminal quit its thread is still loaded; an offer then is recorded as
// offered and as nothing more.
func TestCodexQuit(t *testing.T) {
	client(t, "ACC_REAL_CODEX")
	s := newStage(t, "codex", protocol.LiveActionable, silent)
	c := s.codex(open)
	s.until("told", c, func() bool { return len(s.model.Requests()) > 0 })
	s.must(c.Type(s.ctx, "/quit"))
	s.until("gone", c, func() bool { return !strings.Contains(c.Screen(s.ctx), "Ask Codex") })
	select {
	case <-time.After(20 * time.Second):
	case <-s.ctx.Done():
	}
	id, outcome := s.askOf("codex", "Anybody?")
	if outcome.Outcome != "offered" && outcome.Outcome != "queued" {
		t.Errorf("outcome %+v", outcome)
	}
	if r := s.receipt(id); r.State != outcome.Outcome {
		t.Errorf("outcome %s, receipt %s", outcome.Outcome, r.State)
	}
	t.Logf("20 s after /quit: %+v", outcome)
	// The thread is unloaded about a minute after its last turn, and says so; nobody is there then.
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(s.acc("status"), "offline"); time.Sleep(time.Second) {
		if time.Now().After(deadline) {
			t.Fatalf("not unloaded:\n%s", s.acc("status"))
		}
	}
	if _, outcome = s.askOf(outcome.Recipient, "And now?"); outcome.Outcome != "queued" || outcome.Code != "recipient_offline" {
		t.Errorf("unloaded: %+v", outcome)
	}
	if r := s.receipt(id); r.State == "retrieved" || r.State == "acknowledged" {
		t.Errorf("nobody was there, and the receipt says %s", r.State)
	}
}

// TestClaudeFromCodexSandbox: a question of a sandboxed Codex agent, whose shell may open no socket,
// reaches an idle Claude Code through the hook that runs after its tool.
func TestClaudeFromCodexSandbox(t *testing.T) {
	client(t, "ACC_REAL_CODEX")
	client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveActionable, func(p Prompt) []Step {
		if strings.Contains(p.Newest, "[acc wake] Message") {
			return answering(p)
		}
		return replying(p)
	})
	claude := s.claude(nil)
	inner := filepath.Join(s.root, "codex")
	s.must(os.Mkdir(inner, 0o700))
	outer := s.root
	s.root = inner
	s.must(os.MkdirAll(s.home.Workspaces(), 0o700))
	c := s.codex("sandbox_mode = \"workspace-write\"\n[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\nwritable_roots = [" + mustQuote(s.home.Workspaces()) + "]")
	s.root = outer
	s.must(c.Type(s.ctx, "bash ACC message --to reader --type question --subject sandboxed --body Hello OWNER"))
	s.until("answered", claude, func() bool { return strings.Contains(s.acc("sync", "--scope", "history"), "Re: sandboxed") })
	seen := s.model.Requests()
	denied := false
	for _, r := range seen {
		denied = denied || strings.Contains(r.Seen, "this sandbox may not ask it")
	}
	if !denied {
		t.Error("the sandboxed command did not say that it could not ask")
	}
}

// TestCodexFromClaude: a question of a Claude Code agent reaches an idle Codex terminal, whose answer wakes
// the Claude Code terminal in its turn.
func TestCodexFromClaude(t *testing.T) {
	client(t, "ACC_REAL_CODEX")
	client(t, "ACC_REAL_CLAUDE")
	s := newStage(t, "claude_code", protocol.LiveActionable, func(p Prompt) []Step {
		if command, ok := strings.CutPrefix(p.Newest, "bash "); ok {
			return []Step{{Tool: "Bash", Input: map[string]any{"command": withHeader(p, command)}}}
		}
		return replying(p)
	})
	s.must(livefiles.NewPolicies(s.home).SetLivePolicy("codex", protocol.LiveActionable))
	claude := s.claude(nil)
	inner := filepath.Join(s.root, "codex")
	s.must(os.Mkdir(inner, 0o700))
	outer := s.root
	s.root = inner
	s.codex(open)
	s.root = outer
	s.must(claude.Type(s.ctx, "bash ACC message --to codex --type question --subject across --body Hello OWNER"))
	s.until("answered", claude, func() bool { return strings.Contains(s.acc("sync", "--scope", "history"), "Re: across") })
	s.until("told of the answer", claude, func() bool {
		for _, r := range s.model.Requests() {
			if strings.Contains(r.Seen, "[acc wake] Message") && strings.Contains(r.Seen, "subject: Re: across") {
				return true
			}
		}
		return false
	})
}

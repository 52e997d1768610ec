package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/protocol"
)

// other is a conversation of another client than Claude Code.
type other struct {
	*conversation
	adapter string
	// call gives the event on the command line, if there is one, and the payload.
	call func(o *other, point string, members ...string) (arg, payload string)
	// What the client calls its points.
	start, prompt, before, after, end string
	edit                              func(file string) []string // members of a payload that edits
	answer                            func(t *testing.T, r result) string
	refusal                           func(t *testing.T, r result) string
}

func (o *other) run(point string, members ...string) result {
	o.t.Helper()
	arg, payload := o.call(o, point, members...)
	cmd := o.command(payload)
	cmd.Args = []string{executable, o.adapter}
	if arg != "" {
		cmd.Args = append(cmd.Args, arg)
	}
	r := run(o.t, cmd)
	if r.code != 0 || r.stderr != "" {
		o.t.Fatalf("%s %s: exit %d, stderr %q", o.adapter, point, r.code, r.stderr)
	}
	return r
}

// snake is the payload that most clients send.
func snake(o *other, point string, members ...string) (string, string) {
	return "", o.payload(point, members...)
}

func grokPayload(o *other, point string, members ...string) (string, string) {
	return "", o.payload(point, append(members, `"hookEventName":"x"`)...)
}

func antigravityPayload(o *other, point string, members ...string) (string, string) {
	body := `{"conversationId":` + quoted(o.id) + `,"workspacePaths":[` + quoted(o.cwd) + `]`
	for _, m := range members {
		body += "," + m
	}
	return point, body + "}"
}

// header is how the line with the owner pair begins.
const header = "ACC CLI (append): "

func member(name string) func(*testing.T, result) string {
	return func(t *testing.T, r result) string { t.Helper(); return r.member(t, name) }
}

func claudeEdit(tool, key string) func(string) []string {
	return func(file string) []string {
		return []string{`"tool_name":` + quoted(tool), `"tool_input":{` + quoted(key) + `:` + quoted(file) + `}`}
	}
}

func patch(file string) []string {
	return []string{`"tool_name":"apply_patch"`, `"tool_input":{"command":` + quoted("*** Begin Patch\n*** Update File: "+file+"\n*** End Patch\n") + `}`}
}

func otherClients() []*other {
	plain := func(_ *testing.T, r result) string { return r.stdout }
	return []*other{
		{adapter: "codex", call: snake, start: "SessionStart", prompt: "UserPromptSubmit", before: "PreToolUse", after: "PostToolUse", end: "SessionEnd",
			edit: patch, answer: member("additionalContext"), refusal: member("permissionDecisionReason")},
		{adapter: "gemini_cli", call: snake, start: "SessionStart", prompt: "BeforeAgent", before: "BeforeTool", after: "AfterTool", end: "SessionEnd",
			edit: claudeEdit("replace", "file_path"), answer: member("additionalContext"), refusal: member("reason")},
		{adapter: "kimi", call: snake, start: "SessionStart", prompt: "UserPromptSubmit", before: "PreToolUse", after: "PostToolUse", end: "SessionEnd",
			edit: claudeEdit("Edit", "path"), answer: plain, refusal: member("permissionDecisionReason")},
		{adapter: "grok", call: grokPayload, start: "SessionStart", prompt: "UserPromptSubmit", before: "PreToolUse", after: "PostToolUse", end: "SessionEnd",
			edit: claudeEdit("search_replace", "file_path"), answer: member("additionalContext"), refusal: member("reason")},
		{adapter: "antigravity", call: antigravityPayload, start: "SessionStart", prompt: "PreInvocation",
			answer: member("ephemeralMessage")},
	}
}

// TestEveryClient: each client's session enters the room, gets its owner header and a peer's message at
// the points that its model hears, and is refused what a peer holds if it can be.
func TestEveryClient(t *testing.T) {
	for _, o := range otherClients() {
		t.Run(o.adapter, func(t *testing.T) {
			m := newMachine(t)
			o.conversation = m.conversation("peer")
			if o.adapter == "codex" {
				o.env = nil // nothing of it may be read
			}
			o.t = t
			ada := m.conversation("ada")
			adaOwner := owner(t, ada.start("startup").context(t))

			var heard strings.Builder
			hear := func(r result) {
				heard.WriteString(o.answer(t, r))
			}
			hear(o.run(o.start, `"source":"startup"`))
			hear(o.run(o.prompt, `"prompt":"x"`))
			name := ""
			for _, s := range m.roster() {
				if s.Harness == o.adapter {
					name = s.ParticipantID
				}
			}
			if name == "" || o.adapter == "codex" != strings.HasPrefix(name, "codex-") {
				t.Fatalf("the participant is %q", name)
			}
			id := m.ask(adaOwner, name, "Which half?", "Physics or renderer?")
			headers := strings.Count(heard.String(), header)
			turn := o.answer(t, o.run(o.prompt, `"prompt":"x"`))
			if turn != "" {
				headers++
				if !strings.HasPrefix(turn, header) {
					t.Errorf("the owner header does not come first:\n%s", turn)
				}
			}
			heard.WriteString(turn)
			if o.after != "" {
				hear(o.run(o.after, `"tool_name":"x"`))
			}
			text := heard.String()
			owner(t, text)
			if got := strings.Count(text, header); got != max(headers, 1) {
				t.Errorf("the owner header was given %d times, not %d", got, max(headers, 1))
			}
			if strings.Count(text, "\n"+id+" | from ada") != 1 {
				t.Errorf("the message was given %d times:\n%s", strings.Count(text, "\n"+id+" | from ada"), text)
			}
			if got := m.receipt(id, name).State; got != protocol.Offered {
				t.Errorf("receipt %s", got)
			}
			if o.edit != nil {
				m.claim(adaOwner, "file:src/lock.go", "porting")
				if got := o.refusal(t, o.run(o.before, o.edit(filepath.Join("src", "lock.go"))...)); !strings.Contains(got, "src/lock.go is claimed by ada") {
					t.Errorf("refusal %q", got)
				}
				if got := o.run(o.before, o.edit("src/other.go")...); got.stdout != "" {
					t.Errorf("another file: %q", got.stdout)
				}
			}
			if o.end != "" {
				o.run(o.end, `"reason":"x"`)
				if got := len(m.openSessions()); got != 1 {
					t.Errorf("%d sessions after the end", got)
				}
			}
		})
	}
}

// TestGrokHearsWithTheFirstTool: what a hook says before a prompt is lost there, so the header comes
// with a tool's result, also before the tool ran.
func TestGrokHearsWithTheFirstTool(t *testing.T) {
	m := newMachine(t)
	o := otherClients()[3]
	o.conversation = m.conversation("peer")
	o.run(o.start, `"source":"new"`)
	if r := o.run(o.prompt, `"prompt":"x"`); r.stdout != "" {
		t.Errorf("said %q where nobody listens", r.stdout)
	}
	owner(t, o.answer(t, o.run(o.before, `"tool_name":"run_terminal_command"`, `"tool_input":{"command":"ls"}`)))
	if r := o.run(o.before, `"tool_name":"run_terminal_command"`, `"tool_input":{"command":"ls"}`); r.stdout != "" {
		t.Errorf("said again: %q", r.stdout)
	}
	o.run(o.end)
	if r := o.run(o.before, `"tool_name":"run_terminal_command"`, `"tool_input":{"command":"ls"}`); r.stdout != "" {
		t.Errorf("a tool after the end was told %q", r.stdout)
	}
}

// TestSameHookOfTwoClients: Grok runs Claude Code's hooks too; only its own speaks.
func TestSameHookOfTwoClients(t *testing.T) {
	m := newMachine(t)
	o := otherClients()[3]
	o.conversation = m.conversation("peer")
	_, payload := o.call(o, "SessionStart", `"source":"new"`)
	for _, adapter := range []string{"claude_code", "grok"} {
		cmd := o.command(payload)
		cmd.Args = []string{executable, adapter}
		if r := run(t, cmd); r.code != 0 || r.stdout != "" || r.stderr != "" {
			t.Errorf("%s: %+v", adapter, r)
		}
	}
	if got := m.roster(); len(got) != 1 || got[0].Harness != "grok" {
		t.Errorf("roster %+v", got)
	}
}

// TestProvedByVersion: a session promises to heed claims, and to say when it ends, only from the version
// on that was seen to do so; a client that nobody certified promises neither.
func TestProvedByVersion(t *testing.T) {
	m := newMachine(t)
	for _, tt := range []struct {
		agent       string
		enforcement protocol.Enforcement
		lifecycle   protocol.Lifecycle
	}{
		{"claude-code_2-1-332_harness", protocol.Guarded, protocol.Managed},
		{"claude-code_3-0-0_harness", protocol.Guarded, protocol.Managed},
		{"claude-code_2-1-100_harness", protocol.Advisory, protocol.Manual},
	} {
		c := m.conversation("version")
		c.env = append(c.env, "AI_AGENT="+tt.agent)
		o := owner(t, c.start("startup").context(t))
		s, err := m.room().Core.Session(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if s.Enforcement != tt.enforcement || s.Lifecycle != tt.lifecycle {
			t.Errorf("%s: %s and %s", tt.agent, s.Enforcement, s.Lifecycle)
		}
	}
	for _, o := range otherClients() {
		if o.adapter != "antigravity" {
			continue
		}
		o.conversation = m.conversation("unproved")
		o.t = t
		s, err := m.room().Core.Session(context.Background(), owner(t, o.answer(t, o.run(o.start))+o.answer(t, o.run(o.prompt))))
		if err != nil {
			t.Fatal(err)
		}
		if s.Enforcement != protocol.Advisory || s.Lifecycle != protocol.Manual {
			t.Errorf("%s: %s and %s", o.adapter, s.Enforcement, s.Lifecycle)
		}
	}
}

package hook

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest"
)

func sealed(t testing.TB) *adapter.Adapter {
	t.Helper()
	a, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// id gives the made-up session ids of the captures.
func id(n string) string { return "00000000-0000-4000-8000-0000000000" + n }

const project = "/home/user/project"

// TestConformance: what the client sent becomes exactly these events, and it is answered in the shapes
// that it was seen to obey.
func TestConformance(t *testing.T) {
	context := func(event string) adapter.Output {
		return adapter.Output{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"` + event + `","additionalContext":"a \"b\"\n"}}` + "\n")}
	}
	const text = "a \"b\"\n"
	adaptertest.Run(t, adaptertest.Kit{
		Adapter: sealed(t), Dir: "testdata",
		Captures: []adaptertest.Capture{
			{File: "SessionStart.startup.json", Want: adapter.Event{Kind: adapter.SessionStart, SessionID: id("09"), Cwd: project, Source: "startup"}},
			{File: "SessionStart.resume.json", Want: adapter.Event{Kind: adapter.SessionStart, SessionID: id("01"), Cwd: project, Source: "resume"}},
			{File: "SessionStart.clear.json", Want: adapter.Event{Kind: adapter.SessionStart, SessionID: id("01"), Cwd: project, Source: "clear"}},
			{File: "SessionStart.compact.json", Want: adapter.Event{Kind: adapter.SessionStart, SessionID: id("02"), Cwd: project + "/sub", Model: "claude-opus-5-5", Source: "compact"}},
			{File: "UserPromptSubmit.json", Want: adapter.Event{Kind: adapter.BeforeTurn, SessionID: id("09"), Cwd: project, PermissionMode: "acceptEdits", Origin: adapter.OriginHuman}},
			{File: "UserPromptSubmit.peer-envelope.json", Want: adapter.Event{Kind: adapter.BeforeTurn, SessionID: id("21"), Cwd: project, PermissionMode: "bypassPermissions", Origin: adapter.OriginPeer}},
			{File: "UserPromptSubmit.task-notification.json", Want: adapter.Event{Kind: adapter.BeforeTurn, SessionID: id("02"), Cwd: project + "/sub", PermissionMode: "default", Origin: adapter.OriginContinuation}},
			{File: "PreToolUse.Write.json", Want: adapter.Event{Kind: adapter.BeforeTool, SessionID: id("09"), Cwd: project, PermissionMode: "acceptEdits", Tool: "Write", Targets: []string{project + "/new.txt"}}},
			{File: "PreToolUse.Edit.json", Want: adapter.Event{Kind: adapter.BeforeTool, SessionID: id("09"), Cwd: project, PermissionMode: "acceptEdits", Tool: "Edit", Targets: []string{project + "/new.txt"}}},
			{File: "PreToolUse.Bash.subagent.json", Want: adapter.Event{Kind: adapter.BeforeTool, SessionID: id("02"), Cwd: project, PermissionMode: "default", Tool: "Bash", AgentID: "a700420659b999c48"}},
			{File: "PostToolUse.Write.json", Want: adapter.Event{Kind: adapter.AfterTool, SessionID: id("09"), Cwd: project, PermissionMode: "acceptEdits", Tool: "Write"}},
			{File: "Stop.json", Want: adapter.Event{Kind: adapter.TurnEnd, SessionID: id("09"), Cwd: project, PermissionMode: "acceptEdits"}},
			{File: "Stop.active.json", Want: adapter.Event{Kind: adapter.TurnEnd, SessionID: id("17"), Cwd: project, PermissionMode: "default", Continuation: true}},
			{File: "SessionEnd.clear.json", Want: adapter.Event{Kind: adapter.SessionEnd, SessionID: id("02"), Cwd: project + "/sub", Reason: "clear"}},
			{File: "SubagentStart.json", Want: adapter.Event{Kind: adapter.ChildStart, SessionID: id("02"), Cwd: project, AgentID: "a700420659b999c48"}},
			{File: "SubagentStop.json", Want: adapter.Event{Kind: adapter.ChildEnd, SessionID: id("02"), Cwd: project, PermissionMode: "default", AgentID: "a700420659b999c48"}},
			{File: "PostToolBatch.json", Want: adapter.Event{Kind: adapter.Other, SessionID: id("09"), Cwd: project, PermissionMode: "acceptEdits"}},
			{File: "PostToolUseFailure.Bash.json", Want: adapter.Event{Kind: adapter.Other, SessionID: id("02"), Cwd: project, PermissionMode: "default", Tool: "Bash"}},
			{File: "Notification.idle_prompt.json", Want: adapter.Event{Kind: adapter.Other, SessionID: id("04"), Cwd: project}},
			{File: "PreToolUse.Bash.json", Want: adapter.Event{Kind: adapter.BeforeTool, SessionID: id("09"), Cwd: project, PermissionMode: "acceptEdits", Tool: "Bash", Targets: []string{"b.txt"}}},
			{File: "PostToolUse.Bash.subagent.json", Want: adapter.Event{Kind: adapter.AfterTool, SessionID: id("02"), Cwd: project, PermissionMode: "default", Tool: "Bash", AgentID: "a700420659b999c48"}},
			{File: "SessionEnd.other.json", Want: adapter.Event{Kind: adapter.SessionEnd, SessionID: id("09"), Cwd: project, Reason: "other"}},
		},
		Foreign: []string{
			`{"hookEventName":"pre_tool_use","sessionId":"g","cwd":"/p","hook_event_name":"PreToolUse","session_id":"g","tool_name":"write","tool_input":{"file_path":"/p/a"}}`,
		},
		Answers: []adaptertest.Answer{
			{Event: adapter.Event{Kind: adapter.SessionStart}, Context: text, Want: context("SessionStart")},
			{Event: adapter.Event{Kind: adapter.BeforeTurn}, Context: text, Want: context("UserPromptSubmit")},
			{Event: adapter.Event{Kind: adapter.BeforeTool}, Context: text, Want: context("PreToolUse")},
			{Event: adapter.Event{Kind: adapter.AfterTool}, Context: text, Want: context("PostToolUse")},
			{Event: adapter.Event{Kind: adapter.ChildStart, AgentID: "sub"}, Context: text, Want: context("SubagentStart")},
			{Event: adapter.Event{Kind: adapter.AfterTool, AgentID: "sub"}, Context: "not the session's own model"},
			{Event: adapter.Event{Kind: adapter.TurnEnd}, Context: "would make the model go on"},
			{Event: adapter.Event{Kind: adapter.BeforeTool}, Deny: "src/a is claimed", Want: adapter.Output{Stdout: []byte(
				`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"src/a is claimed"}}` + "\n")}},
		},
	})
}

// TestEnvironment: the version comes from what the client sets, and nothing else of it is visible.
func TestEnvironment(t *testing.T) {
	env := map[string]string{
		"AI_AGENT": "claude-code_2-1-332_harness", "CLAUDE_PID": "41",
		"CLAUDE_CODE_SESSION_ID": "inherited", "CLAUDE_CODE_MESSAGING_TOKEN": "secret",
	}
	a := sealed(t)
	e, err := a.Normalize(adapter.Call{Payload: fixture(t, "Stop"), Env: func(k string) string { return env[k] }})
	if err != nil || e.ClientVersion != "2.1.332" {
		t.Errorf("version %q, %v", e.ClientVersion, err)
	}
	narrow := a.Environment(func(k string) string { return env[k] })
	for _, hidden := range []string{"CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_MESSAGING_TOKEN"} {
		if narrow(hidden) != "" {
			t.Errorf("%s is visible", hidden)
		}
	}
	for agent, want := range map[string]string{"": "", "codex_1-2-3": "", "claude-code_2-1": "", "claude-code_2-x-3_h": "", "claude-code_2-1-9": "2.1.9"} {
		if got := agentVersion(agent); got != want {
			t.Errorf("agentVersion(%q) = %q, want %q", agent, got, want)
		}
	}
}

// TestGrokIsLeftAlone: Grok runs the hooks of Claude's settings and marks their environment; its payload,
// of both spellings, is among the foreign ones above.
func TestGrokIsLeftAlone(t *testing.T) {
	env := func(k string) string {
		if k == "GROK_HOOK_EVENT" {
			return "pre_tool_use"
		}
		return ""
	}
	if _, err := sealed(t).Normalize(adapter.Call{Payload: fixture(t, "PreToolUse.Write"), Env: env}); !errors.Is(err, adapter.ErrNotOurs) {
		t.Errorf("by environment: %v", err)
	}
}

// TestFileTools: each file tool names its file, and one that does not is an error, so that the runner
// says it could not check instead of letting the write pass as one without files.
func TestFileTools(t *testing.T) {
	tests := []struct {
		tool, input string
		want        []string
		fails       bool
	}{
		{"Write", `{"content":"c","file_path":"/p/a"}`, []string{"/p/a"}, false},
		{"MultiEdit", `{"file_path":"rel/a","edits":[{"old_string":"a","new_string":"b"}]}`, []string{"rel/a"}, false},
		{"NotebookEdit", `{"notebook_path":"/p/n.ipynb"}`, []string{"/p/n.ipynb"}, false},
		{"Edit", `{"old_string":"a"}`, nil, true},
		{"Edit", `{"file_path":7}`, nil, true},
		{"Edit", `null`, nil, true},
		{"Edit", `{"file_path":""}`, nil, true},
		{"Edit", `{"file_path":"/p/a\u0000"}`, nil, true},
		{"Write", `{"file_path":"/p/a","content":"half a pair \ud83d"}`, []string{"/p/a"}, false},
		{"Write", "{\"file_path\":\"/p/a\",\"content\":\"no utf-8 \xff\"}", []string{"/p/a"}, false},
		{"Bash", `{"command":"echo x > /p/a; sed -i s/a/b/ c"}`, []string{"/p/a", "c"}, false},
		{"Bash", `{"command":"grep x /p/a"}`, nil, false},
		{"Bash", `{"command":["rm"]}`, nil, true},
		{"Read", `{"file_path":"/p/a"}`, nil, false},
		{"mcp__x__y", `{"file_path":"/p/a"}`, nil, false},
	}
	for _, tt := range tests {
		payload := `{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"` + tt.tool + `","tool_input":` + tt.input + `}`
		e, err := sealed(t).Normalize(adapter.Call{Payload: []byte(payload)})
		if (err != nil) != tt.fails {
			t.Errorf("%s %s: %v", tt.tool, tt.input, err)
		}
		if diff := cmp.Diff(tt.want, e.Targets); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.tool, tt.input, diff)
		}
	}
}

// TestUnreadable: whatever is not a hook payload is refused, and a fact of another type than today's
// costs nothing but that fact.
func TestUnreadable(t *testing.T) {
	for _, payload := range []string{
		"", "{", "[]", "null", `"x"`, `{}`, `{"session_id":"s"}`, `{"session_id":1,"hook_event_name":"Stop"}`,
		`{"session_id":"s","session_id":"t","hook_event_name":"Stop"}`, `{"session_id":"s","hook_event_name":"Stop"} x`,
		`{"session_id":"","hook_event_name":"Stop"}`, `{"session_id":"a\nb","hook_event_name":"Stop"}`,
		`{"session_id":"s","cwd":"relative","hook_event_name":"Stop"}`,
		`{"session_id":"` + strings.Repeat("s", 600) + `","hook_event_name":"Stop"}`,
	} {
		if e, err := sealed(t).Normalize(adapter.Call{Payload: []byte(payload)}); err == nil {
			t.Errorf("%q was read as %+v", payload, e)
		}
	}
	e, err := sealed(t).Normalize(adapter.Call{Payload: []byte(
		`{"session_id":"s","cwd":"/p","hook_event_name":"SessionStart","source":["x"],"model":{"id":"m"},"permission_mode":null}`)})
	if err != nil || e.Source != "" || e.Model != "" || e.Kind != adapter.SessionStart {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestClientProcess(t *testing.T) {
	a := sealed(t)
	env := func(pid string) func(string) string {
		return func(k string) string {
			if k == "CLAUDE_PID" {
				return pid
			}
			return ""
		}
	}
	tree := []adapter.Process{{PID: 90, Name: "sh"}, {PID: 80, Name: "claude.exe"}, {PID: 70, Name: "claude"}, {PID: 1, Name: "init"}}
	tests := []struct {
		name, pid string
		tree      []adapter.Process
		want      int
	}{
		{"named by the client", "70", tree, 70},
		{"inherited from a client that is no ancestor", "4711", tree, 80},
		{"not named", "", tree, 80},
		{"not a number", "x", tree, 80},
		{"the root of everything", "1", tree[:1], 0},
		{"nobody", "", []adapter.Process{{PID: 90, Name: "sh"}, {PID: 60, Name: "node", Args: []string{"node", "/x/other.js"}}}, 0},
		{"a script", "", []adapter.Process{{PID: 60, Name: "node", Args: []string{"node", "--no-warnings", "/x/claude.mjs"}}}, 60},
	}
	for _, tt := range tests {
		if got := a.ClientPID(env(tt.pid), adapter.Ancestors(tt.tree)); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func FuzzNormalize(f *testing.F) { adaptertest.Fuzz(f, sealed(f), "testdata") }

package hook

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
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

// TestCapturedPayloads: what the client sent becomes exactly these events, and no prompt, transcript or
// tool output is in any of them, because an event has no member for it.
func TestCapturedPayloads(t *testing.T) {
	tests := []struct {
		fixture string
		want    adapter.Event
	}{
		{"SessionStart.startup", adapter.Event{Kind: adapter.SessionStart, SessionID: id("09"), Cwd: project, Source: "startup"}},
		{"SessionStart.resume", adapter.Event{Kind: adapter.SessionStart, SessionID: id("01"), Cwd: project, Source: "resume"}},
		{"SessionStart.clear", adapter.Event{Kind: adapter.SessionStart, SessionID: id("01"), Cwd: project, Source: "clear"}},
		{"SessionStart.compact", adapter.Event{Kind: adapter.SessionStart, SessionID: id("02"), Cwd: project + "/sub", Model: "claude-opus-5-5", Source: "compact"}},
		{"UserPromptSubmit", adapter.Event{Kind: adapter.BeforeTurn, SessionID: id("09"), Cwd: project, PermissionMode: "acceptEdits", Origin: adapter.OriginHuman}},
		{"UserPromptSubmit.peer-envelope", adapter.Event{Kind: adapter.BeforeTurn, SessionID: id("21"), Cwd: project, PermissionMode: "bypassPermissions", Origin: adapter.OriginPeer}},
		{"UserPromptSubmit.task-notification", adapter.Event{Kind: adapter.BeforeTurn, SessionID: id("02"), Cwd: project + "/sub", PermissionMode: "default", Origin: adapter.OriginContinuation}},
		{"PreToolUse.Write", adapter.Event{Kind: adapter.BeforeTool, SessionID: id("09"), Cwd: project, PermissionMode: "acceptEdits", Tool: "Write", Targets: []string{project + "/new.txt"}}},
		{"PreToolUse.Edit", adapter.Event{Kind: adapter.BeforeTool, SessionID: id("09"), Cwd: project, PermissionMode: "acceptEdits", Tool: "Edit", Targets: []string{project + "/new.txt"}}},
		{"PreToolUse.Bash.subagent", adapter.Event{Kind: adapter.BeforeTool, SessionID: id("02"), Cwd: project, PermissionMode: "default", Tool: "Bash", AgentID: "a700420659b999c48"}},
		{"PostToolUse.Write", adapter.Event{Kind: adapter.AfterTool, SessionID: id("09"), Cwd: project, PermissionMode: "acceptEdits", Tool: "Write"}},
		{"Stop", adapter.Event{Kind: adapter.TurnEnd, SessionID: id("09"), Cwd: project, PermissionMode: "acceptEdits"}},
		{"Stop.active", adapter.Event{Kind: adapter.TurnEnd, SessionID: id("17"), Cwd: project, PermissionMode: "default", Continuation: true}},
		{"SessionEnd.clear", adapter.Event{Kind: adapter.SessionEnd, SessionID: id("02"), Cwd: project + "/sub", Reason: "clear"}},
		{"SubagentStart", adapter.Event{Kind: adapter.ChildStart, SessionID: id("02"), Cwd: project, AgentID: "a700420659b999c48"}},
		{"SubagentStop", adapter.Event{Kind: adapter.ChildEnd, SessionID: id("02"), Cwd: project, PermissionMode: "default", AgentID: "a700420659b999c48"}},
		{"PostToolBatch", adapter.Event{Kind: adapter.Other, SessionID: id("09"), Cwd: project, PermissionMode: "acceptEdits"}},
		{"PostToolUseFailure.Bash", adapter.Event{Kind: adapter.Other, SessionID: id("02"), Cwd: project, PermissionMode: "default", Tool: "Bash"}},
		{"Notification.idle_prompt", adapter.Event{Kind: adapter.Other, SessionID: id("04"), Cwd: project}},
	}
	for _, tt := range tests {
		t.Run(tt.fixture, func(t *testing.T) {
			got, err := sealed(t).Normalize(adapter.Call{Payload: fixture(t, tt.fixture)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
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

// TestGrokIsLeftAlone: Grok runs the hooks of Claude's settings with a payload of both spellings.
func TestGrokIsLeftAlone(t *testing.T) {
	const grok = `{"hookEventName":"pre_tool_use","sessionId":"g","cwd":"/p","hook_event_name":"PreToolUse","session_id":"g","tool_name":"write","tool_input":{"file_path":"/p/a"}}`
	if _, err := sealed(t).Normalize(adapter.Call{Payload: []byte(grok)}); !errors.Is(err, adapter.ErrNotOurs) {
		t.Errorf("by payload: %v", err)
	}
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

// TestAnswers: each shape is the one that the client was seen to obey.
func TestAnswers(t *testing.T) {
	a := sealed(t)
	for kind, name := range eventNames {
		out, err := a.Inject(adapter.Event{Kind: kind, AgentID: agentOf(kind)}, "a \"b\"\n")
		want := `{"hookSpecificOutput":{"hookEventName":"` + name + `","additionalContext":"a \"b\"\n"}}` + "\n"
		if err != nil || string(out.Stdout) != want || out.ExitCode != 0 || len(out.Stderr) != 0 {
			t.Errorf("%s: %+v, %v", kind, out, err)
		}
	}
	for _, e := range []adapter.Event{{Kind: adapter.TurnEnd}, {Kind: adapter.SessionEnd}, {Kind: adapter.Other}, {Kind: adapter.AfterTool, AgentID: "sub"}} {
		if out, err := a.Inject(e, "x"); err != nil || len(out.Stdout) != 0 {
			t.Errorf("%s: %q, %v", e.Kind, out.Stdout, err)
		}
	}
	out, err := a.Deny(adapter.Event{Kind: adapter.BeforeTool}, "src/a is claimed")
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"src/a is claimed"}}` + "\n"
	if err != nil || string(out.Stdout) != want || out.ExitCode != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	for _, reason := range []string{"", "two\nlines"} {
		if out, err := a.Deny(adapter.Event{Kind: adapter.BeforeTool}, reason); err == nil {
			t.Errorf("denied with reason %q: %s", reason, out.Stdout)
		}
	}
}

func agentOf(kind adapter.EventKind) string {
	if kind == adapter.ChildStart {
		return "sub"
	}
	return ""
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
		if got := a.ClientPID(env(tt.pid), tt.tree); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	names, err := filepath.Glob("testdata/*.json")
	if err != nil || len(names) == 0 {
		f.Fatal("no captured payloads", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	a := sealed(f)
	f.Fuzz(func(t *testing.T, payload []byte) {
		e, err := a.Normalize(adapter.Call{Payload: payload})
		if err == nil && (e.SessionID == "" || e.Kind == "" || strings.ContainsAny(e.Reason+e.Tool+e.Source, "\n\x00")) {
			t.Errorf("%q became %+v", payload, e)
		}
	})
}

package hook

import (
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest"
)

// Sessions of the captures.
const (
	execSession  = "01a22c9e-9e1d-7e53-bbee-8cb0dbc47976"
	tuiSession   = "01a22c91-0acf-7330-8d82-eae26fa49fd9"
	spawnSession = "01a22c92-7773-7a52-9ce6-814af6ee181a"
	project      = "/home/user/project"
)

// event is what most captures of one session have in common.
func event(session string, change func(*adapter.Event)) adapter.Event {
	e := adapter.Event{Kind: adapter.Other, SessionID: session, Cwd: project, Model: "gpt-5.5", PermissionMode: "bypassPermissions"}
	if change != nil {
		change(&e)
	}
	return e
}

func sealed(t testing.TB) *adapter.Adapter {
	t.Helper()
	a, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestConformance(t *testing.T) {
	start := func(session, source, mode string) adapter.Event {
		return event(session, func(e *adapter.Event) { e.Kind, e.Source, e.PermissionMode = adapter.SessionStart, source, mode })
	}
	after := func(tool string) adapter.Event {
		return event(execSession, func(e *adapter.Event) { e.Kind, e.Tool = adapter.AfterTool, tool })
	}
	before := func(tool string, targets ...string) adapter.Event {
		return event(execSession, func(e *adapter.Event) { e.Kind, e.Tool, e.Targets = adapter.BeforeTool, tool, targets })
	}
	noMode := func(session string) adapter.Event {
		return event(session, func(e *adapter.Event) { e.PermissionMode = "" })
	}
	end := func(session, cwd string) adapter.Event {
		return adapter.Event{Kind: adapter.SessionEnd, SessionID: session, Cwd: cwd, Reason: "other"}
	}
	child := func(kind adapter.EventKind) adapter.Event {
		return event(spawnSession, func(e *adapter.Event) {
			e.Kind, e.Model, e.AgentID = kind, "gpt-6.2-sol", "01a22c92-802e-7280-a694-4f5fa33c2741"
		})
	}
	adaptertest.Run(t, adaptertest.Kit{
		Adapter: sealed(t), Dir: "testdata",
		Captures: []adaptertest.Capture{
			{File: "SessionStart.json", Want: start(execSession, "startup", "bypassPermissions")},
			{File: "SessionStart.daemon.json", Want: start(tuiSession, "startup", "default")},
			{File: "SessionStart.clear.json", Want: start("01a22c92-0e09-77d1-b2f3-e21369c03e77", "clear", "default")},
			{File: "SessionStart.resume.json", Want: start("01a22c81-f40d-7422-8971-ce9a366985ee", "resume", "bypassPermissions")},
			{File: "SessionStart.plugin.json", Want: start("01a22c9f-67c1-7891-b133-a54986b0a92a", "startup", "bypassPermissions")},
			{File: "UserPromptSubmit.json", Want: event(execSession, func(e *adapter.Event) { e.Kind, e.Origin = adapter.BeforeTurn, adapter.OriginHuman })},
			{File: "PreToolUse.json", Want: before("Bash")},
			{File: "PreToolUse.mcp.json", Want: before("mcp__accdump__acc_send")},
			{File: "PreToolUse.apply_patch.json", Want: before("apply_patch", "fx.txt")},
			{File: "PreToolUse.apply_patch.codemode.json", Want: event("01a22c9e-c6a5-7153-a722-4c1469eae56d", func(e *adapter.Event) {
				e.Kind, e.Model, e.Tool, e.Targets = adapter.BeforeTool, "gpt-6.2-sol", "apply_patch", []string{"fx.txt", "fx2.txt", "new.txt"}
			})},
			{File: "PreToolUse.subagent.json", Want: event("01a22c93-4fcd-7e70-b547-f985097c1c5d", func(e *adapter.Event) {
				e.Kind, e.Model, e.Tool, e.AgentID = adapter.BeforeTool, "gpt-6.2-sol", "Bash", "01a22c93-5984-7a02-a4a3-8bb843814106"
			})},
			{File: "PostToolUse.json", Want: after("Bash")},
			{File: "PostToolUse.mcp.json", Want: after("mcp__accdump__acc_send")},
			{File: "PostToolUse.apply_patch.json", Want: after("apply_patch")},
			{File: "Stop.json", Want: event(execSession, func(e *adapter.Event) { e.Kind = adapter.TurnEnd })},
			{File: "Stop.active.json", Want: event(execSession, func(e *adapter.Event) { e.Kind, e.Continuation = adapter.TurnEnd, true })},
			{File: "SessionEnd.json", Want: end(execSession, project)},
			{File: "SessionEnd.daemon.json", Want: end("01a22c94-090a-72a2-8fbb-647b014eba7d", "/home/user/project2")},
			{File: "SubagentStart.json", Want: child(adapter.ChildStart)},
			{File: "SubagentStop.json", Want: child(adapter.ChildEnd)},
			{File: "Interrupt.json", Want: event("01a22c90-11ba-79b2-a2ff-b3a899263c46", nil)},
			{File: "PermissionRequest.json", Want: event(tuiSession, func(e *adapter.Event) { e.Tool, e.PermissionMode = "Bash", "default" })},
			{File: "PreCompact.json", Want: noMode(tuiSession)},
			{File: "PostCompact.json", Want: noMode(tuiSession)},
			{File: "PreModelRequest.json", Want: noMode(execSession)},
			{File: "PostModelRequest.json", Want: noMode(execSession)},
		},
		Answers: []adaptertest.Answer{
			{Event: adapter.Event{Kind: adapter.SessionStart}, Context: "[x]", Want: context("SessionStart", "[x]")},
			{Event: adapter.Event{Kind: adapter.BeforeTurn}, Context: "[x]", Want: context("UserPromptSubmit", "[x]")},
			{Event: adapter.Event{Kind: adapter.BeforeTool}, Context: "[x]", Want: context("PreToolUse", "[x]")},
			{Event: adapter.Event{Kind: adapter.AfterTool}, Context: "[x]", Want: context("PostToolUse", "[x]")},
			{Event: adapter.Event{Kind: adapter.AfterTool, AgentID: "sub"}, Context: "not for a subagent", Want: adapter.Output{}},
			{Event: adapter.Event{Kind: adapter.BeforeTool}, Deny: "a is claimed", Want: adapter.Output{Stdout: []byte(
				`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"a is claimed"}}` + "\n")}},
		},
	})
}

func context(event, text string) adapter.Output {
	return adapter.Output{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"` + event + `","additionalContext":"` + text + `"}}` + "\n")}
}

// TestPatchInAShellCommand: a patch fed to apply_patch by a shell shows as a shell command.
func TestPatchInAShellCommand(t *testing.T) {
	payload := `{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":` +
		`"apply_patch <<'PATCH'\n*** Begin Patch\n*** Update File: a b.txt\n*** Move to: c.txt\n*** End Patch\nPATCH\necho x > log"}}`
	e, err := sealed(t).Normalize(adapter.Call{Payload: []byte(payload)})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"log", "a b.txt", "c.txt"}
	if len(e.Targets) != 3 || e.Targets[0] != want[0] || e.Targets[1] != want[1] || e.Targets[2] != want[2] {
		t.Errorf("targets %q, want %q", e.Targets, want)
	}
}

// TestNoEnvironment: in the shared daemon the environment is another terminal's.
func TestNoEnvironment(t *testing.T) {
	narrow := sealed(t).Environment(func(string) string { return "first terminal's" })
	for _, name := range []string{"ACC_PARTICIPANT", "ACC_WORKSPACE_ROOT", "CODEX_THREAD_ID", "TMUX_PANE", "HOME"} {
		if narrow(name) != "" {
			t.Errorf("%s is read", name)
		}
	}
}

// TestSharedDaemonIsNobody: the daemon outlives the terminals, and the terminal above it is only the
// first one.
func TestSharedDaemonIsNobody(t *testing.T) {
	daemon := adapter.Process{PID: 80, Name: "codex", Args: []string{"/x/bin/codex", "app-server", "--listen", "unix://", "--managed-daemon"}}
	terminal := adapter.Process{PID: 70, Name: "codex", Args: []string{"/x/bin/codex"}}
	wrapper := adapter.Process{PID: 60, Name: "node", Args: []string{"node", "/usr/lib/node_modules/.bin/codex"}}
	shell := adapter.Process{PID: 90, Name: "bash", Args: []string{"bash", "-c", "codex"}}
	unreadable := adapter.Process{PID: 75, Name: "codex"}
	tests := []struct {
		name string
		tree []adapter.Process
		want int
	}{
		{"in the daemon", []adapter.Process{shell, daemon, terminal, wrapper}, 0},
		{"in a terminal of its own", []adapter.Process{shell, terminal, wrapper}, 70},
		{"arguments that may not be read", []adapter.Process{shell, unreadable, wrapper}, 0},
		{"nothing of the kind", []adapter.Process{shell}, 0},
	}
	for _, tt := range tests {
		if got := sealed(t).ClientPID(func(string) string { return "" }, adapter.Ancestors(tt.tree)); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func FuzzNormalize(f *testing.F) { adaptertest.Fuzz(f, sealed(f), "testdata") }

// TestCarried: a prompt that is a message of acc says which, and that no person typed it.
func TestCarried(t *testing.T) {
	payload := `{"session_id":"t","cwd":"/x","hook_event_name":"UserPromptSubmit","prompt":"[acc wake] From another session of this user, brought by acc:\n` +
		"```acc-peer-message\\nmessage_1 | from ada | question\\n```" + `"}`
	e, err := sealed(t).Normalize(adapter.Call{Payload: []byte(payload)})
	if err != nil || e.Carries != "message_1" || e.Origin != adapter.OriginPeer {
		t.Errorf("%+v, %v", e, err)
	}
}

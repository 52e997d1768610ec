package hook

import (
	"testing"

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

// event is what all captures have in common.
func event(kind adapter.EventKind, change func(*adapter.Event)) adapter.Event {
	e := adapter.Event{
		Kind: kind, SessionID: "00000000-0000-4000-8000-000000000001", Cwd: "/home/user/project", PermissionMode: "bypassPermissions",
	}
	if change != nil {
		change(&e)
	}
	return e
}

func TestConformance(t *testing.T) {
	tool := func(kind adapter.EventKind, name string, targets ...string) adapter.Event {
		return event(kind, func(e *adapter.Event) { e.Tool, e.Targets = name, targets })
	}
	asking := event(adapter.Other, func(e *adapter.Event) { e.PermissionMode = "default" })
	adaptertest.Run(t, adaptertest.Kit{
		Adapter: sealed(t), Dir: "testdata",
		Captures: []adaptertest.Capture{
			{File: "SessionStart.json", Want: event(adapter.SessionStart, func(e *adapter.Event) { e.Source = "new" })},
			{File: "SessionEnd.json", Want: event(adapter.SessionEnd, func(e *adapter.Event) { e.Reason = "shutdown" })},
			{File: "UserPromptSubmit.json", Want: event(adapter.BeforeTurn, func(e *adapter.Event) { e.Origin = adapter.OriginHuman })},
			{File: "PreToolUse-write.json", Want: tool(adapter.BeforeTool, "write", "/home/user/project/hello.txt")},
			{File: "PreToolUse-search_replace.json", Want: tool(adapter.BeforeTool, "search_replace", "/home/user/project/a.txt")},
			{File: "PreToolUse-run_terminal_command.json", Want: tool(adapter.BeforeTool, "run_terminal_command", "shell.txt")},
			{File: "PreToolUse-mcp.json", Want: tool(adapter.BeforeTool, "probe__acc_probe")},
			{File: "PostToolUse-write.json", Want: tool(adapter.AfterTool, "write")},
			{File: "PostToolUse-search_replace.json", Want: tool(adapter.AfterTool, "search_replace")},
			{File: "PostToolUse-run_terminal_command.json", Want: tool(adapter.AfterTool, "run_terminal_command")},
			{File: "PostToolUse-failed-shell.json", Want: tool(adapter.AfterTool, "run_terminal_command")},
			{File: "Stop.json", Want: event(adapter.TurnEnd, nil)},
			{File: "Stop-continued.json", Want: event(adapter.TurnEnd, nil)},
			{File: "Stop-session-end.json", Want: event(adapter.TurnEnd, nil)},
			{File: "StopFailure.json", Want: event(adapter.Other, nil)},
			{File: "StopCancelled.json", Want: asking},
			{File: "Notification-idle.json", Want: event(adapter.Other, nil)},
			{File: "Notification-permission.json", Want: asking},
		},
		Foreign: []string{
			`{"session_id":"s","transcript_path":"/x","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/p/a"}}`,
		},
		Answers: []adaptertest.Answer{
			{Event: adapter.Event{Kind: adapter.BeforeTool}, Context: "x", Want: context("PreToolUse")},
			{Event: adapter.Event{Kind: adapter.AfterTool}, Context: "x", Want: context("PostToolUse")},
			{Event: adapter.Event{Kind: adapter.BeforeTurn}, Context: "dropped by the client", Want: adapter.Output{}},
			{Event: adapter.Event{Kind: adapter.SessionStart}, Context: "dropped by the client", Want: adapter.Output{}},
			{Event: adapter.Event{Kind: adapter.BeforeTool}, Deny: "a is claimed",
				Want: adapter.Output{Stdout: []byte(`{"decision":"deny","reason":"a is claimed"}` + "\n")}},
		},
	})
}

func context(event string) adapter.Output {
	return adapter.Output{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"` + event + `","additionalContext":"x"}}` + "\n")}
}

// TestTruncatedInput: a command of which the client shows only a part is one that cannot be checked.
func TestTruncatedInput(t *testing.T) {
	for truncated, fails := range map[string]bool{"true": true, "false": false} {
		payload := `{"hookEventName":"pre_tool_use","session_id":"s","cwd":"/p","hook_event_name":"PreToolUse",` +
			`"tool_name":"run_terminal_command","tool_input":{"command":"rm a"},"toolInputTruncated":` + truncated + `}`
		if e, err := sealed(t).Normalize(adapter.Call{Payload: []byte(payload)}); (err != nil) != fails {
			t.Errorf("truncated %s: %+v, %v", truncated, e, err)
		}
	}
}

func TestProcess(t *testing.T) {
	for name, want := range map[string]adapter.Recognition{
		"grok": adapter.ClientProcess, "grok-native": adapter.ClientProcess, "grok-1.0.41": adapter.ClientProcess,
		"sh": adapter.NotClient, "grokking": adapter.NotClient,
	} {
		if got := (client{}).Recognise(adapter.Process{Name: name}); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func FuzzNormalize(f *testing.F) { adaptertest.Fuzz(f, sealed(f), "testdata") }

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
	e := adapter.Event{Kind: kind, SessionID: "session_00000000-0000-4000-8000-000000000001", Cwd: "/home/user/project"}
	if change != nil {
		change(&e)
	}
	return e
}

func TestConformance(t *testing.T) {
	tool := func(kind adapter.EventKind, name string, targets ...string) adapter.Event {
		return event(kind, func(e *adapter.Event) { e.Tool, e.Targets = name, targets })
	}
	prompt := event(adapter.BeforeTurn, func(e *adapter.Event) { e.Origin = adapter.OriginHuman })
	adaptertest.Run(t, adaptertest.Kit{
		Adapter: sealed(t), Dir: "testdata",
		Captures: []adaptertest.Capture{
			{File: "SessionStart.json", Want: event(adapter.SessionStart, func(e *adapter.Event) { e.Source, e.Model = "startup", "fake" })},
			{File: "PostCompact.json", Want: event(adapter.SessionStart, func(e *adapter.Event) { e.Source = "compact" })},
			{File: "SessionEnd.json", Want: event(adapter.SessionEnd, func(e *adapter.Event) { e.Reason = "exit" })},
			{File: "SessionHeartbeat.json", Want: event(adapter.Heartbeat, nil)},
			{File: "UserPromptSubmit.json", Want: prompt},
			{File: "UserPromptSubmit-tui.json", Want: prompt},
			{File: "TurnStarted.json", Want: event(adapter.Other, nil)},
			{File: "PreToolUse-Write.json", Want: tool(adapter.BeforeTool, "Write", "/home/user/project/hello.txt")},
			{File: "PreToolUse-Edit.json", Want: tool(adapter.BeforeTool, "Edit", "a.txt")},
			{File: "PreToolUse-Bash.json", Want: tool(adapter.BeforeTool, "Bash", "shell.txt")},
			{File: "PreToolUse-mcp.json", Want: tool(adapter.BeforeTool, "mcp__probe__acc_probe")},
			{File: "PluginPreToolUse.json", Want: tool(adapter.BeforeTool, "Write", "hello.txt")},
			{File: "PostToolUse-Write.json", Want: tool(adapter.AfterTool, "Write")},
			{File: "PostToolUse-Edit.json", Want: tool(adapter.AfterTool, "Edit")},
			{File: "PostToolUse-Bash.json", Want: tool(adapter.AfterTool, "Bash")},
			{File: "PostToolUseFailure-Bash.json", Want: tool(adapter.Other, "Bash")},
			{File: "PostToolUseFailure-denied.json", Want: tool(adapter.Other, "Write")},
			{File: "PermissionRequest.json", Want: tool(adapter.Other, "Bash")},
			{File: "PermissionResult.json", Want: tool(adapter.Other, "Bash")},
			{File: "Stop.json", Want: event(adapter.TurnEnd, nil)},
			{File: "StopFailure.json", Want: event(adapter.Other, nil)},
		},
		Answers: []adaptertest.Answer{
			{Event: adapter.Event{Kind: adapter.BeforeTurn}, Context: "one\ntwo\n", Want: adapter.Output{Stdout: []byte("one\ntwo\n")}},
			{Event: adapter.Event{Kind: adapter.AfterTool}, Context: "nobody reads it here", Want: adapter.Output{}},
			{Event: adapter.Event{Kind: adapter.SessionStart}, Context: "nobody reads it here", Want: adapter.Output{}},
			{Event: adapter.Event{Kind: adapter.BeforeTool}, Deny: "a is claimed", Want: adapter.Output{Stdout: []byte(
				`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"a is claimed"}}` + "\n")}},
		},
	})
}

func TestPromptParts(t *testing.T) {
	tests := []struct {
		prompt string
		want   adapter.Origin
	}{
		{`[{"type":"text","text":"[acc wake] message_1"}]`, adapter.OriginPeer},
		{`"typed"`, adapter.OriginHuman},
		{`[]`, adapter.OriginUnknown},
		{`[{"type":"image","data":"x"}]`, adapter.OriginUnknown},
		{`7`, adapter.OriginUnknown},
	}
	for _, tt := range tests {
		payload := `{"session_id":"s","cwd":"/p","hook_event_name":"UserPromptSubmit","prompt":` + tt.prompt + `}`
		e, err := sealed(t).Normalize(adapter.Call{Payload: []byte(payload)})
		if err != nil || e.Origin != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.prompt, e.Origin, err, tt.want)
		}
	}
}

func TestProcess(t *testing.T) {
	tests := []struct {
		p    adapter.Process
		want adapter.Recognition
	}{
		{adapter.Process{Name: "kimi-code", Args: []string{"kimi-code"}}, adapter.ClientProcess},
		{adapter.Process{Name: "node", Args: []string{"node", "/x/@moonshot-ai/kimi-code/dist/main.mjs"}}, adapter.ClientProcess},
		{adapter.Process{Name: "node", Args: []string{"node", "/x/other/dist/main.mjs"}}, adapter.NotClient},
		{adapter.Process{Name: "kimi"}, adapter.ClientProcess},
		{adapter.Process{Name: "sh", Args: []string{"/bin/sh", "-c", "kimi-code"}}, adapter.NotClient},
	}
	for _, tt := range tests {
		if got := (client{}).Recognise(tt.p); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.p, got, tt.want)
		}
	}
}

func FuzzNormalize(f *testing.F) { adaptertest.Fuzz(f, sealed(f), "testdata") }

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
	e := adapter.Event{Kind: kind, SessionID: "00000000-0000-4000-8000-000000000001", Cwd: "/home/user/project"}
	if change != nil {
		change(&e)
	}
	return e
}

func TestConformance(t *testing.T) {
	tool := func(kind adapter.EventKind, name string, targets ...string) adapter.Event {
		return event(kind, func(e *adapter.Event) { e.Tool, e.Targets = name, targets })
	}
	start := func(source string) adapter.Event {
		return event(adapter.SessionStart, func(e *adapter.Event) { e.Source = source })
	}
	end := func(reason string) adapter.Event {
		return event(adapter.SessionEnd, func(e *adapter.Event) { e.Reason = reason })
	}
	adaptertest.Run(t, adaptertest.Kit{
		Adapter: sealed(t), Dir: "testdata",
		Captures: []adaptertest.Capture{
			{File: "SessionStart.json", Want: start("startup")},
			{File: "SessionStart-clear.json", Want: start("clear")},
			{File: "SessionEnd.json", Want: end("exit")},
			{File: "SessionEnd-clear.json", Want: end("clear")},
			{File: "BeforeAgent.json", Want: event(adapter.BeforeTurn, func(e *adapter.Event) { e.Origin = adapter.OriginHuman })},
			{File: "AfterAgent.json", Want: event(adapter.TurnEnd, nil)},
			{File: "AfterAgent-continued.json", Want: event(adapter.TurnEnd, func(e *adapter.Event) { e.Continuation = true })},
			{File: "BeforeTool-write_file.json", Want: tool(adapter.BeforeTool, "write_file", "/home/user/project/hello.txt")},
			{File: "BeforeTool-replace.json", Want: tool(adapter.BeforeTool, "replace", "/home/user/project/a.txt")},
			{File: "BeforeTool-run_shell_command.json", Want: tool(adapter.BeforeTool, "run_shell_command", "shell.txt")},
			{File: "BeforeTool-mcp.json", Want: tool(adapter.BeforeTool, "mcp_probe_acc_probe")},
			{File: "AfterTool-write_file.json", Want: tool(adapter.AfterTool, "write_file")},
			{File: "AfterTool-run_shell_command.json", Want: tool(adapter.AfterTool, "run_shell_command")},
			{File: "AfterTool-failed-shell.json", Want: tool(adapter.AfterTool, "run_shell_command")},
			{File: "AfterTool-error-read_file.json", Want: tool(adapter.AfterTool, "read_file")},
			{File: "AfterTool-mcp.json", Want: tool(adapter.AfterTool, "mcp_probe_acc_probe")},
			{File: "BeforeModel.json", Want: event(adapter.Other, nil)},
			{File: "AfterModel.json", Want: event(adapter.Other, nil)},
			{File: "BeforeToolSelection.json", Want: event(adapter.Other, nil)},
			{File: "PreCompress.json", Want: event(adapter.Other, nil)},
			{File: "Notification-edit.json", Want: event(adapter.Other, nil)},
			{File: "Notification-exec.json", Want: event(adapter.Other, nil)},
		},
		Answers: []adaptertest.Answer{
			{Event: adapter.Event{Kind: adapter.SessionStart}, Context: "x", Want: context("SessionStart")},
			{Event: adapter.Event{Kind: adapter.BeforeTurn}, Context: "x", Want: context("BeforeAgent")},
			{Event: adapter.Event{Kind: adapter.AfterTool}, Context: "x", Want: context("AfterTool")},
			{Event: adapter.Event{Kind: adapter.BeforeTool}, Context: "the client ignores it here", Want: adapter.Output{}},
			{Event: adapter.Event{Kind: adapter.BeforeTool}, Deny: "a is claimed",
				Want: adapter.Output{Stdout: []byte(`{"decision":"deny","reason":"a is claimed"}` + "\n")}},
		},
	})
}

func context(event string) adapter.Output {
	return adapter.Output{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"` + event + `","additionalContext":"x"}}` + "\n")}
}

// TestInnerProcess: the process above the hook is the client; the one above that only started it and can
// be gone while the session lives on.
func TestInnerProcess(t *testing.T) {
	inner := adapter.Process{PID: 80, Name: "node", Args: []string{"/usr/bin/node", "--max-old-space-size=12052", "/usr/local/bin/gemini", "-m", "x"}}
	outer := adapter.Process{PID: 70, Name: "node", Args: []string{"node", "/usr/local/bin/gemini"}}
	other := adapter.Process{PID: 85, Name: "node", Args: []string{"node", "server.js", "gemini"}}
	if got := sealed(t).ClientPID(func(string) string { return "" }, adapter.Ancestors{other, inner, outer}); got != 80 {
		t.Errorf("client %d, want 80", got)
	}
}

func FuzzNormalize(f *testing.F) { adaptertest.Fuzz(f, sealed(f), "testdata") }

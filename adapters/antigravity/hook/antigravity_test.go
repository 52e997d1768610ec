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

// TestConformance uses payloads made from published descriptions of the client; none was captured.
func TestConformance(t *testing.T) {
	event := func(kind adapter.EventKind) adapter.Event {
		return adapter.Event{Kind: kind, SessionID: "c-1", Cwd: "/home/user/project", Model: "gemini-3-pro"}
	}
	homeless := event(adapter.SessionStart)
	homeless.Cwd = ""
	continued := event(adapter.TurnEnd)
	continued.Continuation = true
	step := adapter.Output{Stdout: []byte(`{"injectSteps":[{"ephemeralMessage":"x"}]}` + "\n")}
	adaptertest.Run(t, adaptertest.Kit{
		Adapter: sealed(t), Dir: "testdata",
		Captures: []adaptertest.Capture{
			{File: "SessionStart.json", Arg: "SessionStart", Want: event(adapter.SessionStart)},
			{File: "SessionStart-no-workspace.json", Arg: "SessionStart", Want: homeless},
			{File: "PreInvocation-first.json", Arg: "PreInvocation", Want: event(adapter.BeforeTurn)},
			{File: "PreInvocation-later.json", Arg: "PreInvocation", Want: event(adapter.AfterTool)},
			{File: "Stop.json", Arg: "Stop", Want: event(adapter.TurnEnd)},
			{File: "Stop-continued.json", Arg: "Stop", Want: continued},
			{File: "PreToolUse.json", Arg: "PreToolUse", Want: event(adapter.Other)},
		},
		Answers: []adaptertest.Answer{
			{Event: event(adapter.BeforeTurn), Context: "x", Want: step},
			{Event: event(adapter.AfterTool), Context: "x", Want: step},
			{Event: event(adapter.BeforeTool), Context: "would refuse the tool", Want: adapter.Output{}},
		},
	})
}

// TestEventIsNeeded: the payload does not say which event it is.
func TestEventIsNeeded(t *testing.T) {
	if e, err := sealed(t).Normalize(adapter.Call{Payload: []byte(`{"conversationId":"c"}`)}); err == nil {
		t.Errorf("read as %+v", e)
	}
}

func FuzzNormalize(f *testing.F) {
	adaptertest.Fuzz(f, sealed(f), "testdata", "SessionStart", "PreInvocation", "Stop")
}

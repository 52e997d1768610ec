package hook

import (
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest"
	"github.com/acc-control-plane/acc/examples/adapter-echo/live"
)

// sealed joins the transport, as a build does: without it the adapter would declare what it cannot do.
func sealed(t testing.TB) *adapter.Adapter {
	t.Helper()
	a, err := New()
	if err != nil {
		t.Fatal(err)
	}
	l, err := live.New()
	if err != nil {
		t.Fatal(err)
	}
	if a, err = a.Join(l); err != nil {
		t.Fatal(err)
	}
	return a
}

// event is what all captures have in common.
func event(kind adapter.EventKind, change func(*adapter.Event)) adapter.Event {
	e := adapter.Event{Kind: kind, SessionID: "echo-1", Cwd: "/home/user/project", ClientVersion: "1.0.0"}
	if change != nil {
		change(&e)
	}
	return e
}

func TestConformance(t *testing.T) {
	adaptertest.Run(t, adaptertest.Kit{
		Adapter: sealed(t), Dir: "testdata",
		Captures: []adaptertest.Capture{
			{File: "start.json", Want: event(adapter.SessionStart, func(e *adapter.Event) { e.Source = "startup" })},
			{File: "prompt.json", Want: event(adapter.BeforeTurn, func(e *adapter.Event) { e.Origin = adapter.OriginHuman })},
			{File: "prompt-woken.json", Want: event(adapter.BeforeTurn, func(e *adapter.Event) { e.Origin = adapter.OriginPeer })},
			{File: "tool-write.json", Want: event(adapter.BeforeTool, func(e *adapter.Event) { e.Tool, e.Targets = "write", []string{"held.txt"} })},
			{File: "tool-shell.json", Want: event(adapter.BeforeTool, func(e *adapter.Event) { e.Tool, e.Targets = "shell", []string{"held.txt"} })},
			{File: "result-write.json", Want: event(adapter.AfterTool, func(e *adapter.Event) { e.Tool = "write" })},
			{File: "stop.json", Want: event(adapter.TurnEnd, nil)},
			{File: "end.json", Want: event(adapter.SessionEnd, nil)},
		},
		Foreign: []string{`{"client":"another","version":"1","event":"start","session":"s","directory":"/p"}`},
		Answers: []adaptertest.Answer{
			{Event: adapter.Event{Kind: adapter.SessionStart}, Context: "text\n", Want: adapter.Output{Stdout: []byte(`{"context":"text\n"}` + "\n")}},
			{Event: adapter.Event{Kind: adapter.BeforeTurn}, Context: "text", Want: adapter.Output{Stdout: []byte(`{"context":"text"}` + "\n")}},
			{Event: adapter.Event{Kind: adapter.AfterTool}, Context: "text", Want: adapter.Output{Stdout: []byte(`{"context":"text"}` + "\n")}},
			{Event: adapter.Event{Kind: adapter.TurnEnd}, Context: "nobody reads it here", Want: adapter.Output{}},
			{Event: adapter.Event{Kind: adapter.BeforeTool}, Deny: "a is claimed", Want: adapter.Output{Stdout: []byte(`{"refuse":"a is claimed"}` + "\n")}},
		},
	})
}

func FuzzNormalize(f *testing.F) {
	f.Add([]byte(`{"client":"echo","version":"1.0.0","event":"tool","session":"s","directory":"/p","tool":{"name":"shell","command":"echo x >a"}}`))
	a := sealed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := a.Normalize(adapter.Call{Payload: data})
		if err == nil && e.SessionID == "" {
			t.Errorf("read as %+v", e)
		}
	})
}

package adaptertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// recorder is a T that remembers what was found.
type recorder struct{ faults []string }

func (*recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

// found runs a kit and gives what it found.
func found(k Kit) (faults string) {
	r := &recorder{}
	defer func() {
		if p := recover(); p != nil && p != any(r) {
			panic(p)
		}
		faults = strings.Join(r.faults, "\n")
	}()
	Run(r, k)
	return ""
}

// echo is a client that does everything right, with one place to go wrong per method.
type echo struct {
	normalize func(adapter.Call, hookkit.Common, adapter.Event) (adapter.Event, error)
	inject    func(adapter.Event, string) (adapter.Output, error)
	deny      func(adapter.Event, string) (adapter.Output, error)
	injects   func(adapter.Event) bool
}

func (c echo) Normalize(call adapter.Call) (adapter.Event, error) {
	p, err := hookkit.DecodeCommon(call.Payload)
	if err != nil {
		if c.normalize != nil {
			return c.normalize(call, p, adapter.Event{})
		}
		return adapter.Event{}, err
	}
	if p.CamelEvent != nil {
		return adapter.Event{}, adapter.ErrNotOurs
	}
	e := p.Basics()
	e.Kind = adapter.BeforeTurn
	if c.normalize != nil {
		return c.normalize(call, p, e)
	}
	return e, nil
}

func (c echo) Injects(e adapter.Event) bool {
	if c.injects != nil {
		return c.injects(e)
	}
	return e.Kind == adapter.BeforeTurn
}

func (c echo) Inject(e adapter.Event, text string) (adapter.Output, error) {
	if c.inject != nil {
		return c.inject(e, text)
	}
	return hookkit.ContextAnswer("Turn", text)
}

func (c echo) Deny(e adapter.Event, reason string) (adapter.Output, error) {
	if c.deny != nil {
		return c.deny(e, reason)
	}
	return hookkit.PermissionAnswer("Tool", reason)
}

func kit(t *testing.T, c adapter.Client, options ...adapter.Option) Kit {
	t.Helper()
	a, err := adapter.New("echo", "Echo", c, options...)
	if err != nil {
		t.Fatal(err)
	}
	return Kit{
		Adapter: a, Dir: "testdata",
		Captures: []Capture{
			{File: "Prompt.json", Want: adapter.Event{Kind: adapter.BeforeTurn, SessionID: "s-1", Cwd: "/home/user/project", Model: "m-1"}},
			{File: "Wrapped.json", Want: adapter.Event{Kind: adapter.BeforeTurn, SessionID: "s-2", Cwd: "/home/user/project"}},
		},
		Foreign: []string{`{"hookEventName":"x","session_id":"s","hook_event_name":"Prompt"}`},
		Answers: []Answer{
			{Event: adapter.Event{Kind: adapter.BeforeTurn}, Context: "x", Want: adapter.Output{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"Turn","additionalContext":"x"}}` + "\n")}},
			{Event: adapter.Event{Kind: adapter.TurnEnd}, Context: "x"},
			{Event: adapter.Event{Kind: adapter.BeforeTool}, Deny: "r", Want: adapter.Output{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"Tool","permissionDecision":"deny","permissionDecisionReason":"r"}}` + "\n")}},
		},
	}
}

func TestAGoodAdapterPasses(t *testing.T) {
	if got := found(kit(t, echo{})); got != "" {
		t.Errorf("found:\n%s", got)
	}
}

// TestEachFaultIsFound: an adapter that is wrong in one way is told of that way.
func TestEachFaultIsFound(t *testing.T) {
	tests := []struct {
		name, want string
		client     echo
		options    []adapter.Option
		change     func(*Kit)
	}{
		{name: "keeps the prompt", want: "of prompt survived", client: echo{normalize: func(_ adapter.Call, p hookkit.Common, e adapter.Event) (adapter.Event, error) {
			e.Reason = hookkit.Word(p.Prompt)
			return e, nil
		}}},
		{name: "keeps what only this client calls so", want: "of model survived", client: echo{normalize: func(_ adapter.Call, p hookkit.Common, e adapter.Event) (adapter.Event, error) {
			e.Reason = hookkit.Word(p.Model)
			return e, nil
		}}, change: func(k *Kit) { k.Private = []string{"model"} }},
		{name: "refuses what is large", want: "half of the bytes", client: echo{normalize: func(call adapter.Call, _ hookkit.Common, e adapter.Event) (adapter.Event, error) {
			if len(call.Payload) > strictjson.DefaultMaxBytes {
				return adapter.Event{}, fmt.Errorf("too large")
			}
			return e, nil
		}}},
		{name: "another meaning", want: "(-want +got)", client: echo{normalize: func(_ adapter.Call, _ hookkit.Common, e adapter.Event) (adapter.Event, error) {
			e.Kind = adapter.TurnEnd
			return e, nil
		}}},
		{name: "reads whose call it is from the environment", want: "the environment decided", options: []adapter.Option{adapter.WithEnvironment("SESSION")},
			client: echo{normalize: func(call adapter.Call, p hookkit.Common, e adapter.Event) (adapter.Event, error) {
				if p.SessionID == "" {
					return e, fmt.Errorf("unreadable")
				}
				if s := call.Env("SESSION"); s != "" {
					e.SessionID = s
				}
				return e, nil
			}}},
		{name: "takes anything for a payload", want: "read as", client: echo{normalize: func(_ adapter.Call, p hookkit.Common, e adapter.Event) (adapter.Event, error) {
			if p.SessionID == "" {
				e = adapter.Event{Kind: adapter.Other, SessionID: "somebody"}
			}
			return e, nil
		}}},
		{name: "changes the payload", want: "payload was changed", client: echo{normalize: func(call adapter.Call, p hookkit.Common, e adapter.Event) (adapter.Event, error) {
			if p.SessionID == "" {
				return e, fmt.Errorf("unreadable")
			}
			call.Payload[len(call.Payload)-1] = ' '
			return e, nil
		}}},
		{name: "speaks for another client", want: "want ErrNotOurs", change: func(k *Kit) { k.Foreign = []string{`{"session_id":"s","hook_event_name":"x"}`} }},
		{name: "another answer", want: "answer 0", client: echo{inject: func(_ adapter.Event, text string) (adapter.Output, error) {
			return hookkit.ContextAnswer("Other", text)
		}}},
		{name: "glues JSON together", want: "the text is not in", client: echo{inject: func(_ adapter.Event, text string) (adapter.Output, error) {
			text = strings.NewReplacer(`"`, "", `\`, "", "\n", "").Replace(text)
			return adapter.Output{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"Turn","additionalContext":"` + text + `"}}` + "\n")}, nil
		}}},
		{name: "refuses without the reason", want: "the reason is not in", client: echo{deny: func(adapter.Event, string) (adapter.Output, error) {
			return hookkit.PermissionAnswer("Tool", "r")
		}}},
		{name: "refuses nothing", want: "refuses nothing", client: echo{deny: func(adapter.Event, string) (adapter.Output, error) {
			return adapter.Output{}, nil
		}}},
		{name: "a point that the matrix does not show", want: "turnEnd takes context: true", client: echo{injects: func(e adapter.Event) bool {
			return e.Kind == adapter.BeforeTurn || e.Kind == adapter.TurnEnd
		}}},
		{name: "no row for the refusal", want: "the matrix shows a refusal: false", change: func(k *Kit) { k.Answers = k.Answers[:2] }},
		{name: "takes its time", want: "may take", options: []adapter.Option{adapter.WithDeadline(adapter.BeforeTurn, 3*time.Second)}},
		{name: "an unused capture", want: "captured and not checked", change: func(k *Kit) { k.Captures = k.Captures[:1] }},
		{name: "no evidence", want: "proves nothing", change: func(k *Kit) { k.Captures = nil }},
		{name: "a missing capture", want: "no such file", change: func(k *Kit) { k.Captures[0].File = "Absent.json" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := kit(t, tt.client, tt.options...)
			if tt.change != nil {
				tt.change(&k)
			}
			if got := found(k); !strings.Contains(got, tt.want) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

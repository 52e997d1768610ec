package adapter

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// stub says what it is told to say.
type stub struct {
	event Event
	deny  Output
}

func (s stub) Normalize(Call) (Event, error)        { return s.event, nil }
func (s stub) Deny(Event, string) (Output, error)   { return s.deny, nil }
func (s stub) Injects(e Event) bool                 { return e.Kind == BeforeTurn }
func (s stub) Inject(Event, string) (Output, error) { return Output{Stdout: []byte("x")}, nil }

// plainClient has no abilities.
type plainClient struct{}

func (plainClient) Normalize(Call) (Event, error) { return Event{}, errors.New("no") }

func TestNewRefusesMistakes(t *testing.T) {
	tests := []struct {
		name, id, display string
		client            Client
		option            Option
	}{
		{"no id", "", "X", plainClient{}, nil},
		{"an id that is a path", "../x", "X", plainClient{}, nil},
		{"a long id", strings.Repeat("x", 41), "X", plainClient{}, nil},
		{"no display name", "x", "", plainClient{}, nil},
		{"no client", "x", "X", nil, nil},
		{"no room for a header", "x", "X", plainClient{}, WithContextLimit(100)},
		{"more context than acc sends", "x", "X", plainClient{}, WithContextLimit(1 << 20)},
		{"no time", "x", "X", plainClient{}, WithDeadline(BeforeTool, 0)},
		{"a deadline for nothing", "x", "X", plainClient{}, WithDeadline("lunch", time.Second)},
	}
	for _, tt := range tests {
		var options []Option
		if tt.option != nil {
			options = append(options, tt.option)
		}
		if _, err := New(tt.id, tt.display, tt.client, options...); err == nil {
			t.Errorf("%s was accepted", tt.name)
		}
	}
}

// TestSettle: what decides something is checked, what is only shown is dropped when it is unusable.
func TestSettle(t *testing.T) {
	good := Event{Kind: BeforeTool, SessionID: "s", Cwd: "/p"}
	bad := map[string]func(*Event){
		"no session":        func(e *Event) { e.SessionID = "" },
		"session of lines":  func(e *Event) { e.SessionID = "a\nb" },
		"relative cwd":      func(e *Event) { e.Cwd = "p" },
		"zero byte in cwd":  func(e *Event) { e.Cwd = "/p\x00" },
		"unknown kind":      func(e *Event) { e.Kind = "lunch" },
		"empty target":      func(e *Event) { e.Targets = []string{"a", ""} },
		"too many targets":  func(e *Event) { e.Targets = make([]string, MaxTargets+1) },
		"endless target":    func(e *Event) { e.Targets = []string{strings.Repeat("a", MaxPathBytes+1)} },
		"zero byte in path": func(e *Event) { e.Targets = []string{"a\x00"} },
	}
	for name, change := range bad {
		e := good
		change(&e)
		a, err := New("x", "X", stub{event: e})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := a.Normalize(Call{}); err == nil {
			t.Errorf("%s was accepted as %+v", name, got)
		}
	}
	e := good
	e.Model, e.Reason, e.Tool = "a\nb", strings.Repeat("r", MaxWordBytes+1), "bad\xff"
	a, _ := New("x", "X", stub{event: e})
	if got, err := a.Normalize(Call{}); err != nil || got.Model+got.Reason+got.Tool != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestAbilities: what a client cannot do is not done, and a refusal that refuses nothing is an error.
func TestAbilities(t *testing.T) {
	weak, err := New("x", "X", plainClient{})
	if err != nil {
		t.Fatal(err)
	}
	if weak.Denies() || weak.Injects(Event{Kind: BeforeTurn}) {
		t.Error("abilities out of nowhere")
	}
	if _, err := weak.Deny(Event{Kind: BeforeTool}, "r"); err == nil {
		t.Error("a client that cannot refuse refused")
	}
	if out, err := weak.Inject(Event{Kind: BeforeTurn}, "t"); err != nil || len(out.Stdout) > 0 {
		t.Errorf("%+v, %v", out, err)
	}
	strong, err := New("x", "X", stub{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := strong.Deny(Event{Kind: BeforeTool}, "r"); err == nil {
		t.Error("an empty refusal passed for one")
	}
	if out, err := strong.Inject(Event{Kind: BeforeTurn}, ""); err != nil || len(out.Stdout) > 0 {
		t.Errorf("nothing to say, said %+v, %v", out, err)
	}
	if out, err := strong.Inject(Event{Kind: TurnEnd}, "t"); err != nil || len(out.Stdout) > 0 {
		t.Errorf("said where nothing is heard: %+v, %v", out, err)
	}
}

func TestDeadlines(t *testing.T) {
	a, err := New("x", "X", plainClient{}, WithDeadline(SessionEnd, 500*time.Millisecond), WithDeadline(BeforeTurn, 3*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[EventKind]time.Duration{
		SessionEnd: 500 * time.Millisecond, BeforeTool: GuardDeadline, BeforeTurn: 3 * time.Second, TurnEnd: DefaultDeadline,
	} {
		if got := a.Deadline(kind); got != want {
			t.Errorf("%s: %v, want %v", kind, got, want)
		}
	}
	if got := a.LongestDeadline(); got != 3*time.Second {
		t.Errorf("longest %v", got)
	}
}

package hook

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// ID is the adapter's id: the word in the installed command line and the harness of its sessions.
const ID = "antigravity"

// contextLimit is modest: how much the client takes is not known.
const contextLimit = 8_000

// New gives the sealed adapter.
func New() (*adapter.Adapter, error) {
	return adapter.New(ID, "Antigravity CLI", client{},
		adapter.WithEnvironment("ACC_PARTICIPANT", "ACC_WORKSPACE_ROOT"),
		adapter.WithContextLimit(contextLimit),
		adapter.WithWrapperTags("system_message", "ephemeral_message", "EPHEMERAL_MESSAGE"),
	)
}

// client implements adapter.Client, Injector and ProcessRecogniser, and no Denier.
type client struct{}

// payload is what is read of a hook payload. It does not name its event: the command line does.
type payload struct {
	conversation             string
	workspaces, model        jsontext.Value
	invocation, continuation jsontext.Value
}

var payloads = &strictjson.Object[payload]{
	Name: "hook payload", Doc: "What Antigravity CLI writes to the standard input of a hook.",
	Open: true, MaxBytes: adapter.MaxPayloadBytes,
	Members: func() []strictjson.Member[payload] {
		return []strictjson.Member[payload]{
			strictjson.Field("conversationId", "conversation", func(p *payload) *string { return &p.conversation }, strictjson.Line(adapter.MaxSessionIDBytes)),
			view("workspacePaths", func(p *payload) *jsontext.Value { return &p.workspaces }),
			view("modelName", func(p *payload) *jsontext.Value { return &p.model }),
			view("invocationNum", func(p *payload) *jsontext.Value { return &p.invocation }),
			view("executionNum", func(p *payload) *jsontext.Value { return &p.continuation }),
		}
	},
}

func view(name string, at func(*payload) *jsontext.Value) strictjson.Member[payload] {
	return strictjson.Optional(name, "", at, strictjson.RawView())
}

// Normalize implements adapter.Client. A conversation without an open workspace has no directory, so it
// enters no room.
func (client) Normalize(call adapter.Call) (adapter.Event, error) {
	p, err := hookkit.Decode(payloads, call.Payload)
	if err != nil {
		return adapter.Event{}, err
	}
	e := adapter.Event{
		Kind: adapter.Other, Name: call.Event, SessionID: p.conversation, Cwd: firstWorkspace(p.workspaces), Model: hookkit.Word(p.model),
	}
	switch call.Event {
	case "":
		return adapter.Event{}, protocol.UsageError("", "the event is missing from the hook's command line")
	case "SessionStart":
		e.Kind = adapter.SessionStart
	case "PreInvocation":
		// It fires before every request to the model; the first of a turn is the turn's beginning.
		e.Kind = adapter.BeforeTurn
		if !zero(p.invocation) {
			e.Kind = adapter.AfterTool
		}
	case "Stop":
		e.Kind, e.Continuation = adapter.TurnEnd, !zero(p.continuation)
	}
	return e, nil
}

// zero says that a counter is absent or 0.
func zero(v jsontext.Value) bool { return v.Kind() != '0' || string(v) == "0" }

// firstWorkspace gives the first of the client's open workspaces.
func firstWorkspace(list jsontext.Value) string {
	paths, err := hookkit.Strings(list)
	if err != nil || len(paths) == 0 {
		return ""
	}
	return paths[0]
}

// Injects implements adapter.Injector: a PreInvocation, whatever it means, can add a step.
func (client) Injects(e adapter.Event) bool {
	return e.Kind == adapter.BeforeTurn || e.Kind == adapter.AfterTool
}

// Inject implements adapter.Injector.
func (client) Inject(_ adapter.Event, text string) (adapter.Output, error) {
	return hookkit.Wrapped(`{"injectSteps":[`, `]}`, hookkit.Field{Name: "ephemeralMessage", Value: text})
}

// Recognise implements adapter.ProcessRecogniser.
func (client) Recognise(p adapter.Process) adapter.Recognition { return adapter.Runs(p, "agy") }

package hook

import (
	_ "embed"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/adapter-sdk/shell"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// ID is the adapter's id: the word in the installed command line and the harness of its sessions.
const ID = "echo"

// evidence is what the test of the module's root saw of the real client.
//
//go:embed certification.json
var evidence []byte

// New gives the sealed adapter.
func New() (*adapter.Adapter, error) {
	return adapter.New(ID, "Echo", client{},
		adapter.WithEnvironment("ACC_PARTICIPANT", "ACC_WORKSPACE_ROOT"),
		adapter.WithPIDVariable("ECHO_PID"),
		adapter.WithEvidence("echo-client", evidence,
			certification.SessionStart, certification.SessionEnd, certification.StartupContext, certification.TurnContext,
			certification.SafePoint, certification.GuardWrite, certification.GuardShell, certification.NextTurn, certification.LivePush),
	)
}

// payload is what the client writes to the standard input of a hook. The words of a prompt are read to
// tell who began the turn, and not kept.
type payload struct {
	Client, Version, Event, Session, Directory, Text string
	Tool                                             tool
}

type tool struct{ Name, File, Command string }

// The tables are open: a later version of the client may say more.
var payloads = &strictjson.Object[payload]{
	Name: "hook payload", Open: true, MaxBytes: adapter.MaxPayloadBytes,
	Members: func() []strictjson.Member[payload] {
		return []strictjson.Member[payload]{
			strictjson.Field("client", "", func(p *payload) *string { return &p.Client }, strictjson.Line(adapter.MaxWordBytes)),
			strictjson.Field("version", "", func(p *payload) *string { return &p.Version }, strictjson.Line(adapter.MaxWordBytes)),
			strictjson.Field("event", "", func(p *payload) *string { return &p.Event }, strictjson.Line(adapter.MaxWordBytes)),
			strictjson.Field("session", "", func(p *payload) *string { return &p.Session }, strictjson.Line(adapter.MaxSessionIDBytes)),
			strictjson.Field("directory", "", func(p *payload) *string { return &p.Directory }, strictjson.Text(adapter.MaxPathBytes)),
			strictjson.Optional("text", "", func(p *payload) *string { return &p.Text }, strictjson.Text(adapter.MaxPayloadBytes)),
			strictjson.Optional("tool", "", func(p *payload) *tool { return &p.Tool }, strictjson.Nested(tools)),
		}
	},
}

var tools = &strictjson.Object[tool]{
	Name: "tool", Open: true,
	Members: func() []strictjson.Member[tool] {
		return []strictjson.Member[tool]{
			strictjson.Field("name", "", func(t *tool) *string { return &t.Name }, strictjson.Line(adapter.MaxWordBytes)),
			strictjson.Optional("file", "", func(t *tool) *string { return &t.File }, strictjson.Text(adapter.MaxPathBytes)),
			strictjson.Optional("command", "", func(t *tool) *string { return &t.Command }, strictjson.Text(adapter.MaxPayloadBytes)),
		}
	},
}

// client implements adapter.Client, Injector and Denier. It has no state.
type client struct{}

// Normalize implements adapter.Client.
func (client) Normalize(call adapter.Call) (adapter.Event, error) {
	p, err := hookkit.Decode(payloads, call.Payload)
	if err != nil {
		return adapter.Event{}, err
	}
	if p.Client != "echo" {
		return adapter.Event{}, adapter.ErrNotOurs
	}
	e := adapter.Event{Kind: adapter.Other, SessionID: p.Session, Cwd: p.Directory, ClientVersion: p.Version, Tool: p.Tool.Name}
	switch p.Event {
	case "start":
		e.Kind, e.Source = adapter.SessionStart, "startup"
	case "prompt":
		e.Kind, e.Origin = adapter.BeforeTurn, hookkit.Wrappers{}.Origin(p.Text)
	case "tool":
		e.Kind, e.Targets = adapter.BeforeTool, targets(p.Tool)
	case "result":
		e.Kind = adapter.AfterTool
	case "stop":
		e.Kind = adapter.TurnEnd
	case "end":
		e.Kind = adapter.SessionEnd
	}
	return e, nil
}

// targets are the files that a tool is about to write.
func targets(t tool) []string {
	switch {
	case t.Name == "write" && t.File != "":
		return []string{t.File}
	case t.Name == "shell":
		return shell.WriteTargets(t.Command)
	}
	return nil
}

// Injects implements adapter.Injector: the client shows its model what these hooks add.
func (client) Injects(e adapter.Event) bool {
	return e.Kind == adapter.SessionStart || e.Kind == adapter.BeforeTurn || e.Kind == adapter.AfterTool
}

// Inject implements adapter.Injector.
func (client) Inject(_ adapter.Event, text string) (adapter.Output, error) {
	return hookkit.Answer(hookkit.Field{Name: "context", Value: text})
}

// Deny implements adapter.Denier.
func (client) Deny(_ adapter.Event, reason string) (adapter.Output, error) {
	return hookkit.Answer(hookkit.Field{Name: "refuse", Value: reason})
}

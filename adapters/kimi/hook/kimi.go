package hook

import (
	_ "embed"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/adapter-sdk/shell"
)

// ID is the adapter's id: the word in the installed command line and the harness of its sessions.
const ID = "kimi"

// contextLimit is modest: the client prints the text on the person's screen too.
const contextLimit = 8_000

// evidence is what tools/certify saw of the real client.
//
//go:embed certification.json
var evidence []byte

// New gives the sealed adapter.
func New() (*adapter.Adapter, error) {
	return adapter.New(ID, "Kimi Code", client{},
		adapter.WithEnvironment("ACC_PARTICIPANT", "ACC_WORKSPACE_ROOT"),
		adapter.WithContextLimit(contextLimit),
		adapter.WithWrapperTags("hook_result", "system"),
		adapter.WithEvidence("kimi", evidence,
			certification.SessionStart, certification.SessionResume, certification.SessionEnd, certification.Heartbeat,
			certification.TurnContext, certification.GuardWrite, certification.GuardShell, certification.NextTurn),
	)
}

// client implements adapter.Client, Injector, Denier and ProcessRecogniser.
type client struct{}

// tools are the tools that write files. Paths may be relative to the directory of the session, also
// where the hook itself runs elsewhere.
var tools = hookkit.Tools{
	"Write": {Member: "path"}, "Edit": {Member: "path"}, "Bash": {Member: "command", Files: shell.WriteTargets},
}

// Normalize implements adapter.Client.
func (client) Normalize(call adapter.Call) (adapter.Event, error) {
	p, err := hookkit.DecodeCommon(call.Payload)
	if err != nil {
		return adapter.Event{}, err
	}
	e := p.Basics()
	if e.AgentID == "main" {
		e.AgentID = "" // the conversation itself, not a subagent of it
	}
	switch p.Event {
	case "SessionStart":
		e.Kind, e.Source = adapter.SessionStart, hookkit.Word(p.Source)
	case "PostCompact":
		e.Kind, e.Source = adapter.SessionStart, "compact" // the client's own start says nothing of it
	case "SessionEnd":
		e.Kind, e.Reason = adapter.SessionEnd, hookkit.Word(p.Reason)
	case "SessionHeartbeat":
		e.Kind = adapter.Heartbeat
	case "UserPromptSubmit":
		e.Kind, e.Origin = adapter.BeforeTurn, hookkit.Wrappers{}.Origin(firstText(p.Prompt))
	case "PreToolUse":
		e.Kind = adapter.BeforeTool
		e.Targets, err = tools.Targets(&p)
	case "PostToolUse":
		e.Kind = adapter.AfterTool
	case "Stop":
		e.Kind, e.Continuation = adapter.TurnEnd, hookkit.Truth(p.StopHookActive)
	case "SubagentStart":
		e.Kind = adapter.ChildStart
	case "SubagentStop":
		e.Kind = adapter.ChildEnd
	}
	return e, err
}

// firstText gives the text of the first part of a prompt, which is a list of {type, text}.
func firstText(prompt jsontext.Value) string {
	d := jsontext.NewDecoder(strings.NewReader(string(prompt)))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '[' {
		return hookkit.Word(prompt)
	}
	part, err := d.ReadValue()
	if err != nil || part.Kind() != '{' {
		return ""
	}
	text, err := hookkit.StringMember(part, "text")
	if err != nil {
		return ""
	}
	return text
}

// Injects implements adapter.Injector.
func (client) Injects(e adapter.Event) bool { return e.Kind == adapter.BeforeTurn }

// Inject implements adapter.Injector. The client unwraps no envelope here: it would show one to the model.
func (client) Inject(_ adapter.Event, text string) (adapter.Output, error) {
	return hookkit.PlainAnswer(text)
}

// Deny implements adapter.Denier. A "decision" has no effect in this client.
func (client) Deny(_ adapter.Event, reason string) (adapter.Output, error) {
	return hookkit.PermissionAnswer("PreToolUse", reason)
}

// Recognise implements adapter.ProcessRecogniser. The client names its process kimi-code and runs the
// script main.mjs, a name that says nothing without the package it lies in.
func (client) Recognise(p adapter.Process) adapter.Recognition {
	if len(p.Args) > 1 && strings.Contains(strings.ReplaceAll(p.Args[1], `\`, "/"), "/kimi-code/") {
		return adapter.Runs(p, "kimi-code", "main")
	}
	if adapter.RunsCommand(p, "kimi") {
		return adapter.ClientProcess
	}
	return adapter.Runs(p, "kimi-code")
}

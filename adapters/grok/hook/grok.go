package hook

import (
	_ "embed"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/adapter-sdk/shell"
)

// ID is the adapter's id: the word in the installed command line and the harness of its sessions.
const ID = "grok"

// contextLimit is modest: the client sends the text again with every later request.
const contextLimit = 8_000

// evidence is what tools/certify saw of the real client.
//
//go:embed certification.json
var evidence []byte

// New gives the sealed adapter.
func New() (*adapter.Adapter, error) {
	return adapter.New(ID, "Grok CLI", client{},
		adapter.WithEnvironment("ACC_PARTICIPANT", "ACC_WORKSPACE_ROOT"),
		adapter.WithContextLimit(contextLimit),
		adapter.WithDeadline(adapter.SessionEnd, time.Second),
		adapter.WithWrapperTags("system-reminder"),
		adapter.WithEvidence("grok", evidence,
			certification.SessionStart, certification.SessionResume, certification.SessionEnd, certification.SafePoint, certification.GuardWrite, certification.GuardShell),
	)
}

// client implements adapter.Client, Injector, Denier and ProcessRecogniser.
type client struct{}

// tools are the tools that write files.
var tools = hookkit.Tools{
	"write": {Member: "file_path"}, "search_replace": {Member: "file_path"},
	"run_terminal_command": {Member: "command", Files: shell.WriteTargets},
}

// Normalize implements adapter.Client. A start may come after the first prompt, and one more Stop may
// come before or after the end.
func (client) Normalize(call adapter.Call) (adapter.Event, error) {
	p, err := hookkit.DecodeCommon(call.Payload)
	if err != nil {
		return adapter.Event{}, err
	}
	if p.CamelEvent == nil {
		return adapter.Event{}, adapter.ErrNotOurs // Claude Code with a configuration that points here
	}
	e := p.Basics()
	switch p.Event {
	case "SessionStart":
		e.Kind, e.Source = adapter.SessionStart, hookkit.Word(p.Source)
	case "SessionEnd":
		e.Kind, e.Reason = adapter.SessionEnd, hookkit.Word(p.Reason)
	case "UserPromptSubmit":
		e.Kind, e.Origin = adapter.BeforeTurn, hookkit.Wrappers{}.Origin(hookkit.Word(p.Prompt))
	case "PreToolUse":
		e.Kind = adapter.BeforeTool
		e.Targets, err = tools.Targets(&p)
	case "PostToolUse":
		e.Kind = adapter.AfterTool
	case "Stop":
		e.Kind = adapter.TurnEnd
	}
	return e, err
}

// contextName is the client's name of an event if it is one of those whose additionalContext reaches the model, after the
// tool's result. On Stop it would make the model go on.
func contextName(kind adapter.EventKind) string {
	switch kind {
	case adapter.BeforeTool:
		return "PreToolUse"
	case adapter.AfterTool:
		return "PostToolUse"
	}
	return ""
}

// Injects implements adapter.Injector.
func (client) Injects(e adapter.Event) bool { return contextName(e.Kind) != "" }

// Inject implements adapter.Injector.
func (client) Inject(e adapter.Event, text string) (adapter.Output, error) {
	return hookkit.ContextAnswer(contextName(e.Kind), text)
}

// Deny implements adapter.Denier. The model reads "Hook denied: REASON".
func (client) Deny(_ adapter.Event, reason string) (adapter.Output, error) {
	return hookkit.Answer(hookkit.Field{Name: "decision", Value: "deny"}, hookkit.Field{Name: "reason", Value: reason})
}

// Recognise implements adapter.ProcessRecogniser. The installed binary carries its version in its name.
func (client) Recognise(p adapter.Process) adapter.Recognition {
	if strings.HasPrefix(p.Name, "grok-") {
		return adapter.ClientProcess
	}
	return adapter.Runs(p, "grok")
}

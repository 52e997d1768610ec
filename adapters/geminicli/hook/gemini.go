package hook

import (
	_ "embed"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/adapter-sdk/shell"
)

// ID is the adapter's id: the word in the installed command line and the harness of its sessions.
const ID = "gemini_cli"

// contextLimit is well above what acc says in a turn; the client was not seen to cut.
const contextLimit = 16_000

// evidence is what tools/certify saw of the real client.
//
//go:embed certification.json
var evidence []byte

// New gives the sealed adapter.
func New() (*adapter.Adapter, error) {
	return adapter.New(ID, "Gemini CLI", client{},
		adapter.WithEnvironment("ACC_PARTICIPANT", "ACC_WORKSPACE_ROOT"),
		adapter.WithContextLimit(contextLimit),
		adapter.WithWrapperTags("hook_context", "untrusted_context", "loaded_context", "project_context"),
		adapter.WithEvidence("gemini-cli", evidence,
			certification.SessionStart, certification.SessionEnd, certification.StartupContext, certification.TurnContext,
			certification.SafePoint, certification.GuardWrite, certification.GuardShell, certification.NextTurn,
			certification.SessionResume),
	)
}

// client implements adapter.Client, Injector, Denier and ProcessRecogniser.
type client struct{}

// tools are the tools that write files.
var tools = hookkit.Tools{
	"write_file": {Member: "file_path"}, "replace": {Member: "file_path"},
	"run_shell_command": {Member: "command", Files: shell.WriteTargets},
}

// Normalize implements adapter.Client. The client ends one session three times when a person quits.
func (client) Normalize(call adapter.Call) (adapter.Event, error) {
	p, err := hookkit.DecodeCommon(call.Payload)
	if err != nil {
		return adapter.Event{}, err
	}
	e := p.Basics()
	switch p.Event {
	case "SessionStart":
		e.Kind, e.Source = adapter.SessionStart, hookkit.Word(p.Source)
	case "SessionEnd":
		e.Kind, e.Reason = adapter.SessionEnd, hookkit.Word(p.Reason)
	case "BeforeAgent":
		e.Kind, e.Origin = adapter.BeforeTurn, hookkit.Wrappers{}.Origin(hookkit.Word(p.Prompt))
	case "BeforeTool":
		e.Kind = adapter.BeforeTool
		e.Targets, err = tools.Targets(&p)
	case "AfterTool":
		e.Kind = adapter.AfterTool
	case "AfterAgent":
		e.Kind, e.Continuation = adapter.TurnEnd, hookkit.Truth(p.StopHookActive)
	}
	return e, err
}

// contextName is the client's name of an event if it is one of those whose additionalContext reaches the model. It escapes
// angle brackets itself.
func contextName(kind adapter.EventKind) string {
	switch kind {
	case adapter.SessionStart:
		return "SessionStart"
	case adapter.BeforeTurn:
		return "BeforeAgent"
	case adapter.AfterTool:
		return "AfterTool"
	}
	return ""
}

// Injects implements adapter.Injector.
func (client) Injects(e adapter.Event) bool { return contextName(e.Kind) != "" }

// Inject implements adapter.Injector.
func (client) Inject(e adapter.Event, text string) (adapter.Output, error) {
	return hookkit.ContextAnswer(contextName(e.Kind), text)
}

// Deny implements adapter.Denier. The envelope of other clients has no effect here, and standard output
// beats the exit status.
func (client) Deny(_ adapter.Event, reason string) (adapter.Output, error) {
	return hookkit.Answer(hookkit.Field{Name: "decision", Value: "deny"}, hookkit.Field{Name: "reason", Value: reason})
}

// Recognise implements adapter.ProcessRecogniser. The nearest one is the client; the one above it only
// started it and may end first.
func (client) Recognise(p adapter.Process) adapter.Recognition { return adapter.Runs(p, "gemini") }

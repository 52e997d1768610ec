package hook

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/adapter-sdk/shell"
)

// ID is the adapter's id: the word in the installed command line and the harness of its sessions.
const ID = "codex"

// contextLimit keeps below the 10,000 characters above which the client cuts the middle out.
const contextLimit = 9_500

// evidence is what tools/certify saw of the real client.
//
//go:embed certification.json
var evidence []byte

// New gives the sealed adapter. It declares no environment variable: in the shared daemon they are those
// of whichever terminal came first.
func New() (*adapter.Adapter, error) {
	return adapter.New(ID, "Codex CLI", client{},
		adapter.WithContextLimit(contextLimit),
		adapter.WithWrapperTags("hook_prompt", "environment_context", "user_instructions", "permissions"),
		adapter.WithEvidence("codex-cli", evidence,
			certification.SessionStart, certification.SessionEnd, certification.StartupContext, certification.TurnContext,
			certification.SafePoint, certification.GuardWrite, certification.GuardShell, certification.NextTurn,
			certification.SessionResume, certification.ChildSessions),
	)
}

// client implements adapter.Client, Injector, Denier and ProcessRecogniser.
type client struct{}

// tools are the tools that write files. Code mode calls them by the same names.
var tools = hookkit.Tools{
	"apply_patch": {Member: "command", Files: hookkit.PatchTargets},
	"Bash":        {Member: "command", Files: shellTargets},
}

// shellTargets also reads a patch that a shell command feeds to apply_patch, which the client shows as a
// shell command.
func shellTargets(line string) []string {
	files := shell.WriteTargets(line)
	if strings.Contains(line, "apply_patch") && strings.Contains(line, "*** Begin Patch") {
		files = append(files, hookkit.PatchTargets(line)...)
	}
	return files
}

// Normalize implements adapter.Client.
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
	case "UserPromptSubmit":
		prompt := hookkit.Word(p.Prompt)
		e.Kind, e.Origin, e.Carries = adapter.BeforeTurn, hookkit.Wrappers{}.Origin(prompt), hookkit.Carried(prompt)
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
		e.Kind, e.Continuation = adapter.ChildEnd, hookkit.Truth(p.StopHookActive)
	}
	return e, err
}

// contextName is the client's name of an event if it is one of those whose additionalContext reaches the model, as a
// developer message. On Stop it would make the whole answer invalid.
func contextName(kind adapter.EventKind) string {
	switch kind {
	case adapter.SessionStart:
		return "SessionStart"
	case adapter.BeforeTurn:
		return "UserPromptSubmit"
	case adapter.BeforeTool:
		return "PreToolUse"
	case adapter.AfterTool:
		return "PostToolUse"
	}
	return ""
}

// Injects implements adapter.Injector.
func (client) Injects(e adapter.Event) bool { return contextName(e.Kind) != "" && e.AgentID == "" }

// Inject implements adapter.Injector. Plain text would do for two of the events, but not when it begins
// with a bracket.
func (client) Inject(e adapter.Event, text string) (adapter.Output, error) {
	return hookkit.ContextAnswer(contextName(e.Kind), text)
}

// Deny implements adapter.Denier.
func (client) Deny(_ adapter.Event, reason string) (adapter.Output, error) {
	return hookkit.PermissionAnswer("PreToolUse", reason)
}

// Recognise implements adapter.ProcessRecogniser. The daemon serves every terminal and outlives them.
// Where the arguments cannot be read it cannot be told from a client of its own.
func (client) Recognise(p adapter.Process) adapter.Recognition {
	switch {
	case !adapter.RunsCommand(p, "codex"):
		return adapter.NotClient
	case len(p.Args) == 0, slices.Contains(p.Args, "app-server"):
		return adapter.SharedProcess
	}
	return adapter.ClientProcess
}

package hook

import (
	_ "embed"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/adapter-sdk/shell"
)

// ID is the adapter's id: the word in the installed command line and the harness of its sessions.
const ID = "claude_code"

// contextLimit is below what the client shows of a hook's text before it cuts.
const contextLimit = 9_500

// Variables that the client sets for its hooks, and Grok's mark: Grok runs the hooks of
// ~/.claude/settings.json too, with its own payload.
const (
	envPID      = "CLAUDE_PID"
	envAgent    = "AI_AGENT" // claude-code_2-1-332_harness
	envGrokHook = "GROK_HOOK_EVENT"
)

// evidence is what tools/certify saw of the real client.
//
//go:embed certification.json
var evidence []byte

// New gives the sealed adapter.
func New() (*adapter.Adapter, error) {
	return adapter.New(ID, "Claude Code", client{},
		adapter.WithPIDVariable(envPID),
		adapter.WithEnvironment(envAgent, envGrokHook, "ACC_PARTICIPANT", "ACC_WORKSPACE_ROOT"),
		adapter.WithContextLimit(contextLimit),
		adapter.WithWrapperTags("system-reminder", "cross-session-message", "task-notification",
			"local-command-stdout", "command-name", "command-message", "user-prompt-submit-hook"),
		adapter.WithEvidence("claude-code", evidence,
			certification.SessionStart, certification.SessionEnd, certification.StartupContext, certification.TurnContext,
			certification.SafePoint, certification.GuardWrite, certification.GuardShell, certification.NextTurn,
			certification.SessionResume, certification.ChildSessions),
	)
}

// client implements adapter.Client, Injector, Denier and ProcessRecogniser.
type client struct{}

// wrappers are the beginnings of prompts that nobody typed, as captured in
// UserPromptSubmit.peer-envelope.json and UserPromptSubmit.task-notification.json.
var wrappers = hookkit.Wrappers{
	Peer:         []string{"<cross-session-message"},
	Continuation: []string{"<task-notification>", "[SYSTEM NOTIFICATION - NOT USER INPUT]"},
}

// Normalize implements adapter.Client.
func (client) Normalize(call adapter.Call) (adapter.Event, error) {
	if call.Env(envGrokHook) != "" {
		return adapter.Event{}, adapter.ErrNotOurs
	}
	p, err := hookkit.DecodeCommon(call.Payload)
	if err != nil {
		return adapter.Event{}, err
	}
	if p.CamelEvent != nil {
		return adapter.Event{}, adapter.ErrNotOurs
	}
	e := p.Basics()
	e.ClientVersion = agentVersion(call.Env(envAgent))
	switch p.Event {
	case "SessionStart":
		e.Kind, e.Source = adapter.SessionStart, hookkit.Word(p.Source)
	case "SessionEnd":
		e.Kind, e.Reason = adapter.SessionEnd, hookkit.Word(p.Reason)
	case "UserPromptSubmit":
		e.Kind, e.Origin = adapter.BeforeTurn, wrappers.Origin(hookkit.Word(p.Prompt))
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

// tools are the tools that write files.
var tools = hookkit.Tools{
	"Write": {Member: "file_path"}, "Edit": {Member: "file_path"}, "MultiEdit": {Member: "file_path"},
	"NotebookEdit": {Member: "notebook_path"}, "Bash": {Member: "command", Files: shell.WriteTargets},
}

// agentVersion reads 2.1.332 out of claude-code_2-1-332_harness; anything else is unknown.
func agentVersion(agent string) string {
	rest, ok := strings.CutPrefix(agent, "claude-code_")
	if !ok {
		return ""
	}
	version, _, _ := strings.Cut(rest, "_")
	for _, c := range version {
		if c != '-' && (c < '0' || c > '9') {
			return ""
		}
	}
	if strings.Count(version, "-") != 2 {
		return ""
	}
	return strings.ReplaceAll(version, "-", ".")
}

// contextName is the client's name of an event if it is one of those whose additionalContext reaches the model and lets
// the turn go on as it would have. A Stop with context makes the model go on, so it is not among them.
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
	case adapter.ChildStart:
		return "SubagentStart"
	}
	return ""
}

// Injects implements adapter.Injector. What a subagent's tools are answered reaches the subagent, not
// the session.
func (client) Injects(e adapter.Event) bool {
	return contextName(e.Kind) != "" && (e.AgentID == "" || e.Kind == adapter.ChildStart)
}

// Inject implements adapter.Injector.
func (client) Inject(e adapter.Event, text string) (adapter.Output, error) {
	return hookkit.ContextAnswer(contextName(e.Kind), text)
}

// Deny implements adapter.Denier. The model reads "PreToolUse:Write hook error: REASON".
func (client) Deny(_ adapter.Event, reason string) (adapter.Output, error) {
	return hookkit.PermissionAnswer("PreToolUse", reason)
}

// Recognise implements adapter.ProcessRecogniser.
func (client) Recognise(p adapter.Process) adapter.Recognition { return adapter.Runs(p, "claude") }

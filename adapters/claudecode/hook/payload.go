package hook

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/adapter-sdk/shell"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// payload is what is read of a hook payload. Members that decide something are typed; those that are
// only shown are kept as they came, so that a change of their type costs no guard.
type payload struct {
	sessionID, cwd, event string

	source, reason, model, permissionMode jsontext.Value
	agentID, tool, input, prompt          jsontext.Value
	stopHookActive                        jsontext.Value
	grokEvent, grokSession                jsontext.Value
}

var payloads = &strictjson.Object[payload]{
	Name: "hook payload", Doc: "What Claude Code writes to the standard input of a hook.",
	Open: true, MaxBytes: adapter.MaxPayloadBytes,
	Members: []strictjson.Member[payload]{
		strictjson.Field("session_id", "conversation", func(p *payload) *string { return &p.sessionID }, strictjson.Line(adapter.MaxSessionIDBytes)),
		strictjson.Optional("cwd", "directory of the session", func(p *payload) *string { return &p.cwd }, strictjson.Text(adapter.MaxPathBytes)),
		strictjson.Field("hook_event_name", "event", func(p *payload) *string { return &p.event }, strictjson.Line(adapter.MaxWordBytes)),
		view("source", func(p *payload) *jsontext.Value { return &p.source }),
		view("reason", func(p *payload) *jsontext.Value { return &p.reason }),
		view("model", func(p *payload) *jsontext.Value { return &p.model }),
		view("permission_mode", func(p *payload) *jsontext.Value { return &p.permissionMode }),
		view("agent_id", func(p *payload) *jsontext.Value { return &p.agentID }),
		view("tool_name", func(p *payload) *jsontext.Value { return &p.tool }),
		view("tool_input", func(p *payload) *jsontext.Value { return &p.input }),
		view("prompt", func(p *payload) *jsontext.Value { return &p.prompt }),
		view("stop_hook_active", func(p *payload) *jsontext.Value { return &p.stopHookActive }),
		view("hookEventName", func(p *payload) *jsontext.Value { return &p.grokEvent }),
		view("sessionId", func(p *payload) *jsontext.Value { return &p.grokSession }),
	},
}

// view keeps a member as it came.
func view(name string, at func(*payload) *jsontext.Value) strictjson.Member[payload] {
	return strictjson.Optional(name, "", at, strictjson.RawView())
}

// fileTools are the tools that write one file, with the member of their input that names it.
var fileTools = map[string]string{
	"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path",
}

// targets gives the files that a tool call is about to write. A file tool whose file cannot be read is
// an error rather than a call without files: the runner says that it could not check.
func targets(tool string, input jsontext.Value) ([]string, error) {
	if tool == "Bash" {
		line, err := hookkit.StringMember(input, "command")
		return shell.WriteTargets(line), err
	}
	member, ok := fileTools[tool]
	if !ok {
		return nil, nil
	}
	file, err := hookkit.StringMember(input, member)
	if err != nil {
		return nil, err
	}
	return []string{file}, nil
}

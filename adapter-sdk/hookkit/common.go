package hookkit

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Common is the payload that Claude Code introduced and that Codex, Gemini CLI, Kimi Code and, beside
// its own spelling, Grok send too. Members that decide something are typed; those that are only shown
// are kept as they came, so that a client may change their type without losing its guard.
type Common struct {
	SessionID string // session_id
	Cwd       string // cwd
	Event     string // hook_event_name

	Source, Reason, Model, PermissionMode, AgentID jsontext.Value
	Tool, Input, Prompt, StopHookActive            jsontext.Value

	// Members that only some clients have.
	CamelEvent     jsontext.Value // hookEventName: Grok
	InputTruncated jsontext.Value // toolInputTruncated: Grok
	ClientType     jsontext.Value // client_type: Kimi Code
}

var common = &strictjson.Object[Common]{
	Name: "hook payload", Doc: "What a client writes to the standard input of a hook.",
	Open: true, MaxBytes: adapter.MaxPayloadBytes,
	Members: func() []strictjson.Member[Common] {
		return []strictjson.Member[Common]{
			strictjson.Field("session_id", "conversation", func(c *Common) *string { return &c.SessionID }, strictjson.Line(adapter.MaxSessionIDBytes)),
			strictjson.Optional("cwd", "directory of the session", func(c *Common) *string { return &c.Cwd }, strictjson.Text(adapter.MaxPathBytes)),
			strictjson.Field("hook_event_name", "event", func(c *Common) *string { return &c.Event }, strictjson.Line(adapter.MaxWordBytes)),
			view("source", func(c *Common) *jsontext.Value { return &c.Source }),
			view("reason", func(c *Common) *jsontext.Value { return &c.Reason }),
			view("model", func(c *Common) *jsontext.Value { return &c.Model }),
			view("permission_mode", func(c *Common) *jsontext.Value { return &c.PermissionMode }),
			view("agent_id", func(c *Common) *jsontext.Value { return &c.AgentID }),
			view("tool_name", func(c *Common) *jsontext.Value { return &c.Tool }),
			view("tool_input", func(c *Common) *jsontext.Value { return &c.Input }),
			view("prompt", func(c *Common) *jsontext.Value { return &c.Prompt }),
			view("stop_hook_active", func(c *Common) *jsontext.Value { return &c.StopHookActive }),
			view("hookEventName", func(c *Common) *jsontext.Value { return &c.CamelEvent }),
			view("toolInputTruncated", func(c *Common) *jsontext.Value { return &c.InputTruncated }),
			view("client_type", func(c *Common) *jsontext.Value { return &c.ClientType }),
		}
	},
}

// view keeps a member as it came.
func view(name string, at func(*Common) *jsontext.Value) strictjson.Member[Common] {
	return strictjson.Optional(name, "", at, strictjson.RawView())
}

// DecodeCommon reads such a payload.
func DecodeCommon(payload []byte) (Common, error) { return Decode(common, payload) }

// Basics gives what all events of such a payload have in common; the adapter adds the kind and what
// belongs to it.
func (c *Common) Basics() adapter.Event {
	return adapter.Event{
		Kind: adapter.Other, Name: c.Event, SessionID: c.SessionID, Cwd: c.Cwd,
		Model: Word(c.Model), PermissionMode: Word(c.PermissionMode), AgentID: Word(c.AgentID), Tool: Word(c.Tool),
	}
}

// Tools says where the input of a tool that writes files names them.
type Tools map[string]Naming

// Naming reads the files out of one member of a tool's input.
type Naming struct {
	Member string
	// Files gives the files that the member's text names; nil: the text is the name of one file.
	Files func(text string) []string
}

// Targets gives the files that the call of a tool is about to write. A known tool whose files cannot
// be read is an error rather than a call without files: the runner says that it could not check.
func (t Tools) Targets(c *Common) ([]string, error) {
	naming, ok := t[Word(c.Tool)]
	if !ok {
		return nil, nil
	}
	text, err := StringMember(c.Input, naming.Member)
	switch {
	case err != nil:
		return nil, err
	case Truth(c.InputTruncated):
		return nil, protocol.DataError("", "the client cut the tool's input short")
	case naming.Files != nil:
		return naming.Files(text), nil
	}
	return []string{text}, nil
}

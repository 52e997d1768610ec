package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// tool is one row of the table of tools.
type tool struct {
	name, description string
	effect            effect
	waits             bool // has a deadline of its own
	schema            jsontext.Value
	run               func(ctx context.Context, c call, arguments []byte) (reply, error)
}

// effect is what a tool does to the room, as its annotations say. No tool reaches beyond the machine.
type effect struct{ reads, idempotent, destroys bool }

var (
	reads   = effect{reads: true, idempotent: true}
	sets    = effect{idempotent: true}                 // again changes nothing more
	adds    = effect{}                                 // again adds an event, a lease or a message
	removes = effect{idempotent: true, destroys: true} // takes away something that was there
)

// tools is the table; its order is the order of a session.
var tools = []tool{
	define("acc_status", "Who is here, what is claimed, what you owe and wait for.", reads, &statusArguments, runStatus),
	define("acc_sync", "Events since a cursor (delta), with a snapshot (full), or the room's messages (history).", reads, &syncArguments, runSync),
	define("acc_work", "Tell peers what you work on and will touch, or clear it.", adds, &workArguments, runWork),
	define("acc_claim", "Reserve a path, DIR/** or SCHEME:NAME for a while. Advisory: peers are told, nothing stops them.", adds, &claimArguments, runClaim),
	define("acc_release", "Give up a claim of yours.", removes, &releaseArguments, runRelease),
	define("acc_message", "Send a note, question, request or decision to participants, or a note or decision to all.", adds, &messageArguments, runMessage),
	define("acc_request", "Ask one participant to do something; a reply is owed.", adds, &requestArguments, runRequest),
	define("acc_inbox", "List what waits for you, or read one message whole, which marks it retrieved.", sets, &inboxArguments, runInbox),
	define("acc_reply", "Answer a message; settles it.", adds, &replyArguments, runReply),
	define("acc_ack", "Settle a message that needs no reply.", sets, &ackArguments, runAck),
	define("acc_finish", "Hand your work over and end your session: claims are released.", effect{destroys: true}, &finishArguments, runFinish),
	waiting(define("acc_wait", "Wait until an unread message for you is there.", reads, &waitArguments, runWait)),
}

func waiting(t tool) tool {
	t.waits = true
	return t
}

// define makes a row: the table of its arguments is what clients see and what decodes, before anybody
// asks who calls.
func define[T any](name, description string, e effect, o *strictjson.Object[T], run func(context.Context, call, T) (reply, error)) tool {
	return tool{
		name: name, description: description, effect: e, schema: schemaOf(o),
		run: func(ctx context.Context, c call, arguments []byte) (reply, error) {
			if a := bytes.TrimSpace(arguments); len(a) == 0 || string(a) == "null" {
				arguments = []byte("{}") // some clients leave them out, and some of those write null
			}
			t, err := o.Decode(arguments)
			if err != nil {
				return reply{}, invalid(name, err)
			}
			return run(ctx, c, t)
		},
	}
}

// reasonInvalid is the reason of arguments that the table refuses.
const reasonInvalid protocol.Reason = "invalid_arguments"

func invalid(name string, err error) error {
	e := protocol.UsageError(reasonInvalid, "invalid arguments of "+name+": "+err.Error()).Because(err)
	var refused *strictjson.Error
	if errors.As(err, &refused) {
		e = e.With("path", refused.Path)
	}
	return e
}

// unsaid are members of a schema that cost more than they say: those that only a document of its own
// needs, at its root, and that no text may be empty, anywhere. Every session of a model pays for each
// byte.
var unsaid = []string{"$schema", "title", "description"}

const unsaidAnywhere = "minLength"

// schemaOf gives the schema of arguments.
func schemaOf[T any](o *strictjson.Object[T]) jsontext.Value {
	in := jsontext.NewDecoder(bytes.NewReader(o.JSONSchema()))
	var buffer bytes.Buffer
	out := jsontext.NewEncoder(&buffer)
	for in.PeekKind() != jsontext.KindInvalid {
		token, err := in.ReadToken()
		if err == nil {
			kind, position := in.StackIndex(in.StackDepth())
			if name := token.String(); kind == jsontext.KindBeginObject && position%2 == 1 &&
				(name == unsaidAnywhere || in.StackDepth() == 1 && slices.Contains(unsaid, name)) {
				err = in.SkipValue()
			} else {
				err = out.WriteToken(token)
			}
		}
		if err != nil {
			panic("mcpserver: the schema of " + o.Name + ": " + err.Error()) // strictjson made it
		}
	}
	return bytes.TrimSpace(buffer.Bytes())
}

// describe is what tools/list says.
func (t tool) describe() *mcp.Tool {
	no := false
	destroys := t.effect.destroys
	a := &mcp.ToolAnnotations{ReadOnlyHint: t.effect.reads, IdempotentHint: t.effect.idempotent, OpenWorldHint: &no}
	if !t.effect.reads {
		a.DestructiveHint = &destroys
	}
	return &mcp.Tool{Name: t.name, Description: t.description, Annotations: a, InputSchema: t.schema}
}

package hookkit

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
)

// Field is one string member of an answer.
type Field struct{ Name, Value string }

// Answer writes one flat JSON object on one line, members in the given order.
func Answer(fields ...Field) (adapter.Output, error) {
	line, err := appendObject(nil, fields)
	return finish(line, err)
}

// SpecificAnswer writes {"hookSpecificOutput":{"hookEventName":EVENT, ...}}, the envelope that Claude
// Code introduced and others took over.
func SpecificAnswer(event string, fields ...Field) (adapter.Output, error) {
	line, err := appendObject([]byte(`{"hookSpecificOutput":`), append([]Field{{"hookEventName", event}}, fields...))
	return finish(append(line, '}'), err)
}

// ContextAnswer adds text to the model's context in that envelope.
func ContextAnswer(event, text string) (adapter.Output, error) {
	return SpecificAnswer(event, Field{"additionalContext", text})
}

// PermissionAnswer refuses a tool in that envelope.
func PermissionAnswer(event, reason string) (adapter.Output, error) {
	return SpecificAnswer(event, Field{"permissionDecision", "deny"}, Field{"permissionDecisionReason", reason})
}

// PlainAnswer writes text as it is, with a line end.
func PlainAnswer(text string) (adapter.Output, error) {
	return adapter.Output{Stdout: []byte(strings.TrimRight(text, "\n") + "\n")}, nil
}

// ExitAnswer refuses a tool by exit status 2 with the reason on standard error.
func ExitAnswer(reason string) (adapter.Output, error) {
	return adapter.Output{Stderr: []byte(reason + "\n"), ExitCode: 2}, nil
}

func appendObject(dst []byte, fields []Field) ([]byte, error) {
	dst = append(dst, '{')
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = jsontext.AppendQuote(dst, f.Name); err != nil {
			return nil, err
		}
		dst = append(dst, ':')
		if dst, err = jsontext.AppendQuote(dst, f.Value); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func finish(line []byte, err error) (adapter.Output, error) {
	if err != nil {
		return adapter.Output{}, protocol.DataError("", "an answer to the client is not valid text").Because(err)
	}
	return adapter.Output{Stdout: append(line, '\n')}, nil
}

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
func Answer(fields ...Field) (adapter.Output, error) { return Wrapped("", "", fields...) }

// SpecificAnswer writes {"hookSpecificOutput":{"hookEventName":EVENT, ...}}, the envelope that Claude
// Code introduced and others took over.
func SpecificAnswer(event string, fields ...Field) (adapter.Output, error) {
	return Wrapped(`{"hookSpecificOutput":`, `}`, append([]Field{{"hookEventName", event}}, fields...)...)
}

// Wrapped writes a flat JSON object between two fixed texts, on one line.
func Wrapped(before, after string, fields ...Field) (adapter.Output, error) {
	line := []byte(before + "{")
	for i, f := range fields {
		if i > 0 {
			line = append(line, ',')
		}
		var err error
		if line, err = jsontext.AppendQuote(line, f.Name); err == nil {
			line, err = jsontext.AppendQuote(append(line, ':'), f.Value)
		}
		if err != nil {
			return adapter.Output{}, protocol.DataError("", "an answer to the client is not valid text").Because(err)
		}
	}
	return adapter.Output{Stdout: append(line, "}"+after+"\n"...)}, nil
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

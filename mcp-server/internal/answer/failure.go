package answer

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/core/shape"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

type failure struct {
	code                  int
	reason, message, hint string
	details               jsontext.Value
}

var failureObject = &strictjson.Object[failure]{
	Name: "failure", Doc: "Why a tool did not do what was asked.",
	Members: func() []strictjson.Member[failure] {
		return []strictjson.Member[failure]{
			shape.Field("code", "2 usage, 3 timeout, 4 data, 5 conflict", func(f *failure) *int { return &f.code }, strictjson.Int(0, 255)),
			shape.Nullable("reason", "a stable name of the cause", func(f *failure) *string { return &f.reason }, shape.Word),
			shape.Field("message", "one line", func(f *failure) *string { return &f.message }, shape.Text),
			shape.Nullable("hint", "the one next step", func(f *failure) *string { return &f.hint }, shape.Text),
			shape.Field("details", "facts about the cause", func(f *failure) *jsontext.Value { return &f.details }, strictjson.RawObject()),
		}
	},
}

// Failure is the root of a failed answer: an error member, so that it cannot be taken for a result.
type failed struct{ err failure }

var failedObject = &strictjson.Object[failed]{
	Name: "failed", Doc: "A failed call.",
	Members: func() []strictjson.Member[failed] {
		return []strictjson.Member[failed]{
			shape.Field("error", "what went wrong", func(f *failed) *failure { return &f.err }, nested(failureObject)),
		}
	},
}

// Failure gives the object and the text of an error. hint takes the place of the error's own where it is
// not empty.
func (w Writer) Failure(e *protocol.Error, hint string) (jsontext.Value, string) {
	if hint == "" {
		hint = e.Hint
	}
	f := failed{failure{
		code: int(e.Code), reason: string(e.Reason), message: shape.Repaired(e.Message), hint: shape.Repaired(hint), details: shape.AppendDetails(nil, e.Details),
	}}
	said := w.Line(f.err.message)
	if hint != "" {
		said += "\nnext: " + w.Line(f.err.hint)
	}
	object, err := Object(w, failedObject, &f)
	if err != nil { // every member was made valid above; the text says it all
		return jsontext.Value(`{}`), said
	}
	return object, said
}

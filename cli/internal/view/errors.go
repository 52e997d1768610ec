package view

import (
	"maps"

	"github.com/acc-control-plane/acc/core/shape"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/go-json-experiment/json/jsontext"
)

// Failure is the error member of the failure envelope.
type Failure struct {
	Code    int
	Reason  string
	Message string
	Details jsontext.Value
}

type failure struct {
	ok  bool
	err Failure
}

var failureObject = &strictjson.Object[failure]{
	Name: "failure", Doc: "What every command prints with --json when it fails.", MaxBytes: maxAnswer,
	Members: func() []strictjson.Member[failure] {
		return []strictjson.Member[failure]{
			strictjson.Const[failure]("envelope_version", "version of the envelope", EnvelopeVersion),
			strictjson.Field("ok", "false", func(f *failure) *bool { return &f.ok }, strictjson.Bool()),
			strictjson.Field("error", "what went wrong", func(f *failure) *Failure { return &f.err }, strictjson.Nested(errorObject)),
		}
	},
}

var errorObject = &strictjson.Object[Failure]{
	Name: "error", Doc: "What went wrong.",
	Members: func() []strictjson.Member[Failure] {
		return []strictjson.Member[Failure]{
			strictjson.Field("code", "the exit code", func(f *Failure) *int { return &f.Code }, strictjson.Int(0, 255)),
			strictjson.Field("reason", "a stable name of the cause, where there is one", func(f *Failure) *string { return &f.Reason }, strictjson.Nullable(word)),
			strictjson.Field("message", "one line for people", func(f *Failure) *string { return &f.Message }, text),
			strictjson.Field("details", "facts about the cause, by reason; hint is the one next command", func(f *Failure) *jsontext.Value { return &f.Details }, strictjson.RawObject()),
		}
	},
}

// FailureOf gives an error as the failure envelope holds it. A detail that is no valid text is repaired
// rather than lost.
func FailureOf(e *protocol.Error) Failure {
	details := maps.Clone(e.Details)
	if details == nil {
		details = map[string]any{}
	}
	if e.Hint != "" {
		details["hint"] = e.Hint
	}
	return Failure{Code: int(e.Code), Reason: string(e.Reason), Message: shape.Repaired(e.Message), Details: shape.AppendDetails(nil, details)}
}

// AppendError appends the failure envelope of e. It cannot fail.
func AppendError(dst []byte, e *protocol.Error) []byte {
	out, err := failureObject.Append(dst, &failure{err: FailureOf(e)})
	if err != nil {
		panic("view: " + err.Error()) // FailureOf made every member valid
	}
	return out
}

// DecodeError reads a failure envelope.
func DecodeError(envelope []byte) (Failure, error) {
	f, err := failureObject.Decode(envelope)
	return f.err, err
}

type hinted struct{ hint string }

var hintObject = &strictjson.Object[hinted]{
	Name: "details", Open: true,
	Members: func() []strictjson.Member[hinted] {
		return []strictjson.Member[hinted]{
			strictjson.Optional("hint", "", func(h *hinted) *string { return &h.hint }, text),
		}
	},
}

// Err gives the error that the failure of another process tells of, with its hint and without other details.
func (f Failure) Err() *protocol.Error {
	e := &protocol.Error{Code: protocol.Code(f.Code), Reason: protocol.Reason(f.Reason), Message: f.Message}
	if h, err := hintObject.Decode(f.Details); err == nil {
		e.Hint = h.hint
	}
	return e
}

package view

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

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
	Members: []strictjson.Member[failure]{
		strictjson.Const[failure]("envelope_version", "version of the envelope", EnvelopeVersion),
		strictjson.Field("ok", "false", func(f *failure) *bool { return &f.ok }, strictjson.Bool()),
		strictjson.Field("error", "what went wrong", func(f *failure) *Failure { return &f.err }, strictjson.Nested(errorObject)),
	},
}

var errorObject = &strictjson.Object[Failure]{
	Name: "error", Doc: "What went wrong.",
	Members: []strictjson.Member[Failure]{
		strictjson.Field("code", "the exit code", func(f *Failure) *int { return &f.Code }, strictjson.Int(0, 255)),
		strictjson.Field("reason", "a stable name of the cause, where there is one", func(f *Failure) *string { return &f.Reason }, strictjson.Nullable(word)),
		strictjson.Field("message", "one line for people", func(f *Failure) *string { return &f.Message }, text),
		strictjson.Field("details", "facts about the cause, by reason; hint is the one next command", func(f *Failure) *jsontext.Value { return &f.Details }, strictjson.RawObject()),
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
	return Failure{Code: int(e.Code), Reason: string(e.Reason), Message: repaired(e.Message), Details: appendValue(nil, details)}
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

// appendValue writes the plain values that details hold; anything else becomes its text.
func appendValue(dst []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case time.Time:
		return appendString(dst, v.UTC().Format(strictjson.TimeLayout))
	case error:
		return appendString(dst, v.Error())
	}
	r := reflect.ValueOf(value)
	switch r.Kind() {
	case reflect.String:
		return appendString(dst, r.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(dst, r.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(dst, r.Uint(), 10)
	case reflect.Slice, reflect.Array:
		dst = append(dst, '[')
		for i := range r.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, r.Index(i).Interface())
		}
		return append(dst, ']')
	case reflect.Map:
		return appendMap(dst, r)
	}
	return appendString(dst, fmt.Sprint(value))
}

func appendMap(dst []byte, m reflect.Value) []byte {
	members := map[string]any{}
	for _, k := range m.MapKeys() {
		members[repaired(fmt.Sprint(k.Interface()))] = m.MapIndex(k).Interface()
	}
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendValue(append(appendString(dst, name), ':'), members[name])
	}
	return append(dst, '}')
}

func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, repaired(s)) // valid UTF-8 is always quoted
	return dst
}

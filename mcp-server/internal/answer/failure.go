package answer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

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
	Members: []strictjson.Member[failure]{
		field("code", "2 usage, 3 timeout, 4 data, 5 conflict", func(f *failure) *int { return &f.code }, strictjson.Int(0, 255)),
		nullable("reason", "a stable name of the cause", func(f *failure) *string { return &f.reason }, word),
		field("message", "one line", func(f *failure) *string { return &f.message }, text),
		nullable("hint", "the one next step", func(f *failure) *string { return &f.hint }, text),
		field("details", "facts about the cause", func(f *failure) *jsontext.Value { return &f.details }, strictjson.RawObject()),
	},
}

// Failure is the root of a failed answer: an error member, so that it cannot be taken for a result.
type failed struct{ err failure }

var failedObject = &strictjson.Object[failed]{
	Name: "failed", Doc: "A failed call.",
	Members: []strictjson.Member[failed]{
		field("error", "what went wrong", func(f *failed) *failure { return &f.err }, nested(failureObject)),
	},
}

// Failure gives the object and the text of an error. hint takes the place of the error's own where it is
// not empty.
func (w Writer) Failure(e *protocol.Error, hint string) (jsontext.Value, string) {
	if hint == "" {
		hint = e.Hint
	}
	f := failed{failure{
		code: int(e.Code), reason: string(e.Reason), message: repaired(e.Message), hint: repaired(hint), details: appendDetails(nil, e.Details),
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

// appendDetails writes the plain values that details hold; anything else becomes its text.
func appendDetails(dst []byte, details map[string]any) []byte {
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(details)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, name), ':')
		dst = appendDetail(dst, details[name])
	}
	return append(dst, '}')
}

func appendDetail(dst []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case time.Time:
		return appendText(dst, v.UTC().Format(strictjson.TimeLayout))
	case []string:
		dst = append(dst, '[')
		for i, s := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendText(dst, s)
		}
		return append(dst, ']')
	}
	return appendText(dst, fmt.Sprint(value))
}

func appendText(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, repaired(s)) // valid UTF-8 is always quoted
	return dst
}

func repaired(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

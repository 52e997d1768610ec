package lines

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// envelope is what every message has in common. Its members are views of the line.
type envelope struct {
	id, params, result, fault jsontext.Value
	method                    string
}

const maxMethod = 200 // bytes of a method name

// envelopes reads a line strictly: duplicate members at any depth, trailing data, invalid UTF-8 and too
// deep nesting are refused. Unknown members beside the known ones are not ours to judge.
var envelopes = &strictjson.Object[envelope]{
	Name: "message", Doc: "One JSON-RPC message.", Open: true, MaxBytes: MaxLine,
	Members: func() []strictjson.Member[envelope] {
		return []strictjson.Member[envelope]{
			strictjson.Const[envelope]("jsonrpc", "the version", "2.0"),
			strictjson.Optional("id", "of a call or its answer", func(e *envelope) *jsontext.Value { return &e.id }, strictjson.RawView()),
			strictjson.Optional("method", "of a call or notification", func(e *envelope) *string { return &e.method }, strictjson.Text(maxMethod)),
			strictjson.Optional("params", "of a call or notification", func(e *envelope) *jsontext.Value { return &e.params }, strictjson.RawObjectView()),
			strictjson.Optional("result", "of an answer", func(e *envelope) *jsontext.Value { return &e.result }, strictjson.RawView()),
			strictjson.Optional("error", "of an answer", func(e *envelope) *jsontext.Value { return &e.fault }, strictjson.RawObjectView()),
		}
	},
}

// refusal is the answer to a line that is no message.
type refusal struct {
	id      jsontext.Value // of the line as far as it could be told; nil: unknown
	code    int64
	message string
}

// parse gives the message of a line, or why there is none.
func parse(line []byte) (jsonrpc.Message, *refusal) {
	e, err := envelopes.Decode(line)
	if err != nil {
		return nil, malformed(line, err)
	}
	switch {
	case len(e.id) > 0 && !answerable(e.id):
		return nil, &refusal{nil, jsonrpc.CodeInvalidRequest, "an id is a string or a whole number that a double can hold"}
	case len(e.id) == 0 && e.method == "":
		return nil, &refusal{nil, jsonrpc.CodeInvalidRequest, "the message has neither a method nor an id"}
	case e.method != "" && len(e.result)+len(e.fault) > 0:
		return nil, &refusal{e.id, jsonrpc.CodeInvalidRequest, "the message is a call and an answer at once"}
	case e.method == "" && (len(e.result) > 0) == (len(e.fault) > 0):
		return nil, &refusal{e.id, jsonrpc.CodeInvalidRequest, "an answer has either a result or an error"}
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, &refusal{e.id, jsonrpc.CodeInvalidRequest, "the message cannot be read"}
	}
	return message, nil
}

// malformed says what is wrong with a line that the table refused.
func malformed(line []byte, err error) *refusal {
	var refused *strictjson.Error
	reason := "malformed"
	if errors.As(err, &refused) {
		reason = refused.Error()
	}
	switch {
	case !jsontext.Value(line).IsValid(jsontext.AllowDuplicateNames(true)):
		return &refusal{nil, jsonrpc.CodeParseError, "the line is not JSON: " + reason}
	case jsontext.Value(line).Kind() == jsontext.KindBeginArray:
		return &refusal{nil, jsonrpc.CodeInvalidRequest, "batches are not part of this protocol"}
	}
	return &refusal{idOf(line), jsonrpc.CodeInvalidRequest, "the line is no JSON-RPC message: " + reason}
}

// maxExact is the last whole number up to which a double holds every one: the MCP library keeps ids as
// doubles, and an answer must carry the id of its call.
const maxExact = 1 << 53

// answerable says whether an answer can carry the id unchanged.
func answerable(id jsontext.Value) bool {
	switch id.Kind() {
	case jsontext.KindString:
		return true
	case jsontext.KindNumber:
		n, err := strconv.ParseInt(string(id), 10, 64)
		return err == nil && -maxExact <= n && n <= maxExact
	}
	return false
}

// idOf finds the id of a JSON object that is otherwise wrong, so that its sender learns which call it
// was.
func idOf(line []byte) jsontext.Value {
	d := jsontext.NewDecoder(bytes.NewReader(line), jsontext.AllowDuplicateNames(true))
	if token, err := d.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return nil
	}
	var id jsontext.Value
	for d.PeekKind() == jsontext.KindString {
		name, err := d.ReadToken()
		if err != nil {
			return nil
		}
		isID := name.String() == "id"
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		if !isID {
			continue
		}
		if id != nil || !answerable(value) {
			return nil
		}
		id = value.Clone()
	}
	return id
}

// write writes the refusal as one line.
func (r *refusal) write(w io.Writer) error {
	line := []byte(`{"jsonrpc":"2.0","id":`)
	if len(r.id) > 0 {
		line = append(line, r.id...)
	} else {
		line = append(line, "null"...)
	}
	line = append(line, `,"error":{"code":`...)
	line = strconv.AppendInt(line, r.code, 10)
	line = append(line, `,"message":`...)
	line, err := jsontext.AppendQuote(line, r.message)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, "}}\n"...))
	return err
}

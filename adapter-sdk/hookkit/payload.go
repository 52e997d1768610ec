package hookkit

import (
	"bytes"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// ReadPayload reads r to its end. More than adapter.MaxPayloadBytes is an error: half a payload could
// name half of the files.
func ReadPayload(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, adapter.MaxPayloadBytes+1))
	if err != nil {
		return nil, protocol.DataError("", "the hook payload could not be read").Because(err)
	}
	if len(data) > adapter.MaxPayloadBytes {
		return nil, protocol.DataError("", "the hook payload is larger than "+strconv.Itoa(adapter.MaxPayloadBytes)+" bytes")
	}
	return data, nil
}

// Decode reads a payload by a table, which must be Open and have adapter.MaxPayloadBytes as its MaxBytes: what
// the client sends beyond it is an error, and the tool then runs unchecked.
//
// Clients written in JavaScript can send halves of surrogate pairs, and others bytes that are no
// UTF-8, whenever a model's file content has them. Refusing such a payload would let a write through
// unchecked, so the broken characters are replaced, which no path that exists can contain.
func Decode[T any](o *strictjson.Object[T], payload []byte) (T, error) {
	t, err := o.Decode(payload)
	if err != nil {
		if mended, changed := mend(payload); changed {
			t, err = o.Decode(mended)
		}
	}
	if err != nil {
		return t, protocol.DataError("", "the hook payload is not what this client sends").Because(err)
	}
	return t, nil
}

// mend replaces bytes that are no UTF-8 and escapes that are half a surrogate pair.
func mend(payload []byte) (mended []byte, changed bool) {
	mended = payload
	if !utf8.Valid(payload) {
		mended, changed = bytes.ToValidUTF8(payload, []byte("\uFFFD")), true
	}
	for i := 0; i+1 < len(mended); i++ {
		if mended[i] != '\\' {
			continue
		}
		first, ok := escapedUnit(mended[i:])
		if !ok {
			i++ // the escaped character, which may be a backslash
			continue
		}
		size := len(`\uXXXX`)
		switch {
		case first >= 0xdc00 && first <= 0xdfff:
		case first >= 0xd800 && first <= 0xdbff:
			if second, ok := escapedUnit(mended[i+size:]); ok && second >= 0xdc00 && second <= 0xdfff {
				i += 2*size - 1
				continue
			}
		default:
			i += size - 1
			continue
		}
		if !changed {
			mended, changed = bytes.Clone(payload), true
		}
		copy(mended[i:], `\ufffd`)
		i += size - 1
	}
	return mended, changed
}

// escapedUnit reads \uXXXX at the start of b.
func escapedUnit(b []byte) (unit uint64, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return unit, err == nil
}

// Word gives the text of a JSON string, or "" for a missing value and for any other type. Adapters use
// it for facts that are only shown, so that a client may change their type without losing its guard.
func Word(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(text)
}

// Truth says whether v is the JSON value true.
func Truth(v jsontext.Value) bool { return v.Kind() == 't' }

// member is the one member that StringMember looks for.
type member struct{ value string }

// StringMember gives a string member of a JSON object that may have any others.
func StringMember(object jsontext.Value, name string) (string, error) {
	o := strictjson.Object[member]{
		Name: "object", Open: true, MaxBytes: adapter.MaxPayloadBytes,
		Members: func() []strictjson.Member[member] {
			return []strictjson.Member[member]{
				strictjson.Field(name, "", func(m *member) *string { return &m.value }, strictjson.Text(adapter.MaxPayloadBytes)),
			}
		},
	}
	m, err := Decode(&o, object)
	return m.value, err
}

// stringList is what Strings reads; the list stands in a member because a table describes an object.
type stringList struct{ values []string }

// Strings gives the elements of a JSON array of strings. A missing value is an empty list.
func Strings(list jsontext.Value) ([]string, error) {
	if list == nil {
		return nil, nil
	}
	o := strictjson.Object[stringList]{
		Name: "list", MaxBytes: adapter.MaxPayloadBytes,
		Members: func() []strictjson.Member[stringList] {
			return []strictjson.Member[stringList]{
				strictjson.Field("values", "", func(l *stringList) *[]string { return &l.values },
					strictjson.List(strictjson.Text(adapter.MaxPayloadBytes), 0, adapter.MaxTargets)),
			}
		},
	}
	l, err := Decode(&o, append(append([]byte(`{"values":`), list...), '}'))
	return l.values, err
}

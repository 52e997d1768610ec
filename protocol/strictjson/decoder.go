package strictjson

import (
	"bytes"
	"io"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of every document.
const (
	DefaultMaxBytes = 1 << 20 // input of an Object that sets no MaxBytes
	MaxDepth        = 64      // nested arrays and objects
)

// decoder reads one document held in memory.
type decoder struct {
	data   []byte
	source bytes.Buffer // the token layer reads this type in place, without a copy
	tokens jsontext.Decoder
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

func newDecoder(data []byte) *decoder {
	d := decoders.Get().(*decoder)
	d.data = data
	d.source = *bytes.NewBuffer(data)
	d.tokens.Reset(&d.source)
	return d
}

// release returns d to the pool without keeping the document alive.
func (d *decoder) release() {
	d.data = nil
	d.source = bytes.Buffer{}
	d.tokens.Reset(&d.source)
	decoders.Put(d)
}

// end refuses anything but white space after the document.
func (d *decoder) end() error {
	if _, err := d.tokens.ReadToken(); err != io.EOF {
		return fail("trailing data after the value")
	}
	return nil
}

// value gives the bytes of the next value or member name; they alias the input.
func (d *decoder) value() ([]byte, error) {
	raw, err := d.tokens.ReadValue()
	if err != nil {
		return nil, syntax(err)
	}
	end := int(d.tokens.InputOffset())
	return d.data[end-len(raw) : end : end], nil
}

// raw gives the bytes of the next value, however deep within the limit.
func (d *decoder) raw() ([]byte, error) {
	v, err := d.value()
	if err != nil {
		return nil, err
	}
	// What opens seldom enough cannot be deep, and to count is faster than to follow.
	room := MaxDepth - d.tokens.StackDepth()
	if bytes.Count(v, []byte("{"))+bytes.Count(v, []byte("[")) > room && nesting(v) > room {
		return nil, fail("nested deeper than " + strconv.Itoa(MaxDepth) + " levels")
	}
	return v, nil
}

// expect refuses a next value of another kind.
func (d *decoder) expect(kind jsontext.Kind) error {
	got := d.tokens.PeekKind()
	if got == kind {
		return nil
	}
	switch got {
	case jsontext.KindInvalid, jsontext.KindNull, jsontext.KindTrue, jsontext.KindFalse: // told by one letter, which may begin anything
		if _, err := d.value(); err != nil {
			return err
		}
	}
	switch got {
	case jsontext.KindInvalid:
		return fail("not a JSON value")
	case jsontext.KindNull:
		return fail("null is not allowed, expected " + kindName(kind))
	}
	return fail("expected " + kindName(kind) + ", found " + kindName(got))
}

// open enters an array or object, close leaves it once more is false.
func (d *decoder) open(kind jsontext.Kind) error {
	if err := d.expect(kind); err != nil {
		return err
	}
	if d.tokens.StackDepth() >= MaxDepth {
		return fail("nested deeper than " + strconv.Itoa(MaxDepth) + " levels")
	}
	return d.token()
}

func (d *decoder) token() error {
	if _, err := d.tokens.ReadToken(); err != nil {
		return syntax(err)
	}
	return nil
}

// more says whether another element or member follows before the closing delimiter.
func (d *decoder) more(closing jsontext.Kind) bool { return d.tokens.PeekKind() != closing }

// null consumes a null if it comes next.
func (d *decoder) null() (bool, error) {
	if d.tokens.PeekKind() != jsontext.KindNull {
		return false, nil
	}
	return true, d.token()
}

// text gives the unescaped bytes of the next string. They alias the input if nothing was escaped.
func (d *decoder) text() ([]byte, error) {
	if err := d.expect(jsontext.KindString); err != nil {
		return nil, err
	}
	raw, err := d.value()
	if err != nil {
		return nil, err
	}
	return unquote(raw)
}

func unquote(raw []byte) ([]byte, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], nil
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return nil, syntax(err)
	}
	return text, nil
}

// nesting counts the levels of arrays and objects of a valid value.
func nesting(v []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			for i++; v[i] != '"'; i++ {
				if v[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

func kindName(k jsontext.Kind) string {
	switch k {
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindTrue, jsontext.KindFalse:
		return "a boolean"
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "an array"
	case jsontext.KindNull:
		return "null"
	}
	return "another delimiter"
}

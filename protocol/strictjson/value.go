package strictjson

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Type says which JSON values a Go V may hold. The functions of this package make them.
type Type[V any] interface {
	decode(d *decoder, v *V) error
	check(v *V) error
	append(dst []byte, v *V) []byte // of a value that passed check
	empty(v *V) bool                // the value that stands for null or absent where that is allowed
	keepEmpty() Type[V]             // the same type where an empty list and no list differ
	shape() *shape
}

// Bool is true or false.
func Bool() Type[bool] { return boolType{} }

type boolType struct{}

func (boolType) decode(d *decoder, v *bool) error {
	switch d.tokens.PeekKind() {
	case jsontext.KindTrue:
		*v = true
	case jsontext.KindFalse:
		*v = false
	default:
		return d.expect(jsontext.KindTrue)
	}
	return d.token()
}
func (boolType) check(*bool) error                 { return nil }
func (boolType) append(dst []byte, v *bool) []byte { return strconv.AppendBool(dst, *v) }
func (boolType) empty(v *bool) bool                { return !*v }
func (t boolType) keepEmpty() Type[bool]           { return t }
func (boolType) shape() *shape                     { return &shape{typ: "boolean", label: "boolean"} }

// Int is a whole number from low to high, both inclusive, written without fraction and exponent.
func Int[N ~int | ~int64](low, high N) Type[N] { return intType[N]{low, high, 1, "integer"} }

// DurationMS is a time.Duration as whole milliseconds from low to high, both inclusive.
func DurationMS(low, high time.Duration) Type[time.Duration] {
	return intType[time.Duration]{low, high, time.Millisecond, "milliseconds"}
}

type intType[N ~int | ~int64] struct {
	low, high N
	unit      N // Go units per unit of JSON
	label     string
}

func (t intType[N]) decode(d *decoder, v *N) error {
	if err := d.expect(jsontext.KindNumber); err != nil {
		return err
	}
	raw, err := d.value()
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || string(raw) == "-0" {
		return fail("must be a whole number" + t.bounds())
	}
	if n < int64(t.low/t.unit) || n > int64(t.high/t.unit) {
		return fail("must be" + t.bounds())
	}
	*v = N(n) * t.unit
	return nil
}
func (t intType[N]) check(v *N) error {
	if *v%t.unit != 0 {
		return fail("must be whole milliseconds")
	}
	if *v < t.low || *v > t.high {
		return fail("must be" + t.bounds())
	}
	return nil
}
func (t intType[N]) bounds() string {
	return " from " + strconv.FormatInt(int64(t.low/t.unit), 10) + " to " + strconv.FormatInt(int64(t.high/t.unit), 10)
}
func (t intType[N]) append(dst []byte, v *N) []byte {
	return strconv.AppendInt(dst, int64(*v/t.unit), 10)
}
func (t intType[N]) empty(v *N) bool    { return *v == 0 }
func (t intType[N]) keepEmpty() Type[N] { return t }
func (t intType[N]) shape() *shape {
	return &shape{typ: "integer", label: t.label, limits: t.bounds()[len(" from "):], words: []keyword{
		{"minimum", strconv.FormatInt(int64(t.low/t.unit), 10)},
		{"maximum", strconv.FormatInt(int64(t.high/t.unit), 10)},
	}}
}

// Raw is any JSON value, kept as a copy of its bytes and written without white space. A nil value
// stands for absent or, in Nullable, for null.
func Raw() Type[jsontext.Value] { return rawType{} }

// RawView is Raw without the copy: the value aliases the input of Decode, which must then stay
// unchanged and is kept alive.
func RawView() Type[jsontext.Value] { return rawType{view: true} }

// RawObject is Raw for objects only.
func RawObject() Type[jsontext.Value] { return rawType{object: true} }

// RawObjectView is RawView for objects only.
func RawObjectView() Type[jsontext.Value] { return rawType{object: true, view: true} }

type rawType struct{ object, view bool }

func (t rawType) decode(d *decoder, v *jsontext.Value) error {
	if t.object {
		if err := d.expect(jsontext.KindBeginObject); err != nil {
			return err
		}
	}
	raw, err := d.raw()
	if err != nil {
		return err
	}
	if !t.view {
		raw = append([]byte(nil), raw...)
	}
	*v = raw
	return nil
}
func (t rawType) check(v *jsontext.Value) error {
	if err := checkRaw(*v); err != nil {
		return err
	}
	if t.object && v.Kind() != jsontext.KindBeginObject {
		return fail("expected an object, found " + kindName(v.Kind()))
	}
	return nil
}
func (t rawType) append(dst []byte, v *jsontext.Value) []byte { return appendRaw(dst, *v) }
func (t rawType) empty(v *jsontext.Value) bool                { return len(*v) == 0 }
func (t rawType) keepEmpty() Type[jsontext.Value]             { return t }
func (t rawType) shape() *shape {
	if t.object {
		return &shape{typ: "object", label: "object", limits: "any members", open: true}
	}
	return &shape{label: "any JSON value"}
}

// checkRaw refuses bytes that are not exactly one JSON value within MaxDepth.
func checkRaw(v jsontext.Value) error {
	d := newDecoder(v)
	defer d.release()
	if _, err := d.raw(); err != nil {
		return rebase(err)
	}
	return d.end()
}

// appendRaw writes a value that passed checkRaw without white space.
func appendRaw(dst []byte, v jsontext.Value) []byte {
	dst, _ = jsontext.AppendFormat(dst, v)
	return dst
}

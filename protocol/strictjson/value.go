package strictjson

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Type says which JSON values a Go V may hold. The functions of this package make them.
//
// Only the functions that make Types and Members are generic. What they make works on pointers in an any,
// so that the compiler does not write the code of this package once for every struct that is described.
type Type[V any] struct{ kind kind }

// kind is a Type without its V: each v is a *V.
type kind interface {
	decode(d *decoder, v any) error
	check(v any) error
	append(dst []byte, v any) []byte // of a value that passed check
	empty(v any) bool                // the value that stands for null or absent where that is allowed
	keepEmpty() kind                 // the same type where an empty list and no list differ
	shape() *shape
}

// Bool is true or false.
func Bool() Type[bool] { return Type[bool]{boolType{}} }

type boolType struct{}

func (boolType) decode(d *decoder, v any) error {
	value := false
	switch d.tokens.PeekKind() {
	case jsontext.KindTrue:
		value = true
	case jsontext.KindFalse:
	default:
		return d.expect(jsontext.KindTrue)
	}
	*v.(*bool) = value
	return d.token()
}
func (boolType) check(any) error                 { return nil }
func (boolType) append(dst []byte, v any) []byte { return strconv.AppendBool(dst, *v.(*bool)) }
func (boolType) empty(v any) bool                { return !*v.(*bool) }
func (t boolType) keepEmpty() kind               { return t }
func (boolType) shape() *shape                   { return &shape{typ: "boolean", label: "boolean"} }

// Int is a whole number from low to high, both inclusive, written without fraction and exponent.
func Int[N ~int | ~int64](low, high N) Type[N] {
	return Type[N]{intType{numberIn[N]{}, int64(low), int64(high), 1, "integer"}}
}

// DurationMS is a time.Duration as whole milliseconds from low to high, both inclusive.
func DurationMS(low, high time.Duration) Type[time.Duration] {
	return Type[time.Duration]{intType{numberIn[time.Duration]{}, int64(low), int64(high), int64(time.Millisecond), "milliseconds"}}
}

// number reaches the number that a pointer leads to.
type number interface {
	get(v any) int64
	set(v any, n int64)
}

type numberIn[N ~int | ~int64] struct{}

func (numberIn[N]) get(v any) int64    { return int64(*v.(*N)) }
func (numberIn[N]) set(v any, n int64) { *v.(*N) = N(n) }

type intType struct {
	number
	low, high int64
	unit      int64 // Go units per unit of JSON
	label     string
}

func (t intType) decode(d *decoder, v any) error {
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
	if n < t.low/t.unit || n > t.high/t.unit {
		return fail("must be" + t.bounds())
	}
	t.set(v, n*t.unit)
	return nil
}
func (t intType) check(v any) error {
	n := t.get(v)
	if n%t.unit != 0 {
		return fail("must be whole milliseconds")
	}
	if n < t.low || n > t.high {
		return fail("must be" + t.bounds())
	}
	return nil
}
func (t intType) bounds() string {
	return " from " + strconv.FormatInt(t.low/t.unit, 10) + " to " + strconv.FormatInt(t.high/t.unit, 10)
}
func (t intType) append(dst []byte, v any) []byte { return strconv.AppendInt(dst, t.get(v)/t.unit, 10) }
func (t intType) empty(v any) bool                { return t.get(v) == 0 }
func (t intType) keepEmpty() kind                 { return t }
func (t intType) shape() *shape {
	return &shape{typ: "integer", label: t.label, limits: t.bounds()[len(" from "):], words: []keyword{
		{"minimum", strconv.FormatInt(t.low/t.unit, 10)},
		{"maximum", strconv.FormatInt(t.high/t.unit, 10)},
	}}
}

// Raw is any JSON value, kept as a copy of its bytes and written without white space. A nil value
// stands for absent or, in Nullable, for null.
func Raw() Type[jsontext.Value] { return Type[jsontext.Value]{rawType{}} }

// RawView is Raw without the copy: the value aliases the input of Decode, which must then stay
// unchanged and is kept alive.
func RawView() Type[jsontext.Value] { return Type[jsontext.Value]{rawType{view: true}} }

// RawObject is Raw for objects only.
func RawObject() Type[jsontext.Value] { return Type[jsontext.Value]{rawType{object: true}} }

// RawObjectView is RawView for objects only.
func RawObjectView() Type[jsontext.Value] {
	return Type[jsontext.Value]{rawType{object: true, view: true}}
}

type rawType struct{ object, view bool }

func (t rawType) decode(d *decoder, v any) error {
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
	*v.(*jsontext.Value) = raw
	return nil
}
func (t rawType) check(v any) error {
	raw := *v.(*jsontext.Value)
	if err := checkRaw(raw); err != nil {
		return err
	}
	if t.object && raw.Kind() != jsontext.KindBeginObject {
		return fail("expected an object, found " + kindName(raw.Kind()))
	}
	return nil
}
func (t rawType) append(dst []byte, v any) []byte { return appendRaw(dst, *v.(*jsontext.Value)) }
func (t rawType) empty(v any) bool                { return len(*v.(*jsontext.Value)) == 0 }
func (t rawType) keepEmpty() kind                 { return t }
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

package strictjson

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Nullable allows null, which is the empty value in Go, beside what typ allows.
func Nullable[V any](typ Type[V]) Type[V] { return Type[V]{nullable{typ.kind.keepEmpty()}} }

type nullable struct{ kind }

func (t nullable) decode(d *decoder, v any) error {
	if null, err := d.null(); null || err != nil {
		return err
	}
	return t.kind.decode(d, v)
}
func (t nullable) check(v any) error {
	if t.empty(v) {
		return nil
	}
	return t.kind.check(v)
}
func (t nullable) append(dst []byte, v any) []byte {
	if t.empty(v) {
		return append(dst, "null"...)
	}
	return t.kind.append(dst, v)
}
func (t nullable) keepEmpty() kind { return t }
func (t nullable) shape() *shape {
	s := t.kind.shape()
	s.nullable = true
	return s
}

// Nested is an object held by value. It is never empty: one that may be absent or null is the zero value when
// it is read so, and is always written. Pointer(Nested(o)) tells and keeps the difference.
func Nested[T any](o *Object[T]) Type[T] { return Type[T]{nested{o}} }

type nested struct{ table table }

func (t nested) decode(d *decoder, v any) error  { return decodeObject(t.table, d, v) }
func (t nested) check(v any) error               { return checkObject(t.table, v) }
func (t nested) append(dst []byte, v any) []byte { return appendObject(t.table, dst, v) }
func (t nested) empty(any) bool                  { return false }
func (t nested) keepEmpty() kind                 { return t }
func (t nested) shape() *shape                   { return shapeOf(t.table) }

// Pointer is typ behind a pointer; nil stands for null or absent where that is allowed and is refused
// where it is not.
func Pointer[V any](typ Type[V]) Type[*V] { return Type[*V]{pointer{pointerTo[V]{}, typ.kind}} }

type pointer struct {
	target
	kind kind
}

// target is what a pointer leads to.
type target interface {
	// follow gives the pointer that v leads to, after making a new one where it is asked to; nil: there
	// is none.
	follow(v any, fresh bool) any
}

type pointerTo[V any] struct{}

func (pointerTo[V]) follow(v any, fresh bool) any {
	p := v.(**V)
	if fresh {
		*p = new(V)
	}
	if *p == nil {
		return nil
	}
	return *p
}

func (t pointer) decode(d *decoder, v any) error { return t.kind.decode(d, t.follow(v, true)) }
func (t pointer) check(v any) error {
	to := t.follow(v, false)
	if to == nil {
		return fail("is missing")
	}
	return t.kind.check(to)
}
func (t pointer) append(dst []byte, v any) []byte { return t.kind.append(dst, t.follow(v, false)) }
func (t pointer) empty(v any) bool                { return t.follow(v, false) == nil }
func (t pointer) keepEmpty() kind                 { return t }
func (t pointer) shape() *shape                   { return t.kind.shape() }

// List is an array of low to high elements. An empty array is a nil slice in Go; where the list is
// nullable or optional it is an empty slice and nil stands for null or absent.
func List[V any](elem Type[V], low, high int) Type[[]V] {
	return Type[[]V]{list{slice: sliceOf[V]{}, elem: elem.kind, low: low, high: high}}
}

// Set is a List of strings without repetition.
func Set[S ~string](elem Type[S], low, high int) Type[[]S] {
	return Type[[]S]{list{slice: sliceOf[S]{}, elem: elem.kind, low: low, high: high, repeated: func(v any) int { return firstRepeated(*v.(*[]S)) }}}
}

// slice reaches the elements of the slice that a pointer leads to.
type slice interface {
	length(v any) int
	at(v any, i int) any // a pointer
	grow(v any) any      // a pointer to a new last element
	none(v any) bool
	clear(v any) // to an empty slice that is not nil
}

type sliceOf[V any] struct{}

func (sliceOf[V]) length(v any) int    { return len(*v.(*[]V)) }
func (sliceOf[V]) at(v any, i int) any { return &(*v.(*[]V))[i] }
func (sliceOf[V]) none(v any) bool     { return *v.(*[]V) == nil }
func (sliceOf[V]) clear(v any)         { *v.(*[]V) = []V{} }
func (sliceOf[V]) grow(v any) any {
	s := v.(*[]V)
	var zero V
	*s = append(*s, zero)
	return &(*s)[len(*s)-1]
}

type list struct {
	slice
	elem      kind
	low, high int
	kept      bool            // an empty array and no array differ
	repeated  func(v any) int // index of the first element that occurs before, or -1; nil: not asked
}

// firstRepeated compares each with each while that is cheaper than a map.
func firstRepeated[S ~string](vs []S) int {
	if len(vs) <= 16 {
		for i, v := range vs {
			if slices.Contains(vs[:i], v) {
				return i
			}
		}
		return -1
	}
	seen := make(map[S]struct{}, len(vs))
	for i, v := range vs {
		if _, ok := seen[v]; ok {
			return i
		}
		seen[v] = struct{}{}
	}
	return -1
}

func (t list) decode(d *decoder, v any) error {
	if err := d.open(jsontext.KindBeginArray); err != nil {
		return err
	}
	if t.kept {
		t.clear(v)
	}
	for i := 0; d.more(jsontext.KindEndArray); i++ {
		if i == t.high {
			return fail("more than " + strconv.Itoa(t.high) + " elements")
		}
		if err := t.elem.decode(d, t.grow(v)); err != nil {
			return within(err, elementSegment(i))
		}
	}
	if err := t.checkList(v); err != nil {
		return err
	}
	return d.token()
}

// checkList is what is asked of a list beyond its elements and its upper bound.
func (t list) checkList(v any) error {
	if t.length(v) < t.low {
		return fail("fewer than " + strconv.Itoa(t.low) + " elements")
	}
	if t.repeated != nil {
		if i := t.repeated(v); i >= 0 {
			return within(fail("repeats an earlier element"), elementSegment(i))
		}
	}
	return nil
}

func (t list) check(v any) error {
	if t.length(v) > t.high {
		return fail("more than " + strconv.Itoa(t.high) + " elements")
	}
	for i := range t.length(v) {
		if err := t.elem.check(t.at(v, i)); err != nil {
			return within(err, elementSegment(i))
		}
	}
	return t.checkList(v)
}

func (t list) append(dst []byte, v any) []byte {
	dst = append(dst, '[')
	for i := range t.length(v) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.elem.append(dst, t.at(v, i))
	}
	return append(dst, ']')
}
func (t list) empty(v any) bool { return t.none(v) }
func (t list) keepEmpty() kind {
	t.kept = true
	return t
}
func (t list) shape() *shape {
	s := &shape{typ: "array", items: t.elem.shape()}
	s.label = "list of " + s.items.label
	if t.low > 0 {
		s.words = append(s.words, keyword{"minItems", strconv.Itoa(t.low)})
		s.limits = strconv.Itoa(t.low) + " to " + strconv.Itoa(t.high) + " elements"
	} else {
		s.limits = "up to " + strconv.Itoa(t.high) + " elements"
	}
	s.words = append(s.words, keyword{"maxItems", strconv.Itoa(t.high)})
	if t.repeated != nil {
		s.words = append(s.words, keyword{"uniqueItems", "true"})
		s.limits += " without repetition"
	}
	if s.items.limits != "" && s.items.members == nil {
		s.limits += ", each " + s.items.limits
	}
	return s
}

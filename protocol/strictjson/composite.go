package strictjson

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Nullable allows null, which is the empty value in Go, beside what typ allows.
func Nullable[V any](typ Type[V]) Type[V] { return nullable[V]{typ.keepEmpty()} }

type nullable[V any] struct{ typ Type[V] }

func (t nullable[V]) decode(d *decoder, v *V) error {
	if null, err := d.null(); null || err != nil {
		return err
	}
	return t.typ.decode(d, v)
}
func (t nullable[V]) check(v *V) error {
	if t.typ.empty(v) {
		return nil
	}
	return t.typ.check(v)
}
func (t nullable[V]) append(dst []byte, v *V) []byte {
	if t.typ.empty(v) {
		return append(dst, "null"...)
	}
	return t.typ.append(dst, v)
}
func (t nullable[V]) empty(v *V) bool    { return t.typ.empty(v) }
func (t nullable[V]) keepEmpty() Type[V] { return t }
func (t nullable[V]) shape() *shape {
	s := t.typ.shape()
	s.nullable = true
	return s
}

// Nested is an object held by value. It is never empty, so that it can be neither nullable nor
// optional; Pointer(Nested(o)) can.
func Nested[T any](o *Object[T]) Type[T] { return nested[T]{o} }

type nested[T any] struct{ o *Object[T] }

func (t nested[T]) decode(d *decoder, v *T) error  { return t.o.decode(d, v) }
func (t nested[T]) check(v *T) error               { return t.o.Validate(v) }
func (t nested[T]) append(dst []byte, v *T) []byte { return t.o.append(dst, v) }
func (t nested[T]) empty(*T) bool                  { return false }
func (t nested[T]) keepEmpty() Type[T]             { return t }
func (t nested[T]) shape() *shape                  { return t.o.shape() }

// Pointer is typ behind a pointer; nil stands for null or absent where that is allowed and is refused
// where it is not.
func Pointer[V any](typ Type[V]) Type[*V] { return pointer[V]{typ} }

type pointer[V any] struct{ typ Type[V] }

func (t pointer[V]) decode(d *decoder, v **V) error {
	*v = new(V)
	return t.typ.decode(d, *v)
}
func (t pointer[V]) check(v **V) error {
	if *v == nil {
		return fail("is missing")
	}
	return t.typ.check(*v)
}
func (t pointer[V]) append(dst []byte, v **V) []byte { return t.typ.append(dst, *v) }
func (t pointer[V]) empty(v **V) bool                { return *v == nil }
func (t pointer[V]) keepEmpty() Type[*V]             { return t }
func (t pointer[V]) shape() *shape                   { return t.typ.shape() }

// List is an array of low to high elements. An empty array is a nil slice in Go; where the list is
// nullable or optional it is an empty slice and nil stands for null or absent.
func List[V any](elem Type[V], low, high int) Type[[]V] {
	return list[V]{elem: elem, low: low, high: high}
}

// Set is a List of strings without repetition.
func Set[S ~string](elem Type[S], low, high int) Type[[]S] {
	return list[S]{elem: elem, low: low, high: high, repeated: firstRepeated[S]}
}

type list[V any] struct {
	elem      Type[V]
	low, high int
	kept      bool             // an empty array and no array differ
	repeated  func(vs []V) int // index of the first element that occurs before, or -1; nil: not asked
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

func (t list[V]) decode(d *decoder, v *[]V) error {
	if err := d.open(jsontext.KindBeginArray); err != nil {
		return err
	}
	if t.kept {
		*v = []V{}
	}
	for i := 0; d.more(jsontext.KindEndArray); i++ {
		if i == t.high {
			return fail("more than " + strconv.Itoa(t.high) + " elements")
		}
		var zero V
		*v = append(*v, zero)
		if err := t.elem.decode(d, &(*v)[i]); err != nil {
			return within(err, elementSegment(i))
		}
	}
	if err := t.checkList(*v); err != nil {
		return err
	}
	return d.token()
}

// checkList is what is asked of a list beyond its elements and its upper bound.
func (t list[V]) checkList(vs []V) error {
	if len(vs) < t.low {
		return fail("fewer than " + strconv.Itoa(t.low) + " elements")
	}
	if t.repeated != nil {
		if i := t.repeated(vs); i >= 0 {
			return within(fail("repeats an earlier element"), elementSegment(i))
		}
	}
	return nil
}

func (t list[V]) check(v *[]V) error {
	if len(*v) > t.high {
		return fail("more than " + strconv.Itoa(t.high) + " elements")
	}
	for i := range *v {
		if err := t.elem.check(&(*v)[i]); err != nil {
			return within(err, elementSegment(i))
		}
	}
	return t.checkList(*v)
}

func (t list[V]) append(dst []byte, v *[]V) []byte {
	dst = append(dst, '[')
	for i := range *v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.elem.append(dst, &(*v)[i])
	}
	return append(dst, ']')
}
func (t list[V]) empty(v *[]V) bool { return *v == nil }
func (t list[V]) keepEmpty() Type[[]V] {
	t.kept = true
	return t
}
func (t list[V]) shape() *shape {
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

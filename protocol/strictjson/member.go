package strictjson

import (
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Member is one member of an Object. Field, Optional, Const and Bag make them.
type Member[T any] interface {
	title() string
	segment() string
	required() bool
	omitted(t *T) bool // not written
	decode(d *decoder, t *T) error
	check(t *T) error
	append(dst []byte, t *T) []byte
	describe() memberShape
}

type field[T, V any] struct {
	name, doc string
	at        func(*T) *V
	typ       Type[V]
	optional  bool
}

// Field is a member that must be there.
func Field[T, V any](name, doc string, at func(*T) *V, typ Type[V]) Member[T] {
	return &field[T, V]{name, doc, at, typ, false}
}

// Optional is a member that may be absent, which is the zero value in Go: empty string, 0, false, zero
// time, nil list, map or pointer. The zero value is not written.
func Optional[T, V any](name, doc string, at func(*T) *V, typ Type[V]) Member[T] {
	return &field[T, V]{name, doc, at, typ.keepEmpty(), true}
}

func (f *field[T, V]) title() string                 { return f.name }
func (f *field[T, V]) segment() string               { return memberSegment(f.name) }
func (f *field[T, V]) required() bool                { return !f.optional }
func (f *field[T, V]) omitted(t *T) bool             { return f.optional && f.typ.empty(f.at(t)) }
func (f *field[T, V]) decode(d *decoder, t *T) error { return f.typ.decode(d, f.at(t)) }
func (f *field[T, V]) check(t *T) error              { return f.typ.check(f.at(t)) }
func (f *field[T, V]) append(b []byte, t *T) []byte  { return f.typ.append(b, f.at(t)) }
func (f *field[T, V]) describe() memberShape {
	return memberShape{name: f.name, doc: f.doc, optional: f.optional, shape: f.typ.shape()}
}

type constant[T any] struct {
	name, doc string
	literal   string
	text      bool
}

// Const is a member that must be there and hold exactly value; nothing in Go stores it.
func Const[T any, V int | string](name, doc string, value V) Member[T] {
	switch v := any(value).(type) {
	case int:
		return &constant[T]{name, doc, strconv.Itoa(v), false}
	case string:
		return &constant[T]{name, doc, string(appendString(nil, v)), true}
	}
	panic("unreachable: V is int or string")
}

func (c *constant[T]) title() string   { return c.name }
func (c *constant[T]) segment() string { return memberSegment(c.name) }
func (c *constant[T]) required() bool  { return true }
func (c *constant[T]) omitted(*T) bool { return false }
func (c *constant[T]) check(*T) error  { return nil }
func (c *constant[T]) decode(d *decoder, _ *T) error {
	raw, err := d.raw()
	if err != nil {
		return err
	}
	if string(raw) != c.literal {
		return fail("must be " + c.literal)
	}
	return nil
}
func (c *constant[T]) append(b []byte, _ *T) []byte { return append(b, c.literal...) }
func (c *constant[T]) describe() memberShape {
	typ := "integer"
	if c.text {
		typ = "string"
	}
	return memberShape{name: c.name, doc: c.doc, shape: &shape{
		typ: typ, label: typ, limits: "exactly " + c.literal, words: []keyword{{"const", c.literal}},
	}}
}

type bag[T any, M ~map[string]jsontext.Value] struct {
	name, doc string
	at        func(*T) *M
	known     []Member[T]
}

// Bag is an object that may be absent and whose unknown members are kept, as copies, in a map. Known
// members are decoded into fields of T instead and must be optional. It is written when it holds
// anything: known members in their order, then the others sorted by name.
func Bag[T any, M ~map[string]jsontext.Value](name, doc string, at func(*T) *M, known ...Member[T]) Member[T] {
	return &bag[T, M]{name, doc, at, known}
}

func (g *bag[T, M]) title() string   { return g.name }
func (g *bag[T, M]) segment() string { return memberSegment(g.name) }
func (g *bag[T, M]) required() bool  { return false }

func (g *bag[T, M]) omitted(t *T) bool {
	if len(*g.at(t)) > 0 {
		return false
	}
	for _, m := range g.known {
		if !m.omitted(t) {
			return false
		}
	}
	return true
}

func (g *bag[T, M]) find(name []byte) Member[T] {
	for _, m := range g.known {
		if string(name) == m.title() {
			return m
		}
	}
	return nil
}

func (g *bag[T, M]) decode(d *decoder, t *T) error {
	if err := d.open(jsontext.KindBeginObject); err != nil {
		return err
	}
	for d.more(jsontext.KindEndObject) {
		quoted, err := d.value()
		if err != nil {
			return err
		}
		name, err := unquote(quoted)
		if err != nil {
			return err
		}
		if m := g.find(name); m != nil {
			if err := m.decode(d, t); err != nil {
				return within(err, m.segment())
			}
			continue
		}
		raw, err := d.raw()
		if err != nil {
			return within(err, memberSegment(string(name)))
		}
		others := g.at(t)
		if *others == nil {
			*others = M{}
		}
		(*others)[string(name)] = slices.Clone(raw)
	}
	return d.token()
}

func (g *bag[T, M]) check(t *T) error {
	for _, m := range g.known {
		if m.omitted(t) {
			continue
		}
		if err := m.check(t); err != nil {
			return within(err, m.segment())
		}
	}
	for name, raw := range *g.at(t) {
		if m := g.find([]byte(name)); m != nil {
			return within(fail("has a field of its own and is not kept among the others"), m.segment())
		}
		if err := checkText(name); err != nil {
			return within(err, memberSegment(name))
		}
		if err := checkRaw(raw); err != nil {
			return within(err, memberSegment(name))
		}
	}
	return nil
}

func (g *bag[T, M]) append(dst []byte, t *T) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for _, m := range g.known {
		if m.omitted(t) {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = m.append(appendName(dst, m.title()), t)
	}
	others := *g.at(t)
	if len(others) > 0 {
		for _, name := range slices.Sorted(maps.Keys(others)) {
			if len(dst) > start {
				dst = append(dst, ',')
			}
			dst = appendRaw(appendName(dst, name), others[name])
		}
	}
	return append(dst, '}')
}

func (g *bag[T, M]) describe() memberShape {
	s := &shape{typ: "object", label: "object", limits: "other members are kept", open: true}
	for _, m := range g.known {
		s.members = append(s.members, m.describe())
	}
	return memberShape{name: g.name, doc: g.doc, optional: true, shape: s}
}

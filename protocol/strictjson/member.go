package strictjson

import (
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Member is one member of an Object. Field, Optional, Const and Bag make them.
type Member[T any] struct{ *member }

// member is a Member without its T. Nearly all are fields, so those take no slot of their own: tables are
// made before main, and each part of one costs an allocation then.
type member struct {
	name, doc string
	optional  bool  // may be absent
	field     field // where it is in Go
	kind      kind  // of a field
	slot      slot  // of what is not a field
}

// field leads from t, the *T of an object, to the Go field of a member: a pointer.
type field interface{ of(t any) any }

// fieldOf is a function, so that holding one as a field allocates nothing.
type fieldOf[T, V any] func(*T) *V

func (at fieldOf[T, V]) of(t any) any { return at(t.(*T)) }

// slot is a member that is not one field of the object: each t is the *T of the object.
type slot interface {
	empty(t any) bool
	decode(d *decoder, t any) error
	check(t any) error
	append(dst []byte, t any) []byte
	shape() *shape
}

func (m *member) segment() string { return memberSegment(m.name) }

// skipped says that the member is not written.
func (m *member) skipped(t any) bool {
	switch {
	case !m.optional:
		return false
	case m.slot != nil:
		return m.slot.empty(t)
	}
	return m.kind.empty(m.field.of(t))
}

func (m *member) decode(d *decoder, t any) error {
	if m.slot != nil {
		return m.slot.decode(d, t)
	}
	return m.kind.decode(d, m.field.of(t))
}

func (m *member) check(t any) error {
	if m.slot != nil {
		return m.slot.check(t)
	}
	return m.kind.check(m.field.of(t))
}

func (m *member) append(dst []byte, t any) []byte {
	if m.slot != nil {
		return m.slot.append(dst, t)
	}
	return m.kind.append(dst, m.field.of(t))
}

func (m *member) describe() memberShape {
	s := memberShape{name: m.name, doc: m.doc, optional: m.optional}
	if m.slot != nil {
		s.shape = m.slot.shape()
	} else {
		s.shape = m.kind.shape()
	}
	return s
}

// Field is a member that must be there.
func Field[T, V any](name, doc string, at func(*T) *V, typ Type[V]) Member[T] {
	return Member[T]{&member{name: name, doc: doc, field: fieldOf[T, V](at), kind: typ.kind}}
}

// Optional is a member that may be absent, which is the zero value in Go: empty string, 0, false, zero
// time, nil list, map or pointer. The zero value is not written.
func Optional[T, V any](name, doc string, at func(*T) *V, typ Type[V]) Member[T] {
	m := Field(name, doc, at, typ)
	m.optional, m.kind = true, typ.kind.keepEmpty()
	return m
}

// Const is a member that must be there and hold exactly value; nothing in Go stores it.
func Const[T any, V int | string](name, doc string, value V) Member[T] {
	return Member[T]{constantOf(name, doc, value)}
}

// constantOf makes the member and what it holds in one piece.
func constantOf(name, doc string, value any) *member {
	c := &struct {
		member
		constant
	}{member: member{name: name, doc: doc}}
	switch v := value.(type) {
	case int:
		c.literal = strconv.Itoa(v)
	case string:
		c.literal, c.text = quoted(v), true
	}
	c.slot = &c.constant
	return &c.member
}

type constant struct {
	literal string
	text    bool
}

func (c *constant) empty(any) bool  { return false }
func (c *constant) check(any) error { return nil }
func (c *constant) decode(d *decoder, _ any) error {
	raw, err := d.raw()
	if err != nil {
		return err
	}
	if string(raw) != c.literal {
		return fail("must be " + c.literal)
	}
	return nil
}
func (c *constant) append(b []byte, _ any) []byte { return append(b, c.literal...) }
func (c *constant) shape() *shape {
	typ := "integer"
	if c.text {
		typ = "string"
	}
	return &shape{typ: typ, label: typ, limits: "exactly " + c.literal, words: []keyword{{"const", c.literal}}}
}

// Bag is an object that may be absent and whose unknown members are kept, as copies, in a map. Known
// members are decoded into fields of T instead and must be optional. It is written when it holds
// anything: known members in their order, then the others sorted by name.
func Bag[T any, M ~map[string]jsontext.Value](name, doc string, at func(*T) *M, known ...Member[T]) Member[T] {
	g := &bag{
		others: func(t any) map[string]jsontext.Value { return *at(t.(*T)) },
		keep: func(t any, name string, raw jsontext.Value) {
			m := at(t.(*T))
			if *m == nil {
				*m = M{}
			}
			(*m)[name] = raw
		},
	}
	for _, m := range known {
		g.known = append(g.known, m.member)
	}
	return Member[T]{&member{name: name, doc: doc, optional: true, slot: g}}
}

type bag struct {
	others func(t any) map[string]jsontext.Value
	keep   func(t any, name string, raw jsontext.Value)
	known  []*member
}

func (g *bag) empty(t any) bool {
	if len(g.others(t)) > 0 {
		return false
	}
	for _, m := range g.known {
		if !m.skipped(t) {
			return false
		}
	}
	return true
}

func (g *bag) find(name []byte) *member {
	for _, m := range g.known {
		if string(name) == m.name {
			return m
		}
	}
	return nil
}

func (g *bag) decode(d *decoder, t any) error {
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
		g.keep(t, string(name), slices.Clone(raw))
	}
	return d.token()
}

func (g *bag) check(t any) error {
	for _, m := range g.known {
		if m.skipped(t) {
			continue
		}
		if err := m.check(t); err != nil {
			return within(err, m.segment())
		}
	}
	for name, raw := range g.others(t) {
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

func (g *bag) append(dst []byte, t any) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for _, m := range g.known {
		if m.skipped(t) {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = m.append(appendName(dst, m.name), t)
	}
	others := g.others(t)
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

func (g *bag) shape() *shape {
	s := &shape{typ: "object", label: "object", limits: "other members are kept", open: true}
	for _, m := range g.known {
		s.members = append(s.members, m.describe())
	}
	return s
}

package strictjson

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Object is the definition of a JSON object held in a T. It is never changed or copied after its first use, and safe
// for concurrent use. A program has hundreds and uses a few, so a definition in a variable costs nothing before main: its
// members are only made when it is used.
type Object[T any] struct {
	Name     string             // what documentation and JSON Schema call it
	Doc      string             // one sentence
	Members  func() []Member[T] // in the order in which they are written; at most 64. Called once, at the first use; nil: none
	Open     bool               // unknown members are skipped; false: they are refused
	MaxBytes int                // of the input; 0: DefaultMaxBytes

	// Check is the rule across members, run after each member passed its own; nil: none. It returns
	// Fail(path, message) or nil. Rules says the same in words, for documentation.
	Check func(*T) *Error
	Rules []string

	once    sync.Once
	members []*member
}

// table is an Object without its T: each t is a *T.
type table interface {
	name() string
	open() bool
	words() (doc string, rules []string)
	list() []*member
	across(t any) error
}

func (o *Object[T]) name() string              { return o.Name }
func (o *Object[T]) open() bool                { return o.Open }
func (o *Object[T]) words() (string, []string) { return o.Doc, o.Rules }
func (o *Object[T]) list() []*member {
	o.once.Do(func() {
		if o.Members == nil {
			return
		}
		list := o.Members()
		o.members = make([]*member, len(list))
		for i, m := range list {
			o.members[i] = m.member
		}
	})
	return o.members
}
func (o *Object[T]) across(t any) error {
	if o.Check != nil {
		if err := o.Check(t.(*T)); err != nil {
			return err
		}
	}
	return nil
}

const maxMembers = 64 // of one Object: presence is tracked in the bits of one word

// Decode reads exactly one JSON value. Errors are *Error.
func (o *Object[T]) Decode(data []byte) (T, error) {
	var t T
	err := o.DecodeInto(data, &t)
	return t, err
}

// DecodeInto is Decode into t, which is set to its zero value first and is of no use after an error.
func (o *Object[T]) DecodeInto(data []byte, t *T) error {
	var zero T
	*t = zero
	return decodeAll(o, o.MaxBytes, data, t)
}

func decodeAll(o table, limit int, data []byte, t any) error {
	if limit == 0 {
		limit = DefaultMaxBytes
	}
	if len(data) > limit {
		return fail("larger than " + strconv.Itoa(limit) + " bytes")
	}
	d := newDecoder(data)
	defer d.release()
	if err := decodeObject(o, d, t); err != nil {
		return err
	}
	return d.end()
}

// Append validates t and appends its canonical JSON: members in the order of the table, no white
// space, absent optional members left out. On error dst is returned unchanged.
func (o *Object[T]) Append(dst []byte, t *T) ([]byte, error) {
	return checkAndAppend(o, dst, t)
}

func checkAndAppend(o table, dst []byte, t any) ([]byte, error) {
	if err := checkObject(o, t); err != nil {
		return dst, err
	}
	return appendObject(o, dst, t), nil
}

// AppendIndent is Append with two spaces of indentation and a final newline, for files that a person
// may open.
func (o *Object[T]) AppendIndent(dst []byte, t *T) ([]byte, error) {
	return checkAndIndent(o, dst, t)
}

func checkAndIndent(o table, dst []byte, t any) ([]byte, error) {
	compact, err := checkAndAppend(o, nil, t)
	if err != nil {
		return dst, err
	}
	return AppendIndent(dst, compact)
}

// AppendIndent appends the JSON value src with two spaces of indentation and a final newline.
func AppendIndent(dst, src []byte) ([]byte, error) {
	out, err := jsontext.AppendFormat(dst, src, jsontext.WithIndent("  "))
	if err != nil {
		return dst, syntax(err)
	}
	return append(out, '\n'), nil
}

// Validate checks t as if it had been decoded. Errors are *Error.
func (o *Object[T]) Validate(t *T) error { return checkObject(o, t) }

func checkObject(o table, t any) error {
	for _, m := range o.list() {
		if m.skipped(t) {
			continue
		}
		if err := m.check(t); err != nil {
			return within(err, m.segment())
		}
	}
	return o.across(t)
}

func decodeObject(o table, d *decoder, t any) error {
	members := o.list()
	if len(members) > maxMembers {
		return fail(o.name() + " has more members than strictjson supports")
	}
	if err := d.open(jsontext.KindBeginObject); err != nil {
		return err
	}
	var seen uint64
	next := 0 // documents we wrote ourselves come in the order of the table
	for d.more(jsontext.KindEndObject) {
		quoted, err := d.value()
		if err != nil {
			return err
		}
		name, err := unquote(quoted)
		if err != nil {
			return err
		}
		i := find(members, name, next)
		if i < 0 {
			if err := unknown(o, d, string(name)); err != nil {
				return within(err, memberSegment(string(name)))
			}
			continue
		}
		m := members[i]
		if err := m.decode(d, t); err != nil {
			return within(err, m.segment())
		}
		seen |= 1 << i
		next = i + 1
	}
	if err := d.token(); err != nil {
		return err
	}
	for i, m := range members {
		if seen&(1<<i) == 0 && !m.optional {
			return within(errors.New("is missing"), m.segment())
		}
	}
	return o.across(t)
}

// find gives the index of the member called name, looking at the likely one first; -1: unknown.
func find(members []*member, name []byte, likely int) int {
	called := func(m *member) bool { return string(name) == m.name }
	if i := slices.IndexFunc(members[likely:], called); i >= 0 {
		return likely + i
	}
	return slices.IndexFunc(members[:likely], called)
}

// unknown skips the value of a member that the table does not have, or refuses it.
func unknown(o table, d *decoder, name string) error {
	if o.open() {
		_, err := d.raw()
		return err
	}
	for _, m := range o.list() {
		if strings.EqualFold(name, m.name) {
			return fail("unknown member, the name is " + strconv.Quote(m.name))
		}
	}
	return fail("unknown member")
}

func appendObject(o table, dst []byte, t any) []byte {
	dst = append(dst, '{')
	first := true
	for _, m := range o.list() {
		if m.skipped(t) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendName(dst, m.name)
		dst = m.append(dst, t)
	}
	return append(dst, '}')
}

func appendName(dst []byte, name string) []byte {
	dst = appendString(dst, name)
	return append(dst, ':')
}

package strictjson

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Object is the definition of a JSON object held in a T. It is built once, never changed after, and
// safe for concurrent use.
type Object[T any] struct {
	Name     string      // what documentation and JSON Schema call it
	Doc      string      // one sentence
	Members  []Member[T] // in the order in which they are written; at most 64
	Open     bool        // unknown members are skipped; false: they are refused
	MaxBytes int         // of the input; 0: DefaultMaxBytes

	// Check is the rule across members, run after each member passed its own; nil: none. It returns
	// Fail(path, message) or nil. Rules says the same in words, for documentation.
	Check func(*T) *Error
	Rules []string
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
	limit := o.MaxBytes
	if limit == 0 {
		limit = DefaultMaxBytes
	}
	if len(data) > limit {
		return fail("larger than " + strconv.Itoa(limit) + " bytes")
	}
	d := newDecoder(data)
	defer d.release()
	if err := o.decode(d, t); err != nil {
		return err
	}
	return d.end()
}

// Append validates t and appends its canonical JSON: members in the order of the table, no white
// space, absent optional members left out. On error dst is returned unchanged.
func (o *Object[T]) Append(dst []byte, t *T) ([]byte, error) {
	if err := o.Validate(t); err != nil {
		return dst, err
	}
	return o.append(dst, t), nil
}

// AppendIndent is Append with two spaces of indentation and a final newline, for files that a person
// may open.
func (o *Object[T]) AppendIndent(dst []byte, t *T) ([]byte, error) {
	compact, err := o.Append(nil, t)
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
func (o *Object[T]) Validate(t *T) error {
	for _, m := range o.Members {
		if m.omitted(t) {
			continue
		}
		if err := m.check(t); err != nil {
			return within(err, m.segment())
		}
	}
	return o.checkAcross(t)
}

func (o *Object[T]) checkAcross(t *T) error {
	if o.Check != nil {
		if err := o.Check(t); err != nil {
			return err
		}
	}
	return nil
}

func (o *Object[T]) decode(d *decoder, t *T) error {
	if len(o.Members) > maxMembers {
		return fail(o.Name + " has more members than strictjson supports")
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
		i := o.find(name, next)
		if i < 0 {
			if err := o.unknown(d, string(name)); err != nil {
				return within(err, memberSegment(string(name)))
			}
			continue
		}
		if err := o.Members[i].decode(d, t); err != nil {
			return within(err, o.Members[i].segment())
		}
		seen |= 1 << i
		next = i + 1
	}
	if err := d.token(); err != nil {
		return err
	}
	for i, m := range o.Members {
		if seen&(1<<i) == 0 && m.required() {
			return within(errors.New("is missing"), m.segment())
		}
	}
	return o.checkAcross(t)
}

// find gives the index of the member called name, looking at the likely one first; -1: unknown.
func (o *Object[T]) find(name []byte, likely int) int {
	for i := likely; i < len(o.Members); i++ {
		if string(name) == o.Members[i].title() {
			return i
		}
	}
	for i := 0; i < min(likely, len(o.Members)); i++ {
		if string(name) == o.Members[i].title() {
			return i
		}
	}
	return -1
}

// unknown skips the value of a member that the table does not have, or refuses it.
func (o *Object[T]) unknown(d *decoder, name string) error {
	if o.Open {
		_, err := d.raw()
		return err
	}
	for _, m := range o.Members {
		if strings.EqualFold(name, m.title()) {
			return fail("unknown member, the name is " + strconv.Quote(m.title()))
		}
	}
	return fail("unknown member")
}

func (o *Object[T]) append(dst []byte, t *T) []byte {
	dst = append(dst, '{')
	first := true
	for _, m := range o.Members {
		if m.omitted(t) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendName(dst, m.title())
		dst = m.append(dst, t)
	}
	return append(dst, '}')
}

func appendName(dst []byte, name string) []byte {
	dst = appendString(dst, name)
	return append(dst, ':')
}

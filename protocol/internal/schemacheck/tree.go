package schemacheck

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Tree is a JSON value.
type Tree struct {
	Kind     jsontext.Kind
	Scalar   string // bytes of anything but an object or array
	Members  []Member
	Elements []*Tree
}

// Member is a member of an object.
type Member struct {
	Name  string
	Value *Tree
}

// Parse reads one JSON value.
func Parse(data []byte) (*Tree, error) {
	return read(jsontext.NewDecoder(bytes.NewReader(data)))
}

// Scalar makes a tree of bytes that are one value.
func Scalar(text string) *Tree {
	t, err := Parse([]byte(text))
	if err != nil {
		panic("schemacheck: " + err.Error())
	}
	return t
}

func read(d *jsontext.Decoder) (*Tree, error) {
	t := &Tree{Kind: d.PeekKind()}
	if t.Kind != jsontext.KindBeginObject && t.Kind != jsontext.KindBeginArray {
		v, err := d.ReadValue()
		t.Scalar = string(v)
		return t, err
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for k := d.PeekKind(); k != jsontext.KindEndObject && k != jsontext.KindEndArray; k = d.PeekKind() {
		name := ""
		if t.Kind == jsontext.KindBeginObject {
			token, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			name = token.String()
		}
		v, err := read(d)
		if err != nil {
			return nil, err
		}
		if t.Kind == jsontext.KindBeginObject {
			t.Members = append(t.Members, Member{name, v})
		} else {
			t.Elements = append(t.Elements, v)
		}
	}
	_, err := d.ReadToken()
	return t, err
}

// Append writes t without white space.
func (t *Tree) Append(dst []byte) []byte {
	switch t.Kind {
	case jsontext.KindBeginObject:
		dst = append(dst, '{')
		for i, m := range t.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst, _ = jsontext.AppendQuote(dst, m.Name)
			dst = m.Value.Append(append(dst, ':'))
		}
		return append(dst, '}')
	case jsontext.KindBeginArray:
		dst = append(dst, '[')
		for i, e := range t.Elements {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.Append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, t.Scalar...)
}

// Text gives the value of a string.
func (t *Tree) Text() string {
	b, _ := jsontext.AppendUnquote(nil, t.Scalar)
	return string(b)
}

// Get gives the member called name, or nil.
func (t *Tree) Get(name string) *Tree {
	for _, m := range t.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Walk calls visit for t and everything in it, with its path from the root.
func (t *Tree) Walk(path string, visit func(path string, t *Tree)) {
	visit(path, t)
	for _, m := range t.Members {
		m.Value.Walk(path+"."+m.Name, visit)
	}
	for i, e := range t.Elements {
		e.Walk(path+"["+string(rune('0'+i))+"]", visit)
	}
}

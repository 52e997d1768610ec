package jsonedit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"github.com/acc-control-plane/acc/adapter-sdk/installkit/internal/sequence"
)

// add inserts a new item as the last of the container v, which lies at path; name is quoted and empty
// for an element.
func (t *text) add(v *hujson.Value, path []string, name, value string, created int) ([]byte, Undo, error) {
	if t.blank {
		return t.begin(name, value, created)
	}
	c, ok := t.container(v)
	if !ok || c.object != (name != "") {
		return nil, Undo{}, wrongType(path, map[bool]string{true: "an object", false: "an array"}[name != ""])
	}
	undo := Undo{Created: created}
	if len(c.list.Items) == 0 {
		undo.Interior = string(t.Doc[c.list.Open+1 : c.list.Close])
	}
	out, err := t.Add(c.list, func(indent string, multi bool) (string, error) {
		return t.render(name, value, indent, multi)
	})
	return out, undo, err
}

// begin writes the document that there was not.
func (t *text) begin(name, value string, created int) ([]byte, Undo, error) {
	undo := Undo{Blank: true, Created: created, Interior: string(t.Doc[t.Start:])}
	item, err := t.render(name, value, t.Unit, true)
	if err != nil {
		return nil, Undo{}, err
	}
	out := string(t.Doc[:t.Start]) + "{" + t.Newline + t.Unit + item + t.Newline + "}" + t.Newline
	return []byte(out), undo, nil
}

// replace writes value in the place of v.
func (t *text) replace(v *hujson.Value, value string) ([]byte, error) {
	from, to := v.StartOffset+t.Start, v.EndOffset+t.Start
	indent, _ := t.LineIndent(from)
	s, err := t.render("", value, indent, t.Lines)
	return sequence.Splice(t.Doc, from, to, s), err
}

// render lays an item out as its neighbours are. An item of several lines continues at indent.
func (t *text) render(name, value, indent string, multi bool) (string, error) {
	options := []jsontext.Options{jsontext.PreserveRawStrings(true)}
	switch {
	case multi:
		options = append(options, jsontext.WithIndent(t.Unit), jsontext.WithIndentPrefix(indent))
	case t.Spaced:
		options = append(options, jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true), jsontext.Multiline(false))
	default:
		options = append(options, jsontext.Multiline(false))
	}
	out, err := jsontext.AppendFormat(nil, []byte(value), options...)
	if err != nil {
		return "", &SyntaxError{Problem: "the value to write is not JSON: " + err.Error()}
	}
	s := strings.ReplaceAll(string(out), "\n", t.Newline) // strings hold no bare newline
	switch {
	case name == "":
		return s, nil
	case multi || t.Spaced:
		return name + ": " + s, nil
	}
	return name + ":" + s, nil
}

// takeOut removes one item, which is element i or the named member of the container at path, and then
// the containers that the edit made, from the inside out, as long as nothing else is in them.
func takeOut(t *text, path []string, i int, name string, undo Undo) ([]byte, error) {
	for left := undo.Created; ; left-- {
		v, _, err := t.walk(path)
		if err != nil {
			return nil, err
		}
		c, _ := t.container(v)
		if name != "" {
			i = slices.Index(c.names, name)
		}
		doc := t.Remove(c.list, i)
		if t, err = parse(doc, JSONC); err != nil {
			return nil, err
		}
		if v, _, err = t.walk(path); err != nil {
			return nil, err
		}
		c, _ = t.container(v)
		switch {
		case !t.empty(c):
			return doc, nil
		case len(path) == 0 && undo.Blank:
			return append(bytes.Clone(doc[:t.Start]), undo.Interior...), nil
		case len(path) == 0 || left == 0:
			return sequence.Splice(doc, c.list.Open+1, c.list.Close, undo.Interior), nil
		}
		name, path = path[len(path)-1], path[:len(path)-1]
	}
}

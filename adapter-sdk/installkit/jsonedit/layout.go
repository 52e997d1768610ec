package jsonedit

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
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
	if len(c.items) == 0 {
		undo.Interior = string(t.doc[c.open+1 : c.close])
		out, err := t.addFirst(c, name, value)
		return out, undo, err
	}
	out, err := t.addLast(c, name, value)
	return out, undo, err
}

// begin writes the document that there was not.
func (t *text) begin(name, value string, created int) ([]byte, Undo, error) {
	undo := Undo{Blank: true, Created: created, Interior: string(t.doc[t.base:])}
	if name == "" { // an array at the root; nobody has such a configuration
		return nil, Undo{}, wrongType(nil, "an array")
	}
	item, err := t.render(name, value, t.unit, true)
	if err != nil {
		return nil, Undo{}, err
	}
	out := string(t.doc[:t.base]) + "{" + t.newline + t.unit + item + t.newline + "}" + t.newline
	return []byte(out), undo, nil
}

// addFirst puts the item into a container that has none, behind comments if there are any.
func (t *text) addFirst(c container, name, value string) ([]byte, error) {
	interior := string(t.doc[c.open+1 : c.close])
	base, _ := t.lineIndent(c.open)
	end := t.trimRight(c.open+1, c.close)
	if end == c.open+1 {
		item, err := t.render(name, value, base+t.unit, t.lines)
		if err == nil && t.lines {
			item = t.newline + base + t.unit + item + t.newline + base
		}
		return splice(t.doc, c.open+1, c.close, item), err
	}
	multi := strings.Contains(interior, "\n")
	item, err := t.render(name, value, base+t.unit, multi)
	if multi {
		item = t.newline + base + t.unit + item
	} else {
		item = " " + item
	}
	return splice(t.doc, end, end, item), err
}

// addLast puts the item behind the last one and behind the comments that follow it.
func (t *text) addLast(c container, name, value string) ([]byte, error) {
	last := c.items[len(c.items)-1]
	after := last.end
	if last.comma >= 0 {
		after = last.comma + 1
	}
	end := t.trimRight(after, c.close)
	indent, multi := t.lineIndent(last.start)
	if !multi && bytes.Contains(t.doc[after:end], lineComment) {
		base, _ := t.lineIndent(c.open)
		indent, multi = base+t.unit, true
	}
	item, err := t.render(name, value, indent, multi)
	if err != nil {
		return nil, err
	}
	switch {
	case multi:
		item = t.newline + indent + item
	case t.spaced:
		item = " " + item
	}
	if last.comma >= 0 {
		return splice(t.doc, end, end, item+","), nil
	}
	if end == last.end {
		return splice(t.doc, end, end, ","+item), nil
	}
	return splice(splice(t.doc, end, end, item), last.end, last.end, ","), nil
}

// replace writes value in the place of v.
func (t *text) replace(v *hujson.Value, value string) ([]byte, error) {
	from, to := v.StartOffset+t.base, v.EndOffset+t.base
	indent, _ := t.lineIndent(from)
	s, err := t.render("", value, indent, t.lines)
	return splice(t.doc, from, to, s), err
}

// render lays an item out as its neighbours are. An item of several lines continues at indent.
func (t *text) render(name, value, indent string, multi bool) (string, error) {
	options := []jsontext.Options{jsontext.PreserveRawStrings(true)}
	switch {
	case multi:
		options = append(options, jsontext.WithIndent(t.unit), jsontext.WithIndentPrefix(indent))
	case t.spaced:
		options = append(options, jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true), jsontext.Multiline(false))
	default:
		options = append(options, jsontext.Multiline(false))
	}
	out, err := jsontext.AppendFormat(nil, []byte(value), options...)
	if err != nil {
		return "", &SyntaxError{Problem: "the value to write is not JSON: " + err.Error()}
	}
	s := strings.ReplaceAll(string(out), "\n", t.newline) // strings hold no bare newline
	switch {
	case name == "":
		return s, nil
	case multi || t.spaced:
		return name + ": " + s, nil
	}
	return name + ":" + s, nil
}

// takeOut removes one item, which is element i or the named member of the container at path, and then
// the containers that the edit made, from the inside out, as long as nothing else is in them.
func takeOut(t *text, path []string, i int, name string, undo Undo) ([]byte, error) {
	for left := undo.Created; ; left-- {
		v, depth, err := t.walk(path)
		if err != nil || depth < len(path) {
			return t.doc, err
		}
		c, _ := t.container(v)
		for k := range c.items {
			if name != "" && c.items[k].name == name {
				i = k
			}
		}
		doc := t.remove(c, i)
		if t, err = parse(doc, JSONC); err != nil {
			return nil, err
		}
		if v, _, err = t.walk(path); err != nil {
			return nil, err
		}
		c, _ = t.container(v)
		if len(c.items) > 0 || t.trimRight(c.open+1, c.close) > c.open+1 {
			return doc, nil
		}
		if len(path) == 0 {
			return t.emptied(c, undo), nil
		}
		if left == 0 {
			return splice(doc, c.open+1, c.close, undo.Interior), nil
		}
		i, name, path = -1, path[len(path)-1], path[:len(path)-1]
	}
}

// emptied gives the document whose root object lost its last member.
func (t *text) emptied(c container, undo Undo) []byte {
	if undo.Blank {
		return append(bytes.Clone(t.doc[:t.base]), undo.Interior...)
	}
	return splice(t.doc, c.open+1, c.close, undo.Interior)
}

// remove deletes item i with the comma that belongs to it and the white space in front of it. Comments
// stay.
func (t *text) remove(c container, i int) []byte {
	it := c.items[i]
	low := c.open + 1
	if i > 0 {
		low = c.items[i-1].comma + 1
	}
	from, to := t.trimRight(low, it.start), it.end
	if it.comma >= 0 {
		to = it.comma + 1
	}
	if i == 0 && from == it.start { // the next item takes the place
		for len(c.items) > 1 && (t.doc[to] == ' ' || t.doc[to] == '\t') {
			to++
		}
	}
	if from > low && t.endsInLineComment(low, from) && t.doc[to] != '\n' && t.doc[to] != '\r' {
		from += bytes.IndexByte(t.doc[from:], '\n') + 1 // or the comment would swallow what follows
	}
	doc := splice(t.doc, from, to, "")
	if it.comma < 0 && i > 0 {
		doc = splice(doc, c.items[i-1].comma, c.items[i-1].comma+1, "")
	}
	return doc
}

// endsInLineComment says whether the last comment of white space and comments from low to end is one
// that reaches to the end of its line.
func (t *text) endsInLineComment(low, end int) bool {
	line := false
	for i := low; i < end; i++ {
		rest := t.doc[i:end]
		switch {
		case bytes.HasPrefix(rest, lineComment):
			line = true
			if n := bytes.IndexByte(rest, '\n'); n >= 0 {
				i += n
			} else {
				return true
			}
		case bytes.HasPrefix(rest, blockComment):
			line = false
			i += blockLen(rest) - 1
		}
	}
	return line
}

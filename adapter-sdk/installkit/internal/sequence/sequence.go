// Package sequence adds an item to a comma-separated list in a text and takes it out again so that the
// bytes are what they were. It knows the layout of lists, not the language that they are written in:
// the editors of JSON and TOML share it.
package sequence

import (
	"bytes"
	"strings"
)

// Text is a document and how it is laid out.
type Text struct {
	Doc     []byte
	Start   int    // where the first line begins, behind a byte order mark
	Newline string // "\n" or "\r\n"
	Unit    string // one level of indentation
	Lines   bool   // new lists spread over several lines
	Spaced  bool   // a space follows a comma

	LineComment                   string // what starts a comment that ends with its line; "": there is none
	BlockComment, BlockCommentEnd string // what encloses a comment; "": there is none
}

// List is a list in a Text, by the offsets of its parts.
type List struct {
	Open, Close int // of the delimiters, one byte each
	Items       []Item
}

// Item is one item; End is exclusive, Comma is the offset of the comma behind it or -1.
type Item struct{ Start, End, Comma int }

// Render gives an item's text. An item of several lines continues at indent and is asked for only when
// multi.
type Render func(indent string, multi bool) (string, error)

// Add puts an item behind the last one and behind the comments that follow it.
func (t *Text) Add(l List, render Render) ([]byte, error) {
	if len(l.Items) == 0 {
		return t.addFirst(l, render)
	}
	last := l.Items[len(l.Items)-1]
	after := last.End
	if last.Comma >= 0 {
		after = last.Comma + 1
	}
	end := t.TrimRight(after, l.Close)
	indent, multi := t.LineIndent(last.Start)
	if !multi && t.LineComment != "" && bytes.Contains(t.Doc[after:end], []byte(t.LineComment)) {
		base, _ := t.LineIndent(l.Open)
		indent, multi = base+t.Unit, true
	}
	item, err := render(indent, multi)
	if err != nil {
		return nil, err
	}
	switch {
	case multi:
		item = t.Newline + indent + item
	case t.Spaced:
		item = " " + item
	}
	switch {
	case last.Comma >= 0:
		return Splice(t.Doc, end, end, item+","), nil
	case end == last.End:
		return Splice(t.Doc, end, end, ","+item), nil
	}
	return Splice(Splice(t.Doc, end, end, item), last.End, last.End, ","), nil
}

// addFirst puts an item into a list that has none, behind comments if there are any.
func (t *Text) addFirst(l List, render Render) ([]byte, error) {
	base, _ := t.LineIndent(l.Open)
	indent := base + t.Unit
	end := t.TrimRight(l.Open+1, l.Close)
	if end == l.Open+1 {
		item, err := render(indent, t.Lines)
		if err == nil && t.Lines {
			item = t.Newline + indent + item + t.Newline + base
		}
		return Splice(t.Doc, l.Open+1, l.Close, item), err
	}
	multi := bytes.IndexByte(t.Doc[l.Open:l.Close], '\n') >= 0
	item, err := render(indent, multi)
	if multi {
		item = t.Newline + indent + item
	} else {
		item = " " + item
	}
	return Splice(t.Doc, end, end, item), err
}

// Remove deletes item i with the comma that belongs to it and the white space in front of it. Comments
// stay.
func (t *Text) Remove(l List, i int) []byte {
	it := l.Items[i]
	low := l.Open + 1
	if i > 0 {
		low = l.Items[i-1].Comma + 1
	}
	from, to := t.TrimRight(low, it.Start), it.End
	if it.Comma >= 0 {
		to = it.Comma + 1
	}
	if i == 0 && from == it.Start { // the next item takes the place
		for len(l.Items) > 1 && (t.Doc[to] == ' ' || t.Doc[to] == '\t') {
			to++
		}
	}
	if t.endsInLineComment(low, from) && t.Doc[to] != '\n' && t.Doc[to] != '\r' {
		from += bytes.IndexByte(t.Doc[from:], '\n') + 1 // or the comment would swallow what follows
	}
	doc := Splice(t.Doc, from, to, "")
	if it.Comma < 0 && i > 0 {
		comma := l.Items[i-1].Comma
		doc = Splice(doc, comma, comma+1, "")
	}
	return doc
}

// endsInLineComment says whether the last comment of the white space and comments from low to end
// reaches to the end of its line.
func (t *Text) endsInLineComment(low, end int) bool {
	line := false
	for i := low; i < end; i++ {
		rest := string(t.Doc[i:end])
		switch {
		case t.LineComment != "" && strings.HasPrefix(rest, t.LineComment):
			line = true
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				return true
			}
			i += n
		case t.BlockComment != "" && strings.HasPrefix(rest, t.BlockComment):
			line = false
			if n := strings.Index(rest[len(t.BlockComment):], t.BlockCommentEnd); n >= 0 {
				i += len(t.BlockComment) + n + len(t.BlockCommentEnd) - 1
			}
		}
	}
	return line
}

// LineIndent gives the white space at the start of the line of offset, and whether nothing else stands
// between it and offset.
func (t *Text) LineIndent(offset int) (indent string, own bool) {
	start := bytes.LastIndexByte(t.Doc[:offset], '\n') + 1
	if start == 0 {
		start = min(t.Start, offset)
	}
	end := start
	for end < offset && (t.Doc[end] == ' ' || t.Doc[end] == '\t') {
		end++
	}
	return string(t.Doc[start:end]), end == offset
}

// TrimRight moves end back over white space, but not before low.
func (t *Text) TrimRight(low, end int) int {
	for end > low && isSpace(t.Doc[end-1]) {
		end--
	}
	return end
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// NewlineOf gives the style of the first line end of doc, "\n" if it has none.
func NewlineOf(doc []byte) string {
	if i := bytes.IndexByte(doc, '\n'); i > 0 && doc[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// Splice gives a copy of doc with s in the place of doc[from:to].
func Splice(doc []byte, from, to int, s string) []byte {
	out := make([]byte, 0, len(doc)-(to-from)+len(s))
	out = append(out, doc[:from]...)
	out = append(out, s...)
	return append(out, doc[to:]...)
}

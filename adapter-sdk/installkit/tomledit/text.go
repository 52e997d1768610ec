package tomledit

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/acc-control-plane/acc/adapter-sdk/installkit/internal/sequence"
)

// SyntaxError says where a text is not TOML.
type SyntaxError struct {
	Line    int // from 1; 0: no one line is at fault
	Problem string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Problem
	}
	return "line " + strconv.Itoa(e.Line) + ": " + e.Problem
}

// text is a parsed document with the bytes it came from.
type text struct {
	sequence.Text
	values map[string]any // what it says
	tables []table
}

// table is a header with the keys below it; the first table of a document is its root and has none.
type table struct {
	path       []string
	array      bool // [[...]]
	start, end int  // of the header's line, the line end included
	keys       []key
}

// key is a key with its value, which may be an inline table or an array.
type key struct {
	path       []string // as written, from its table or inline table on
	start, end int      // of key and value
	value      int      // where the value starts
	inline     []key    // of an inline table
	list       *sequence.List
}

var byteOrderMark = []byte("\xef\xbb\xbf")

func parse(doc []byte) (*text, error) {
	t := &text{Text: sequence.Text{
		Doc: doc, Newline: sequence.NewlineOf(doc), Unit: "    ", Spaced: true, LineComment: "#",
	}}
	if bytes.HasPrefix(doc, byteOrderMark) {
		t.Start = len(byteOrderMark)
	}
	body := doc[t.Start:]
	if err := toml.Unmarshal(body, &t.values); err != nil {
		return nil, syntaxError(err)
	}
	var p unstable.Parser
	p.Reset(body)
	t.tables = []table{{}}
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue {
			k, err := t.key(&p, e)
			if err != nil {
				return nil, err
			}
			last := &t.tables[len(t.tables)-1]
			last.keys = append(last.keys, k)
			continue
		}
		at := t.offset(&p, e.Child())
		start := bytes.LastIndexByte(doc[:at], '\n') + 1
		t.tables = append(t.tables, table{
			path: names(e.Key()), array: e.Kind == unstable.ArrayTable,
			start: max(start, t.Start), end: t.lineEnd(at),
		})
	}
	if err := p.Error(); err != nil {
		return nil, &SyntaxError{Problem: err.Error()}
	}
	return t, nil
}

func syntaxError(err error) error {
	var d *toml.DecodeError
	if errors.As(err, &d) {
		line, _ := d.Position()
		return &SyntaxError{Line: line, Problem: d.Error()}
	}
	return &SyntaxError{Problem: err.Error()}
}

func (t *text) offset(p *unstable.Parser, n *unstable.Node) int {
	return int(n.Raw.Offset) + t.Start
}

func names(it unstable.Iterator) []string {
	var path []string
	for it.Next() {
		path = append(path, string(it.Node().Data))
	}
	return path
}

// key reads a key and its value.
func (t *text) key(p *unstable.Parser, e *unstable.Node) (key, error) {
	k := key{path: names(e.Key()), start: int(e.Raw.Offset) + t.Start}
	k.end = k.start + int(e.Raw.Length)
	last := 0
	for it := e.Key(); it.Next(); {
		last = t.offset(p, it.Node()) + int(it.Node().Raw.Length)
	}
	equals := bytes.IndexByte(t.Doc[last:k.end], '=')
	if equals < 0 {
		return k, &SyntaxError{Problem: "a key has no value"}
	}
	k.value = last + equals + 1
	for t.Doc[k.value] == ' ' || t.Doc[k.value] == '\t' {
		k.value++
	}
	k.end = t.TrimRight(k.value, k.end)
	var err error
	switch v := e.Value(); v.Kind {
	case unstable.Array:
		k.list, err = t.list(k.value, k.end-1)
	case unstable.InlineTable:
		if k.list, err = t.list(k.value, k.end-1); err != nil {
			return k, err
		}
		for it := v.Children(); it.Next(); {
			if it.Node().Kind != unstable.KeyValue {
				continue
			}
			inner, err := t.key(p, it.Node())
			if err != nil {
				return k, err
			}
			k.inline = append(k.inline, inner)
		}
	}
	return k, err
}

// list finds the items between two delimiters; the parser has already accepted what is there.
func (t *text) list(open, shut int) (*sequence.List, error) {
	l := &sequence.List{Open: open, Close: shut}
	item := sequence.Item{Start: -1, Comma: -1}
	finish := func(comma int) {
		if item.Start >= 0 {
			item.Comma = comma
			l.Items = append(l.Items, item)
		}
		item = sequence.Item{Start: -1, Comma: -1}
	}
	depth := 0
	for i := open + 1; i < shut; {
		n := 1
		switch c := t.Doc[i]; {
		case c == '#':
			n = t.lineEnd(i) - i
			i += n
			continue
		case c == '"' || c == '\'':
			n = stringLen(t.Doc[i:shut])
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			finish(i)
			i++
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i++
			continue
		}
		if item.Start < 0 {
			item.Start = i
		}
		i += n
		item.End = i
	}
	finish(-1)
	if depth != 0 {
		return nil, &SyntaxError{Problem: "a list could not be followed to its end"}
	}
	return l, nil
}

// stringLen is the length of the TOML string that s starts with, its quotes included.
func stringLen(s []byte) int {
	quote := s[:1]
	if len(s) >= 6 && s[1] == s[0] && s[2] == s[0] {
		quote = s[:3]
	}
	for i := len(quote); i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote[0] == '"':
			i++
		case bytes.HasPrefix(s[i:], quote):
			end := i + len(quote)
			for len(quote) == 3 && end < len(s) && s[end] == s[0] && end < i+5 {
				end++ // up to two quotes may stand in front of the closing three
			}
			return end
		}
	}
	return len(s)
}

// lineEnd is the offset behind the line end of the line of offset.
func (t *text) lineEnd(offset int) int {
	if n := bytes.IndexByte(t.Doc[offset:], '\n'); n >= 0 {
		return offset + n + 1
	}
	return len(t.Doc)
}

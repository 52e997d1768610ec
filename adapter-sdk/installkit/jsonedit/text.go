package jsonedit

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"github.com/acc-control-plane/acc/adapter-sdk/installkit/internal/sequence"
)

// Dialect says what a client's reader of the text accepts.
type Dialect int

// The dialects.
const (
	JSON  Dialect = iota // neither comments nor trailing commas
	JSONC                // both
)

// maxDepth of nested arrays and objects; the parser recurses.
const maxDepth = 256

// SyntaxError says where a text is not what its dialect allows.
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
	root  hujson.Value
	blank bool // there is no value at all
}

var byteOrderMark = []byte("\xef\xbb\xbf")

func parse(doc []byte, d Dialect) (*text, error) {
	t := &text{Text: sequence.Text{
		Doc: doc, Newline: sequence.NewlineOf(doc), Unit: "  ", Lines: true, Spaced: true,
		LineComment: "//", BlockComment: "/*", BlockCommentEnd: "*/",
	}}
	if bytes.HasPrefix(doc, byteOrderMark) {
		t.Start = len(byteOrderMark)
	}
	body := doc[t.Start:]
	if len(bytes.TrimSpace(body)) == 0 {
		t.blank = true
		return t, nil
	}
	if err := checkDepth(body); err != nil {
		return nil, err
	}
	// A copy: the parser's values alias their input. It wants a newline after a last line comment.
	var err error
	if t.root, err = hujson.Parse(append(bytes.Clone(body), '\n')); err != nil {
		return nil, syntaxError(err)
	}
	if d == JSON && !t.root.IsStandard() {
		return nil, &SyntaxError{Problem: "it has comments or trailing commas, which this client's reader refuses"}
	}
	if err := checkStrict(body); err != nil {
		return nil, err
	}
	t.style(body)
	return t, nil
}

// syntaxError takes the line out of the parser's own message.
func syntaxError(err error) error {
	message := strings.TrimPrefix(err.Error(), "hujson: ")
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		number, rest, _ := strings.Cut(rest, ",")
		if line, convErr := strconv.Atoi(number); convErr == nil {
			_, problem, _ := strings.Cut(rest, ": ")
			return &SyntaxError{Line: line, Problem: problem}
		}
	}
	return &SyntaxError{Problem: message}
}

// checkStrict refuses what the lenient parser lets through: a name twice, invalid UTF-8.
func checkStrict(body []byte) error {
	plain, err := hujson.Parse(append(bytes.Clone(body), '\n'))
	if err != nil {
		return syntaxError(err)
	}
	plain.Standardize()
	standard := plain.Pack()
	if _, err := jsontext.AppendFormat(nil, standard); err != nil {
		var s *jsontext.SyntacticError
		if errors.As(err, &s) && s.ByteOffset <= int64(len(standard)) {
			problem := s.Err.Error()
			if errors.Is(s.Err, jsontext.ErrDuplicateName) {
				problem = "the name " + strconv.Quote(s.JSONPointer.LastToken()) + " occurs twice"
			}
			return &SyntaxError{Line: 1 + bytes.Count(standard[:s.ByteOffset], []byte("\n")), Problem: problem}
		}
		return &SyntaxError{Problem: err.Error()}
	}
	return nil
}

var lineComment, blockComment, blockCommentEnd = []byte("//"), []byte("/*"), []byte("*/")

// blockLen is the length of the block comment that s starts with; an open one reaches to the end.
func blockLen(s []byte) int {
	if n := bytes.Index(s[len(blockComment):], blockCommentEnd); n >= 0 {
		return len(blockComment) + n + len(blockCommentEnd)
	}
	return len(s)
}

// checkDepth bounds the recursion of the parser before it starts.
func checkDepth(body []byte) error {
	depth := 0
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			for i++; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
		case c == '/' && bytes.HasPrefix(body[i:], lineComment):
			i += max(bytes.IndexByte(body[i:], '\n'), 0)
		case c == '/' && bytes.HasPrefix(body[i:], blockComment):
			i += blockLen(body[i:]) - 1
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return &SyntaxError{Problem: "it is nested deeper than " + strconv.Itoa(maxDepth) + " levels"}
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// style learns how the document is laid out.
func (t *text) style(body []byte) {
	c, ok := t.container(&t.root)
	if !ok {
		return
	}
	t.Lines = bytes.IndexByte(bytes.TrimSpace(body), '\n') >= 0 || len(c.list.Items) == 0
	if len(c.list.Items) == 0 {
		return
	}
	if indent, own := t.LineIndent(c.list.Items[0].Start); own && indent != "" {
		t.Unit = indent
	}
	if c.object {
		t.Spaced = t.Doc[c.values[0].StartOffset+t.Start-1] != ':'
	}
}

// container is an object or array with the places of its parts in the document.
type container struct {
	object bool
	list   sequence.List
	names  []string // of the members
	values []*hujson.Value
}

// container gives the parts of v if it is an object or array.
func (t *text) container(v *hujson.Value) (c container, ok bool) {
	c.list.Open, c.list.Close = v.StartOffset+t.Start, v.EndOffset-1+t.Start
	switch composite := v.Value.(type) {
	case *hujson.Object:
		c.object = true
		for i := range composite.Members {
			m := &composite.Members[i]
			c.names = append(c.names, memberName(m))
			c.add(t, m.Name.StartOffset, &m.Value, i == len(composite.Members)-1)
		}
	case *hujson.Array:
		for i := range composite.Elements {
			e := &composite.Elements[i]
			c.add(t, e.StartOffset, e, i == len(composite.Elements)-1)
		}
	default:
		return c, false
	}
	return c, true
}

func (c *container) add(t *text, start int, v *hujson.Value, last bool) {
	it := sequence.Item{Start: start + t.Start, End: v.EndOffset + t.Start, Comma: -1}
	if !last || v.AfterExtra != nil {
		it.Comma = it.End + len(v.AfterExtra)
	}
	c.list.Items = append(c.list.Items, it)
	c.values = append(c.values, v)
}

// empty says that nothing but white space is between the delimiters.
func (t *text) empty(c container) bool {
	return len(c.list.Items) == 0 && t.TrimRight(c.list.Open+1, c.list.Close) == c.list.Open+1
}

func memberName(m *hujson.ObjectMember) string {
	name, _ := m.Name.Value.(hujson.Literal)
	unquoted, err := jsontext.AppendUnquote(nil, name)
	if err != nil { // checkStrict refused such a document
		return string(name)
	}
	return string(unquoted)
}

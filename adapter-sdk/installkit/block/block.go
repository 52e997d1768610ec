// Package block keeps lines of ours between two marker lines in a text file of somebody else.
//
// It knows nothing of the file's language but that a marker line is a comment in it. Nothing here
// touches a file.
package block

import (
	"bytes"
	"errors"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/installkit/internal/sequence"
)

// Marks are the first and the last line of a block, without line ends. A file has at most one block
// between the same marks.
type Marks struct{ Begin, End string }

// Undo is what Append put in front of the block.
type Undo struct {
	Before string // line ends
}

// Errors of a text that already has markers.
var (
	ErrBroken = errors.New("the lines that mark acc's block are not one pair")
	ErrTwice  = errors.New("there is a block of acc already")
)

// Find gives the lines between the marks, each with "\n" at its end.
func Find(doc []byte, m Marks) (body string, found bool, err error) {
	start, end, err := span(doc, m)
	if err != nil || start < 0 {
		return "", false, err
	}
	lines := strings.SplitAfter(strings.ReplaceAll(string(doc[start:end]), "\r\n", "\n"), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines[1:len(lines)-1], ""), true, nil
}

// Append puts a block at the end of doc. Lines of body end with "\n"; they are written with the line
// ends of doc. A text without a final newline stays without one.
func Append(doc []byte, m Marks, body string) ([]byte, Undo, error) {
	if _, found, err := Find(doc, m); err != nil || found {
		return nil, Undo{}, errors.Join(err, map[bool]error{true: ErrTwice}[found])
	}
	nl := sequence.NewlineOf(doc)
	text := render(m, body, nl)
	var undo Undo
	switch {
	case len(doc) == 0:
	case doc[len(doc)-1] == '\n':
		undo.Before = nl
	default:
		undo.Before, text = nl+nl, strings.TrimSuffix(text, nl)
	}
	return sequence.Splice(doc, len(doc), len(doc), undo.Before+text), undo, nil
}

// Replace gives the block another body; it stays where it is.
func Replace(doc []byte, m Marks, body string) ([]byte, bool, error) {
	start, end, err := span(doc, m)
	if err != nil || start < 0 {
		return doc, false, err
	}
	text := render(m, body, sequence.NewlineOf(doc))
	if doc[end-1] != '\n' {
		text = strings.TrimRight(text, "\r\n")
	}
	return sequence.Splice(doc, start, end, text), true, nil
}

// Remove takes an Append back, whatever is between the marks. It says whether there was a block.
func Remove(doc []byte, m Marks, undo Undo) ([]byte, bool, error) {
	start, end, err := span(doc, m)
	if err != nil || start < 0 {
		return doc, false, err
	}
	if rest, ok := bytes.CutSuffix(doc[:start], []byte(undo.Before)); ok && undo.Before != "" {
		unended := len(rest) > 0 && rest[len(rest)-1] != '\n'
		switch {
		case !unended: // a blank line
			start = len(rest)
		case strings.Count(undo.Before, "\n") == 1: // the end of a line that somebody put there since
		case end < len(doc): // what follows now keeps a line of its own
			start = len(rest) + len(undo.Before)/2
		default:
			start = len(rest)
		}
	}
	return sequence.Splice(doc, start, end, ""), true, nil
}

func render(m Marks, body, nl string) string {
	return strings.ReplaceAll(m.Begin+"\n"+body+m.End+"\n", "\n", nl)
}

// span gives the block with its marker lines and the line end behind them; start is -1 if there is none.
func span(doc []byte, m Marks) (start, end int, err error) {
	start, end = -1, -1
	for at := 0; at < len(doc); {
		next := len(doc)
		if n := bytes.IndexByte(doc[at:], '\n'); n >= 0 {
			next = at + n + 1
		}
		switch line := string(bytes.TrimSpace(doc[at:next])); {
		case line == m.Begin && start < 0:
			start = at
		case line == m.End && start >= 0 && end < 0:
			end = next
		case line == m.Begin || line == m.End:
			return -1, -1, ErrBroken
		}
		at = next
	}
	if (start < 0) != (end < 0) {
		return -1, -1, ErrBroken
	}
	return start, end, nil
}

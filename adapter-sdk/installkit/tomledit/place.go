package tomledit

import (
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/installkit/internal/sequence"
)

// find gives the key at path, wherever it is written; nil: nowhere, or inside an array of tables.
func (t *text) find(path []string) *key {
	for i := range t.tables {
		tb := &t.tables[i]
		if tb.array || !hasPrefix(path, tb.path) {
			continue
		}
		if t.insideArray(i) {
			continue
		}
		if k := findKey(tb.keys, path[len(tb.path):]); k != nil {
			return k
		}
	}
	return nil
}

func findKey(keys []key, path []string) *key {
	for i := range keys {
		k := &keys[i]
		if slices.Equal(k.path, path) {
			return k
		}
		if len(k.path) < len(path) && hasPrefix(path, k.path) {
			if inner := findKey(k.inline, path[len(k.path):]); inner != nil {
				return inner
			}
		}
	}
	return nil
}

func hasPrefix(path, prefix []string) bool {
	return len(prefix) <= len(path) && slices.Equal(path[:len(prefix)], prefix)
}

// insideArray says whether table i belongs to an element of an array of tables.
func (t *text) insideArray(i int) bool {
	for _, tb := range t.tables[:i] {
		if tb.array && len(tb.path) < len(t.tables[i].path) && hasPrefix(t.tables[i].path, tb.path) {
			return true
		}
	}
	return false
}

// add writes a key that the document does not have: into its table if there is one, beside dotted keys
// of the same table, or into a new table at the end.
func (t *text) add(path []string, value string) ([]byte, Undo, error) {
	parent, name := path[:len(path)-1], path[len(path)-1]
	if err := t.reachable(parent); err != nil {
		return nil, Undo{}, err
	}
	if k := t.find(parent); k != nil && len(parent) > 0 {
		if k.list == nil || t.Doc[k.value] != '{' {
			return nil, Undo{}, &SyntaxError{Problem: strings.Join(parent, ".") + " is not a table"}
		}
		var undo Undo
		if len(k.list.Items) == 0 {
			undo.Interior = string(t.Doc[k.list.Open+1 : k.list.Close])
		}
		out, err := t.Add(*k.list, func(string, bool) (string, error) { return keyText(name) + " = " + value, nil })
		return out, undo, err
	}
	if pos, prefix, ok := t.line(parent); ok {
		line := prefix + keyText(name) + " = " + value
		if pos == len(t.Doc) && pos > t.Start && t.Doc[pos-1] != '\n' {
			return sequence.Splice(t.Doc, pos, pos, t.Newline+line), Undo{}, nil
		}
		return sequence.Splice(t.Doc, pos, pos, line+t.Newline), Undo{}, nil
	}
	return t.addTable(parent, keyText(name)+" = "+value)
}

// reachable refuses a table that can be given no key from outside.
func (t *text) reachable(parent []string) error {
	var value any = t.values
	for i, name := range parent {
		m, ok := value.(map[string]any)
		if !ok {
			return &SyntaxError{Problem: strings.Join(parent[:i], ".") + " is not a table"}
		}
		if value, ok = m[name]; !ok {
			return nil
		}
	}
	if _, ok := value.(map[string]any); !ok {
		return &SyntaxError{Problem: strings.Join(parent, ".") + " is not a table"}
	}
	return nil
}

// line finds where a new key of the table parent goes, and what its line starts with.
func (t *text) line(parent []string) (pos int, prefix string, ok bool) {
	for i := range t.tables {
		tb := &t.tables[i]
		if tb.array || t.insideArray(i) || !slices.Equal(tb.path, parent) || i > 0 && len(parent) == 0 {
			continue
		}
		if n := len(tb.keys); n > 0 {
			indent, own := t.LineIndent(tb.keys[n-1].start)
			if !own {
				indent = ""
			}
			return t.lineEnd(tb.keys[n-1].end), indent, true
		}
		if i > 0 {
			return tb.end, "", true
		}
		if len(t.tables) > 1 {
			return t.Start, "", true
		}
		return len(t.Doc), "", true
	}
	return t.dotted(parent)
}

// dotted finds the last key that names parent as the beginning of its own name.
func (t *text) dotted(parent []string) (pos int, prefix string, ok bool) {
	for i := range t.tables {
		tb := &t.tables[i]
		if tb.array || t.insideArray(i) || len(tb.path) >= len(parent) || !hasPrefix(parent, tb.path) {
			continue
		}
		rest := parent[len(tb.path):]
		for _, k := range tb.keys {
			if len(k.path) > len(rest) && hasPrefix(k.path, rest) {
				indent, _ := t.LineIndent(k.start)
				pos, prefix, ok = t.lineEnd(k.end), indent+pathText(rest)+".", true
			}
		}
	}
	return pos, prefix, ok
}

// addTable appends a table with one key.
func (t *text) addTable(parent []string, line string) ([]byte, Undo, error) {
	undo := Undo{Header: true}
	body, last := t.Doc[t.Start:], t.Newline
	switch {
	case len(body) == 0:
	case body[len(body)-1] == '\n':
		undo.Before = t.Newline
	default:
		undo.Before, last = t.Newline+t.Newline, ""
	}
	s := undo.Before + "[" + pathText(parent) + "]" + t.Newline + line + last
	return sequence.Splice(t.Doc, len(t.Doc), len(t.Doc), s), undo, nil
}

// remove deletes a key and the table that was made for it.
func (t *text) remove(path []string, k *key, undo Undo) ([]byte, error) {
	parent := path[:len(path)-1]
	if in := t.find(parent); in != nil && len(parent) > 0 {
		for i, it := range in.list.Items {
			if it.Start == k.start {
				out := t.Remove(*in.list, i)
				if len(in.list.Items) > 1 {
					return out, nil
				}
				next, err := parse(out)
				if err != nil {
					return nil, err
				}
				if in = next.find(parent); next.TrimRight(in.list.Open+1, in.list.Close) > in.list.Open+1 {
					return out, nil
				}
				return sequence.Splice(out, in.list.Open+1, in.list.Close, undo.Interior), nil
			}
		}
	}
	out := t.removeLine(k)
	if !undo.Header {
		return out, nil
	}
	next, err := parse(out)
	if err != nil {
		return nil, err
	}
	return next.removeTable(parent, undo.Before), nil
}

// removeLine deletes the line of k, or only the key if something else stands there.
func (t *text) removeLine(k *key) []byte {
	indent, own := t.LineIndent(k.start)
	end := t.lineEnd(k.end)
	if !own || t.TrimRight(k.end, end) > k.end { // a comment behind it
		from := k.end
		for from < end && (t.Doc[from] == ' ' || t.Doc[from] == '\t') {
			from++
		}
		return sequence.Splice(t.Doc, k.start, from, "")
	}
	start := k.start - len(indent)
	if end == len(t.Doc) && t.Doc[end-1] != '\n' && start > t.Start { // no final newline: the one in front goes
		start = len(strings.TrimSuffix(strings.TrimSuffix(string(t.Doc[:start]), "\n"), "\r"))
	}
	return sequence.Splice(t.Doc, start, end, "")
}

// removeTable deletes the header of a table without keys with the line ends in front of it. Comments
// behind it stay.
func (t *text) removeTable(path []string, before string) []byte {
	for i := range t.tables {
		tb := &t.tables[i]
		if i == 0 || tb.array || !slices.Equal(tb.path, path) {
			continue
		}
		if len(tb.keys) > 0 {
			return t.Doc
		}
		from, front := tb.start, string(t.Doc[t.Start:tb.start])
		if rest, ok := strings.CutSuffix(front, before); ok && before != "" {
			blankLine := rest == "" || strings.HasSuffix(rest, "\n")
			if blankLine || before != t.Newline && tb.end == len(t.Doc) {
				from -= len(before)
			}
		}
		return sequence.Splice(t.Doc, from, tb.end, "")
	}
	return t.Doc
}

// keyText writes one name of a key.
func keyText(name string) string {
	bare := name != ""
	for i := range len(name) {
		c := name[i]
		bare = bare && ('A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_')
	}
	if bare {
		return name
	}
	return Quote(name)
}

func pathText(path []string) string {
	var parts []string
	for _, name := range path {
		parts = append(parts, keyText(name))
	}
	return strings.Join(parts, ".")
}

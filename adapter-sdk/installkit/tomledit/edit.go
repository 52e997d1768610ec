package tomledit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/acc-control-plane/acc/adapter-sdk/installkit/internal/sequence"
)

// Undo is what an edit found in the text. Its zero value says that the key is new and stands among
// others.
type Undo struct {
	Kept     bool   // the value was there already; taking the edit back does nothing
	Replaced string // the text of the value that stood in its place
	Interior string // what stood in the empty array or inline table that received the value
	Array    bool   // the array was made for the element
	Header   bool   // the table was made for the key
	Before   string // the line ends that were put in front of its header
}

// Check says whether doc is TOML. An empty text is.
func Check(doc []byte) error {
	_, err := parse(doc)
	return err
}

// Get gives the value at path as go-toml decodes it: string, int64, float64, bool, []any, map[string]any
// or a time.
func Get(doc []byte, path ...string) (value any, found bool, err error) {
	t, err := parse(doc)
	if err != nil {
		return nil, false, err
	}
	value = t.values
	for _, name := range path {
		m, ok := value.(map[string]any)
		if !ok {
			return nil, false, nil
		}
		if value, found = m[name]; !found {
			return nil, false, nil
		}
	}
	return value, true, nil
}

// Quote writes s as a TOML string.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Set gives the key at path the value, which is TOML. A table that is missing is made at the end of the
// document.
func Set(doc []byte, path []string, value string) ([]byte, Undo, error) {
	t, want, err := open(doc, path, value)
	if err != nil {
		return nil, Undo{}, err
	}
	if k := t.find(path); k != nil {
		if same, err := equal(string(t.Doc[k.value:k.end]), want); err != nil || same {
			return doc, Undo{Kept: true}, err
		}
		out := sequence.Splice(doc, k.value, k.end, value)
		return out, Undo{Replaced: string(t.Doc[k.value:k.end])}, t.verify(out, path, want)
	}
	out, undo, err := t.add(path, value)
	if err != nil {
		return nil, Undo{}, err
	}
	return out, undo, t.verify(out, path, want)
}

// Append adds value as the last element of the array at path, which is made if it is missing. An equal
// element that is there already is kept instead.
func Append(doc []byte, path []string, value string) ([]byte, Undo, error) {
	t, want, err := open(doc, path, value)
	if err != nil {
		return nil, Undo{}, err
	}
	k := t.find(path)
	if k == nil {
		out, undo, err := Set(doc, path, "["+value+"]")
		undo.Array = err == nil
		return out, undo, err
	}
	array, err := t.array(k, path)
	if err != nil {
		return nil, Undo{}, err
	}
	if i, err := t.index(k, value); err != nil || i >= 0 {
		return doc, Undo{Kept: true}, err
	}
	var undo Undo
	if len(k.list.Items) == 0 {
		undo.Interior = string(t.Doc[k.list.Open+1 : k.list.Close])
	}
	out, err := t.Add(*k.list, func(string, bool) (string, error) { return value, nil })
	if err != nil {
		return nil, Undo{}, err
	}
	return out, undo, t.verify(out, path, append(slices.Clone(array), want))
}

// Unset takes back a Set of path: what was replaced comes back, what was new goes, and so does a table
// that was made and is empty now. It says whether there was anything to take back.
func Unset(doc []byte, path []string, undo Undo) ([]byte, bool, error) {
	t, err := parse(doc)
	if err != nil || undo.Kept {
		return doc, false, err
	}
	k := t.find(path)
	if k == nil {
		return doc, false, nil
	}
	if undo.Replaced != "" {
		out := sequence.Splice(doc, k.value, k.end, undo.Replaced)
		want, err := decode(undo.Replaced)
		if err != nil {
			return doc, false, err
		}
		return out, true, t.verify(out, path, want)
	}
	out, err := t.remove(path, k, undo)
	if err != nil {
		return doc, false, err
	}
	return out, true, t.verify(out, path, nil)
}

// Drop takes back an Append of value to the array at path. It says whether an equal element was there.
func Drop(doc []byte, path []string, value string, undo Undo) ([]byte, bool, error) {
	t, err := parse(doc)
	if err != nil || undo.Kept {
		return doc, false, err
	}
	k := t.find(path)
	if k == nil {
		return doc, false, nil
	}
	array, err := t.array(k, path)
	if err != nil {
		return doc, false, err
	}
	i, err := t.index(k, value)
	if err != nil || i < 0 {
		return doc, false, err
	}
	out := t.Remove(*k.list, i)
	rest := slices.Delete(slices.Clone(array), i, i+1)
	if err := t.verify(out, path, rest); err != nil || len(rest) > 0 {
		return out, err == nil, err
	}
	if t, err = parse(out); err != nil {
		return doc, false, err
	}
	k = t.find(path)
	switch bare := t.TrimRight(k.list.Open+1, k.list.Close) == k.list.Open+1; {
	case !bare: // somebody's comment is in there
	case undo.Array:
		out, _, err = Unset(out, path, undo)
	default:
		out = sequence.Splice(out, k.list.Open+1, k.list.Close, undo.Interior)
	}
	return out, err == nil, err
}

// open parses the document and the value that goes into it.
func open(doc []byte, path []string, value string) (*text, any, error) {
	if len(path) == 0 {
		return nil, nil, &SyntaxError{Problem: "there is no key to edit"}
	}
	t, err := parse(doc)
	if err != nil {
		return nil, nil, err
	}
	want, err := decode(value)
	return t, want, err
}

// decode reads one TOML value.
func decode(value string) (any, error) {
	var holder map[string]any
	if err := toml.Unmarshal([]byte("v = "+value), &holder); err != nil || len(holder) != 1 {
		return nil, &SyntaxError{Problem: "the value to write is not TOML"}
	}
	return holder["v"], nil
}

func equal(value string, want any) (bool, error) {
	have, err := decode(value)
	return err == nil && reflect.DeepEqual(have, want), err
}

// array gives the elements of k's array.
func (t *text) array(k *key, path []string) ([]any, error) {
	value, err := decode(string(t.Doc[k.value:k.end]))
	if err != nil {
		return nil, err
	}
	array, ok := value.([]any)
	if !ok || k.list == nil {
		return nil, &SyntaxError{Problem: strings.Join(path, ".") + " is not an array"}
	}
	return array, nil
}

// index finds the last element of k's array that is equal to value; -1: none.
func (t *text) index(k *key, value string) (int, error) {
	want, err := decode(value)
	if err != nil {
		return -1, err
	}
	for i := len(k.list.Items) - 1; i >= 0; i-- {
		it := k.list.Items[i]
		if same, err := equal(string(t.Doc[it.Start:it.End]), want); err != nil || same {
			return i, err
		}
	}
	return -1, nil
}

// verify refuses an edit whose result is anything but the old document with one other value; nil says
// that the key is gone.
func (t *text) verify(out []byte, path []string, value any) error {
	var now map[string]any
	start := min(t.Start, len(out))
	if err := toml.Unmarshal(out[start:], &now); err != nil {
		return &SyntaxError{Problem: "the document cannot take " + strings.Join(path, ".") + " safely: " + err.Error()}
	}
	want := with(t.values, path, value)
	if !reflect.DeepEqual(prune(now), prune(want)) {
		return &SyntaxError{Problem: "the document cannot take " + strings.Join(path, ".") + " without changing something else"}
	}
	return nil
}

// with gives a copy of m with another value at path; tables are made on the way.
func with(m map[string]any, path []string, value any) map[string]any {
	out := make(map[string]any, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	switch {
	case len(path) > 1:
		inner, _ := m[path[0]].(map[string]any)
		out[path[0]] = with(inner, path[1:], value)
	case value == nil:
		delete(out, path[0])
	default:
		out[path[0]] = value
	}
	return out
}

// prune drops empty tables: a header that was made may stay behind or go.
func prune(m map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		if inner, ok := v.(map[string]any); ok {
			if pruned := prune(inner); len(pruned) > 0 {
				out[k] = pruned
			}
			continue
		}
		out[k] = v
	}
	return out
}

// Equal says whether two TOML values are the same, whatever their layout.
func Equal(a, b string) bool {
	left, err := decode(a)
	if err != nil {
		return false
	}
	same, err := equal(b, left)
	return err == nil && same
}

// Text gives the value at path as it is written.
func Text(doc []byte, path ...string) (value string, found bool, err error) {
	t, err := parse(doc)
	if err != nil {
		return "", false, err
	}
	k := t.find(path)
	if k == nil {
		return "", false, nil
	}
	return string(t.Doc[k.value:k.end]), true, nil
}

// Elements gives the elements of the array at path as they are written. An absent array has none.
func Elements(doc []byte, path ...string) ([]string, error) {
	t, err := parse(doc)
	if err != nil {
		return nil, err
	}
	k := t.find(path)
	if k == nil {
		return nil, nil
	}
	if _, err := t.array(k, path); err != nil {
		return nil, err
	}
	var out []string
	for _, it := range k.list.Items {
		out = append(out, string(t.Doc[it.Start:it.End]))
	}
	return out, nil
}

// Swap replaces the last element equal to from of the array at path, which stays in its place.
func Swap(doc []byte, path []string, from, to string) ([]byte, bool, error) {
	t, want, err := open(doc, path, to)
	if err != nil {
		return doc, false, err
	}
	k := t.find(path)
	if k == nil {
		return doc, false, nil
	}
	array, err := t.array(k, path)
	if err != nil {
		return doc, false, err
	}
	i, err := t.index(k, from)
	if err != nil || i < 0 {
		return doc, false, err
	}
	it := k.list.Items[i]
	out := sequence.Splice(doc, it.Start, it.End, to)
	array = slices.Clone(array)
	array[i] = want
	return out, true, t.verify(out, path, array)
}

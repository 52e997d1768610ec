package jsonedit

import (
	"strings"

	"github.com/tailscale/hujson"

	"github.com/acc-control-plane/acc/adapter-sdk/installkit/internal/sequence"
)

// Undo is what an edit found in the text. Its zero value says that the value is new and stood in a
// container that had others.
type Undo struct {
	Kept     bool   // the value was there already; taking the edit back does nothing
	Created  int    // containers that were made on the way to the value
	Replaced string // the text of the value that stood in its place
	Interior string // what stood between the delimiters of the container that received the first new item
	Blank    bool   // there was no value in the text at all; Interior is the whole of it
}

// Check says whether doc can be edited. A blank text can.
func Check(doc []byte, d Dialect) error {
	_, err := parse(doc, d)
	return err
}

// Get gives the value at path as JSON in canonical form, and whether it is there.
func Get(doc []byte, d Dialect, path ...string) (value []byte, found bool, err error) {
	t, err := parse(doc, d)
	if err != nil || t.blank {
		return nil, false, err
	}
	v, depth, err := t.walk(path)
	if err != nil || depth < len(path) {
		return nil, false, err
	}
	return []byte(canonical(v, nil)), true, nil
}

// Elements gives the elements of the array at path, each as JSON in canonical form. An absent array
// has none.
func Elements(doc []byte, d Dialect, path ...string) ([][]byte, error) {
	t, err := parse(doc, d)
	if err != nil || t.blank {
		return nil, err
	}
	v, depth, err := t.walk(path)
	if err != nil || depth < len(path) {
		return nil, err
	}
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, wrongType(path, "an array")
	}
	var out [][]byte
	for i := range array.Elements {
		out = append(out, []byte(canonical(&array.Elements[i], nil)))
	}
	return out, nil
}

// Set gives the member at path the value, which is JSON in any layout. Objects that are missing on the
// way are made. Names in volatile do not count when the present value is compared with the new one.
func Set(doc []byte, d Dialect, path []string, value string, volatile ...string) ([]byte, Undo, error) {
	t, v, depth, err := locate(doc, d, path)
	if err != nil {
		return nil, Undo{}, err
	}
	if depth == len(path) {
		same, err := equalTo(v, value, volatile)
		if err != nil || same {
			return doc, Undo{Kept: true}, err
		}
		out, err := t.replace(v, value)
		return out, Undo{Replaced: string(t.Doc[v.StartOffset+t.Start : v.EndOffset+t.Start])}, err
	}
	for i := len(path) - 1; i > depth; i-- {
		value = `{` + quote(path[i]) + `:` + value + `}`
	}
	return t.add(v, path[:depth], quote(path[depth]), value, len(path)-1-depth)
}

// Append adds value as the last element of the array at path. The array and objects that are missing
// on the way are made. An equal element that is there already is kept instead.
func Append(doc []byte, d Dialect, path []string, value string) ([]byte, Undo, error) {
	t, v, depth, err := locate(doc, d, path)
	if err != nil {
		return nil, Undo{}, err
	}
	if depth < len(path) {
		value = `[` + value + `]`
		for i := len(path) - 1; i > depth; i-- {
			value = `{` + quote(path[i]) + `:` + value + `}`
		}
		return t.add(v, path[:depth], quote(path[depth]), value, len(path)-depth)
	}
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, Undo{}, wrongType(path, "an array")
	}
	for i := range array.Elements {
		if same, err := equalTo(&array.Elements[i], value, nil); err != nil || same {
			return doc, Undo{Kept: true}, err
		}
	}
	return t.add(v, path, "", value, 0)
}

// Swap replaces the last element equal to from of the array at path, which stays in its place.
func Swap(doc []byte, d Dialect, path []string, from, to string) ([]byte, bool, error) {
	t, v, depth, err := locate(doc, d, path)
	if err != nil || depth < len(path) {
		return doc, false, err
	}
	i, err := t.index(v, path, from)
	if err != nil || i < 0 {
		return doc, false, err
	}
	c, _ := t.container(v)
	out, err := t.replace(c.values[i], to)
	return out, err == nil, err
}

// Unset takes back a Set of path: what was replaced comes back, what was new goes, and so do containers
// that Set made and that are empty now. It says whether there was anything to take back.
func Unset(doc []byte, d Dialect, path []string, undo Undo) ([]byte, bool, error) {
	t, v, depth, err := locate(doc, d, path)
	if err != nil || undo.Kept || depth < len(path) {
		return doc, false, err
	}
	if undo.Replaced != "" {
		return sequence.Splice(doc, v.StartOffset+t.Start, v.EndOffset+t.Start, undo.Replaced), true, nil
	}
	out, err := takeOut(t, path[:len(path)-1], -1, path[len(path)-1], undo)
	return out, err == nil, err
}

// Drop takes back an Append of value to the array at path. It says whether an equal element was there.
func Drop(doc []byte, d Dialect, path []string, value string, undo Undo) ([]byte, bool, error) {
	t, v, depth, err := locate(doc, d, path)
	if err != nil || undo.Kept || depth < len(path) {
		return doc, false, err
	}
	i, err := t.index(v, path, value)
	if err != nil || i < 0 {
		return doc, false, err
	}
	out, err := takeOut(t, path, i, "", undo)
	return out, err == nil, err
}

// locate parses doc and goes as far along path as there are members.
func locate(doc []byte, d Dialect, path []string) (t *text, v *hujson.Value, depth int, err error) {
	if len(path) == 0 {
		return nil, nil, 0, &SyntaxError{Problem: "there is no name to edit"}
	}
	if t, err = parse(doc, d); err != nil || t.blank {
		return t, nil, 0, err
	}
	v, depth, err = t.walk(path)
	return t, v, depth, err
}

// walk follows path from the root and gives the last value that exists and how many names led there.
func (t *text) walk(path []string) (v *hujson.Value, depth int, err error) {
	v = &t.root
	for ; depth < len(path); depth++ {
		object, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil, 0, wrongType(path[:depth], "an object")
		}
		found := false
		for i := range object.Members {
			if memberName(&object.Members[i]) == path[depth] {
				v, found = &object.Members[i].Value, true
				break
			}
		}
		if !found {
			return v, depth, nil
		}
	}
	return v, depth, nil
}

// index finds the last element equal to value; -1: none.
func (t *text) index(v *hujson.Value, path []string, value string) (int, error) {
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		return -1, wrongType(path, "an array")
	}
	for i := len(array.Elements) - 1; i >= 0; i-- {
		if same, err := equalTo(&array.Elements[i], value, nil); err != nil || same {
			return i, err
		}
	}
	return -1, nil
}

func wrongType(path []string, want string) error {
	where := "the document"
	if len(path) > 0 {
		where = strings.Join(path, ".")
	}
	return &SyntaxError{Problem: where + " is not " + want}
}

package jsonedit

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// writer draws a document in any layout that its dialect allows.
type writer struct {
	t       *rapid.T
	dialect Dialect
	nl      string
	b       strings.Builder
	comment int
}

// gap is white space and, in JSONC, comments.
func (w *writer) gap() {
	for range rapid.IntRange(0, 2).Draw(w.t, "gap") {
		kind := rapid.IntRange(0, 7).Draw(w.t, "kind")
		if w.dialect == JSON {
			kind = min(kind, 5)
		}
		switch kind {
		case 0, 1, 2:
			w.b.WriteString(w.nl)
		case 3:
			w.b.WriteString("\t")
		case 4, 5:
			w.b.WriteString("  ")
		case 6:
			w.comment++
			w.b.WriteString("/* c" + strconv.Itoa(w.comment) + ` " */`)
		case 7:
			w.comment++
			w.b.WriteString("// c" + strconv.Itoa(w.comment) + ` {"` + w.nl)
		}
	}
}

func (w *writer) list(open, shut string, n int, item func(i int)) {
	w.b.WriteString(open)
	w.gap()
	for i := range n {
		item(i)
		w.gap()
		if i < n-1 || w.dialect == JSONC && rapid.Bool().Draw(w.t, "trailing comma") {
			w.b.WriteString(",")
			w.gap()
		}
	}
	w.b.WriteString(shut)
}

func (w *writer) value(depth int) {
	kind := rapid.IntRange(0, 5).Draw(w.t, "value")
	if depth == 0 {
		kind = min(kind, 3)
	}
	switch kind {
	case 4:
		w.object(depth, nil)
	case 5:
		w.list("[", "]", rapid.IntRange(0, 3).Draw(w.t, "elements"), func(int) { w.value(depth - 1) })
	default:
		w.b.WriteString(rapid.SampledFrom([]string{"1", "-2.50", "true", "null", `"s"`, `"a \" // \u00e9 ü"`}).Draw(w.t, "literal"))
	}
}

// object draws members m0, m1 ...; those called in force are objects or arrays.
func (w *writer) object(depth int, force map[string]string) {
	w.list("{", "}", rapid.IntRange(0, 3).Draw(w.t, "members"), func(i int) {
		name := "m" + strconv.Itoa(i)
		w.b.WriteString(quote(name))
		w.gap()
		w.b.WriteString(":")
		w.gap()
		switch force[name] {
		case "object":
			w.object(depth-1, force)
		case "array":
			w.list("[", "]", rapid.IntRange(0, 3).Draw(w.t, "elements"), func(int) { w.value(depth - 1) })
		default:
			w.value(depth - 1)
		}
	})
}

func document(t *rapid.T, d Dialect) []byte {
	w := &writer{t: t, dialect: d, nl: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")}
	if rapid.IntRange(0, 9).Draw(t, "mark") == 0 {
		w.b.Write(byteOrderMark)
	}
	if rapid.IntRange(0, 9).Draw(t, "blank") == 0 {
		w.b.WriteString(rapid.SampledFrom([]string{"", "\n", "  \r\n"}).Draw(t, "blank text"))
		return []byte(w.b.String())
	}
	w.gap()
	w.object(3, map[string]string{"m0": "object", "m1": "array"})
	w.gap()
	return []byte(w.b.String())
}

// operation is one edit by somebody.
type operation struct {
	element bool
	path    []string
	value   string
}

func drawOperation(t *rapid.T, owner string) operation {
	o := operation{element: rapid.Bool().Draw(t, "element")}
	value := rapid.SampledFrom([]string{"%", `[%]`, `{"x":[1,{"y":%}]}`}).Draw(t, "shape")
	o.value = strings.Replace(value, "%", `"`+owner+`"`, 1)
	if o.element {
		o.path = rapid.SampledFrom([][]string{{"m1"}, {"m0", "m1"}, {"list"}, {"deep", "er", "list"}}).Draw(t, "array")
	} else {
		o.path = append(slices.Clone(rapid.SampledFrom([][]string{{}, {"m0"}, {"m0", "m0"}, {"deep", "er"}}).Draw(t, "object")), owner)
	}
	return o
}

func (o operation) do(doc []byte, d Dialect) ([]byte, Undo, error) {
	if o.element {
		return Append(doc, d, o.path, o.value)
	}
	return Set(doc, d, o.path, o.value)
}

func (o operation) undo(doc []byte, d Dialect, u Undo) ([]byte, bool, error) {
	if o.element {
		return Drop(doc, d, o.path, o.value, u)
	}
	return Unset(doc, d, o.path, u)
}

// TestEditsTakenBackLeaveTheBytes: any edits of any document, taken back from the last to the first.
func TestEditsTakenBackLeaveTheBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]Dialect{JSON, JSONC}).Draw(t, "dialect")
		before := document(t, d)
		doc := before
		var done []operation
		var undos []Undo
		for i := range rapid.IntRange(1, 5).Draw(t, "edits") {
			o := drawOperation(t, "ours"+strconv.Itoa(i))
			next, undo, err := o.do(doc, d)
			if err != nil {
				t.Fatalf("%+v of\n%s\nis refused: %v", o, doc, err)
			}
			if err := Check(next, d); err != nil {
				t.Fatalf("%+v of\n%s\ngave\n%s\nwhich is refused: %v", o, doc, next, err)
			}
			doc, done, undos = next, append(done, o), append(undos, undo)
		}
		after := doc
		for i := len(done) - 1; i >= 0; i-- {
			next, ok, err := done[i].undo(doc, d, undos[i])
			if err != nil || !ok {
				t.Fatalf("taking back %+v of\n%s\n: %v %v", done[i], doc, ok, err)
			}
			doc = next
		}
		if string(doc) != string(before) {
			t.Fatalf("before\n%q\nafter\n%q\nback\n%q", before, after, doc)
		}
	})
}

// TestEditsOfOthersSurvive: somebody else edits before, between and after; what is left is what they
// would have without us, and none of their comments is lost.
func TestEditsOfOthersSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := document(t, JSONC)
		doc, without := before, before
		var done []operation
		var undos []Undo
		for i := range rapid.IntRange(2, 6).Draw(t, "edits") {
			ours := rapid.Bool().Draw(t, "ours")
			o := drawOperation(t, map[bool]string{true: "ours", false: "theirs"}[ours]+strconv.Itoa(i))
			next, undo, err := o.do(doc, JSONC)
			if err != nil {
				t.Fatal(err)
			}
			doc = next
			if ours {
				done, undos = append(done, o), append(undos, undo)
			} else if without, _, err = o.do(without, JSONC); err != nil {
				t.Fatal(err)
			}
		}
		after := doc
		for i := len(done) - 1; i >= 0; i-- {
			next, ok, err := done[i].undo(doc, JSONC, undos[i])
			if err != nil || !ok {
				t.Fatalf("taking back %+v of\n%s\n: %v %v", done[i], doc, ok, err)
			}
			doc = next
		}
		if !sameValue(doc, without) {
			t.Fatalf("with us\n%s\nwithout us\n%s\nleft\n%s", after, without, doc)
		}
		for n := 1; strings.Contains(string(before), "c"+strconv.Itoa(n)+" "); n++ {
			if !strings.Contains(string(doc), "c"+strconv.Itoa(n)+" ") {
				t.Fatalf("comment %d of\n%s\nis lost in\n%s", n, before, doc)
			}
		}
	})
}

func sameValue(a, b []byte) bool { return valueOf(a) == valueOf(b) }

func valueOf(doc []byte) string {
	text, err := parse(doc, JSONC)
	if err != nil {
		return err.Error()
	}
	if text.blank {
		return "{}"
	}
	return canonical(&text.root, nil)
}

// FuzzEdit: whatever bytes come, an edit refuses or leaves a good document that can be taken back.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{"", "{}", "{\"a\":[1,],}", "// x\n{\"m0\":{}}//", "\xef\xbb\xbf{\r\n\t\"m1\" : [ ]\r\n}", "{\"a\":1,\"a\":2}", "{\"\\ud800\":1}", "[", "{\"m1\":[/*", "{\"m0\": \"//\"}"} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, doc []byte, comments bool) {
		d := JSON
		if comments {
			d = JSONC
		}
		for _, o := range []operation{{false, []string{"m0", "ours"}, `{"a":[1]}`}, {true, []string{"m1"}, `"ours"`}} {
			next, undo, err := o.do(doc, d)
			if err != nil || undo.Kept || undo.Replaced != "" {
				continue
			}
			if err := Check(next, d); err != nil {
				t.Fatalf("%q became %q, which is refused: %v", doc, next, err)
			}
			back, ok, err := o.undo(next, d, undo)
			if err != nil || !ok || string(back) != string(doc) {
				t.Fatalf("%q became %q and then %q (%v, %v)", doc, next, back, ok, err)
			}
		}
	})
}

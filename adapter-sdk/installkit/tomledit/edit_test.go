package tomledit

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestAppendAndDrop shows each layout before and after, and that taking the edit back gives the bytes.
func TestAppendAndDrop(t *testing.T) {
	const bom = "\xef\xbb\xbf"
	tests := []struct{ name, before, after string }{
		{"empty", "", "[box]\nroots = [\"/acc\"]\n"},
		{"only a byte order mark", bom, bom + "[box]\nroots = [\"/acc\"]\n"},
		{"no table", "a = 1\n", "a = 1\n\n[box]\nroots = [\"/acc\"]\n"},
		{"no table and no final newline", "a = 1", "a = 1\n\n[box]\nroots = [\"/acc\"]"},
		{"CRLF", "a = 1\r\n[b]\r\nc = 2\r\n", "a = 1\r\n[b]\r\nc = 2\r\n\r\n[box]\r\nroots = [\"/acc\"]\r\n"},
		{"table without the key", "[box]\nnet = true # n\n\n[z]\nq = 1\n", "[box]\nnet = true # n\nroots = [\"/acc\"]\n\n[z]\nq = 1\n"},
		{"empty table", "[box]\n\n[z]\n", "[box]\nroots = [\"/acc\"]\n\n[z]\n"},
		{"empty table at the end", "[box]", "[box]\nroots = [\"/acc\"]"},
		{"indented table", "  [box]\n  net = true\n", "  [box]\n  net = true\n  roots = [\"/acc\"]\n"},
		{"array on one line", "[box]\nroots = [\"/a\"] # mine\n", "[box]\nroots = [\"/a\", \"/acc\"] # mine\n"},
		{"array on lines", "[box]\nroots = [\n  \"/a\", # first\n  '/b' # second ] \"\n]\n", "[box]\nroots = [\n  \"/a\", # first\n  '/b', # second ] \"\n  \"/acc\"\n]\n"},
		{"array with trailing comma", "[box]\nroots = [\n  \"/a\",\n]\n", "[box]\nroots = [\n  \"/a\",\n  \"/acc\",\n]\n"},
		{"empty array", "[box]\nroots = [ ]\n", "[box]\nroots = [\"/acc\"]\n"},
		{"dotted keys", "box.net = true\nz = 1\n", "box.net = true\nbox.roots = [\"/acc\"]\nz = 1\n"},
		{"dotted array", "box.roots = [\"/a\"]\n", "box.roots = [\"/a\", \"/acc\"]\n"},
		{"inline table", "box = { net = true }\n", "box = { net = true, roots = [\"/acc\"] }\n"},
		{"empty inline table", "box = {}\n", "box = {roots = [\"/acc\"]}\n"},
		{"array in an inline table", "box = {roots = [\"/a\"], net = true}\n", "box = {roots = [\"/a\", \"/acc\"], net = true}\n"},
		{"only a table below it", "[box.sub]\nx = 1\n", "[box.sub]\nx = 1\n\n[box]\nroots = [\"/acc\"]\n"},
		{"quoted names", "[\"box\"]\n'roots' = ['/a']\n", "[\"box\"]\n'roots' = ['/a', \"/acc\"]\n"},
		{"strings with brackets", "[box]\nroots = [\"\"\"]\"\"\"\", ']', \"\\\"]\"]\n", "[box]\nroots = [\"\"\"]\"\"\"\", ']', \"\\\"]\", \"/acc\"]\n"},
		{"behind an array of tables", "[[hooks]]\nevent = \"Stop\"\n", "[[hooks]]\nevent = \"Stop\"\n\n[box]\nroots = [\"/acc\"]\n"},
		{"a comment at the end", "a = 1\n# the end", "a = 1\n# the end\n\n[box]\nroots = [\"/acc\"]"},
	}
	path := []string{"box", "roots"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, undo, err := Append([]byte(tt.before), path, Quote("/acc"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(got)); diff != "" {
				t.Errorf("Append (-want +got):\n%s", diff)
			}
			if _, second, err := Append(got, path, "'/acc'"); err != nil || !second.Kept {
				t.Errorf("an equal element was not kept: %+v %v", second, err)
			}
			back, done, err := Drop(got, path, Quote("/acc"), undo)
			if err != nil || !done {
				t.Fatalf("Drop: done %v, error %v", done, err)
			}
			if diff := cmp.Diff(tt.before, string(back)); diff != "" {
				t.Errorf("Drop (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSetAndUnset(t *testing.T) {
	tests := []struct{ name, path, before, after string }{
		{"root key", "on", "# top\na = 1\n\n[t]\nb = 2\n", "# top\na = 1\non = true\n\n[t]\nb = 2\n"},
		{"root key without others", "on", "[t]\nb = 2\n", "on = true\n[t]\nb = 2\n"},
		{"root key of an empty document", "on", "", "on = true\n"},
		{"root key behind a comment", "on", "# c", "# c\non = true"},
		{"replaced", "t/on", "[t]\non   =  false # why\n", "[t]\non   =  true # why\n"},
		{"a name to quote", "t/a.b", "[t]\nx = 1\n", "[t]\nx = 1\n\"a.b\" = true\n"},
		{"a deep table", "t/u/on", "[t]\nx = 1\n", "[t]\nx = 1\n\n[t.u]\non = true\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := strings.Split(tt.path, "/")
			got, undo, err := Set([]byte(tt.before), path, "true")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(got)); diff != "" {
				t.Errorf("Set (-want +got):\n%s", diff)
			}
			if v, ok, err := Get(got, path...); err != nil || !ok || v != true {
				t.Errorf("Get gave %v, %v, %v", v, ok, err)
			}
			back, done, err := Unset(got, path, undo)
			if err != nil || !done {
				t.Fatalf("Unset: done %v, error %v", done, err)
			}
			if diff := cmp.Diff(tt.before, string(back)); diff != "" {
				t.Errorf("Unset (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhatTheUserDidInBetweenStays takes an edit back after somebody else changed the text.
func TestWhatTheUserDidInBetweenStays(t *testing.T) {
	tests := []struct{ name, before, change, with, want string }{
		{"a key in our table", "a = 1\n", "roots = [\"/acc\"]\n", "roots = [\"/acc\"]\nnet = true\n", "a = 1\n\n[box]\nnet = true\n"},
		{"an element beside ours", "a = 1\n", "[\"/acc\"]", "[\"/acc\", \"/b\"]", "a = 1\n\n[box]\nroots = [\"/b\"]\n"},
		{"a table behind ours", "a = 1", "roots = [\"/acc\"]", "roots = [\"/acc\"]\n\n[z]\nq = 1\n", "a = 1\n\n\n[z]\nq = 1\n"},
		{"a comment in our table", "a = 1\n", "[box]\n", "[box]\n# mine\n", "a = 1\n# mine\n"},
		{"a comment behind our key", "[box]\nnet = true\n", "roots = [\"/acc\"]", "roots = [\"/acc\"] # theirs", "[box]\nnet = true\n# theirs\n"},
		{"a key in front of our header", "a = 1\n", "[box]", "b = 2\n[box]", "a = 1\n\nb = 2\n"},
	}
	path := []string{"box", "roots"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mid, undo, err := Append([]byte(tt.before), path, Quote("/acc"))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(mid), tt.change) {
				t.Fatalf("the text has no %q:\n%s", tt.change, mid)
			}
			mid = []byte(strings.Replace(string(mid), tt.change, tt.with, 1))
			got, done, err := Drop(mid, path, Quote("/acc"), undo)
			if err != nil || !done {
				t.Fatalf("Drop: done %v, error %v", done, err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	tests := []struct{ name, doc, want string }{
		{"broken", "a = 1\n[box\n", "line 2"},
		{"key twice", "a = 1\na = 2\n", "line 2"},
		{"table twice", "[a]\n[b]\n[a]\n", "line 3"},
		{"array of tables in the way", "[[box]]\nx = 1\n", "box is not a table"},
		{"scalar in the way", "box = 3\n", "box is not a table"},
		{"no array", "[box]\nroots = \"/a\"\n", "box.roots is not an array"},
		{"a file of another kind", "{\"a\": 1}", "line 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := Append([]byte(tt.doc), []string{"box", "roots"}, Quote("/acc"))
			if err == nil {
				t.Fatalf("edited to %q", got)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not say %q", err, tt.want)
			}
		})
	}
}

func TestQuote(t *testing.T) {
	for _, s := range []string{"", "/a b", `C:\x"y`, "tab\there", "ü\u2028", "\x7f"} {
		v, err := decode(Quote(s))
		if err != nil || v != s {
			t.Errorf("%q became %s, which reads %v (%v)", s, Quote(s), v, err)
		}
	}
}

// document draws a TOML text in any layout.
func document(t *rapid.T) string {
	var b strings.Builder
	nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
	end := func() {
		if rapid.IntRange(0, 3).Draw(t, "comment") == 0 {
			b.WriteString("  # it's \"[x]\" = 1")
		}
		b.WriteString(nl)
		for range rapid.IntRange(0, 2).Draw(t, "blank") {
			b.WriteString(rapid.SampledFrom([]string{"", "# note", "  "}).Draw(t, "line") + nl)
		}
	}
	gap := func() string {
		return rapid.SampledFrom([]string{"", " ", nl, nl + "  ", nl + "# c ]" + nl}).Draw(t, "gap")
	}
	element := func() string {
		return rapid.SampledFrom([]string{`"/a"`, `'/b]'`, `"""x]"""`, `[1, [2]]`, `{k = "v,"}`, `1979-05-27`}).Draw(t, "element")
	}
	array := func() string {
		s := "["
		n := rapid.IntRange(0, 3).Draw(t, "elements")
		for i := range n {
			s += gap() + element() + gap()
			if i < n-1 || rapid.Bool().Draw(t, "trailing comma") {
				s += ","
			}
		}
		return s + gap() + "]"
	}
	keys := func(prefix string, skip bool) {
		for i := range rapid.IntRange(0, 2).Draw(t, "keys") {
			value := rapid.SampledFrom([]string{"1", "true", `"s # "`, `{ x = 1 }`, `{}`, "'''m\nn'''"}).Draw(t, "value")
			b.WriteString(fmt.Sprintf("%s%sk%d = %s", rapid.SampledFrom([]string{"", "  "}).Draw(t, "indent"), prefix, i, value))
			end()
		}
		if !skip && rapid.Bool().Draw(t, "has roots") {
			b.WriteString(prefix + "roots = " + array())
			end()
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "mark") == 0 {
		b.Write(byteOrderMark)
	}
	keys("", true)
	switch rapid.IntRange(0, 4).Draw(t, "shape") {
	case 0:
	case 1:
		keys("box.", false)
	case 2:
		b.WriteString("[ box ]")
		end()
		keys("", false)
	case 3:
		b.WriteString("box = {" + rapid.SampledFrom([]string{"", " ", "net = true", " roots = [\"/a\"] "}).Draw(t, "inline") + "}")
		end()
	case 4:
		b.WriteString("[box.sub]")
		end()
		keys("", true)
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "tables") {
		b.WriteString(rapid.SampledFrom([]string{"[t" + strconv.Itoa(i) + "]", "[[hooks]]", "[t" + strconv.Itoa(i) + ".\"x y\"]"}).Draw(t, "header"))
		end()
		keys("", true)
	}
	s := b.String()
	if rapid.IntRange(0, 3).Draw(t, "final newline") == 0 {
		s = strings.TrimSuffix(s, nl)
	}
	return s
}

// TestEditsTakenBackLeaveTheBytes: any edits of any document, taken back from the last to the first.
func TestEditsTakenBackLeaveTheBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := document(t)
		if err := Check([]byte(before)); err != nil {
			t.Fatalf("the generator wrote\n%s\n: %v", before, err)
		}
		type done struct {
			path  []string
			value string
			undo  Undo
		}
		var edits []done
		doc := []byte(before)
		for i := range rapid.IntRange(1, 4).Draw(t, "edits") {
			var e done
			var next []byte
			var err error
			if rapid.Bool().Draw(t, "element") {
				e.path, e.value = []string{"box", "roots"}, Quote("ours"+strconv.Itoa(i))
				next, e.undo, err = Append(doc, e.path, e.value)
			} else {
				e.path = rapid.SampledFrom([][]string{{"ours"}, {"box", "net"}, {"box", "ours"}, {"made", "up", "ours"}}).Draw(t, "path")
				next, e.undo, err = Set(doc, e.path, strconv.Itoa(100+i))
			}
			if err != nil {
				t.Fatalf("%v of\n%s\nis refused: %v", e.path, doc, err)
			}
			doc, edits = next, append(edits, e)
		}
		after := doc
		for i := len(edits) - 1; i >= 0; i-- {
			e := edits[i]
			var ok bool
			var err error
			if e.value != "" {
				doc, ok, err = Drop(doc, e.path, e.value, e.undo)
			} else {
				doc, ok, err = Unset(doc, e.path, e.undo)
			}
			if err != nil || ok == e.undo.Kept {
				t.Fatalf("taking back %v of\n%s\n: %v %v", e.path, after, ok, err)
			}
		}
		if string(doc) != before {
			t.Fatalf("before\n%q\nafter\n%q\nback\n%q", before, after, doc)
		}
	})
}

// FuzzEdit: whatever bytes come, an edit refuses or leaves a good document that can be taken back.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{"", "a = 1", "[box]\nroots = [ ]\n", "box.roots = ['x',\n]\n", "box = {}", "[[box]]\n", "\xef\xbb\xbf[box.sub]\r\n", "a = \"\"\"\n[box]\n\"\"\"", "[box]\n\"roots\" = [\"\\\"]\"] # ]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		path := []string{"box", "roots"}
		next, undo, err := Append(doc, path, Quote("/acc"))
		if err != nil || undo.Kept {
			return
		}
		if err := Check(next); err != nil {
			t.Fatalf("%q became %q, which is refused: %v", doc, next, err)
		}
		back, ok, err := Drop(next, path, Quote("/acc"), undo)
		if err != nil || !ok || string(back) != string(doc) {
			t.Fatalf("%q became %q and then %q (%v, %v)", doc, next, back, ok, err)
		}
	})
}

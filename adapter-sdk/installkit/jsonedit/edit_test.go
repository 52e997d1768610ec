package jsonedit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSetAndUnset shows each layout before and after, and that taking the edit back gives the bytes.
func TestSetAndUnset(t *testing.T) {
	const bom = "\xef\xbb\xbf"
	tests := []struct {
		name    string
		dialect Dialect
		path    string
		value   string
		before  string
		after   string
	}{
		{"absent file", JSON, "a/b", `1`, "", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"},
		{"blank file", JSON, "a", `true`, " \n", "{\n  \"a\": true\n}\n"},
		{"only a byte order mark", JSON, "a", `true`, bom, bom + "{\n  \"a\": true\n}\n"},
		{"empty object", JSON, "a", `1`, "{}", "{\n  \"a\": 1\n}"},
		{"empty object with room", JSON, "a", `1`, "{ }\n", "{\n  \"a\": 1\n}\n"},
		{"two spaces", JSON, "b", `{"c":[1,2]}`, "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [\n      1,\n      2\n    ]\n  }\n}\n"},
		{"tabs", JSON, "b/c", `1`, "{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": 1\n\t}\n}"},
		{"CRLF and a byte order mark", JSON, "b", `{"c":1}`, bom + "{\r\n    \"a\": 1\r\n}\r\n", bom + "{\r\n    \"a\": 1,\r\n    \"b\": {\r\n        \"c\": 1\r\n    }\r\n}\r\n"},
		{"one line", JSON, "b/c", `[1,2]`, `{"a": 1}`, `{"a": 1, "b": {"c": [1, 2]}}`},
		{"minified", JSON, "b/c", `[1, 2]`, `{"a":1}`, `{"a":1,"b":{"c":[1,2]}}`},
		{"into a nested object", JSON, "a/y", `2`, "{\n  \"a\": {\n    \"x\": 1\n  },\n  \"b\": 2\n}\n", "{\n  \"a\": {\n    \"x\": 1,\n    \"y\": 2\n  },\n  \"b\": 2\n}\n"},
		{"into a nested object on one line", JSON, "a/y", `2`, "{\n  \"a\": { \"x\": 1 },\n  \"b\": 2\n}\n", "{\n  \"a\": { \"x\": 1, \"y\": 2 },\n  \"b\": 2\n}\n"},
		{"replaces another value", JSON, "a", `{"n":1}`, "{\n  \"a\":   [1,\n2],\n  \"b\": 2\n}\n", "{\n  \"a\":   {\n    \"n\": 1\n  },\n  \"b\": 2\n}\n"},
		{"trailing comma", JSONC, "b", `2`, "{\n  \"a\": 1,\n}\n", "{\n  \"a\": 1,\n  \"b\": 2,\n}\n"},
		{"comment behind the last value", JSONC, "b", `2`, "{\n  \"a\": 1 // one\n}\n", "{\n  \"a\": 1, // one\n  \"b\": 2\n}\n"},
		{"comment behind a trailing comma", JSONC, "b", `2`, "{\n  \"a\": 1, // one\n  // more\n}\n", "{\n  \"a\": 1, // one\n  // more\n  \"b\": 2,\n}\n"},
		{"comment in front of the comma", JSONC, "b", `2`, "{\n  \"a\": 1 /* x */,\n}\n", "{\n  \"a\": 1 /* x */,\n  \"b\": 2,\n}\n"},
		{"only comments", JSONC, "b", `2`, "{\n  // nothing yet\n}\n", "{\n  // nothing yet\n  \"b\": 2\n}\n"},
		{"only a comment on one line", JSONC, "b", `2`, "{ /* x */ }", "{ /* x */ \"b\": 2 }"},
		{"one line that ends in a line comment", JSONC, "b", `2`, "{\"a\": 1 // x\n}", "{\"a\": 1, // x\n  \"b\": 2\n}"},
		{"comments around everything", JSONC, "b", `2`, "// top\n{\"a\": 1}\n// end", "// top\n{\"a\": 1, \"b\": 2}\n// end"},
		{"letters beyond ASCII", JSON, "é\"", `"\u00e9<ü>"`, "{\n  \"ß\": \"\\u00df\"\n}", "{\n  \"ß\": \"\\u00df\",\n  \"é\\\"\": \"\\u00e9<ü>\"\n}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := strings.Split(tt.path, "/")
			got, undo, err := Set([]byte(tt.before), tt.dialect, path, tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(got)); diff != "" {
				t.Errorf("Set (-want +got):\n%s", diff)
			}
			again, second, err := Set(got, tt.dialect, path, tt.value)
			if err != nil || !second.Kept || string(again) != string(got) {
				t.Errorf("a second Set changed the text or was not kept: %v\n%s", err, again)
			}
			back, done, err := Unset(got, tt.dialect, path, undo)
			if err != nil || !done {
				t.Fatalf("Unset: done %v, error %v", done, err)
			}
			if diff := cmp.Diff(tt.before, string(back)); diff != "" {
				t.Errorf("Unset (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAppendAndDrop(t *testing.T) {
	tests := []struct{ name, before, after string }{
		{"absent file", "", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"n\": 1\n      }\n    ]\n  }\n}\n"},
		{"empty array", "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"n\": 1\n      }\n    ]\n  }\n}"},
		{"behind others", "{\n  \"hooks\": {\n    \"Stop\": [\n      2\n    ]\n  }\n}", "{\n  \"hooks\": {\n    \"Stop\": [\n      2,\n      {\n        \"n\": 1\n      }\n    ]\n  }\n}"},
		{"array on one line", "{\n  \"hooks\": {\n    \"Stop\": [2, 3]\n  }\n}", "{\n  \"hooks\": {\n    \"Stop\": [2, 3, {\"n\": 1}]\n  }\n}"},
		{"minified", `{"hooks":{"Stop":[2]}}`, `{"hooks":{"Stop":[2,{"n":1}]}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := []string{"hooks", "Stop"}
			got, undo, err := Append([]byte(tt.before), JSON, path, `{"n":1}`)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(got)); diff != "" {
				t.Errorf("Append (-want +got):\n%s", diff)
			}
			if _, second, err := Append(got, JSON, path, `{"n": 1.0}`); err != nil || !second.Kept {
				t.Errorf("an equal element was not kept: %+v %v", second, err)
			}
			back, done, err := Drop(got, JSON, path, `{"n":1}`, undo)
			if err != nil || !done {
				t.Fatalf("Drop: done %v, error %v", done, err)
			}
			if diff := cmp.Diff(tt.before, string(back)); diff != "" {
				t.Errorf("Drop (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhatTheUserDidInBetweenStays takes an edit back after somebody else changed the text.
func TestWhatTheUserDidInBetweenStays(t *testing.T) {
	tests := []struct{ name, before, change, with, want string }{
		{"a member behind ours", "{\n  \"a\": 1\n}\n", "\"ours\": 1\n", "\"ours\": 1,\n  \"b\": 2\n", "{\n  \"a\": 1,\n  \"b\": 2\n}\n"},
		{"a member in front of ours", "{\n  \"a\": 1\n}\n", "  \"ours\"", "  \"b\": 2,\n  \"ours\"", "{\n  \"a\": 1,\n  \"b\": 2\n}\n"},
		{"the only other one went", "{\n  \"a\": 1\n}\n", "\n  \"a\": 1,", "", "{}\n"},
		{"beside us in a new object", "{}", "\n}", ",\n  \"b\": 2\n}", "{\n  \"b\": 2\n}"},
		{"a comment on our line", "{\n  \"a\": 1\n}\n", "\"ours\": 1", "\"ours\": 1 // theirs?", "{\n  \"a\": 1 // theirs?\n}\n"},
		{"a comment above us", "{\n  \"a\": 1\n}\n", "  \"ours\"", "  // mine\n  \"ours\"", "{\n  \"a\": 1\n  // mine\n}\n"},
		{"the layout", "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"ours\": 1\n}\n", `{"a":1,"ours":1}`, `{"a":1}`},
		{"a line comment in front of ours on a closing line", "{\n  \"a\": 1\n}\n", "  \"ours\": 1\n}", "  // x\n  \"ours\": 1}", "{\n  \"a\": 1\n  // x\n}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mid, undo, err := Set([]byte(tt.before), JSONC, []string{"ours"}, "1")
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(mid), tt.change) {
				t.Fatalf("the text has no %q:\n%s", tt.change, mid)
			}
			mid = []byte(strings.Replace(string(mid), tt.change, tt.with, 1))
			got, done, err := Unset(mid, JSONC, []string{"ours"}, undo)
			if err != nil || !done {
				t.Fatalf("Unset: done %v, error %v", done, err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestContainersWithOtherThingsStay: what Set made goes only when nothing else came into it.
func TestContainersWithOtherThingsStay(t *testing.T) {
	doc, undo, err := Set(nil, JSON, []string{"a", "b", "ours"}, "1")
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err = Set(doc, JSON, []string{"a", "theirs"}, "2")
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err = Unset(doc, JSON, []string{"a", "b", "ours"}, undo)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("{\n  \"a\": {\n    \"theirs\": 2\n  }\n}\n", string(doc)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRefuses(t *testing.T) {
	tests := []struct {
		name, doc string
		dialect   Dialect
		want      string
	}{
		{"comment in JSON", "{} // x", JSON, "comments or trailing commas"},
		{"trailing comma in JSON", "{\"a\":1,}", JSON, "comments or trailing commas"},
		{"open object", "{\n\"a\": 1", JSONC, "line 3"}, // the parser is given a final newline
		{"name twice", "{\n \"a\": 1,\n \"\\u0061\": 2\n}", JSONC, `line 3: the name "a" occurs twice`},
		{"name twice below", "{\"x\": [{\"a\": 1, \"a\": 2}]}", JSON, `line 1: the name "a" occurs twice`},
		{"broken UTF-8", "{\"a\": \"\xff\"}", JSON, "UTF-8"},
		{"two values", "{} {}", JSON, "after top-level value"},
		{"not an object", "[1]", JSON, "the document is not an object"},
		{"no object on the way", "{\"a\": 1}", JSON, "a is not an object"},
		{"deep", strings.Repeat("[", 300) + strings.Repeat("]", 300), JSON, "deeper"},
		{"deep behind a comment with a quote", "// \"\n" + strings.Repeat("[", 300) + strings.Repeat("]", 300), JSONC, "deeper"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := Set([]byte(tt.doc), tt.dialect, []string{"a", "b"}, "1")
			if err == nil {
				t.Fatalf("edited to %q", got)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not say %q", err, tt.want)
			}
		})
	}
}

func TestSwapKeepsThePlace(t *testing.T) {
	got, done, err := Swap([]byte("{\"a\": [1, 2, 3]}"), JSON, []string{"a"}, "2", `{"n":4}`)
	if err != nil || !done || string(got) != `{"a": [1, {"n": 4}, 3]}` {
		t.Errorf("Swap gave %q, %v, %v", got, done, err)
	}
	if _, done, _ := Swap(got, JSON, []string{"a"}, "2", "5"); done {
		t.Error("Swap replaced an element that is not there")
	}
}

func TestVolatileMembersDoNotCount(t *testing.T) {
	doc := []byte(`{"p":[{"at":"2026-01-01","v":1}]}`)
	if _, undo, err := Set(doc, JSON, []string{"p"}, `[{"v":1,"at":"2027-01-01"}]`, "at"); err != nil || !undo.Kept {
		t.Errorf("the same but for its time was not kept: %+v %v", undo, err)
	}
	if _, undo, err := Set(doc, JSON, []string{"p"}, `[{"v":2,"at":"2026-01-01"}]`, "at"); err != nil || undo.Kept {
		t.Errorf("another value was kept: %+v %v", undo, err)
	}
	if !Equal(`{"a":1,"b":[2.0]}`, "{ \"b\": [2], \"a\": 1e0 }") || Equal("1", "2") || Equal("", "") {
		t.Error("Equal is wrong")
	}
}

func TestGetAndElements(t *testing.T) {
	doc := []byte("{\"a\": { \"b\": [1, {\"y\": 2, \"x\": 1}] }}")
	if v, ok, err := Get(doc, JSON, "a"); err != nil || !ok || string(v) != `{"b":[1,{"x":1,"y":2}]}` {
		t.Errorf("Get gave %q, %v, %v", v, ok, err)
	}
	if _, ok, err := Get(doc, JSON, "a", "c"); err != nil || ok {
		t.Errorf("Get found what is not there: %v", err)
	}
	elements, err := Elements(doc, JSON, "a", "b")
	if err != nil || len(elements) != 2 || string(elements[1]) != `{"x":1,"y":2}` {
		t.Errorf("Elements gave %q, %v", elements, err)
	}
	if _, err := Elements(doc, JSON, "a"); err == nil {
		t.Error("Elements of an object are no error")
	}
}

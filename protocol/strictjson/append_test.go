package strictjson_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

func good(t *testing.T) tree {
	t.Helper()
	v, err := treeObject.Decode([]byte(large))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Each case breaks one field of a good value; Validate and Append refuse it alike.
func TestAppendRefuses(t *testing.T) {
	for _, c := range []struct {
		name, path, message string
		change              func(*tree)
	}{
		{"empty", "$.title", "must not be empty", func(v *tree) { v.Title = "" }},
		{"invalid UTF-8", "$.title", "must be valid UTF-8", func(v *tree) { v.Title = "\xff" }},
		{"invalid UTF-8 in an element", "$.tags[1]", "must be valid UTF-8", func(v *tree) { v.Tags[1] = "\xff" }},
		{"surrogate as bytes", "$.title", "must be valid UTF-8", func(v *tree) { v.Title = "\xed\xa0\x80" }},
		{"control", "$.note", "must be one line without control characters", func(v *tree) { v.Note = "a\x1b" }},
		{"long", "$.title", "longer than 10 characters", func(v *tree) { v.Title = strings.Repeat("ö", 11) }},
		{"long prose", "$.body", "longer than 12 bytes", func(v *tree) { v.Body = strings.Repeat("ö", 7) }},
		{"enum", "$.colour", "must be one of red, green", func(v *tree) { v.Colour = "" }},
		{"zero time", "$.at", "must not be the zero time", func(v *tree) { v.At = time.Time{} }},
		{"microseconds", "$.at", "must be whole milliseconds", func(v *tree) { v.At = v.At.Add(time.Microsecond) }},
		{"year", "$.at", "must be a time from 1970 to 9999", func(v *tree) { v.At = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"year of an optional time", "$.ended", "must be a time from 1970 to 9999", func(v *tree) { v.Ended = time.Unix(-1, 0) }},
		{"duration", "$.cadenceMs", "must be whole milliseconds", func(v *tree) { v.Cadence = time.Microsecond }},
		{"no duration", "$.cadenceMs", "must be from 1 to 3600000", func(v *tree) { v.Cadence = 0 }},
		{"long duration", "$.cadenceMs", "must be from 1 to 3600000", func(v *tree) { v.Cadence = time.Hour + time.Millisecond }},
		{"negative", "$.pid", "must be from 1 to 2147483647", func(v *tree) { v.PID = -1 }},
		{"list", "$.leaves", "more than 2 elements", func(v *tree) { v.Leaves = make([]leaf, 3) }},
		{"element", "$.leaves[1].size", "must be from 1 to 9", func(v *tree) { v.Leaves[1].Size = 10 }},
		{"repetition", "$.tags[1]", "repeats an earlier element", func(v *tree) { v.Tags[1] = v.Tags[0] }},
		{"pointer", "$.best.name", "must not be empty", func(v *tree) { v.Best = &leaf{Size: 1} }},
		{"optional pointer", "$.second.size", "must be from 1 to 9", func(v *tree) { v.Second = &leaf{Name: "a"} }},
		{"raw of another kind", "$.payload", "expected an object, found an array", func(v *tree) { v.Payload = jsontext.Value(`[]`) }},
		{"raw that ends early", "$.payload", "the document ends too early", func(v *tree) { v.Payload = jsontext.Value(`{`) }},
		{"two raw values", "$.payload", "trailing data after the value", func(v *tree) { v.Payload = jsontext.Value(`{}{}`) }},
		{"raw with a duplicate", "$.payload.a", "duplicate member", func(v *tree) { v.Payload = jsontext.Value(`{"a":1,"a":1}`) }},
		{"raw too deep", "$.payload", "nested deeper than 64 levels", func(v *tree) {
			v.Payload = jsontext.Value(`{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`)
		}},
		{"known member among the others", "$.extensions.known", "has a field of its own and is not kept among the others", func(v *tree) { v.Others["known"] = jsontext.Value(`1`) }},
		{"invalid name among the others", `$.extensions["\xff"]`, "must be valid UTF-8", func(v *tree) { v.Others["\xff"] = jsontext.Value(`1`) }},
		{"empty raw among the others", "$.extensions.a", "there is no JSON value", func(v *tree) { v.Others["a"] = nil }},
		{"rule across members", "$.forward", "comes only together with backward", func(v *tree) { v.Backward = "" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := good(t)
			c.change(&v)
			for call, err := range map[string]error{"Validate": treeObject.Validate(&v), "Append": appendError(t, &v)} {
				var refused *strictjson.Error
				if !errors.As(err, &refused) || refused.Path != c.path || refused.Message != c.message {
					t.Errorf("%s: got %v, want %s: %s", call, err, c.path, c.message)
				}
			}
		})
	}
}

func appendError(t *testing.T, v *tree) error {
	t.Helper()
	got, err := treeObject.Append([]byte("kept"), v)
	if string(got) != "kept" {
		t.Errorf("after a refusal dst is %q", got)
	}
	return err
}

func TestAppendWritesRawWithoutSpacesAndBagsSorted(t *testing.T) {
	v := good(t)
	v.Payload = jsontext.Value(" { \"b\" : [ 1.0 , \"\\u0061\" ] , \"a\" : {} } ")
	v.Known = ""
	v.Others = map[string]jsontext.Value{"z": jsontext.Value("1"), "a": jsontext.Value(" 2 "), "é\"": jsontext.Value("3")}
	got, err := treeObject.Append(nil, &v)
	if err != nil {
		t.Fatal(err)
	}
	want := `"payload":{"b":[1.0,"a"],"a":{}},"extensions":{"a":2,"z":1,"é\"":3}`
	if !bytes.Contains(got, []byte(want)) {
		t.Errorf("got %s, want %s in it", got, want)
	}
}

func TestTimesOfOtherZonesAreWrittenInUTC(t *testing.T) {
	v := good(t)
	v.At = v.At.In(time.FixedZone("far", 5*3600))
	got, err := treeObject.Append(nil, &v)
	if err != nil || !bytes.Contains(got, []byte(`"at":"2026-01-02T03:04:05.006Z"`)) {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestAppendIndent(t *testing.T) {
	got, err := leafObject.AppendIndent([]byte("> "), &leaf{"a", 1})
	if err != nil || string(got) != "> {\n  \"name\": \"a\",\n  \"size\": 1\n}\n" {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := leafObject.AppendIndent([]byte("> "), &leaf{}); err == nil || string(got) != "> " {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := strictjson.AppendIndent([]byte("> "), []byte("{")); err == nil || string(got) != "> " {
		t.Errorf("%v\n%s", err, got)
	}
}

type holder struct{ Copy, View jsontext.Value }

var holderObject = strictjson.Object[holder]{
	Name: "holder", Open: true,
	Members: func() []strictjson.Member[holder] {
		return []strictjson.Member[holder]{
			strictjson.Field("copy", "", func(h *holder) *jsontext.Value { return &h.Copy }, strictjson.Raw()),
			strictjson.Field("view", "", func(h *holder) *jsontext.Value { return &h.View }, strictjson.RawView()),
		}
	},
}

func TestRawIsACopyAndRawViewIsNot(t *testing.T) {
	document := []byte(`{"skipped":[{"a":1}],"copy": [1] ,"view": [2] }`)
	h, err := holderObject.Decode(document)
	if err != nil || string(h.Copy) != "[1]" || string(h.View) != "[2]" {
		t.Fatalf("%v %s %s", err, h.Copy, h.View)
	}
	clear(document)
	if string(h.Copy) != "[1]" {
		t.Error("Raw changed with the input")
	}
	if string(h.View) != "\x00\x00\x00" {
		t.Error("RawView does not alias the input")
	}
	if cap(h.View) != len(h.View) {
		t.Error("appending to a view would write into the input")
	}
}

func TestOpenObjectsStillRefuseBadJSON(t *testing.T) {
	for document, path := range map[string]string{
		`{"copy":1,"view":1,"x":{"a":1,"a":2}}`: "$.x.a",
		`{"copy":1,"view":1,"x":1,"x":1}`:       "$.x",
		`{"copy":1,"view":1,"x":"\ud800"}`:      "$.x",
		`{"copy":1,"x":1}`:                      "$.view",
		`{"copy":1,"view":1,"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`: "$.x",
	} {
		_, err := holderObject.Decode([]byte(document))
		var refused *strictjson.Error
		if !errors.As(err, &refused) || refused.Path != path {
			t.Errorf("%.60s: got %v, want %s", document, err, path)
		}
	}
}

func TestErrorIn(t *testing.T) {
	_, err := leafObject.Decode([]byte(`{"name":"a","size":0}`))
	var refused *strictjson.Error
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if got := refused.In("$.tool_input").Path; got != "$.tool_input.size" {
		t.Errorf("got %s", got)
	}
}

func TestDecodeIntoForgetsWhatWasThere(t *testing.T) {
	v := good(t)
	if err := treeObject.DecodeInto([]byte(small), &v); err != nil {
		t.Fatal(err)
	}
	if v.Best != nil || v.Others != nil || v.Known != "" || v.Leaves != nil {
		t.Errorf("kept %+v", v)
	}
}

func TestMoreMembersThanBitsAreRefused(t *testing.T) {
	o := &strictjson.Object[leaf]{Name: "wide", Members: func() []strictjson.Member[leaf] {
		return slices.Repeat([]strictjson.Member[leaf]{strictjson.Const[leaf]("a", "", 1)}, 65)
	}}
	if _, err := o.Decode([]byte(`{"a":1}`)); err == nil {
		t.Error("accepted")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(large))
	f.Fuzz(func(t *testing.T, document []byte) {
		v, err := treeObject.Decode(document)
		if err != nil {
			var refused *strictjson.Error
			if !errors.As(err, &refused) || !strings.HasPrefix(refused.Path, "$") {
				t.Fatalf("%v has no path", err)
			}
			return
		}
		written, err := treeObject.Append(nil, &v)
		if err != nil {
			t.Fatalf("decoded and then refused: %v", err)
		}
		again, err := treeObject.Decode(written)
		if err != nil {
			t.Fatalf("written and then refused: %v\n%s", err, written)
		}
		rewritten, err := treeObject.Append(nil, &again)
		if err != nil || !bytes.Equal(written, rewritten) {
			t.Fatalf("%v\n%s\n%s", err, written, rewritten)
		}
	})
}

package strictjson_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

type bounds struct {
	Number int
	Word   string
	Pair   []string
	Many   []string
	Must   *leaf
	Flag   bool
	Any    jsontext.Value
	Others map[string]jsontext.Value
}

var boundsObject = strictjson.Object[bounds]{
	Name: "bounds",
	Members: func() []strictjson.Member[bounds] {
		return []strictjson.Member[bounds]{
			strictjson.Optional("number", "", func(b *bounds) *int { return &b.Number }, strictjson.Int(-5, 5)),
			strictjson.Optional("word", "", func(b *bounds) *string { return &b.Word }, strictjson.Prose(9)),
			strictjson.Optional("pair", "", func(b *bounds) *[]string { return &b.Pair }, strictjson.Set(strictjson.Line(5), 2, 3)),
			strictjson.Optional("many", "", func(b *bounds) *[]string { return &b.Many }, strictjson.Set(strictjson.Line(5), 0, 100)),
			strictjson.Field("must", "", func(b *bounds) **leaf { return &b.Must }, strictjson.Pointer(strictjson.Nested(&leafObject))),
			strictjson.Optional("flag", "", func(b *bounds) *bool { return &b.Flag }, strictjson.Bool()),
			strictjson.Optional("any", "", func(b *bounds) *jsontext.Value { return &b.Any }, strictjson.Raw()),
			strictjson.Bag("others", "", func(b *bounds) *map[string]jsontext.Value { return &b.Others }),
		}
	},
}

func words(n int, last string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%q,", fmt.Sprint(i))
	}
	return "[" + b.String() + fmt.Sprintf("%q]", last)
}

func TestBounds(t *testing.T) {
	const must = `"must":{"name":"a","size":1}`
	for _, c := range []struct{ name, members, path, message string }{
		{"all well", `"number":-5,"word":"a\tb","pair":["a","b"],"flag":true,` + must, "", ""},
		{"low number", `"number":-6,` + must, "$.number", "must be from -5 to 5"},
		{"negative zero", `"number":-0,` + must, "$.number", "must be a whole number from -5 to 5"},
		{"delete in prose", `"word":"a\u007fb",` + must, "$.word", "must not contain control characters but line breaks and tabs"},
		{"escape in prose", `"word":"a\u001bb",` + must, "$.word", "must not contain control characters but line breaks and tabs"},
		{"short list", `"pair":["a"],` + must, "$.pair", "fewer than 2 elements"},
		{"empty list", `"pair":[],` + must, "$.pair", "fewer than 2 elements"},
		{"repetition in a short list", `"pair":["a","a"],` + must, "$.pair[1]", "repeats an earlier element"},
		{"long list", `"many":` + words(60, "60") + `,` + must, "", ""},
		{"repetition in a long list", `"many":` + words(60, "31") + `,` + must, "$.many[60]", "repeats an earlier element"},
		{"missing", `"number":1`, "$.must", "is missing"},
		{"text for a boolean", `"flag":"true",` + must, "$.flag", "expected a boolean, found a string"},
		{"brackets in text are not nesting", `"any":"` + strings.Repeat("[", 100) + `",` + must, "", ""},
		{"escaped quotes end no text", `"any":["\\","\"` + strings.Repeat("[", 100) + `","\\\""],` + must, "", ""},
		{"nesting after escaped quotes", `"any":["\"",` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `],` + must, "$.any", "nested deeper than 64 levels"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := boundsObject.Decode([]byte("{" + c.members + "}"))
			var refused *strictjson.Error
			switch {
			case c.path == "" && err != nil:
				t.Error(err)
			case c.path != "" && (!errors.As(err, &refused) || refused.Path != c.path || refused.Message != c.message):
				t.Errorf("got %v, want %s: %s", err, c.path, c.message)
			case c.path == "":
				if err := boundsObject.Validate(&v); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestValidateBounds(t *testing.T) {
	well := func() bounds { return bounds{Must: &leaf{"a", 1}} }
	for _, c := range []struct {
		path, message string
		change        func(*bounds)
	}{
		{"$.must", "is missing", func(b *bounds) { b.Must = nil }},
		{"$.pair", "fewer than 2 elements", func(b *bounds) { b.Pair = []string{"a"} }},
		{"$.pair", "fewer than 2 elements", func(b *bounds) { b.Pair = []string{} }},
		{"$.many[20]", "repeats an earlier element", func(b *bounds) {
			for i := range 20 {
				b.Many = append(b.Many, fmt.Sprint(i))
			}
			b.Many = append(b.Many, "3")
		}},
	} {
		b := well()
		c.change(&b)
		err := boundsObject.Validate(&b)
		var refused *strictjson.Error
		if !errors.As(err, &refused) || refused.Path != c.path || refused.Message != c.message {
			t.Errorf("got %v, want %s: %s", err, c.path, c.message)
		}
	}
	b := well()
	if got, err := boundsObject.Append(nil, &b); err != nil || string(got) != `{"must":{"name":"a","size":1}}` {
		t.Errorf("%v %s", err, got)
	}
}

func TestBagsKeepCopies(t *testing.T) {
	document := []byte(`{"must":{"name":"a","size":1},"others":{"x":[1]}}`)
	b, err := boundsObject.Decode(document)
	if err != nil {
		t.Fatal(err)
	}
	clear(document)
	if string(b.Others["x"]) != "[1]" {
		t.Error("a kept member changed with the input")
	}
}

package strictjson_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

type colour string

type leaf struct {
	Name string
	Size int
}

type tree struct {
	Title    string
	Colour   colour
	Note     string
	Body     string
	At       time.Time
	Ended    time.Time
	Cadence  time.Duration
	PID      int
	Open     bool
	Tags     []string
	Leaves   []leaf
	Maybe    []string
	Best     *leaf
	Second   *leaf
	Payload  jsontext.Value
	Known    string
	Others   map[string]jsontext.Value
	Forward  string
	Backward string
}

var leafObject = strictjson.Object[leaf]{
	Name: "leaf", Doc: "A leaf.",
	Members: func() []strictjson.Member[leaf] {
		return []strictjson.Member[leaf]{
			strictjson.Field("name", "what it is called", func(l *leaf) *string { return &l.Name }, strictjson.Line(10)),
			strictjson.Field("size", "how large", func(l *leaf) *int { return &l.Size }, strictjson.Int(1, 9)),
		}
	},
}

var treeObject = strictjson.Object[tree]{
	Name: "tree", Doc: "A tree.", MaxBytes: 5000,
	Members: func() []strictjson.Member[tree] {
		return []strictjson.Member[tree]{
			strictjson.Const[tree]("schemaVersion", "of the format", 3),
			strictjson.Field("title", "line", func(t *tree) *string { return &t.Title }, strictjson.Line(10)),
			strictjson.Field("colour", "enum", func(t *tree) *colour { return &t.Colour }, strictjson.Enum[colour]("red", "green")),
			strictjson.Field("note", "nullable line", func(t *tree) *string { return &t.Note }, strictjson.Nullable(strictjson.Line(10))),
			strictjson.Field("body", "prose", func(t *tree) *string { return &t.Body }, strictjson.Prose(12)),
			strictjson.Field("at", "time", func(t *tree) *time.Time { return &t.At }, strictjson.Time()),
			strictjson.Optional("ended", "optional or null", func(t *tree) *time.Time { return &t.Ended }, strictjson.Nullable(strictjson.Time())),
			strictjson.Field("cadenceMs", "duration", func(t *tree) *time.Duration { return &t.Cadence }, strictjson.DurationMS(time.Millisecond, time.Hour)),
			strictjson.Field("pid", "nullable number", func(t *tree) *int { return &t.PID }, strictjson.Nullable(strictjson.Int(1, 1<<31-1))),
			strictjson.Field("open", "boolean", func(t *tree) *bool { return &t.Open }, strictjson.Bool()),
			strictjson.Field("tags", "set", func(t *tree) *[]string { return &t.Tags }, strictjson.Set(strictjson.Line(5), 0, 3)),
			strictjson.Field("leaves", "objects", func(t *tree) *[]leaf { return &t.Leaves }, strictjson.List(strictjson.Nested(&leafObject), 0, 2)),
			strictjson.Field("maybe", "nullable list", func(t *tree) *[]string { return &t.Maybe }, strictjson.Nullable(strictjson.List(strictjson.Line(5), 0, 3))),
			strictjson.Field("best", "nullable object", func(t *tree) **leaf { return &t.Best }, strictjson.Nullable(strictjson.Pointer(strictjson.Nested(&leafObject)))),
			strictjson.Optional("second", "optional object", func(t *tree) **leaf { return &t.Second }, strictjson.Pointer(strictjson.Nested(&leafObject))),
			strictjson.Optional("payload", "any object", func(t *tree) *jsontext.Value { return &t.Payload }, strictjson.RawObject()),
			strictjson.Bag("extensions", "others", func(t *tree) *map[string]jsontext.Value { return &t.Others },
				strictjson.Optional("known", "kept in a field", func(t *tree) *string { return &t.Known }, strictjson.Line(10))),
			strictjson.Optional("forward", "only with backward", func(t *tree) *string { return &t.Forward }, strictjson.Line(5)),
			strictjson.Optional("backward", "only with forward", func(t *tree) *string { return &t.Backward }, strictjson.Line(5)),
		}
	},
	Rules: []string{"forward and backward come together"},
	Check: func(t *tree) *strictjson.Error {
		if (t.Forward == "") != (t.Backward == "") {
			return strictjson.Fail("$.forward", "comes only together with backward")
		}
		return nil
	},
}

const small = `{"schemaVersion":3,"title":"oak","colour":"red","note":null,"body":"a\nb","at":"2026-01-02T03:04:05.006Z",` +
	`"cadenceMs":60000,"pid":null,"open":true,"tags":[],"leaves":[],"maybe":null,"best":null}`

const large = `{"schemaVersion":3,"title":"öak","colour":"green","note":"hm","body":"\"q\"","at":"2026-01-02T03:04:05.006Z",` +
	`"ended":"2027-01-02T03:04:05.000Z","cadenceMs":1,"pid":7,"open":false,"tags":["a","b"],"leaves":[{"name":"l","size":1},{"name":"m","size":2}],` +
	`"maybe":[],"best":{"name":"b","size":9},"second":{"name":"s","size":8},"payload":{"x":[1,{"y":null}]},` +
	`"extensions":{"known":"k","a":1.50,"b":{"z":"\u0001"}},"forward":"f","backward":"b"}`

func TestDecodeThenAppendGivesTheSameBytes(t *testing.T) {
	for name, document := range map[string]string{"small": small, "large": large} {
		t.Run(name, func(t *testing.T) {
			v, err := treeObject.Decode([]byte(document))
			if err != nil {
				t.Fatal(err)
			}
			got, err := treeObject.Append(nil, &v)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(document, string(got)); diff != "" {
				t.Errorf("(-document +again)\n%s", diff)
			}
		})
	}
}

func TestDecodeFillsTheStruct(t *testing.T) {
	got, err := treeObject.Decode([]byte(large))
	if err != nil {
		t.Fatal(err)
	}
	want := tree{
		Title: "öak", Colour: "green", Note: "hm", Body: `"q"`,
		At: time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC), Ended: time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC),
		Cadence: time.Millisecond, PID: 7, Tags: []string{"a", "b"}, Leaves: []leaf{{"l", 1}, {"m", 2}}, Maybe: []string{},
		Best: &leaf{"b", 9}, Second: &leaf{"s", 8}, Payload: jsontext.Value(`{"x":[1,{"y":null}]}`), Known: "k",
		Others:  map[string]jsontext.Value{"a": jsontext.Value("1.50"), "b": jsontext.Value(`{"z":"\u0001"}`)},
		Forward: "f", Backward: "b",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	small, err := treeObject.Decode([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if small.Tags != nil || small.Maybe != nil || small.Others != nil || small.Note != "" || small.PID != 0 {
		t.Errorf("null, absent and empty are the zero value, got %+v", small)
	}
}

// Each case replaces old by new in a good document.
func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ name, old, new, path, message string }{
		{"unknown member", `"title"`, `"size":1,"title"`, "$.size", "unknown member"},
		{"wrong case", `"title"`, `"Title"`, "$.Title", `unknown member, the name is "title"`},
		{"hostile name", `"title"`, `"a b\n":1,"title"`, `$["a b\n"]`, "unknown member"},
		{"duplicate", `"title"`, `"colour":"red","title"`, "$.colour", "duplicate member"},
		{"duplicate deep in a kept value", `"a":1.50`, `"a":{"x":1,"x":2}`, "$.extensions.a.x", "duplicate member"},
		{"duplicate in a list", `"name":"m"`, `"name":"m","name":"m"`, "$.leaves[1].name", "duplicate member"},
		{"duplicate by escape", `"title"`, `"c\u006flour":"red","title"`, "$.colour", "duplicate member"},
		{"missing", `"title":"öak",`, ``, "$.title", "is missing"},
		{"missing deep", `{"name":"m",`, `{`, "$.leaves[1].name", "is missing"},
		{"null for text", `"öak"`, `null`, "$.title", "null is not allowed, expected a string"},
		{"null for a number", `"cadenceMs":1`, `"cadenceMs":null`, "$.cadenceMs", "null is not allowed, expected a number"},
		{"null for a boolean", `"open":false`, `"open":null`, "$.open", "null is not allowed, expected a boolean"},
		{"null for a list", `["a","b"]`, `null`, "$.tags", "null is not allowed, expected an array"},
		{"null for an element", `["a","b"]`, `["a",null]`, "$.tags[1]", "null is not allowed, expected a string"},
		{"a word that begins like null", `"open":false`, `"open":nope`, "$.open", "malformed JSON at byte 175"},
		{"a word that begins like true", `["a","b"]`, `tags`, "$.tags", "malformed JSON at byte 188"},
		{"null for an optional object", `{"name":"s","size":8}`, `null`, "$.second", "null is not allowed, expected an object"},
		{"null for the bag", `{"known":"k","a":1.50,"b":{"z":"\u0001"}}`, `null`, "$.extensions", "null is not allowed, expected an object"},
		{"number for text", `"öak"`, `1`, "$.title", "expected a string, found a number"},
		{"text for a number", `"pid":7`, `"pid":"7"`, "$.pid", "expected a number, found a string"},
		{"fraction", `"pid":7`, `"pid":7.0`, "$.pid", "must be a whole number from 1 to 2147483647"},
		{"exponent", `"pid":7`, `"pid":7e0`, "$.pid", "must be a whole number from 1 to 2147483647"},
		{"too large", `"pid":7`, `"pid":99999999999999999999`, "$.pid", "must be a whole number from 1 to 2147483647"},
		{"zero where null is meant", `"pid":7`, `"pid":0`, "$.pid", "must be from 1 to 2147483647"},
		{"constant", `"schemaVersion":3`, `"schemaVersion":4`, "$.schemaVersion", "must be 3"},
		{"constant of another type", `"schemaVersion":3`, `"schemaVersion":"3"`, "$.schemaVersion", "must be 3"},
		{"enum", `"green"`, `"blue"`, "$.colour", "must be one of red, green"},
		{"enum case", `"green"`, `"Green"`, "$.colour", "must be one of red, green"},
		{"empty where null is meant", `"note":"hm"`, `"note":""`, "$.note", "must not be empty"},
		{"blank", `"öak"`, `" \u00a0 "`, "$.title", "must not be blank"},
		{"control", `"öak"`, `"a\u001bb"`, "$.title", "must be one line without control characters"},
		{"delete", `"öak"`, `"a\u007f"`, "$.title", "must be one line without control characters"},
		{"line break in a line", `"öak"`, `"a\nb"`, "$.title", "must be one line without control characters"},
		{"control in prose", `"\"q\""`, `"a\u0000"`, "$.body", "must not contain control characters but line breaks and tabs"},
		{"too many characters", `"öak"`, `"ööööööööööö"`, "$.title", "longer than 10 characters"},
		{"too many bytes", `"\"q\""`, `"ööööööö"`, "$.body", "longer than 12 bytes"},
		{"time without decimals", `2027-01-02T03:04:05.000Z`, `2027-01-02T03:04:05Z`, "$.ended", "must be a UTC timestamp like 2026-01-02T15:04:05.000Z"},
		{"time with an offset", `2027-01-02T03:04:05.000Z`, `2027-01-02T03:04:05.000+00:00`, "$.ended", "must be a UTC timestamp like 2026-01-02T15:04:05.000Z"},
		{"time with a comma", `2027-01-02T03:04:05.000Z`, `2027-01-02T03:04:05,000Z`, "$.ended", "must be a UTC timestamp like 2026-01-02T15:04:05.000Z"},
		{"day that does not exist", `2027-01-02T03:04:05.000Z`, `2027-02-29T03:04:05.000Z`, "$.ended", "must be a UTC timestamp like 2026-01-02T15:04:05.000Z"},
		{"leap second", `2027-01-02T03:04:05.000Z`, `2027-01-02T03:04:60.000Z`, "$.ended", "must be a UTC timestamp like 2026-01-02T15:04:05.000Z"},
		{"zero time", `2027-01-02T03:04:05.000Z`, `0001-01-01T00:00:00.000Z`, "$.ended", "must be a UTC timestamp like 2026-01-02T15:04:05.000Z"},
		{"time with blanks", `2027-01-02T03:04:05.000Z`, ` 2027-01-02T03:04:05.000Z`, "$.ended", "must be a UTC timestamp like 2026-01-02T15:04:05.000Z"},
		{"long list", `["a","b"]`, `["a","b","c","d"]`, "$.tags", "more than 3 elements"},
		{"repetition", `["a","b"]`, `["a","b","a"]`, "$.tags[2]", "repeats an earlier element"},
		{"array for a raw object", `{"x":[1,{"y":null}]}`, `[1]`, "$.payload", "expected an object, found an array"},
		{"known member of the bag", `"known":"k"`, `"known":1`, "$.extensions.known", "expected a string, found a number"},
		{"rule across members", `,"backward":"b"`, ``, "$.forward", "comes only together with backward"},
		{"trailing value", `"backward":"b"}`, `"backward":"b"} {}`, "$", "trailing data after the value"},
		{"trailing garbage", `"backward":"b"}`, `"backward":"b"}x`, "$", "trailing data after the value"},
		{"cut", `,"backward":"b"}`, ``, "$", "the document ends too early"},
		{"invalid UTF-8", `öak`, "\xff", "$.title", "invalid UTF-8 at byte 28"},
		{"lone surrogate", `öak`, `\ud800`, "$.title", "lone surrogate at byte 28"},
		{"lone surrogate in a kept value", `"a":1.50`, `"a":["\udc00"]`, "$.extensions.a[0]", "lone surrogate at byte 386"},
		{"invalid UTF-8 in a name", `"title"`, "\"\xff\":1,\"title\"", "$", ""},
		{"depth", `"a":1.50`, `"a":` + strings.Repeat("[", 63) + strings.Repeat("]", 63), "$.extensions.a", "nested deeper than 64 levels"},
		{"extreme depth", `"a":1.50`, `"a":` + strings.Repeat("[", 1800) + strings.Repeat("]", 1800), "$.extensions.a", "nested deeper than 64 levels"},
		{"size", `"öak"`, `"` + strings.Repeat("a", 5000) + `"`, "$", "larger than 5000 bytes"},
		{"nothing", large, ``, "$", "there is no JSON value"},
		{"white space", large, "\n", "$", "there is no JSON value"},
		{"another value", large, `[]`, "$", "expected an object, found an array"},
		{"byte order mark", large, "\ufeff" + large, "$", ""},
		{"comment", `"title"`, `/**/"title"`, "$", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			document := strings.Replace(large, c.old, c.new, 1)
			if document == large {
				t.Fatal("the case changes nothing")
			}
			_, err := treeObject.Decode([]byte(document))
			var refused *strictjson.Error
			if !errors.As(err, &refused) {
				t.Fatalf("got %v, want a refusal at %s", err, c.path)
			}
			if refused.Path != c.path || c.message != "" && refused.Message != c.message {
				t.Errorf("got  %s: %s\nwant %s: %s", refused.Path, refused.Message, c.path, c.message)
			}
		})
	}
}

func TestDepthWithinTheLimitIsAccepted(t *testing.T) {
	deep := strings.Repeat("[", 62) + strings.Repeat("]", 62)
	if _, err := treeObject.Decode([]byte(strings.Replace(large, `"a":1.50`, `"a":`+deep, 1))); err != nil {
		t.Error(err)
	}
}

package schemacheck

import (
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// Generate draws a document that is valid under s, with its members in the order of the schema: the
// canonical document of a value, unless a rule across members refuses it.
func (s *Schema) Generate(t *rapid.T) *Tree {
	if s.nullable() && rapid.Bool().Draw(t, "null") {
		return Scalar("null")
	}
	switch {
	case s.constant != "":
		return Scalar(s.constant)
	case len(s.enum) > 0:
		return Scalar(rapid.SampledFrom(s.values()).Draw(t, "enum"))
	case len(s.types) == 0:
		return Scalar(rapid.SampledFrom([]string{"1.50", `"é"`, "[]", `{"a":[null,true]}`}).Draw(t, "any"))
	}
	switch s.types[0] {
	case "string":
		text, _ := jsontext.AppendQuote(nil, s.text(t))
		return Scalar(string(text))
	case "integer":
		low, high := int64(math.MinInt64), int64(math.MaxInt64)
		if s.minimum != nil {
			low = *s.minimum
		}
		if s.maximum != nil {
			high = *s.maximum
		}
		return Scalar(strconv.FormatInt(rapid.Int64Range(low, high).Draw(t, "integer"), 10))
	case "boolean":
		return Scalar(strconv.FormatBool(rapid.Bool().Draw(t, "boolean")))
	case "array":
		return s.array(t)
	}
	return s.object(t)
}

func (s *Schema) nullable() bool { return len(s.types) > 1 }

// values are those of the enum but null.
func (s *Schema) values() (list []string) {
	for _, v := range s.enum {
		if v != "null" {
			list = append(list, v)
		}
	}
	return list
}

func (s *Schema) text(t *rapid.T) string {
	if s.format == "date-time" {
		const year9999 = 253_402_300_799_999
		ms := rapid.Int64Range(0, year9999).Draw(t, "time")
		return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	gen := rapid.String()
	if s.pattern != nil {
		gen = rapid.StringMatching(s.pattern.String())
	}
	return gen.Filter(func(text string) bool { return s.validateText("", text) == "" }).Draw(t, "text")
}

func (s *Schema) array(t *rapid.T) *Tree {
	low, high := 0, 4
	if s.minItems != nil {
		low = int(*s.minItems)
	}
	if s.maxItems != nil {
		high = min(high, int(*s.maxItems))
	}
	list := &Tree{Kind: jsontext.KindBeginArray}
	seen := map[string]bool{}
	for n := rapid.IntRange(low, high).Draw(t, "elements"); n > 0; n-- {
		e := s.items.Generate(t)
		if text := string(e.Append(nil)); !s.unique || !seen[text] {
			seen[text] = true
			list.Elements = append(list.Elements, e)
		}
	}
	return list
}

func (s *Schema) object(t *rapid.T) *Tree {
	o := &Tree{Kind: jsontext.KindBeginObject}
	for _, name := range s.order {
		if contains(s.required, name) || rapid.Bool().Draw(t, name) {
			o.Members = append(o.Members, Member{name, s.properties[name].Generate(t)})
		}
	}
	return o
}

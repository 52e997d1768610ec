package schemacheck

import (
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Schema is a compiled JSON Schema.
type Schema struct {
	types                []string
	enum                 []string // as JSON
	constant             string   // as JSON; "": none
	minimum, maximum     *int64
	minLength, maxLength *int64
	minItems, maxItems   *int64
	pattern, notPattern  *regexp.Regexp
	unique               bool
	items                *Schema
	properties           map[string]*Schema
	required             []string
	closed               bool
	order                []string // of the properties
	format               string
}

// Compile reads a schema; an unknown keyword is an error.
func Compile(document []byte) (*Schema, error) {
	t, err := Parse(document)
	if err != nil {
		return nil, err
	}
	return compile(t)
}

func compile(t *Tree) (*Schema, error) {
	s := &Schema{properties: map[string]*Schema{}}
	for _, m := range t.Members {
		if err := s.keyword(m.Name, m.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return s, nil
}

func (s *Schema) keyword(name string, v *Tree) (err error) {
	switch name {
	case "$schema", "title", "description", "x-maxBytes", "x-rules":
	case "format":
		s.format = v.Text()
	case "type":
		s.types = texts(v)
	case "enum":
		for _, e := range v.Elements {
			s.enum = append(s.enum, e.Scalar)
		}
	case "const":
		s.constant = v.Scalar
	case "minimum":
		s.minimum, err = number(v)
	case "maximum":
		s.maximum, err = number(v)
	case "minLength":
		s.minLength, err = number(v)
	case "maxLength":
		s.maxLength, err = number(v)
	case "minItems":
		s.minItems, err = number(v)
	case "maxItems":
		s.maxItems, err = number(v)
	case "pattern":
		s.pattern, err = regexp.Compile(v.Text())
	case "not":
		if len(v.Members) != 1 || v.Members[0].Name != "pattern" {
			return fmt.Errorf("only a pattern is known here")
		}
		s.notPattern, err = regexp.Compile(v.Get("pattern").Text())
	case "uniqueItems":
		s.unique = v.Scalar == "true"
	case "items":
		s.items, err = compile(v)
	case "properties":
		for _, m := range v.Members {
			s.order = append(s.order, m.Name)
			if s.properties[m.Name], err = compile(m.Value); err != nil {
				return fmt.Errorf("%s: %w", m.Name, err)
			}
		}
	case "required":
		s.required = texts(v)
	case "additionalProperties":
		s.closed = v.Scalar == "false"
	default:
		return fmt.Errorf("unknown keyword")
	}
	return err
}

func texts(v *Tree) (list []string) {
	if v.Kind == jsontext.KindString {
		return []string{v.Text()}
	}
	for _, e := range v.Elements {
		list = append(list, e.Text())
	}
	return list
}

func number(v *Tree) (*int64, error) {
	n, err := strconv.ParseInt(v.Scalar, 10, 64)
	return &n, err
}

// Validate gives the path and keyword of the first violation, or "".
func (s *Schema) Validate(t *Tree) string { return s.validate("$", t) }

func (s *Schema) validate(path string, t *Tree) string {
	if len(s.types) > 0 && !s.hasType(t) {
		return path + " type"
	}
	if s.constant != "" && t.Scalar != s.constant {
		return path + " const"
	}
	if len(s.enum) > 0 && !contains(s.enum, t.Scalar) {
		return path + " enum"
	}
	switch t.Kind {
	case jsontext.KindString:
		return s.validateText(path, t.Text())
	case jsontext.KindNumber:
		n, err := strconv.ParseInt(t.Scalar, 10, 64)
		if err == nil && (outside(n, s.minimum, s.maximum)) {
			return path + " minimum or maximum"
		}
	case jsontext.KindBeginArray:
		return s.validateArray(path, t)
	case jsontext.KindBeginObject:
		return s.validateObject(path, t)
	}
	return ""
}

func (s *Schema) hasType(t *Tree) bool {
	name := map[jsontext.Kind]string{
		jsontext.KindNull: "null", jsontext.KindTrue: "boolean", jsontext.KindFalse: "boolean", jsontext.KindString: "string",
		jsontext.KindNumber: "number", jsontext.KindBeginArray: "array", jsontext.KindBeginObject: "object",
	}[t.Kind]
	if name == "number" {
		if _, err := strconv.ParseInt(t.Scalar, 10, 64); err == nil && contains(s.types, "integer") {
			return true
		}
	}
	return contains(s.types, name)
}

func (s *Schema) validateText(path, text string) string {
	switch {
	case outside(int64(utf8.RuneCountInString(text)), s.minLength, s.maxLength):
		return path + " minLength or maxLength"
	case s.pattern != nil && !s.pattern.MatchString(text):
		return path + " pattern"
	case s.notPattern != nil && s.notPattern.MatchString(text):
		return path + " not"
	}
	return ""
}

func (s *Schema) validateArray(path string, t *Tree) string {
	if outside(int64(len(t.Elements)), s.minItems, s.maxItems) {
		return path + " minItems or maxItems"
	}
	seen := map[string]bool{}
	for i, e := range t.Elements {
		at := path + "[" + strconv.Itoa(i) + "]"
		if s.items != nil {
			if problem := s.items.validate(at, e); problem != "" {
				return problem
			}
		}
		text := string(e.Append(nil))
		if s.unique && seen[text] {
			return at + " uniqueItems"
		}
		seen[text] = true
	}
	return ""
}

func (s *Schema) validateObject(path string, t *Tree) string {
	for _, name := range s.required {
		if t.Get(name) == nil {
			return path + "." + name + " required"
		}
	}
	for _, m := range t.Members {
		p := s.properties[m.Name]
		if p == nil && s.closed {
			return path + "." + m.Name + " additionalProperties"
		}
		if p != nil {
			if problem := p.validate(path+"."+m.Name, m.Value); problem != "" {
				return problem
			}
		}
	}
	return ""
}

func outside(n int64, low, high *int64) bool {
	return low != nil && n < *low || high != nil && n > *high
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

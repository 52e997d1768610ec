package strictjson

import "strings"

// shape is what documentation knows of a Type.
type shape struct {
	typ      string // of JSON Schema; "": any
	label    string // what people call it
	limits   string
	nullable bool
	words    []keyword
	enum     []string // quoted
	items    *shape   // of an array
	members  []memberShape
	open     bool // of an object
	doc      string
	title    string
	rules    []string
}

type memberShape struct {
	name, doc string
	optional  bool
	shape     *shape
}

// keyword is one member of a JSON Schema, its value already JSON.
type keyword struct{ name, value string }

func shapeOf(o table) *shape {
	doc, rules := o.words()
	s := &shape{typ: "object", label: "object", title: o.name(), doc: doc, open: o.open(), rules: rules}
	for _, m := range o.list() {
		s.members = append(s.members, m.describe())
	}
	return s
}

// Row is one line of a field table.
type Row struct {
	Name     string // dotted from the object down, [] for the elements of a list
	Type     string // "portable id", "list of line", ...; with "or null"
	Presence string // "required" or "optional"
	Limits   string
	Doc      string
}

// Rows gives the field table of o, members of nested objects after the member that holds them.
func (o *Object[T]) Rows() []Row { return appendRows(nil, "", shapeOf(o)) }

func appendRows(rows []Row, prefix string, s *shape) []Row {
	for _, m := range s.members {
		r := Row{Name: prefix + m.name, Type: m.shape.label, Presence: "required", Limits: m.shape.limits, Doc: m.doc}
		if m.optional {
			r.Presence = "optional"
		}
		if m.shape.nullable {
			r.Type += " or null"
		}
		rows = append(rows, r)
		inner, name := m.shape, r.Name+"."
		if inner.items != nil {
			inner, name = inner.items, r.Name+"[]."
		}
		rows = appendRows(rows, name, inner)
	}
	return rows
}

// AllRules gives the rules of o and of the objects nested in it, those with the name of their member.
func (o *Object[T]) AllRules() []string { return appendRules(nil, "", shapeOf(o)) }

func appendRules(rules []string, prefix string, s *shape) []string {
	for _, r := range s.rules {
		rules = append(rules, prefix+r)
	}
	for _, m := range s.members {
		inner := m.shape
		if inner.items != nil {
			inner = inner.items
		}
		rules = appendRules(rules, m.name+": ", inner)
	}
	return rules
}

// JSONSchema gives the draft 2020-12 document of o. What a schema cannot say (limits in bytes, whether
// a day exists, rules across members) is in x-maxBytes and x-rules: every value that Decode accepts
// is valid under the schema, not the reverse.
func (o *Object[T]) JSONSchema() []byte { return schemaDocument(o) }

func schemaDocument(o table) []byte {
	var b strings.Builder
	b.WriteString(`{"$schema":"https://json-schema.org/draft/2020-12/schema",`)
	writeSchema(&b, shapeOf(o), "")
	b.WriteByte('}')
	out, err := AppendIndent(nil, []byte(b.String()))
	if err != nil {
		panic("strictjson: " + o.name() + ": the schema is not JSON: " + err.Error())
	}
	return out
}

func writeSchema(b *strings.Builder, s *shape, doc string) {
	var words []keyword
	if s.title != "" {
		words = append(words, keyword{"title", quoted(s.title)})
	}
	if doc == "" {
		doc = s.doc
	}
	if doc != "" {
		words = append(words, keyword{"description", quoted(doc)})
	}
	switch {
	case s.typ != "" && s.nullable:
		words = append(words, keyword{"type", "[" + quoted(s.typ) + `,"null"]`})
	case s.typ != "":
		words = append(words, keyword{"type", quoted(s.typ)})
	}
	if len(s.enum) > 0 {
		list := strings.Join(s.enum, ",")
		if s.nullable {
			list += ",null"
		}
		words = append(words, keyword{"enum", "[" + list + "]"})
	}
	words = append(words, s.words...)
	if s.items != nil {
		words = append(words, keyword{"items", schemaOf(s.items, "")})
	}
	if s.typ == "object" {
		words = append(words, objectWords(s)...)
	}
	for i, w := range words {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(w.name) + ":" + w.value)
	}
}

func schemaOf(s *shape, doc string) string {
	var b strings.Builder
	b.WriteByte('{')
	writeSchema(&b, s, doc)
	b.WriteByte('}')
	return b.String()
}

func objectWords(s *shape) []keyword {
	var properties, required, rules []string
	for _, m := range s.members {
		properties = append(properties, quoted(m.name)+":"+schemaOf(m.shape, m.doc))
		if !m.optional {
			required = append(required, quoted(m.name))
		}
	}
	for _, r := range s.rules {
		rules = append(rules, quoted(r))
	}
	words := []keyword{{"properties", "{" + strings.Join(properties, ",") + "}"}}
	if len(required) > 0 {
		words = append(words, keyword{"required", "[" + strings.Join(required, ",") + "]"})
	}
	if !s.open {
		words = append(words, keyword{"additionalProperties", "false"})
	}
	if len(rules) > 0 {
		words = append(words, keyword{"x-rules", "[" + strings.Join(rules, ",") + "]"})
	}
	return words
}

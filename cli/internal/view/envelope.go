package view

import (
	"sync"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// EnvelopeVersion is the version of both envelopes. It changes only if a member is removed or changes
// its meaning.
const EnvelopeVersion = 1

// Meta is what every answer says about itself.
type Meta struct {
	WorkspaceID string   // the room that was acted on; empty: none
	Warnings    []string // what a person would have read on stderr
}

var metaObject = &strictjson.Object[Meta]{
	Name: "meta", Doc: "About the answer.",
	Members: func() []strictjson.Member[Meta] {
		return []strictjson.Member[Meta]{
			strictjson.Field("workspaceId", "the room that was acted on", func(m *Meta) *string { return &m.WorkspaceID }, strictjson.Nullable(word)),
			strictjson.Field("warnings", "what needs a look but did not stop the command", func(m *Meta) *[]string { return &m.Warnings }, strictjson.List(text, 0, manyItems)),
		}
	},
}

// Schema is the shape of one answer. Its table is made when it is first used: a command needs one of many.
type Schema[T any] struct {
	name, doc string
	data      func() strictjson.Type[T]

	once  sync.Once
	table *strictjson.Object[success[T]]
}

type success[T any] struct {
	ok   bool
	data T
	meta Meta
}

func (s *Schema[T]) object() *strictjson.Object[success[T]] {
	s.once.Do(func() {
		s.table = &strictjson.Object[success[T]]{
			Name: s.name, Doc: s.doc, MaxBytes: maxAnswer,
			Members: func() []strictjson.Member[success[T]] {
				return []strictjson.Member[success[T]]{
					strictjson.Const[success[T]]("envelope_version", "version of the envelope", EnvelopeVersion),
					strictjson.Field("ok", "true", func(s *success[T]) *bool { return &s.ok }, strictjson.Bool()),
					strictjson.Field("data", s.doc, func(s *success[T]) *T { return &s.data }, s.data()),
					strictjson.Field("meta", "about the answer", func(s *success[T]) *Meta { return &s.meta }, strictjson.Nested(metaObject)),
				}
			},
		}
	})
	return s.table
}

// Envelope gives the success envelope around data. It fails when data breaks its own schema.
func (s *Schema[T]) Envelope(data T, meta Meta) ([]byte, error) {
	return s.object().Append(nil, &success[T]{ok: true, data: data, meta: meta})
}

// Decode reads a success envelope back; the demo does, as a program around acc would.
func (s *Schema[T]) Decode(envelope []byte) (T, error) {
	answer, err := s.object().Decode(envelope)
	return answer.data, err
}

// Name is the name of the schema in the documentation.
func (s *Schema[T]) Name() string { return s.name }

// Doc says what the answer holds.
func (s *Schema[T]) Doc() string { return s.doc }

// Rows gives the members of data, for the documentation.
func (s *Schema[T]) Rows() []strictjson.Row { return dataRows(s.object().Rows()) }

// JSONSchema gives the JSON Schema of the whole envelope.
func (s *Schema[T]) JSONSchema() []byte { return s.object().JSONSchema() }

package protocol_test

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/internal/schemacheck"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

func definitions() []protocol.Definition {
	return append(protocol.Definitions(), protocol.PayloadDefinitions()...)
}

func TestEveryDefinitionHasADocument(t *testing.T) {
	names := map[string]bool{}
	for _, d := range definitions() {
		names[d.Name] = true
		if documents[d.Name] == "" {
			t.Errorf("no document of %s", d.Name)
		}
	}
	for name := range documents {
		if !names[definitionOf(name)] {
			t.Errorf("no definition of %s", name)
		}
	}
	if payloads := protocol.PayloadDefinitions(); len(payloads) != len(protocol.EventTypes) {
		t.Errorf("%d payloads of %d event types", len(payloads), len(protocol.EventTypes))
	}
	for i, d := range protocol.PayloadDefinitions() {
		if d.Name != string(protocol.EventTypes[i]) {
			t.Errorf("payload %d is %s, want %s", i, d.Name, protocol.EventTypes[i])
		}
	}
}

// mutation is one document with one thing wrong, or not.
type mutation struct {
	name     string
	document []byte
	path     string // where it must be refused; "": it must be accepted, or refused by a rule
	message  string // what the refusal must contain
	syntax   bool   // a schema cannot see it
}

// TestEveryMemberIsStrict takes every member of every document through every fault that closed records
// exclude, and asks Go and the JSON Schema.
func TestEveryMemberIsStrict(t *testing.T) {
	byName := map[string]protocol.Definition{}
	for _, d := range definitions() {
		byName[d.Name] = d
	}
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			d := byName[definitionOf(name)]
			schema, err := schemacheck.Compile(d.JSONSchema)
			if err != nil {
				t.Fatal(err)
			}
			mutations := mutate(t, d, document)
			if members := strings.Count(document, `":`); len(d.Rows) > 0 && len(mutations) < 5*members {
				t.Fatalf("only %d mutations of %d members", len(mutations), members)
			}
			for _, m := range mutations {
				_, err := again(d.Name, m.document)
				judge(t, d, m, err)
				if !m.syntax {
					agree(t, d, schema, m, err)
				}
			}
		})
	}
}

func judge(t *testing.T, d protocol.Definition, m mutation, err error) {
	t.Helper()
	var refused *strictjson.Error
	switch {
	case err == nil && m.path != "":
		t.Errorf("%s: accepted\n%s", m.name, m.document)
	case err != nil && !errors.As(err, &refused):
		t.Errorf("%s: %v has no path", m.name, err)
	case err != nil && m.path == "" && !isRule(d, err):
		t.Errorf("%s: %v\n%s", m.name, err, m.document)
	case m.path != "" && (refused.Path != m.path || !strings.Contains(refused.Message, m.message)):
		t.Errorf("%s: got %s: %s, want %s: %s", m.name, refused.Path, refused.Message, m.path, m.message)
	}
}

// isRule says whether err is one that only a definition with rules across members can give.
func isRule(d protocol.Definition, err error) bool {
	return len(d.Rules) > 0 && !regexp.MustCompile(`is missing|unknown member|expected|not allowed`).MatchString(err.Error())
}

// agree checks that the schema refuses what Go refuses, rules across members excepted, and accepts
// what Go accepts.
func agree(t *testing.T, d protocol.Definition, schema *schemacheck.Schema, m mutation, err error) {
	t.Helper()
	tree, parseErr := schemacheck.Parse(m.document)
	if parseErr != nil {
		t.Fatalf("%s: %v", m.name, parseErr)
	}
	problem := schema.Validate(tree)
	if err == nil && problem != "" {
		t.Errorf("%s: accepted, but the schema says %s\n%s", m.name, problem, m.document)
	}
	if err != nil && problem == "" && !isRule(d, err) {
		t.Errorf("%s: refused (%v), but not by the schema", m.name, err)
	}
}

var index = regexp.MustCompile(`\[\d+\]`)

func mutate(t *testing.T, d protocol.Definition, document string) (list []mutation) {
	rows := map[string]strictjson.Row{}
	for _, r := range d.Rows {
		rows["$."+r.Name] = r
	}
	open := strings.Contains(d.Name, ".") // event payloads
	row := func(path string) (strictjson.Row, bool) {
		r, ok := rows[index.ReplaceAllString(path, "[]")]
		return r, ok
	}
	tree, err := schemacheck.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	add := func(m mutation) {
		m.document = tree.Append(nil)
		list = append(list, m)
	}
	tree.Walk("$", func(path string, o *schemacheck.Tree) {
		r, known := row(path)
		if o.Kind != jsontext.KindBeginObject || path != "$" && (!known || r.Limits == "any members") && !index.MatchString(path) {
			return
		}
		kept := o.Members
		extra := mutation{name: "unknown " + path, path: path + ".zzz", message: "unknown member"}
		if open || r.Limits == "other members are kept" {
			extra.path = ""
		}
		o.Members = append(kept[:len(kept):len(kept)], schemacheck.Member{Name: "zzz", Value: schemacheck.Scalar("1")})
		add(extra)
		for i, m := range kept {
			at := path + "." + m.Name
			r, ok := row(at)
			if !ok {
				continue
			}
			mutateMember(o, kept, i, at, r, open || path == "$.extensions", add)
		}
		o.Members = kept
	})
	return list
}

func mutateMember(o *schemacheck.Tree, kept []schemacheck.Member, i int, at string, r strictjson.Row, open bool, add func(mutation)) {
	parent := at[:strings.LastIndex(at, ".")]
	with := func(name string, value *schemacheck.Tree) {
		o.Members = append(kept[:i:i], schemacheck.Member{Name: name, Value: value})
		o.Members = append(o.Members, kept[i+1:]...)
	}
	missing := mutation{name: "without " + at}
	if r.Presence == "required" {
		missing.path, missing.message = at, "is missing"
	}
	o.Members = append(kept[:i:i], kept[i+1:]...)
	add(missing)

	wrongCase := mutation{name: "case of " + at, path: parent + "." + strings.ToUpper(kept[i].Name), message: "the name is"}
	if open {
		wrongCase.path, wrongCase.message = missing.path, missing.message
	}
	with(strings.ToUpper(kept[i].Name), kept[i].Value)
	add(wrongCase)

	o.Members = append(kept[:len(kept):len(kept)], kept[i])
	add(mutation{name: "twice " + at, path: at, message: "duplicate member", syntax: true})

	null := mutation{name: "null " + at, path: at, message: "null is not allowed"}
	if r.Name == "schemaVersion" {
		null.message = "must be 3"
	}
	if strings.HasSuffix(r.Type, "or null") {
		null.path = ""
	}
	with(kept[i].Name, schemacheck.Scalar("null"))
	add(null)

	wrong := []string{"[]", "{}", "true", "1.5"}
	if kept[i].Value.Kind == jsontext.KindString {
		wrong = append(wrong, `""`, `"\u0000"`, `"`+strings.Repeat("é ", protocol.MaxBody)+`"`)
	}
	for _, w := range wrong {
		v := schemacheck.Scalar(w)
		if w == "{}" && strings.HasPrefix(r.Type, "object") {
			continue
		}
		if v.Kind == kept[i].Value.Kind && v.Kind != jsontext.KindString && v.Kind != jsontext.KindNumber {
			continue
		}
		with(kept[i].Name, v)
		add(mutation{name: w[:min(len(w), 8)] + " for " + at, path: at})
	}
}

// TestGeneratedDocuments draws documents from the published schema: Go accepts them, writes the same
// bytes, and the schema accepts what was written.
func TestGeneratedDocuments(t *testing.T) {
	for _, d := range definitions() {
		t.Run(d.Name, func(t *testing.T) {
			schema, err := schemacheck.Compile(d.JSONSchema)
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				tree := schema.Generate(t)
				obeyRules(t, d.Name, tree)
				document := tree.Append(nil)
				got, err := again(d.Name, document)
				if err != nil {
					t.Fatalf("%v\n%s", err, document)
				}
				if string(got) != string(document) {
					t.Fatalf("read    %s\nwritten %s", document, got)
				}
				if problem := schema.Validate(tree); problem != "" {
					t.Fatalf("the generator made what the schema refuses: %s", problem)
				}
			})
		})
	}
}

// obeyRules changes a generated document so that the rules across members hold.
func obeyRules(t *rapid.T, name string, o *schemacheck.Tree) {
	set := func(name, value string) { *o.Get(name) = *schemacheck.Scalar(value) }
	remove := func(o *schemacheck.Tree, name string) {
		for i, m := range o.Members {
			if m.Name == name {
				o.Members = append(o.Members[:i:i], o.Members[i+1:]...)
				return
			}
		}
	}
	dropEmpty := func() { // an extension object without members is not written
		if x := o.Get("extensions"); x != nil && len(x.Members) == 0 {
			remove(o, "extensions")
		}
	}
	dropEmpty()
	switch name {
	case "message":
		rule := rapid.SampledFrom(protocol.KindRules[:]).Draw(t, "rule")
		allowed := rule.Addressed
		if len(rule.Room) > 0 && rapid.Bool().Draw(t, "room") {
			allowed = rule.Room
			set("toParticipantIds", "[]")
		} else if len(o.Get("toParticipantIds").Elements) == 0 {
			set("toParticipantIds", `["bob"]`)
		}
		set("kind", strconv.Quote(string(rule.MessageKind)))
		set("obligation", strconv.Quote(string(rapid.SampledFrom(allowed).Draw(t, "obligation"))))
		if rule.ReplyOnly || rapid.Bool().Draw(t, "reply") {
			set("inReplyTo", `"message_0"`)
			set("threadId", `"message_0"`)
			set("messageId", `"message_1"`)
		} else {
			set("inReplyTo", "null")
			*o.Get("threadId") = *o.Get("messageId")
		}
		if rule.MessageKind != protocol.Handoff {
			set("handoff", "null")
		}
		if rule.MessageKind != protocol.Decision {
			remove(o, "decisionChange")
		} else if c := o.Get("decisionChange"); c != nil {
			*c.Get("messageIds") = *schemacheck.Scalar(`["message_2","message_3"]`)
		}
	case "receipt":
		if x := o.Get("extensions"); x != nil && x.Get("offer") != nil {
			set("state", `"offered"`)
			if x.Get("offer").Get("transport").Text() == protocol.TransportNextTurn {
				*x.Get("offer").Get("repeatedAt") = *schemacheck.Scalar("null")
			}
		}
	case "delivery binding":
		if r := o.Get("retiredAt"); r != nil && r.Scalar == "null" {
			remove(o, "retiredAt") // null is read and means the same as absent, which is what is written
		}
	case "event":
		set("payload", `{"a":[1.50,null]}`)
	case string(protocol.SessionClosedEvent):
		if len(o.Members) != 4 {
			o.Members = nil
		}
	case string(protocol.OfferSucceeded):
		if r := o.Get("repeat"); r != nil && r.Scalar == "false" {
			remove(o, "repeat")
		} else if r != nil {
			set("transport", `"next-turn"`)
		}
	}
}

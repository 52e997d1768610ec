package protocol_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol"
)

var update = flag.Bool("update", false, "write docs/protocol.md and testdata instead of comparing them")

// page is the documentation of this module; it is outside of it, and absent where only the module is.
const page = "../docs/protocol.md"

// TestDocumentation demands that every table of the page is what the code says. Run it with -update to
// write them.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile(page)
	if os.IsNotExist(err) {
		t.Skip("this module is not in its repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for name, table := range tables(t) {
		begin, end := "<!-- table: "+name+" -->\n", "<!-- end of table: "+name+" -->"
		head, rest, found := strings.Cut(want, begin)
		_, tail, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Errorf("the page has no table %s", name)
			continue
		}
		want = head + begin + table + end + tail
	}
	if got, known := strings.Count(want, "<!-- table: "), len(tables(t)); got != known {
		t.Errorf("the page has %d tables, the code %d", got, known)
	}
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("run go test ./protocol -run TestDocumentation -update (-code +page)\n%s", diff)
	}
}

// TestPublishedSchemas compares each JSON Schema with its file, so that a change of format is seen.
func TestPublishedSchemas(t *testing.T) {
	files := map[string]bool{}
	for _, d := range definitions() {
		name := filepath.Join("testdata", "schema", strings.ReplaceAll(d.Name, " ", "-")+".json")
		files[name] = true
		if *update {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, d.JSONSchema, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(d.JSONSchema)); diff != "" {
			t.Errorf("%s: (-file +code)\n%s", d.Name, diff)
		}
	}
	found, err := filepath.Glob(filepath.Join("testdata", "schema", "*"))
	if err != nil || len(found) != len(files) {
		t.Errorf("%d files for %d definitions, %v", len(found), len(files), err)
	}
}

func tables(t *testing.T) map[string]string {
	kinds, records, payloads := kindTable(), "", ""
	for _, d := range protocol.Definitions() {
		records += "### " + capital(d.Name) + "\n\n" + fieldTable(d)
	}
	for _, d := range protocol.PayloadDefinitions() {
		payloads += "### `" + d.Name + "`\n\n" + fieldTable(d)
	}
	return map[string]string{
		"exit codes": constTable(t, "errors.go", "code", func(name, typ string) bool { return typ == "Code" }),
		"reasons":    constTable(t, "errors.go", "reason", func(name, typ string) bool { return typ == "Reason" }),
		"receipts":   constTable(t, "kinds.go", "state", func(name, typ string) bool { return typ == "ReceiptState" }),
		"failures":   constTable(t, "rules_message.go", "code", func(name, typ string) bool { return typ == "OfferFailure" }),
		"limits":     constTable(t, "limits.go", "value", func(name, typ string) bool { return typ == "" }),
		"kinds":      kinds,
		"records":    records,
		"payloads":   payloads,
	}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func fieldTable(d protocol.Definition) string {
	var b strings.Builder
	b.WriteString(d.Doc + "\n\n")
	if len(d.Rows) == 0 {
		b.WriteString("No members.\n\n")
		return b.String()
	}
	b.WriteString("| member | type | presence | limits | meaning |\n|---|---|---|---|---|\n")
	for _, r := range d.Rows {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", r.Name, r.Type, r.Presence, r.Limits, r.Doc)
	}
	b.WriteByte('\n')
	for _, rule := range d.Rules {
		b.WriteString("- " + rule + "\n")
	}
	if len(d.Rules) > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

func kindTable() string {
	words := func(list []protocol.Obligation) string {
		text := make([]string, len(list))
		for i, o := range list {
			text[i] = string(o)
		}
		if len(text) == 0 {
			return "not allowed"
		}
		return strings.Join(text, " or ")
	}
	var b strings.Builder
	b.WriteString("| kind | addressed | to the room | made by |\n|---|---|---|---|\n")
	for _, r := range protocol.KindRules {
		made := "a send"
		switch {
		case r.ReplyOnly:
			made = "a reply only"
		case !r.Send:
			made = "a finish only"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.MessageKind, words(r.Addressed), words(r.Room), made)
	}
	return b.String()
}

// constTable lists the constants of a file that keep, with their values as the source writes them and
// their comments, which it demands.
func constTable(t *testing.T, file, value string, keep func(name, typ string) bool) string {
	t.Helper()
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| name | %s | meaning |\n|---|---|---|\n", value)
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		typ := ""
		if ident, ok := spec.Type.(*ast.Ident); ok {
			typ = ident.Name
		}
		if _, isArray := spec.Values[0].(*ast.CompositeLit); isArray || !keep(spec.Names[0].Name, typ) {
			return true
		}
		meaning := strings.TrimSpace(spec.Comment.Text())
		if meaning == "" {
			t.Errorf("%s: %s has no comment that says what it means", file, spec.Names[0].Name)
		}
		var source bytes.Buffer
		if err := printer.Fprint(&source, fset, spec.Values[0]); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", spec.Names[0].Name, strings.Trim(source.String(), `"`), meaning)
		return true
	})
	return b.String()
}

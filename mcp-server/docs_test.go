package mcpserver

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestThePageNamesEveryTool, its arguments and every resource, and no tool that there is not.
func TestThePageNamesEveryTool(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "mcp.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, line := range strings.Split(string(page), "\n") {
		if name, rest, found := strings.Cut(strings.TrimPrefix(line, "| `"), "`"); found && strings.HasPrefix(name, "acc") {
			rows[name] = rest
		}
	}
	for _, tool := range tools {
		row, found := rows[tool.name]
		if !found {
			t.Errorf("the page has no row for %s", tool.name)
		}
		for name, required := range members(t, tool.schema) {
			mark := "`" + name + "?`"
			if required {
				mark = "`" + name + "`"
			}
			if !strings.Contains(row, mark) && !strings.Contains(row, "`"+name+"`") {
				t.Errorf("the row of %s lacks %s", tool.name, mark)
			}
		}
		delete(rows, tool.name)
	}
	for _, r := range resources {
		if _, found := rows[r.uri]; !found {
			t.Errorf("the page has no row for %s", r.uri)
		}
		delete(rows, r.uri)
	}
	for name := range rows {
		t.Errorf("the page tells of %s, which there is not", name)
	}
}

// members gives the arguments of a schema and whether they are required.
func members(t *testing.T, schema jsontext.Value) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	d := jsontext.NewDecoder(bytes.NewReader(schema))
	for {
		token, err := d.ReadToken()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		kind, n := d.StackIndex(d.StackDepth())
		if token.Kind() != jsontext.KindString {
			continue
		}
		switch pointer := string(d.StackPointer()); {
		case d.StackDepth() == 2 && kind == jsontext.KindBeginObject && n%2 == 1 && strings.HasPrefix(pointer, "/properties/"):
			all[token.String()] = all[token.String()]
		case strings.HasPrefix(pointer, "/required/"):
			all[token.String()] = true
		}
	}
}

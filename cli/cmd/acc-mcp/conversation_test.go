package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestConversations plays each file of testdata against the real server.
//
// A file is a list of sections. "client" holds lines that are sent as they stand; the line "@long N" is N
// bytes without an end in between, and "@bytes HEX" is anything. "server" holds the answers that must
// come before the next section is sent, in any order, and nothing else may come. An expected answer is
// JSON of which every member must be there as it is written, others may be; the string "..." stands for
// anything, "~text" for a string that contains the text, and "${name}" for a value that is the same
// wherever the name appears, which client lines may use. Headings name the server when a file needs more
// than one: "client b". "end" closes the input of the server. The comment of a file may set variables: "env b ACC_MCP_PARTICIPANT=bob".
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			play(t, archive)
		})
	}
}

func play(t *testing.T, archive *txtar.Archive) {
	where := newPlace(t)
	env := map[string][]string{}
	for _, line := range strings.Split(string(archive.Comment), "\n") {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "env" {
			env[words[1]] = append(env[words[1]], words[2])
		}
	}
	peers := map[string]*peer{}
	known := map[string]any{}
	for i, section := range archive.Files {
		role, name, _ := strings.Cut(section.Name, " ")
		if peers[name] == nil {
			peers[name] = where.start(t, env[name]...)
		}
		var lines []string
		for _, line := range strings.Split(string(section.Data), "\n") {
			if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		switch role {
		case "client":
			for _, line := range lines {
				peers[name].send(clientLine(t, line, known))
			}
		case "end": // of the input; what is answered after it still counts
			peers[name].hangUp()
		case "server":
			expect(t, peers[name], i, lines, known)
		default:
			t.Fatalf("section %q is neither client nor server", section.Name)
		}
	}
	for _, p := range peers {
		p.end()
	}
}

var variable = regexp.MustCompile(`\$\{(\w+)\}`)

func clientLine(t *testing.T, line string, known map[string]any) string {
	t.Helper()
	if n, ok := strings.CutPrefix(line, "@long "); ok {
		size, err := strconv.Atoi(n)
		if err != nil {
			t.Fatal(err)
		}
		return `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("y", size) + `"}}`
	}
	if text, ok := strings.CutPrefix(line, "@bytes "); ok {
		raw, err := strconv.Unquote(`"` + text + `"`)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	return variable.ReplaceAllStringFunc(line, func(v string) string {
		value, found := known[v[2:len(v)-1]]
		if !found {
			t.Fatalf("nothing is known of %s", v)
		}
		return fmt.Sprint(value)
	})
}

// expect takes as many lines from the server as are expected and pairs them up.
func expect(t *testing.T, p *peer, section int, lines []string, known map[string]any) {
	t.Helper()
	wanted := make([]any, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal([]byte(line), &wanted[i]); err != nil {
			t.Fatalf("section %d, line %d: %v", section, i, err)
		}
	}
	for len(wanted) > 0 {
		line := p.receive()
		var got any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("the server wrote what is not JSON: %q", line)
		}
		var why []string
		matched := false
		for i, want := range wanted {
			found := map[string]any{}
			if diff := match(want, got, known, found, "$"); diff != "" {
				why = append(why, diff)
				continue
			}
			for name, value := range found {
				known[name] = value
			}
			wanted = append(wanted[:i:i], wanted[i+1:]...)
			matched = true
			break
		}
		if !matched {
			t.Fatalf("section %d: the server said\n%s\nwhich fits none of %d expected answers:\n%s", section, line, len(wanted), strings.Join(why, "\n"))
		}
	}
}

// match says where got is not what want asks for; "" says that it fits.
func match(want, got any, known, found map[string]any, path string) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: want an object, got %v", path, got)
		}
		for name, value := range w {
			member, there := g[name]
			if !there {
				return fmt.Sprintf("%s.%s: is missing", path, name)
			}
			if diff := match(value, member, known, found, path+"."+name); diff != "" {
				return diff
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%s: want %d elements, got %v", path, len(w), got)
		}
		for i := range w {
			if diff := match(w[i], g[i], known, found, fmt.Sprintf("%s[%d]", path, i)); diff != "" {
				return diff
			}
		}
		return ""
	case string:
		return matchText(w, got, known, found, path)
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Sprintf("%s: want %v, got %v", path, want, got)
	}
	return ""
}

func matchText(want string, got any, known, found map[string]any, path string) string {
	if want == "..." {
		return ""
	}
	if part, ok := strings.CutPrefix(want, "~"); ok {
		if text, isText := got.(string); isText && strings.Contains(text, part) {
			return ""
		}
		return fmt.Sprintf("%s: want something with %q, got %v", path, part, got)
	}
	if name := variable.FindStringSubmatch(want); name != nil && name[0] == want {
		value, isKnown := known[name[1]]
		if !isKnown {
			found[name[1]] = got
			return ""
		}
		if !reflect.DeepEqual(value, got) {
			return fmt.Sprintf("%s: want %v again, got %v", path, value, got)
		}
		return ""
	}
	if got != want {
		return fmt.Sprintf("%s: want %q, got %v", path, want, got)
	}
	return ""
}

package workspace

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/protocol"
)

func TestWritten(t *testing.T) {
	main := repo(t, filepath.Join(temp(t), "main"))
	write(t, filepath.Join(main, "src", "[id]", "100%.tsx"), "x")
	link(t, "src", filepath.Join(main, "alias"))
	d := discover(t, main)
	src := filepath.Join(main, "src")
	for _, c := range []struct{ cwd, name, want, below string }{
		{main, "src/a", "file:src/a", ""},
		{src, "a", "file:src/a", ""},
		{src, "file:a", "file:a", ""},
		{src, "file:src/a", "file:src/a", ""},
		{main, "src", "file:src", "src/**"},
		{main, "./src", "file:src", "./src/**"},
		{src, "file:src", "file:src", "file:src/**"},
		{src, "[id]", "file:src/[id]", "[id]/**"},
		{main, "alias", "file:src", "alias/**"},
		{main, "src/**", "file:src/**", ""},
		{main, "new", "file:new", ""},
		{main, "db:users", "db:users", ""},
		{main, "https://host/path", "https://host/path", ""},

		// A path says what it says; a URI may be encoded.
		{main, "src/[id]/100%.tsx", "file:src/[id]/100%25.tsx", ""},
		{main, "file:src/[id]/100%25.tsx", "file:src/[id]/100%25.tsx", ""},
		{main, "file:src/%5Bid%5D/100%25.tsx", "file:src/[id]/100%25.tsx", ""},
		{main, "file://" + filepath.ToSlash(src) + "/%5Bid%5D", "file:src/[id]", "file://" + filepath.ToSlash(src) + "/%5Bid%5D/**"},
		{main, "a%41", "file:a%2541", ""},
		{main, "file:a%41", "file:aA", ""},
		{main, "file:src/%0", "file:src/%250", ""},
		{main, "my notes", "file:my%20notes", ""},
		{main, "file:my%20notes", "file:my%20notes", ""},

		// A colon alone does not make a scheme.
		{main, "./c:x", "file:c:x", ""},
		{main, "./FILE:src/x", "file:FILE:src/x", ""},
		{main, "src/a:b", "file:src/a:b", ""},
		{main, "a b:c", "file:a%20b:c", ""},
		{main, "1:x", "file:1:x", ""},
	} {
		got, err := d.Written(c.cwd, c.name)
		if want := (Written{c.want, c.below}); err != nil || got != want {
			t.Errorf("%q in %s: %+v, %v, want %+v", c.name, c.cwd, got, err, want)
		}
	}
}

func TestWrittenRefusesWhatCouldBeEither(t *testing.T) {
	main := repo(t, filepath.Join(temp(t), "main"))
	d := discover(t, main)
	for name, hint := range map[string]string{
		"FILE:src/x": "write file:src/x, or ./FILE:src/x for a file of that name",
		"Db:users":   "write db:users, or ./Db:users for a file of that name",
		"c:x":        "write ./c:x for a file of that name",
		"C:x":        "write ./C:x for a file of that name",
		"src/":       "write file:src/** for everything below",
		"file:src/":  "write file:src/** for everything below",
		"file://h/x": "write file:///PATH for an absolute path",
		"":           "",
		" ":          "",
		"\t\n":       "",
		"file:":      "",
		"file:a%2Fb": "",
	} {
		_, err := d.Written(main, name)
		wantError(t, err, protocol.Usage)
		if e, ok := err.(*protocol.Error); !ok || hint != "" && e.Hint != hint || strings.TrimSpace(e.Message) == "" {
			t.Errorf("%q: %v, hint %q, want %q", name, err, e.Hint, hint)
		}
	}
}

// TestTargetTakesThePathAsItIs: whatever file somebody touches has a name, which a claim on what is around
// it covers.
func TestTargetTakesThePathAsItIs(t *testing.T) {
	main := repo(t, filepath.Join(temp(t), "main"))
	write(t, filepath.Join(main, "src", "a"), "x")
	link(t, "src", filepath.Join(main, "alias"))
	d := discover(t, main)
	for path, want := range map[string]string{
		"src/a":           "file:src/a",
		"alias/a":         "file:src/a",
		"src":             "file:src",
		"src/":            "file:src",
		".":               "file:.",
		"src/**":          "file:src/**",
		"src/*.go":        "file:src/*.go",
		"src/a b%20.txt":  "file:src/a%20b%2520.txt",
		main + "/src/new": "file:src/new",
	} {
		if got, err := d.Target(main, path); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", path, got, err, want)
		}
	}
	_, err := d.Target(main, "")
	wantError(t, err, protocol.Usage)
}

package workspace

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/protocol"
)

func TestResource(t *testing.T) {
	top := temp(t)
	main := repo(t, filepath.Join(top, "main"))
	linked, nested := filepath.Join(top, "linked"), filepath.Join(main, ".claude", "worktrees", "x")
	run(t, main, "worktree", "add", "-q", "-b", "linked", linked)
	run(t, main, "worktree", "add", "-q", "-b", "nested", nested)
	write(t, filepath.Join(main, "src", "Main.go"), "x")
	write(t, filepath.Join(linked, "src", "main.go"), "x")
	repo(t, filepath.Join(main, "vendor", "inner"))
	repo(t, filepath.Join(nested, "vendor", "inner"))
	other := repo(t, filepath.Join(top, "other"))
	link(t, filepath.Join(main, "src"), filepath.Join(top, "alias"))
	link(t, "../src/new.go", filepath.Join(main, "vendor", "dangling.go"))
	d := discover(t, main)
	src := filepath.Join(main, "src")

	for _, c := range []struct{ cwd, path, want string }{
		{main, "src/Main.go", "file:src/Main.go"},
		{main, "./src//Main.go", "file:src/Main.go"},
		{main, "src/../src/Main.go", "file:src/Main.go"},
		{main, `src\Main.go`, "file:src/Main.go"},
		{src, "Main.go", "file:src/Main.go"},
		{src, "../new/a b.go", "file:new/a%20b.go"},
		{src, filepath.Join(main, "src", "Main.go"), "file:src/Main.go"},
		{top, "main/src/Main.go", "file:src/Main.go"},
		{top, "alias/Main.go", "file:src/Main.go"},
		{filepath.Join(top, "alias"), "Main.go", "file:src/Main.go"},
		{filepath.Join(top, "alias"), "../README", "file:README"}, // of where the link leads
		{main, "vendor/dangling.go", "file:src/new.go"},
		{main, "src/**", "file:src/**"},
		{src, "**", "file:src/**"},
		{main, "**", "file:./**"},
		{src, "./**", "file:src/**"},
		{src, "../**", "file:./**"},
		{main, main + "/**", "file:./**"},
		{main, "new/dir/**", "file:new/dir/**"},
		{main, ".git/hooks/pre-commit", "file:.git/hooks/pre-commit"},

		// The same file has the same name in every worktree, whoever asks.
		{linked, "src/main.go", "file:src/main.go"},
		{main, "../linked/src/main.go", "file:src/main.go"},
		{main, linked + "/new.go", "file:new.go"},
		{main, "../linked/**", "file:./**"},
		{main, ".claude/worktrees/x/src/Main.go", "file:src/Main.go"},
		{nested, "src/Main.go", "file:src/Main.go"},
		// A repository inside belongs to the worktree around it.
		{main, "vendor/inner/a.go", "file:vendor/inner/a.go"},
		{filepath.Join(main, "vendor", "inner"), "a.go", "file:vendor/inner/a.go"},
		{nested, "vendor/inner/a.go", "file:vendor/inner/a.go"},
		// What is outside stays absolute.
		{main, "../other/a.go", "file:" + filepath.ToSlash(filepath.Join(top, "other", "a.go"))},
		{other, "a.go", "file:" + filepath.ToSlash(filepath.Join(top, "other", "a.go"))},
		{main, "../**", "file:" + filepath.ToSlash(top) + "/**"},
		{main, "/**", "file:/**"},

		{main, "src/", ""},
		{main, "src/*.go", ""},
		{main, ".", ""},
		{main, "", ""},
		{main, "/", ""},
		{main, "a\nb", ""},
		{main, strings.Repeat("x/", 600) + "x", ""},
		{"src", "Main.go", ""},
		{"", "Main.go", ""},
	} {
		got, err := d.Resource(c.cwd, c.path)
		if c.want == "" {
			wantError(t, err, protocol.Usage)
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%q in %s: %q, %v, want %q", c.path, c.cwd, got, err, c.want)
		}
		again, err := d.At(c.cwd).Resource(c.cwd, c.path)
		if err != nil || again != c.want {
			t.Errorf("%q in %s, seen from there: %q, %v, want %q", c.path, c.cwd, again, err, c.want)
		}
	}
}

func TestResourceOfADirectoryRoom(t *testing.T) {
	top := temp(t)
	dir := mkdir(t, filepath.Join(top, "plain", "sub"))
	d := discover(t, filepath.Dir(dir))
	for path, want := range map[string]string{
		"a":         "file:sub/a",
		"../a":      "file:a",
		"../../a":   "file:" + filepath.ToSlash(filepath.Join(top, "a")),
		"../../**":  "file:" + filepath.ToSlash(top) + "/**",
		"new/x/../": "",
	} {
		got, err := d.Resource(dir, path)
		if want == "" {
			wantError(t, err, protocol.Usage)
		} else if err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", path, got, err, want)
		}
	}
}

// One configuration above several repositories gives every file one name.
func TestResourceOfAConfigRoom(t *testing.T) {
	top := temp(t)
	write(t, filepath.Join(top, "team", ConfigName), `{"schemaVersion":1,"workspaceId":"team","roots":["a","b"]}`)
	a, b := repo(t, filepath.Join(top, "team", "a")), repo(t, filepath.Join(top, "team", "b"))
	away := filepath.Join(top, "away")
	run(t, a, "worktree", "add", "-q", "-b", "away", away)
	beside := filepath.Join(top, "team", "a2")
	run(t, a, "worktree", "add", "-q", "-b", "beside", beside)

	for _, from := range []string{a, b, beside} {
		d := discover(t, from)
		if d.ID != "team" {
			t.Fatalf("%s is in %s", from, d.ID)
		}
		for path, want := range map[string]string{
			a + "/x":                   "file:a/x",
			b + "/x":                   "file:b/x",
			beside + "/x":              "file:a2/x",
			filepath.Dir(a) + "/notes": "file:notes",
			top + "/x":                 "file:" + filepath.ToSlash(top) + "/x",
		} {
			if got, err := d.Resource(from, path); err != nil || got != want {
				t.Errorf("from %s: %q is %q, %v, want %q", from, path, got, err, want)
			}
		}
	}
	// A worktree outside of the configuration has the names of ours.
	if got, err := discover(t, a).Resource(a, away+"/x"); err != nil || got != "file:a/x" {
		t.Errorf("%q, %v", got, err)
	}
}

// A configuration in the repository has a copy in each worktree, and the names are the same in all.
func TestResourceOfACommittedConfig(t *testing.T) {
	top := temp(t)
	main := repo(t, filepath.Join(top, "main"))
	linked, nested := filepath.Join(top, "linked"), filepath.Join(main, "trees", "x")
	run(t, main, "worktree", "add", "-q", "-b", "linked", linked)
	run(t, main, "worktree", "add", "-q", "-b", "nested", nested)
	all := []string{main, linked, nested}
	for _, at := range []string{"pkg", "."} {
		for _, root := range all {
			write(t, filepath.Join(root, at, ConfigName), `{"schemaVersion":1,"workspaceId":"pkg"}`)
		}
		for _, from := range all {
			d := discover(t, filepath.Join(from, at))
			for _, in := range all {
				if got, err := d.Resource(from, filepath.Join(in, at, "sub", "x")); err != nil || got != "file:sub/x" {
					t.Errorf("%s: from %s: in %s it is %q, %v", at, from, in, got, err)
				}
				moved := d.At(filepath.Join(in, at))
				if got, err := moved.Resource(in, at+"/sub/x"); err != nil || got != "file:sub/x" {
					t.Errorf("%s: moved from %s to %s: %q, %v", at, from, in, got, err)
				}
				outside := filepath.Join(in, "other", "x")
				want := "file:" + filepath.ToSlash(outside)
				if at == "." {
					want = "file:other/x"
				}
				if got, err := d.Resource(from, outside); err != nil || got != want {
					t.Errorf("%s: from %s: outside it is %q, %v", at, from, got, err)
				}
			}
		}
		for _, root := range all {
			remove(t, filepath.Join(root, at, ConfigName))
		}
	}
}

package doctest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/tools/worktree"
)

func TestDocuments(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the documents are written for a POSIX shell, and there is none")
	}
	worktree.Uncached()
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	bin := build(t, root)
	for _, name := range documents(t, root) {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			blocks, err := Parse(string(text))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(blocks) == 0 {
				return
			}
			r, err := NewRunner(t.TempDir(), root, bin, environment(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range blocks {
				if err := r.Run(t.Context(), b); err != nil {
					t.Fatalf("%s: %v", name, err) // later blocks build on this one
				}
			}
		})
	}
}

// documents are the texts that people follow, relative to root: those of the root and of docs, and the README of each
// module.
func documents(t *testing.T, root string) []string {
	t.Helper()
	modules, err := worktree.Modules(root)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range modules {
		name := m.Dir + "/README.md"
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err == nil { // the boundary test asks for it
			names = append(names, name)
		}
	}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			rel, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(rel))
		}
	}
	if len(names) == 0 {
		t.Fatal("no document found")
	}
	return names
}

// build makes the executables of this work tree.
func build(t *testing.T, root string) string {
	t.Helper()
	bin := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin+string(filepath.Separator), "./cli/cmd/...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(root, "go.work"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build ./cli/cmd/...: %v\n%s", err, out)
	}
	return bin
}

// environment is that of this process without what would change how acc or Git behaves, and with the
// caches of the go command, which a new home would hide.
func environment(t *testing.T) []string {
	t.Helper()
	var env []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "ACC_") || strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "XDG_") || name == "GOWORK" {
			continue
		}
		env = append(env, pair)
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	return env
}

func TestReferencesLeadSomewhere(t *testing.T) {
	worktree.Uncached()
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range documents(t, root) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		faults, err := References(root, name, string(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range faults {
			t.Error(fault)
		}
	}
}

func TestReferences(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"docs/a.md": "", "core/x_test.go": "package core\n\nfunc TestThere(t *testing.T) {}\n"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := References(root, "docs/b.md", "[a](a.md#part) [b](../docs/a.md) [web](https://example.com/x) [c](c.md) `core.TestThere` `core.TestGone`\n"+
		"<!-- from core/x_test.go -->\n```go\nfunc TestThere(t *testing.T) {}\n```\n<!-- from core/x_test.go -->\n```go\nfunc TestGone() {}\n```\n```go\nfrom := nowhere\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"docs/b.md links to c.md, which is not there",
		"docs/b.md has 3 blocks of Go, of which 2 say with <!-- from FILE --> where they stand",
		`docs/b.md shows of core/x_test.go what does not stand there, beginning with "func TestGone() {}"`, "docs/b.md names core.TestGone, which is no function there"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParse(t *testing.T) {
	text := strings.Join([]string{
		"Text.",
		"```sh",
		"# a comment",
		"one && \\",
		"  two",
		"",
		"```",
		"<!-- doctest: ci -->",
		"```sh",
		"three",
		"```",
		"```go",
		"$ not a command",
		"```",
		"<!-- doctest: skip it needs a client -->",
		"",
		"```console",
		"$ four  # exit 5",
		"out 1",
		"",
		"left$ five",
		"```",
	}, "\n")
	got, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []Block{
		{Line: 2, Commands: []Command{{Line: 4, Text: "one && \\\n  two"}}},
		{Line: 9, Mode: "ci", Commands: []Command{{Line: 10, Text: "three"}}},
		{Line: 17, Commands: []Command{
			{Line: 18, Text: "four  # exit 5", Exit: 5, Compared: true, Output: []string{"out 1", ""}},
			{Line: 21, Shell: "left", Text: "five", Compared: true},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for name, text := range map[string]string{
		"no reason":    "<!-- doctest: skip -->",
		"no directive": "<!-- doctest: hope -->",
		"never closed": "```sh\ntrue",
		"output first": "```console\nout\n```",
		"no language":  "```\ntrue\n```",
		"of a shell":   "```bash\ntrue\n```",
	} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestMatch(t *testing.T) {
	tests := []struct {
		name      string
		want, got string
		refused   bool
		learned   Names
	}{
		{name: "the same", want: "a\nb\n", got: "a\nb"},
		{name: "another", want: "a", got: "b", refused: true},
		{name: "more", want: "a", got: "a\nb", refused: true},
		{name: "less", want: "a\nb", got: "a", refused: true},
		{name: "nothing", want: "", got: ""},
		{name: "a sign is any text of the line", want: "took … ms", got: "took 6 ms"},
		{name: "a sign is not two lines", want: "took … ms", got: "took\n6 ms", refused: true},
		{name: "a line of the sign is any lines", want: "a\n…\nz", got: "a\nb\nc\nz"},
		{name: "a line of the sign is no line", want: "a\n…\nz", got: "a\nz"},
		{name: "the end is held to", want: "a\n…\nz", got: "a\nb", refused: true},
		{name: "an id is learned", want: "message_01A…  recorded", got: "message_01XYZ  recorded", learned: Names{"message_01A…": "message_01XYZ"}},
		{name: "an id of another kind", want: "message_01A…", got: "claim_01XYZ", refused: true},
		{name: "twice the same id", want: "message_01A… message_01A…", got: "message_1 message_1", learned: Names{"message_01A…": "message_1"}},
		{name: "twice, of which one is another", want: "message_01A…\nmessage_01A…", got: "message_1\nmessage_2", refused: true},
		{name: "the id of before", want: "session_01K… 7Q2…", got: "session_known xyz", learned: Names{"7Q2…": "xyz"}},
		{name: "not the id of before", want: "session_01K…", got: "session_other", refused: true},
		{name: "a time of day", want: "until 14:52", got: "until 09:01"},
		{name: "a time of another form", want: "until 14:52", got: "until 09:01:07", refused: true},
		{name: "expressions are text", want: "a.b (c)", got: "axb (c)", refused: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			names := Names{"session_01K…": "session_known"}
			err := names.Match(strings.Split(tt.want, "\n"), strings.Split(tt.got, "\n"))
			if (err != nil) != tt.refused {
				t.Fatalf("error %v, want one: %v", err, tt.refused)
			}
			if err != nil {
				return
			}
			delete(names, "session_01K…")
			if diff := cmp.Diff(tt.learned, names); diff != "" && len(tt.learned)+len(names) > 0 {
				t.Errorf("learned (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunnerKeepsShellsApart(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no POSIX shell")
	}
	tests := []struct {
		name, text string
		want       string // part of the error; empty for none
	}{
		{name: "variables and directories stay", text: "```sh\nmkdir sub && cd sub\nexport A='1 2'\n```\n```console\n$ echo \"$A\" && basename \"$PWD\"\n1 2\nsub\n```"},
		{name: "another shell has its own", text: "```console\nleft$ export A=1\nright$ echo \"[$A]\"\n[]\nleft$ echo \"[$A]\"\n[1]\n```"},
		{name: "a learned id comes back in a command", text: "```console\n$ echo message_ABC\nmessage_01A…\n$ echo \"<message_01A…>\"\n<message_ABC>\n```", want: ""},
		{name: "an unknown id is told", text: "```sh\necho message_01A…\n```", want: "no output above shows what message_01A… is"},
		{name: "a wrong output is told with its line", text: "\n```console\n$ echo a\nb\n```", want: "line 3: echo a: the document says"},
		{name: "a failure is told", text: "```sh\nfalse\n```", want: "exit code 1, want 0"},
		{name: "an announced failure passes", text: "```sh\n(exit 5) # exit 5\n```"},
		{name: "an announced failure that does not come is told", text: "```sh\ntrue # exit 5\n```", want: "exit code 0, want 5"},
		{name: "a skipped block is not run", text: "<!-- doctest: skip it would fail -->\n```sh\nfalse\n```"},
		{name: "a command of CI must be there", text: "<!-- doctest: ci -->\n```sh\ngo test nothing\n```", want: ".ci/run has no such line"},
		{name: "a command of CI is there", text: "<!-- doctest: ci -->\n```sh\ngo test work\n```"},
		{name: "the checkout", text: "<!-- doctest: checkout -->\n```sh\ntest -f go.work\n```\n```sh\ntest ! -f go.work\n```"},
	}
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := NewRunner(t.TempDir(), root, t.TempDir(), os.Environ())
			if err != nil {
				t.Fatal(err)
			}
			blocks, err := Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, b := range blocks {
				if err := r.Run(t.Context(), b); err != nil {
					got = err.Error()
					break
				}
			}
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("error %q, want %q", got, tt.want)
			}
		})
	}
}

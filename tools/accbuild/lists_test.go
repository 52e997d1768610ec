package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// TestListsAreThoseOfTheTree: what is written for the adapters of this tree is what stands there, so that a
// build with others differs in nothing but them.
func TestListsAreThoseOfTheTree(t *testing.T) {
	worktree.Uncached()
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(root, "cli", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	all, err := parseList(read(hooksFile))
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]func([]listed) ([]byte, error){hooksFile: hooksText, installersFile: installersText} {
		got, err := text(all)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(read(file)), string(got)); diff != "" {
			t.Errorf("cli/%s is not as it is written for the same adapters (-is +written):\n%s", file, diff)
		}
	}
}

func TestWithout(t *testing.T) {
	all := []listed{newListed("example.com/acc/adapters/one", false), newListed("example.com/adapter-two", true), newListed("example.com/adapter-two/v2", false)}
	if all[1].name != "two" || all[2].name != "two" {
		t.Errorf("names %+v", all)
	}
	kept, dropped, err := without(all, []string{"one"})
	if err != nil || len(kept) != 2 || len(dropped) != 1 || dropped[0].name != "one" {
		t.Errorf("kept %+v, dropped %+v, %v", kept, dropped, err)
	}
	if _, _, err := without(all, []string{"three"}); err == nil || !strings.Contains(err.Error(), "there are one, two") {
		t.Errorf("an adapter that is not there: %v", err)
	}
}

// TestWords: two adapters of one name, a keyword, and a name that only differs by the word live.
func TestWords(t *testing.T) {
	var all []listed
	for _, m := range []string{"a.example/adapter-echo", "b.example/adapter-echo", "a.example/adapter-echo-live", "a.example/adapter-go", "a.example/adapter-3", "a.example/adapter-entry"} {
		all = append(all, newListed(m, true))
	}
	if diff := cmp.Diff([]string{"echo", "echo2", "echolive2", "adaptergo", "adapter3", "adapterentry"}, words(all)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	text, err := hooksText(all)
	if err != nil {
		t.Fatal(err)
	}
	again, err := parseList(text)
	if err != nil || len(again) != len(all) {
		t.Fatalf("%d adapters, %v", len(again), err)
	}
	if text, err := hooksText(nil); err != nil || strings.Contains(string(text), "import") {
		t.Errorf("a build without adapters: %s %v", text, err)
	}
}

func TestListsThatAreNone(t *testing.T) {
	for name, text := range map[string]string{
		"no Go":    "package",
		"nothing":  "package registry\n",
		"no hook":  "package registry\nimport x \"example.com/x\"\nvar assembled = []entry{{x.New, nil}}\n",
		"no New":   "package registry\nimport x \"example.com/x/hook\"\nvar assembled = []entry{{x.Old, nil}}\n",
		"no alias": "package registry\nvar assembled = []entry{{nil, nil}}\n",
	} {
		if all, err := parseList([]byte(text)); err == nil {
			t.Errorf("%s: read as %+v", name, all)
		}
	}
}

func TestParse(t *testing.T) {
	for _, args := range [][]string{{}, {"--output"}, {"--output", "d", "grok"}, {"--with", "x"}} {
		if o, err := parse(args); err == nil {
			t.Errorf("%v: %+v", args, o)
		}
	}
	o, err := parse([]string{"--with", "a@v1", "--with=b@v2", "--without", "grok", "--output", "d"})
	if err != nil || len(o.with) != 2 || len(o.without) != 1 || !filepath.IsAbs(o.output) {
		t.Errorf("%+v, %v", o, err)
	}
}

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/command"
)

// told are the command lines of the stories: the words after acc, and whether the line wants it to fail.
type told struct {
	words  []string
	refuse bool
}

// linesOfStories reads every line that runs acc, in whatever way.
func linesOfStories(t *testing.T) []told {
	t.Helper()
	files, err := filepath.Glob("testdata/stories/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no story was found: %v", err)
	}
	var all []told
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		script, _, _ := strings.Cut(string(data), "\n-- ")
		for line := range strings.Lines(script) {
			words := strings.Fields(line)
			refuse := len(words) > 0 && words[0] == "!"
			if refuse {
				words = words[1:]
			}
			for len(words) > 0 && strings.HasPrefix(words[0], "[") {
				words = words[1:]
			}
			switch {
			case len(words) > 2 && words[0] == "as":
				all = append(all, told{words[2:], false})
			case len(words) > 3 && words[0] == "refused":
				all = append(all, told{words[3:], true})
			case len(words) > 1 && words[0] == "attach":
				all = append(all, told{append([]string{"attach"}, words[1:]...), false})
			case len(words) > 1 && words[0] == "exec" && filepath.Base(words[1]) == "acc":
				all = append(all, told{words[2:], refuse})
			}
		}
	}
	return all
}

// TestEveryCommandAndOptionIsInAStory: each command and each option of it is given in a story, and refused in one. A command without failures of its own is listed here, with the reason.
func TestEveryCommandAndOptionIsInAStory(t *testing.T) {
	lines := linesOfStories(t)
	neverFails := map[string]string{
		"help":    "wrong names are refused by help's own story as help NAME",
		"man":     "takes nothing",
		"version": "takes nothing",
	}
	toldElsewhere := map[string]string{
		"update": "a run needs a managed data home and releases: the tests of cli/internal/update have both",
	}
	var check func(path []string, c *argv.Command)
	check = func(path []string, c *argv.Command) {
		for _, sub := range c.Subcommands {
			check(append(slices.Clone(path), sub.Name), sub)
		}
		if len(c.Subcommands) > 0 {
			return
		}
		name, ran, failed := strings.Join(path, " "), false, false
		given, refused := map[string]bool{}, map[string]bool{}
		for _, l := range lines {
			if !runs(l.words, path) {
				continue
			}
			ran, failed = ran || !l.refuse, failed || l.refuse
			for _, word := range l.words {
				option, _, _ := strings.Cut(word, "=")
				given[option] = true
				refused[option] = refused[option] || l.refuse
			}
		}
		if !ran && toldElsewhere[name] == "" {
			t.Errorf("no story runs acc %s", name)
		}
		if !failed && neverFails[name] == "" {
			t.Errorf("no story is refused acc %s", name)
		}
		for _, o := range c.Options {
			if !given["--"+o.Name] {
				t.Errorf("no story gives acc %s --%s", name, o.Name)
			}
			if !refused["--"+o.Name] {
				t.Errorf("no story is refused acc %s --%s", name, o.Name)
			}
		}
	}
	for _, c := range command.Tables() {
		check([]string{c.Name}, c)
	}
}

// runs says whether words begin with a command, behind options of every command.
func runs(words, path []string) bool {
	for len(words) > 0 && strings.HasPrefix(words[0], "--") {
		skip := 1
		if words[0] == "--cwd" || words[0] == "--workspace" {
			skip = 2
		}
		words = words[min(skip, len(words)):]
	}
	return len(words) >= len(path) && slices.Equal(words[:len(path)], path)
}

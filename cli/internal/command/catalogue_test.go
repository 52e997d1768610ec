package command_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/command"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// A screen is that of the oldest terminal. The overview has a line for each command, and these pages say more
// than one screen holds; the numbers only go down.
const screenLines, screenColumns = 24, 80

// noRoom is a host whose commands must not get as far as a room.
func noRoom(t *testing.T) (command.Host, *bytes.Buffer, *bytes.Buffer) {
	var stdout, stderr bytes.Buffer
	return command.Host{
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Env: func(string) string { return "" },
		Enter: func(context.Context, room.Request) (*room.Room, error) {
			t.Error("a room was entered")
			return nil, protocol.DataError("", "no room")
		},
	}, &stdout, &stderr
}

func TestDefinitionsAreWhole(t *testing.T) {
	var check func(path string, d *command.Definition)
	check = func(path string, d *command.Definition) {
		if (d.Run == nil) == (len(d.Subcommands) == 0) {
			t.Errorf("%s must either run or have subcommands", path)
		}
		if d.Summary == "" || strings.HasSuffix(d.Summary, ".") {
			t.Errorf("%s: the summary is one line without a full stop", path)
		}
		names := map[string]bool{}
		for _, o := range slices.Concat(argv.Globals, d.Options) {
			if names[o.Name] {
				t.Errorf("%s has two options called %s", path, o.Name)
			}
			names[o.Name] = true
			if o.Usage == "" {
				t.Errorf("%s --%s says nothing of itself", path, o.Name)
			}
			if o.Default != "" && len(o.Choices) > 0 && !slices.Contains(o.Choices, o.Default) {
				t.Errorf("%s --%s: the default is no choice", path, o.Name)
			}
		}
		for _, sub := range d.Subcommands {
			check(path+" "+sub.Name, sub)
		}
	}
	seen := map[string]bool{}
	for _, d := range command.Catalogue() {
		if seen[d.Name] {
			t.Errorf("two commands are called %s", d.Name)
		}
		seen[d.Name] = true
		check(d.Name, d)
	}
}

// The help of every command, and the overview, fit a screen.
func TestHelpFitsAScreen(t *testing.T) {
	pages := [][]string{{"help"}}
	for _, d := range command.Catalogue() {
		pages = append(pages, []string{"help", d.Name})
		for _, sub := range d.Subcommands {
			pages = append(pages, []string{"help", d.Name, sub.Name})
		}
	}
	for _, args := range pages {
		host, stdout, stderr := noRoom(t)
		if code := command.Main(t.Context(), host, args); code != protocol.OK || stderr.Len() > 0 {
			t.Errorf("%v: exit %d, stderr %s", args, code, stderr)
		}
		lines := strings.Split(strings.TrimRight(stdout.String(), "\n"), "\n")
		if len(lines) > screenLines {
			t.Errorf("%v takes %d lines", args, len(lines))
		}
		for _, line := range lines {
			if ui.Width(line) > screenColumns {
				t.Errorf("%v has a line of %d columns: %s", args, ui.Width(line), line)
			}
		}
	}
}

// A note is whole sentences, which the page wraps by itself, or a name and a command.
func TestNotesAreSentences(t *testing.T) {
	var check func(d *command.Definition)
	check = func(d *command.Definition) {
		for _, note := range d.Notes {
			if !strings.HasSuffix(note, ".") && !strings.Contains(note, ": ") {
				t.Errorf("%s: %q is a part of a sentence", d.Name, note)
			}
		}
		for _, sub := range d.Subcommands {
			check(sub)
		}
	}
	for _, d := range command.Catalogue() {
		check(d)
	}
}

// Every command that needs an owner pair says so before it looks at any room.
func TestOwnerIsAskedForFirst(t *testing.T) {
	for _, d := range command.Catalogue() {
		if !speaks(d) {
			continue
		}
		args := append([]string{d.Name}, required(d)...)
		host, stdout, _ := noRoom(t)
		if code := command.Main(t.Context(), host, append(args, "--json")); code != protocol.Usage {
			t.Errorf("%v without a caller: exit %d", args, code)
		}
		if !strings.Contains(stdout.String(), `"reason":"caller_identity_unresolved"`) {
			t.Errorf("%v without a caller: %s", args, stdout)
		}
		for _, half := range [][]string{{"--session", "s"}, {"--generation", "g"}} {
			host, _, stderr := noRoom(t)
			if code := command.Main(t.Context(), host, slices.Concat(args, half)); code != protocol.Usage || !strings.Contains(stderr.String(), "names no caller") {
				t.Errorf("%v with half a pair: exit %d, %s", args, code, stderr)
			}
		}
	}
}

// speaks says whether a command needs an owner pair. attach makes one, the others named here serve everybody.
func speaks(d *command.Definition) bool {
	return !slices.Contains([]string{"attach", "status", "sync", "receipts", "thread", "search", "log", "watch", "export"}, d.Name) &&
		slices.ContainsFunc(d.Options, func(o argv.Option) bool { return o.Name == "generation" })
}

// required gives a value to every option that a command must be given.
func required(d *command.Definition) []string {
	var args []string
	for _, o := range d.Options {
		if o.Required {
			args = append(args, "--"+o.Name, "x")
		}
	}
	if slices.ContainsFunc(d.Options, func(o argv.Option) bool { return o.Name == "body-file" }) {
		args = append(args, "--body", "x")
	}
	switch d.Name {
	case "claim", "release":
		args = append(args, "--claim", "x")
	case "ack":
		args = append(args, "--message", "x")
	case "work":
		args = append(args, "--summary", "x")
	}
	return args
}

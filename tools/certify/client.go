package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/acc-control-plane/acc/tools/realclient"
)

// client is what differs between the clients; each has a file of its own.
type client struct {
	name      string // certification name
	adapterID string
	dir       string // below adapters
	command   string // what its executable is called
	source    source // where it comes from
	// args starts one run without a terminal; again continues the conversation of the run before.
	args func(prompt string, again bool) []string
	// env is added to that of every run.
	env func(s *stage) []string
	// prepare writes what the client needs besides the installation of acc.
	prepare func(s *stage) error
	// write, shell and spawn make the model's calls: a file with a content, a command line, a subagent with
	// a task. spawn may be nil.
	write func(path, content string) realclient.Step
	shell func(command string) realclient.Step
	spawn func(task string) realclient.Step
	// authority is the role in which the model hears what hooks say.
	authority string
	shellTool string // what hooks call the tool that runs command lines
	events    eventNames
	wires     []string // the events that an installation wires
	screen    screen
	// variants are other ways in which models of this client call its tools, by name.
	variants map[string]func(client) client
	shapes   []shape
	tellings []telling
	lacks    map[string]string // why a check cannot be made
}

// eventNames are the client's names of the hook points; "" is one that it does not have. Without an event of
// its own a compaction is a start.
type eventNames struct{ start, prompt, before, after, turnEnd, end, heartbeat, compacted string }

// claudes are the names that Claude Code introduced and others took over.
var claudes = eventNames{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd", "", ""}

// wired says whether an installation of acc hears of an event.
func (c client) wired(event string) bool { return slices.Contains(c.wires, event) }

// screen is how the client is used in a terminal.
type screen struct {
	args    func(again bool) []string
	dialogs []dialog
	ready   string        // what is on the screen when it takes a prompt
	settles time.Duration // how long it goes on to draw after that
	// asksLate is how long a question may take to come at the very first start, after it takes a prompt.
	asksLate time.Duration
	// What a person types. "" is a command that the client does not have.
	quit, clear, compact string
	compacted            string // what is on the screen when it has shortened the conversation
	variant              string // of the models that are used in a terminal; "": none
	// leave ends what the client leaves running; it may be nil.
	leave func(s *stage)
}

// dialog is a question that the client asks before it takes a prompt.
type dialog struct {
	sees string
	keys []string // by tmux's names
}

var clients = []client{claudeCode, codexCLI, geminiCLI, kimiCode, grokCLI}

// quoted writes a JSON string, which is a TOML string too for what stands in paths.
func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(data)
}

// prepend puts text before what a file holds.
func prepend(path, text string) error {
	before, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, append([]byte(text), before...), 0o600)
}

// Answers that several clients were tried with.
const (
	permissionDenied = `{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"deny","permissionDecisionReason":"WORD"}}`
	addsContext      = `{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"WORD"}}`
	decisionDeny     = `{"decision":"deny","reason":"WORD"}`
	decisionBlock    = `{"decision":"block","reason":"WORD"}`
	decisionAllow    = `{"decision":"allow","reason":"WORD"}`
	noJSON           = `{garbage WORD`
	plain            = `WORD`
)

// envelope and plainly are the two ways in which all clients were tried to be told something.
func envelope(heard func(e eventNames) []string) telling {
	return telling{"additionalContext", addsContext, heard}
}

func plainly(heard func(e eventNames) []string) telling { return telling{"plain text", plain, heard} }

func nowhere(eventNames) []string { return nil }

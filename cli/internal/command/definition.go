package command

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

// Definition joins what a command accepts with what it does. A definition with subcommands has no Run.
type Definition struct {
	argv.Command
	Subcommands []*Definition
	// Patience bounds the whole run; 0 is Deadline.
	Patience time.Duration
	Run      func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error)
}

// The groups of the help, in its order.
const (
	groupSetup     = "Set up"
	groupSession   = "In a session"
	groupRoom      = "Looking on"
	groupLifecycle = "Session lifecycle"
	groupAbout     = "About acc"
)

var groups = []string{groupSetup, groupSession, groupRoom, groupLifecycle, groupAbout}

// Answer is what a command found out or did.
type Answer struct {
	// JSON gives the success envelope with meta; nil: the command printed as it went.
	JSON func(meta view.Meta) ([]byte, error)
	// Text says it to a person; nil says nothing.
	Text func(u *ui.UI)
	// WorkspaceID is the room that was acted on; empty: none.
	WorkspaceID string
	// Warnings go to stderr, or into meta with --json. They never change the exit code.
	Warnings []string
	// Code is OK, or Attention, or the code of a command that did its work and found something wrong.
	Code protocol.Code
}

// answer makes an Answer from facts, their schema and the way to say them.
func answer[T any](schema *view.Schema[T], data T, text func(u *ui.UI)) Answer {
	return Answer{
		JSON: func(meta view.Meta) ([]byte, error) { return schema.Envelope(data, meta) },
		Text: text,
	}
}

// commands gives the argv tables of definitions, subcommands included.
func commands(definitions []*Definition) []*argv.Command {
	tables := make([]*argv.Command, len(definitions))
	for i, d := range definitions {
		table := d.Command
		table.Subcommands = commands(d.Subcommands)
		tables[i] = &table
	}
	return tables
}

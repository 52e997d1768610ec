package command

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	flags "github.com/urfave/cli/v2"
)

// Main runs one command line (without the name of the program) and gives its exit code.
func Main(ctx context.Context, host Host, args []string) protocol.Code {
	inv := &Invocation{Host: host, UI: ui.New(host.Stdout, host.Stderr, host.Env)}
	definitions := Catalogue()
	call, err := argv.Parse(commands(definitions), args)
	if inv.JSON = call.JSON; inv.JSON {
		inv.UI.Silent()
	}
	if err == nil {
		err = inv.admitted(call)
	}
	if err != nil {
		return inv.fail(err)
	}
	result, err := execute(ctx, inv, definitions, redirect(call))
	if err != nil {
		return inv.fail(err)
	}
	code := inv.succeed(result)
	inv.maintain(ctx)
	return code
}

// upkeep bounds what a command does for the store after its answer is printed.
const upkeep = 500 * time.Millisecond

// maintain does a part of what is due in the store of the room that the command worked in. What it cannot do now
// the next command does; a person is not told.
func (inv *Invocation) maintain(ctx context.Context) {
	if inv.worked == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, upkeep)
	defer cancel()
	_, _ = inv.worked.Store.Maintain(ctx, fsstore.MaintenanceBudget)
}

// redirect gives the canonical arguments of a call; asking for help or the version, in whatever form,
// becomes the command that gives it.
func redirect(call argv.Call) []string {
	var globals []string
	if call.JSON {
		globals = []string{"--json"}
	}
	switch {
	case call.Version:
		return append(globals, "version")
	case call.Help && len(call.Path) > 0:
		return slices.Concat(globals, []string{"help", "--"}, call.Path)
	case call.Help, call.Command == nil:
		return append(globals, "help")
	}
	return call.Args()
}

// execute lets the flag parser find the command and its values in canonical arguments.
func execute(ctx context.Context, inv *Invocation, definitions []*Definition, args []string) (Answer, error) {
	var result Answer
	app := &flags.App{
		Name: "acc", HideHelp: true, HideVersion: true,
		DisableSliceFlagSeparator: true,
		Writer:                    io.Discard, ErrWriter: io.Discard,
		Flags:          parserFlags(argv.Globals),
		Commands:       parserCommands(inv, definitions, &result),
		ExitErrHandler: func(*flags.Context, error) {},
	}
	err := app.RunContext(ctx, append([]string{"acc"}, args...))
	return result, err
}

func parserCommands(inv *Invocation, definitions []*Definition, result *Answer) []*flags.Command {
	list := make([]*flags.Command, len(definitions))
	for i, d := range definitions {
		list[i] = &flags.Command{Name: d.Name, HideHelp: true, Flags: parserFlags(d.Options), Subcommands: parserCommands(inv, d.Subcommands, result)}
		if d.Run == nil {
			continue
		}
		list[i].Action = func(given *flags.Context) (err error) {
			inv.cwd, inv.workspace = given.String("cwd"), given.String("workspace")
			if d.Name != "attach" && given.IsSet("session") != given.IsSet("generation") {
				_, _, err := optionalOwner(inv, given) // says which half is missing
				return err
			}
			ctx, cancel := context.WithTimeout(given.Context, cmp.Or(d.Patience, Deadline))
			defer cancel()
			inv.UI.Progress("working")
			defer inv.UI.Quiet()
			*result, err = d.Run(ctx, inv, given)
			return err
		}
	}
	return list
}

func parserFlags(options []argv.Option) []flags.Flag {
	list := make([]flags.Flag, len(options))
	for i, o := range options {
		switch {
		case o.IsFlag():
			list[i] = &flags.BoolFlag{Name: o.Name}
		case o.Repeated:
			list[i] = &flags.StringSliceFlag{Name: o.Name}
		default:
			list[i] = &flags.StringFlag{Name: o.Name}
		}
	}
	return list
}

// succeed prints an answer.
func (inv *Invocation) succeed(a Answer) protocol.Code {
	switch {
	case inv.JSON && a.JSON == nil: // everything was said while the command ran
	case inv.JSON:
		data, err := a.JSON(view.Meta{WorkspaceID: a.WorkspaceID, Warnings: a.Warnings})
		if err != nil {
			return inv.fail(protocol.DataError("", "the command was carried out, but its answer cannot be written as JSON: "+err.Error()))
		}
		inv.UI.Raw(append(data, '\n'))
	default:
		if a.Text != nil {
			a.Text(inv.UI)
		}
		for _, w := range a.Warnings {
			inv.UI.Note(w)
		}
	}
	if err := inv.UI.Err(); err != nil {
		inv.UI.Fail("the command was carried out, but its answer could not be written to stdout: "+err.Error(), "")
		return protocol.Data
	}
	return a.Code
}

// fail is the one place where an error becomes words and an exit code.
func (inv *Invocation) fail(err error) protocol.Code {
	e := classify(err)
	if inv.JSON {
		inv.UI.Raw(append(view.AppendError(nil, e), '\n'))
	} else {
		inv.UI.Fail(spoken(e, time.Now()), e.Hint)
	}
	return e.Code
}

// spoken gives the message of an error for a person, to whom a time is local. Whoever writes a message
// writes its times as RFC 3339 in UTC, and names each in the details.
func spoken(e *protocol.Error, now time.Time) string {
	message := e.Message
	for _, detail := range e.Details {
		if t, ok := detail.(time.Time); ok {
			message = strings.ReplaceAll(message, t.UTC().Format(time.RFC3339), ui.ClockTime(now, t)+" ("+ui.Left(now, t)+")")
		}
	}
	return message
}

// classify gives the *protocol.Error of any error.
func classify(err error) *protocol.Error {
	var e *protocol.Error
	switch {
	case errors.As(err, &e):
		if e.Hint == "" && e.Reason == protocol.ReasonCallerMismatch {
			return e.WithHint(mismatchHint)
		}
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return protocol.TimeoutError(protocol.ReasonDeadlinePassed, "the deadline passed before anything was decided")
	case errors.Is(err, context.Canceled):
		return protocol.TimeoutError(protocol.ReasonInterrupted, "interrupted before anything was decided")
	}
	return protocol.DataError(protocol.ReasonUnexpected, err.Error())
}

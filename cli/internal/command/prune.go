package command

import (
	"context"
	"fmt"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/prune"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	flags "github.com/urfave/cli/v2"
)

func pruneCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "prune", Group: groupSetup,
			Summary: "remove from the room what nobody needs any more",
			Options: []argv.Option{
				{Name: "class", Value: "CLASS", Repeated: true, Choices: texts(prune.Classes[:]...), Usage: "only these, instead of all"},
				{Name: "before", Value: "CURSOR", Usage: "also settled messages, and all events, up to this cursor of acc sync"},
				{Name: "apply", Usage: "do it; otherwise it is only said what would go"},
			},
			Notes: []string{
				"Sessions that are gone, their intents, claims that ran out, participants that nothing names any more.",
				"What somebody has not read, or still owes an answer to, never goes.",
				"With --before and no --class, only messages and events go.",
				"What goes is no longer shown. Files of the journal may hold its text for longer, and --apply says from where on.",
			},
		},
		Patience: 10 * time.Minute,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parsePrune(given)
			if err != nil {
				return Answer{}, err
			}
			return runPrune(ctx, inv, opts)
		},
	}
}

func parsePrune(given *flags.Context) (prune.Options, error) {
	o := prune.Options{Apply: given.Bool("apply"), Clock: wallClock{}, Processes: process.NewTable()}
	for _, class := range given.StringSlice("class") {
		o.Classes = append(o.Classes, prune.Class(class))
	}
	if before := given.String("before"); before != "" {
		sequence, err := protocol.ParseSequence(before)
		if err != nil || sequence == 0 {
			return o, invalid("--before is a cursor of 16 digits, as acc sync prints it, not %q", before)
		}
		o.Before = sequence
		return o, nil
	}
	if len(o.Classes) == 0 {
		o.Classes = prune.Classes[:]
	}
	return o, nil
}

// wallClock is the time of day.
type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

func runPrune(ctx context.Context, inv *Invocation, opts prune.Options) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	if err := recordedSoFar(ctx, r, opts.Before); err != nil {
		return Answer{}, err
	}
	report, err := prune.Run(ctx, r.Store, opts)
	if err != nil {
		return Answer{}, err
	}
	a := answer(view.Pruned, report, func(u *ui.UI) { sayPruned(u, report) })
	a.WorkspaceID = r.Workspace.ID
	return a, nil
}

// recordedSoFar refuses a cursor that the room has not come to.
func recordedSoFar(ctx context.Context, r *room.Room, cursor uint64) error {
	var last uint64
	err := r.Store.View(ctx, func(reader core.Reader) error {
		last = reader.Position().LastSequence
		return nil
	})
	if err == nil && cursor > last {
		return invalid("--before %s lies beyond the newest event, %s", protocol.FormatSequence(cursor), protocol.FormatSequence(last))
	}
	return err
}

func sayPruned(u *ui.UI, r prune.Report) {
	var rows [][]ui.Cell
	total := 0
	for _, kind := range []struct {
		name string
		n    int
	}{
		{"sessions", r.Sessions}, {"intents", r.Intents}, {"claims", r.Claims}, {"participants", r.Participants},
		{"messages", r.Messages}, {"receipts", r.Receipts},
	} {
		if total += kind.n; kind.n > 0 {
			rows = append(rows, ui.Row(kind.name, fmt.Sprint(kind.n)))
		}
	}
	switch {
	case total == 0:
		u.Print("no record to remove")
	case r.Applied:
		u.Print("removed:")
	default:
		u.Print("would go; acc prune ... --apply removes them:")
	}
	u.Table("  ", rows)
	if r.Kept > 0 {
		u.Print("%d changed meanwhile, and stay", r.Kept)
	}
	if r.TrimmedThrough > 0 {
		u.Print("events up to %s are gone", protocol.FormatSequence(r.TrimmedThrough))
	}
	if r.TrimmedThrough >= r.JournalFrom {
		u.Print("files of the journal still hold what was written from event %s on", protocol.FormatSequence(r.JournalFrom))
	}
}

package command

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/doctor"
	"github.com/acc-control-plane/acc/cli/internal/jsstore"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	flags "github.com/urfave/cli/v2"
)

func importCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "import-js", Group: groupSetup,
			Summary:   "take over the messages of a room of the JavaScript acc",
			Arguments: []argv.Argument{{Name: "DIR", Required: true, Usage: "the directory of its store, which is only read"}},
			Options: []argv.Option{
				{Name: "apply", Usage: "do it; otherwise it is only said what would come"},
			},
			Notes: []string{
				"Into the room of the current directory, with participants, authors, times, threads and receipts. What is there already is left alone, so it can be run again.",
				"Stop the JavaScript acc first. Its sessions and claims stay behind.",
			},
		},
		Patience: MaxWait, // each message is one transaction, because their order is that of transactions
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			return importJS{dir: given.Args().First(), apply: given.Bool("apply")}.run(ctx, inv)
		},
	}
}

type importJS struct {
	dir   string
	apply bool
}

func (o importJS) run(ctx context.Context, inv *Invocation) (Answer, error) {
	cwd, err := inv.Cwd()
	if err != nil {
		return Answer{}, err
	}
	if !filepath.IsAbs(o.dir) {
		o.dir = filepath.Join(cwd, o.dir)
	}
	from, err := jsstore.Read(filepath.Clean(o.dir)) // first: nobody is told to move a room of this acc away
	if err != nil {
		return Answer{}, err
	}
	if err := o.notInTheWay(ctx, inv); err != nil {
		return Answer{}, err
	}
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	data := view.ImportedData{From: from.WorkspaceID, Contract: int(from.Contract), Applied: o.apply, Unreadable: from.Unreadable}
	if o.apply && len(from.Unreadable) > 0 {
		return Answer{}, protocol.DataError(protocol.ReasonMalformed, fmt.Sprintf("nothing was taken over: %d files cannot be read, the first is %s", len(from.Unreadable), from.Unreadable[0])).
			WithHint("acc import-js without --apply names them; move those aside that you can do without")
	}
	if err := o.take(ctx, inv, r, from, &data); err != nil {
		return Answer{}, err
	}
	a := answer(view.Imported, data, func(u *ui.UI) { sayImported(u, data) })
	a.WorkspaceID = r.Workspace.ID
	if len(from.Unreadable) > 0 {
		a.Code = protocol.Data
	}
	return a, nil
}

// notInTheWay refuses a store that lies where that of the room has to.
func (o importJS) notInTheWay(ctx context.Context, inv *Invocation) error {
	home, d, err := inv.locate(ctx, inv.Env)
	if err != nil || home.Workspace(d.ID) != filepath.Clean(o.dir) {
		return err
	}
	return protocol.ConflictError("store_in_the_way", o.dir+" lies where the store of this room has to be").
		WithHint(fmt.Sprintf("stop the JavaScript acc, then: mv '%[1]s' '%[1]s.js' && acc import-js '%[1]s.js'", o.dir))
}

// take imports what is not there yet, or counts it.
func (o importJS) take(ctx context.Context, inv *Invocation, r *room.Room, from jsstore.Store, data *view.ImportedData) error {
	progress := inv.UI.Progress("taking over messages")
	defer progress.Done()
	for n, in := range from.Messages {
		added, err := o.one(ctx, r, in)
		if err != nil {
			return classify(err).With("messageId", in.Message.MessageID).WithHint("run it again: it goes on where it ended")
		}
		progress.Step(n + 1)
		if !added {
			data.Known++
			continue
		}
		data.Messages++
		data.Receipts += len(in.Receipts)
	}
	return nil
}

func (o importJS) one(ctx context.Context, r *room.Room, in core.Imported) (bool, error) {
	if o.apply {
		return bounded(ctx, func(ctx context.Context) (bool, error) { return r.Core.Import(ctx, in) })
	}
	_, err := bounded(ctx, func(ctx context.Context) (core.HistoryMessage, error) {
		return r.Core.Message(ctx, in.Message.MessageID)
	})
	if protocol.ReasonOf(err) == protocol.ReasonNotFound {
		return true, nil
	}
	return false, err
}

func sayImported(u *ui.UI, data view.ImportedData) {
	verb := "would take over"
	if data.Applied {
		verb = "took over"
	}
	u.Print("%s %d messages with %d receipts from %s (contract %d); %d are here already", verb, data.Messages, data.Receipts, data.From, data.Contract, data.Known)
	for n, file := range data.Unreadable {
		if n == doctor.MaxPaths {
			u.Print("and %d more", len(data.Unreadable)-n)
			break
		}
		u.Print("unreadable: %s", ui.Escape(file))
	}
	if !data.Applied && data.Messages > 0 && len(data.Unreadable) == 0 {
		u.Print("acc import-js ... --apply does it")
	}
}

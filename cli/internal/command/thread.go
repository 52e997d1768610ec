package command

import (
	"context"
	"slices"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	flags "github.com/urfave/cli/v2"
)

func threadCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "thread", Group: groupSession,
			Summary:   "show a whole conversation",
			Arguments: []argv.Argument{{Name: "ID", Required: true, Usage: "any message of it"}},
			Options: withHeader([]argv.Option{
				{Name: "cursor", Value: "ID", Usage: "the messages before this one"},
				{Name: "limit", Value: "N", Default: "20", Usage: "messages of a page"},
			}...),
			Notes: []string{"The newest messages, read from top to bottom. Reading changes no receipt."},
		},
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			size, err := limit(given, protocol.InboxPageMax)
			if err != nil {
				return Answer{}, err
			}
			return threadOptions{given.Args().First(), core.HistoryQuery{Cursor: given.String("cursor"), Limit: size}}.run(ctx, inv)
		},
	}
}

type threadOptions struct {
	messageID string
	query     core.HistoryQuery
}

func (o threadOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	some, err := r.Core.Message(ctx, o.messageID)
	if err != nil {
		return Answer{}, err
	}
	o.query.ThreadID = some.Message.ThreadID
	data, err := threadPage(ctx, r, o.query)
	if err != nil {
		return Answer{}, err
	}
	a := answer(view.Thread, data, func(u *ui.UI) {
		if data.NextCursor != "" {
			u.Print("earlier: acc thread %s --cursor %s\n", data.ThreadID, data.NextCursor)
		}
		for i, whole := range slices.Backward(data.Items) {
			sayWhole(u, whole)
			if i > 0 {
				u.Print("")
			}
		}
	})
	a.WorkspaceID = r.Workspace.ID
	return a, nil
}

// threadPage reads one page of whole messages. Messages never change, so that reading them one by one
// cannot tear the page; their receipts are each as of their own reading.
func threadPage(ctx context.Context, r *room.Room, q core.HistoryQuery) (view.ThreadData, error) {
	page, err := r.Core.History(ctx, q)
	if err != nil {
		return view.ThreadData{}, err
	}
	data := view.ThreadData{ThreadID: q.ThreadID, NextCursor: page.NextCursor}
	for _, summary := range page.Items {
		whole, err := r.Core.Message(ctx, summary.MessageID)
		if err != nil {
			return view.ThreadData{}, err
		}
		data.Items = append(data.Items, whole)
	}
	return data, nil
}

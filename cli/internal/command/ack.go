package command

import (
	"context"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	flags "github.com/urfave/cli/v2"
)

func ackCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "ack", Group: groupSession,
			Summary: "say that messages were taken note of",
			Options: withOwner(
				argv.Option{Name: "message", Value: "ID", Usage: "this one, or"},
				argv.Option{Name: "through", Value: "ID", Usage: "this one and every older one in the inbox, or"},
				argv.Option{Name: "all", Usage: "everything in the inbox"},
			),
			Notes: []string{
				"A question or request is settled only by acc reply: alone it is refused (exit code 5), among others it is left and named (exit code 6).",
			},
		},
		Patience: MaxWait, // a long inbox is one commit per message; each has the deadline of a command
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseAck(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

type ackOptions struct {
	who       core.Owner
	messageID string // the one, or
	through   string // the newest of several; empty: everything
}

func parseAck(inv *Invocation, given *flags.Context) (ackOptions, error) {
	who, err := owner(inv, given)
	if err != nil {
		return ackOptions{}, err
	}
	o := ackOptions{who, given.String("message"), given.String("through")}
	chosen := 0
	for _, set := range []bool{o.messageID != "", o.through != "", given.Bool("all")} {
		if set {
			chosen++
		}
	}
	if chosen != 1 {
		return ackOptions{}, invalid("acc ack needs one of --message ID, --through ID and --all").WithHint("acc inbox lists what waits")
	}
	return o, nil
}

func (o ackOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	var data view.AcknowledgedData
	if o.messageID != "" {
		receipt, err := o.one(ctx, r, o.messageID)
		if err != nil {
			return Answer{}, err
		}
		data.Receipts = []protocol.Receipt{receipt}
	} else if data, err = o.several(ctx, r); err != nil {
		return Answer{}, err
	}
	a := answer(view.Acknowledged, data, func(u *ui.UI) {
		for _, receipt := range data.Receipts {
			u.Print("%s  %s", receipt.MessageID, receipt.State)
		}
		for _, refused := range data.Refused {
			u.Print("%s  is owed a reply: acc reply --message %s --body TEXT", refused.MessageID, refused.MessageID)
		}
	})
	a.WorkspaceID = r.Workspace.ID
	if len(data.Refused) > 0 {
		a.Code = protocol.Attention
	}
	return a, nil
}

func (o ackOptions) one(ctx context.Context, r *room.Room, messageID string) (protocol.Receipt, error) {
	return bounded(ctx, func(ctx context.Context) (protocol.Receipt, error) { return r.Core.Ack(ctx, o.who, messageID) })
}

// several acknowledges what was in the inbox when it was read, in its order.
func (o ackOptions) several(ctx context.Context, r *room.Room) (view.AcknowledgedData, error) {
	items, err := o.listed(ctx, r)
	if err != nil {
		return view.AcknowledgedData{}, err
	}
	var data view.AcknowledgedData
	for _, item := range items {
		id := item.Message.MessageID
		if item.Message.Obligation == protocol.ObligationReply {
			data.Refused = append(data.Refused, view.Refusal{MessageID: id, Reason: string(protocol.ReasonReplyRequired)})
			continue
		}
		receipt, err := o.one(ctx, r, id)
		if err != nil {
			return data, err
		}
		data.Receipts = append(data.Receipts, receipt)
	}
	return data, nil
}

// listed gives the inbox, from o.through on where that is set.
func (o ackOptions) listed(ctx context.Context, r *room.Room) ([]core.InboxItem, error) {
	var items []core.InboxItem
	reached := o.through == ""
	for query := (core.InboxQuery{Limit: protocol.InboxPageMax}); ; {
		page, err := bounded(ctx, func(ctx context.Context) (core.InboxPage, error) { return r.Core.Inbox(ctx, o.who, query) })
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			if reached = reached || item.Message.MessageID == o.through; reached {
				items = append(items, item)
			}
		}
		if page.NextCursor == "" {
			break
		}
		query.Cursor = page.NextCursor
	}
	if !reached {
		return nil, protocol.DataError(protocol.ReasonNotFound, "message \""+o.through+"\" is not in the inbox").WithHint("acc inbox lists what waits")
	}
	return items, nil
}

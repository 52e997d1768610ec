package command

import (
	"context"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	flags "github.com/urfave/cli/v2"
)

func ackCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "ack", Group: groupSession,
			Summary: "say that a message was taken note of",
			Options: withOwner(argv.Option{Name: "message", Value: "ID", Required: true, Usage: "the message"}),
			Notes:   []string{"A question or request is settled only by acc reply."},
		},
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
	messageID string
}

func parseAck(inv *Invocation, given *flags.Context) (ackOptions, error) {
	who, err := owner(inv, given)
	return ackOptions{who, given.String("message")}, err
}

func (o ackOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	receipt, err := r.Core.Ack(ctx, o.who, o.messageID)
	if err != nil {
		return Answer{}, err
	}
	a := answer(view.Acknowledged, view.ReceiptData{Receipt: receipt}, func(u *ui.UI) { u.Print("%s  %s", receipt.MessageID, receipt.State) })
	a.WorkspaceID = r.Workspace.ID
	return a, nil
}

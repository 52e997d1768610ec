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

func receiptsCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "receipts", Group: groupSession,
			Summary:   "tell how far a message has come with each recipient",
			Arguments: []argv.Argument{{Name: "ID", Required: true, Usage: "the message"}},
			Options:   withHeader(),
			Notes:     []string{"queued: recorded. offered: shown. retrieved: read exactly. acknowledged: acknowledged or answered."},
		},
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			return runReceipts(ctx, inv, given.Args().First())
		},
	}
}

func runReceipts(ctx context.Context, inv *Invocation, messageID string) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	receipts, err := r.Core.Receipts(ctx, messageID)
	if err != nil {
		return Answer{}, err
	}
	a := answer(view.Receipts, view.ReceiptsData{MessageID: messageID, Receipts: receipts}, func(u *ui.UI) {
		u.Table("", receiptRows(time.Now(), receipts))
	})
	a.WorkspaceID = r.Workspace.ID
	return a, nil
}

func receiptRows(now time.Time, receipts []protocol.Receipt) [][]ui.Cell {
	var rows [][]ui.Cell
	for _, r := range receipts {
		if r.State == protocol.Offered && r.Offer != nil {
			rows = append(rows, ui.Row(r.RecipientParticipantID, offered(now, r.Offer)))
			continue
		}
		rows = append(rows, ui.Row(r.RecipientParticipantID, string(r.State)+" "+ui.ClockTime(now, r.UpdatedAt), offered(now, r.Offer)))
	}
	return rows
}

// offered says how and when a message was shown.
func offered(now time.Time, offer *protocol.Offer) string {
	if offer == nil {
		return "not offered"
	}
	text := "offered " + ui.ClockTime(now, offer.At) + " (" + offer.Transport + ")"
	if !offer.RepeatedAt.IsZero() {
		text += ", again " + ui.ClockTime(now, offer.RepeatedAt)
	}
	return text
}

package command

import (
	"context"

	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/delivery-router"
	"github.com/acc-control-plane/acc/delivery-router/delivery"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// sentAnswer offers what was recorded, waits for what the sender waits for, and gives the answer of every
// command that records a message.
func sentAnswer(ctx context.Context, inv *Invocation, r *room.Room, result core.SendResult, w await) (Answer, error) {
	offers := inv.offer(ctx, r, result)
	reached, err := w.advance(ctx, inv, r, &result)
	if err != nil {
		return Answer{}, err
	}
	sent := sentData(ctx, r, result, offers)
	a := answer(view.Sent, sent, func(u *ui.UI) { saySent(u, sent) })
	a.WorkspaceID, a.Warnings = r.Workspace.ID, result.Warnings
	return w.judge(a, reached), nil
}

// sentData says what is known of each recipient.
func sentData(ctx context.Context, r *room.Room, result core.SendResult, offers []router.Outcome) view.SentData {
	present, _ := bounded(ctx, func(ctx context.Context) (map[string]protocol.Presence, error) {
		return r.Core.Presences(ctx, delivery.Recipients(result.Receipts))
	})
	return view.SentData{
		Message: result.Message, Duplicate: result.Duplicate,
		Delivery: delivery.Results(result.Receipts, offers, present),
	}
}

func saySent(u *ui.UI, sent view.SentData) {
	recorded := "recorded"
	if sent.Duplicate {
		recorded = "recorded before"
	}
	u.Print("%s  %s", sent.Message.MessageID, recorded)
	var rows [][]ui.Cell
	for _, d := range sent.Delivery {
		rows = append(rows, ui.Row(d.RecipientParticipantID, headline(d), forecast(d)))
	}
	u.Table("  ", rows)
}

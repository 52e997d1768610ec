package command

import (
	"context"

	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// sentAnswer offers what was recorded, waits for what the sender waits for, and gives the answer of every
// command that records a message.
func sentAnswer(ctx context.Context, inv *Invocation, r *room.Room, result core.SendResult, w await) (Answer, error) {
	offers := inv.offer(ctx, r, result)
	reached, err := w.advance(ctx, r.Core, &result)
	if err != nil {
		return Answer{}, err
	}
	sent := sentData(ctx, r, result, offers)
	a := answer(view.Sent, sent, func(u *ui.UI) { saySent(u, sent) })
	a.WorkspaceID, a.Warnings = r.Workspace.ID, result.Warnings
	return w.judge(a, reached), nil
}

// sentData says what is known of each recipient. The message is recorded by now: not knowing who is
// there must not look like a failed send, so presence is then unknown.
func sentData(ctx context.Context, r *room.Room, result core.SendResult, offers offers) view.SentData {
	presence := map[string]protocol.Presence{}
	status, err := bounded(ctx, func(ctx context.Context) (core.Status, error) { return r.Core.Status(ctx, core.StatusQuery{}) })
	for _, s := range status.Sessions {
		presence[s.ParticipantID] = better(presence[s.ParticipantID], s.Presence)
	}
	data := view.SentData{Message: result.Message, Duplicate: result.Duplicate}
	for _, receipt := range result.Receipts {
		d := view.Delivery{Outcome: offers.of(receipt), Presence: protocol.PresenceUnknown}
		if err == nil {
			d.Presence = better(presence[receipt.RecipientParticipantID], protocol.Offline)
		}
		data.Delivery = append(data.Delivery, d)
	}
	return data
}

// better gives the more present of two presences of one participant's sessions.
func better(a, b protocol.Presence) protocol.Presence {
	rank := map[protocol.Presence]int{protocol.Online: 4, protocol.Stale: 3, protocol.PresenceUnknown: 2, protocol.Offline: 1}
	if rank[a] >= rank[b] {
		return a
	}
	return b
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

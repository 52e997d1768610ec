package command

import (
	"context"

	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// sentAnswer waits for what the sender waits for and gives the answer of every command that records a
// message.
func sentAnswer(ctx context.Context, r *room.Room, result core.SendResult, w await) (Answer, error) {
	reached, err := w.advance(ctx, r.Core, &result)
	if err != nil {
		return Answer{}, err
	}
	sent := sentData(ctx, r, result)
	a := answer(view.Sent, sent, func(u *ui.UI) { saySent(u, sent) })
	a.WorkspaceID, a.Warnings = r.Workspace.ID, result.Warnings
	return w.judge(a, reached), nil
}

// sentData says what is known of each recipient. The message is recorded by now: not knowing who is
// there must not look like a failed send, so presence is then unknown.
func sentData(ctx context.Context, r *room.Room, result core.SendResult) view.SentData {
	presence := map[string]protocol.Presence{}
	status, err := bounded(ctx, func(ctx context.Context) (core.Status, error) { return r.Core.Status(ctx, core.StatusQuery{}) })
	for _, s := range status.Sessions {
		presence[s.ParticipantID] = better(presence[s.ParticipantID], s.Presence)
	}
	data := view.SentData{Message: result.Message, Duplicate: result.Duplicate}
	for _, receipt := range result.Receipts {
		d := view.Delivery{RecipientParticipantID: receipt.RecipientParticipantID, Outcome: receipt.State, Transport: view.TransportDurable, Presence: protocol.PresenceUnknown}
		if receipt.Offer != nil {
			d.Transport = receipt.Offer.Transport
		}
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
		rows = append(rows, ui.Row(d.RecipientParticipantID, string(d.Outcome), forecast(d)))
	}
	u.Table("  ", rows)
}

// forecast says what happens next to a message, from what is known of the recipient.
func forecast(d view.Delivery) string {
	switch {
	case d.Outcome != protocol.Queued:
		return "by " + d.Transport
	case d.Presence == protocol.Offline:
		return "offline; waits until a session of that name opens"
	}
	return string(d.Presence) + "; waits for its next turn or its next look into the inbox"
}

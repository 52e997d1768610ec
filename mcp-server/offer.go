package mcpserver

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/delivery-router"
	"github.com/acc-control-plane/acc/mcp-server/internal/answer"
	"github.com/acc-control-plane/acc/mcp-server/internal/caller"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// offerDeadline bounds the attempt to make recipients look at once.
const offerDeadline = 5 * time.Second

// offer asks running sessions of the recipients to look sooner. The message is recorded by now, so
// nothing that goes wrong here fails the call.
func (s *server) offer(ctx context.Context, r *room.Room, m protocol.Message) map[string]router.Outcome {
	made := map[string]router.Outcome{}
	if len(s.options.Lives) == 0 || len(m.ToParticipantIDs) == 0 {
		return made
	}
	ctx, cancel := context.WithTimeout(ctx, offerDeadline)
	defer cancel()
	ledger := livefiles.NewLedger(r.Home, r.Dir)
	offering, err := router.New(router.Config{
		Room: r.Core, Lives: s.options.Lives, Vault: livefiles.NewVault(r.Home), Ledger: ledger, Policies: livefiles.NewPolicies(r.Home), Attempts: ledger,
	})
	if err != nil {
		return made
	}
	outcomes, _ := offering.OfferNew(ctx, m.MessageID)
	for _, o := range outcomes {
		made[o.RecipientParticipantID] = o
	}
	return made
}

// sent offers a recorded message and says what is known of each recipient. What cannot be found out must
// not look like a failed send, so it is then unknown.
func (c call) sent(ctx context.Context, who *caller.Caller, data answer.SentData, receipts []protocol.Receipt) (reply, error) {
	offers := c.offer(ctx, who.Room, data.Message)
	if now, err := who.Room.Core.Receipts(ctx, data.Message.MessageID); err == nil {
		receipts = now
	}
	status, err := who.Room.Core.Status(ctx, core.StatusQuery{})
	presence := map[string]protocol.Presence{}
	for _, s := range status.Sessions {
		presence[s.ParticipantID] = better(presence[s.ParticipantID], s.Presence)
	}
	for _, receipt := range receipts {
		d := answer.Delivery{Outcome: outcomeOf(receipt, offers), Presence: protocol.PresenceUnknown}
		if err == nil {
			d.Presence = better(presence[receipt.RecipientParticipantID], protocol.Offline)
		}
		data.Delivery = append(data.Delivery, d)
	}
	return give(c, answer.Sent, &data, c.saySent(data))
}

// outcomeOf is what an offer said of a recipient, unless its receipt says more by now.
func outcomeOf(receipt protocol.Receipt, offers map[string]router.Outcome) router.Outcome {
	o, found := offers[receipt.RecipientParticipantID]
	if found && receipt.State == protocol.Queued && (o.State == router.Queued || o.State == router.Woken) {
		return o
	}
	o = router.Outcome{RecipientParticipantID: receipt.RecipientParticipantID, State: router.State(receipt.State), Transport: router.TransportDurable}
	if receipt.Offer != nil {
		o.Transport = receipt.Offer.Transport
	}
	return o
}

// better gives the more present of two presences of one participant's sessions.
func better(a, b protocol.Presence) protocol.Presence {
	rank := map[protocol.Presence]int{protocol.Online: 4, protocol.Stale: 3, protocol.PresenceUnknown: 2, protocol.Offline: 1}
	if rank[a] >= rank[b] {
		return a
	}
	return b
}

package mcpserver

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/delivery-router"
	"github.com/acc-control-plane/acc/delivery-router/delivery"
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
func (s *server) offer(ctx context.Context, r *room.Room, m protocol.Message) []router.Outcome {
	if len(s.options.Lives) == 0 || len(m.ToParticipantIDs) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, offerDeadline)
	defer cancel()
	ledger := livefiles.NewLedger(r.Home, r.Dir)
	offering, err := router.New(router.Config{
		Room: r.Core, Lives: s.options.Lives, Vault: livefiles.NewVault(r.Home), Ledger: ledger, Policies: livefiles.NewPolicies(r.Home), Attempts: ledger,
	})
	if err != nil {
		return nil
	}
	outcomes, _ := offering.OfferNew(ctx, m.MessageID)
	return outcomes
}

// sent offers a recorded message and says what is known of each recipient. What cannot be found out must
// not look like a failed send, so it is then unknown.
func (c call) sent(ctx context.Context, who *caller.Caller, data answer.SentData, receipts []protocol.Receipt) (reply, error) {
	offers := c.offer(ctx, who.Room, data.Message)
	if now, err := who.Room.Core.Receipts(ctx, data.Message.MessageID); err == nil {
		receipts = now
	}
	present, _ := who.Room.Core.Presences(ctx, delivery.Recipients(receipts))
	data.Delivery = delivery.Results(receipts, offers, present)
	return give(c, answer.Sent, &data, c.saySent(data))
}

package core

import (
	"context"
	"fmt"

	"github.com/acc-control-plane/acc/protocol"
)

// OfferSuccess says that bytes of these messages crossed a transport boundary towards a session.
type OfferSuccess struct {
	MessageIDs    []string // one transaction for all
	Target        Owner
	Transport     string // protocol.TransportNextTurn or a live transport name
	AdapterID     string
	ClientVersion string // "unknown" where it is not known
}

// RecordOffers commits offered for every receipt that is still queued and leaves the others alone.
// The target session must be open and of that generation; a message to the room is offered by the next
// turn only. It gives the receipts in the order asked.
func (c *Core) RecordOffers(ctx context.Context, s OfferSuccess) ([]protocol.Receipt, error) {
	var receipts []protocol.Receipt
	err := c.update(ctx, func(ch *change) error {
		target, err := ch.owned(s.Target)
		if err != nil {
			return err
		}
		receipts = make([]protocol.Receipt, len(s.MessageIDs))
		for i, id := range s.MessageIDs {
			m, receipt, err := ch.addressed(target, id)
			if err != nil {
				return err
			}
			if receipts[i], err = ch.offer(target, m, receipt, s); err != nil {
				return err
			}
		}
		return nil
	})
	return receipts, err
}

func (c *change) offer(target *protocol.Session, m *protocol.Message, receipt *protocol.Receipt, s OfferSuccess) (protocol.Receipt, error) {
	if len(m.ToParticipantIDs) == 0 && s.Transport != protocol.TransportNextTurn {
		return *receipt, protocol.DataError("", fmt.Sprintf("message %s went to the room, which %s does not carry", m.MessageID, s.Transport))
	}
	if receipt.State != protocol.Queued {
		return *receipt, nil
	}
	next, _, err := protocol.AdvanceReceipt(*receipt, protocol.Offered, c.now)
	if err != nil {
		return *receipt, err
	}
	next.Offer = &protocol.Offer{Transport: s.Transport, At: c.now}
	if err := c.tx.Put(&next); err != nil {
		return *receipt, err
	}
	c.append(target, protocol.OfferSucceededPayload{
		MessageID: m.MessageID, RecipientParticipantID: receipt.RecipientParticipantID,
		TargetSessionID: target.SessionID, TargetGenerationRef: protocol.GenerationRef(target.Generation),
		Transport: s.Transport, AdapterID: s.AdapterID, ClientVersion: s.ClientVersion,
	})
	return next, nil
}

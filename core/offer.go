package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/acc-control-plane/acc/protocol"
)

// OfferSuccess says that bytes of these messages crossed a transport boundary towards a session.
type OfferSuccess struct {
	MessageIDs    []string // one transaction for all
	Target        Owner
	Transport     string // protocol.TransportNextTurn or a live transport name
	AdapterID     string
	ClientVersion string // "unknown" where it is not known

	// Repeats are messages of Turn.Repeats that were shown again; only the next turn does that.
	Repeats []string
	// ExpiredClaims are claims of the target whose end it was told of (ClaimExpired); they are released,
	// so that they are told once.
	ExpiredClaims []string
}

// RecordOffers commits offered for every receipt that is still queued, marks the repeats that are still
// due, and leaves the others alone, whatever was true when they were read. The target session must be
// open and of that generation; a message to the room is offered by the next turn only. It gives the
// receipts of MessageIDs, then of Repeats, in the order asked.
func (c *Core) RecordOffers(ctx context.Context, s OfferSuccess) ([]protocol.Receipt, error) {
	if len(s.Repeats) > 0 && s.Transport != protocol.TransportNextTurn {
		return nil, protocol.DataError("", fmt.Sprintf("a live offer is repeated by the next turn only, not by %s", s.Transport))
	}
	var receipts []protocol.Receipt
	err := c.update(ctx, func(ch *change) error {
		target, err := ch.owned(s.Target)
		if err != nil {
			return err
		}
		receipts = make([]protocol.Receipt, 0, len(s.MessageIDs)+len(s.Repeats))
		for i, id := range slices.Concat(s.MessageIDs, s.Repeats) {
			receipt, err := ch.offerable(target, id, s.Transport)
			if err != nil {
				return err
			}
			commit := ch.offer
			if i >= len(s.MessageIDs) {
				commit = ch.repeat
			}
			committed, err := commit(target, receipt, s)
			if err != nil {
				return err
			}
			receipts = append(receipts, committed)
		}
		return ch.toldExpired(target, s.ExpiredClaims)
	})
	return receipts, err
}

// offerable gives the receipt of a message that a transport carried to the target. The next turn carries every one that
// there is a receipt of, so that the messages, which it has just told, are not read again while others wait.
func (c *change) offerable(target *protocol.Session, messageID, transport string) (*protocol.Receipt, error) {
	if transport == protocol.TransportNextTurn {
		if receipt, found, err := c.receipt(messageID, target.ParticipantID); found || err != nil {
			return receipt, err
		}
	}
	m, receipt, err := c.addressed(target, messageID)
	if err == nil && len(m.ToParticipantIDs) == 0 && transport != protocol.TransportNextTurn {
		err = protocol.DataError("", fmt.Sprintf("message %s went to the room, which %s does not carry", m.MessageID, transport))
	}
	return receipt, err
}

// offer commits that a queued receipt was offered.
func (c *change) offer(target *protocol.Session, receipt *protocol.Receipt, s OfferSuccess) (protocol.Receipt, error) {
	if receipt.State != protocol.Queued {
		return *receipt, nil
	}
	next, _, err := protocol.AdvanceReceipt(*receipt, protocol.Offered, c.now)
	if err != nil {
		return *receipt, err
	}
	next.Offer = &protocol.Offer{Transport: s.Transport, At: c.now}
	return next, c.offered(target, &next, s, false)
}

// repeat commits that a live offer was shown once more, if that is still due. The receipt stays
// offered and keeps its time.
func (c *change) repeat(target *protocol.Session, receipt *protocol.Receipt, s OfferSuccess) (protocol.Receipt, error) {
	if !c.repeatDue(receipt) {
		return *receipt, nil
	}
	next, offer := *receipt, *receipt.Offer
	offer.RepeatedAt = c.now
	next.Offer = &offer
	return next, c.offered(target, &next, s, true)
}

// repeatDue says whether a live offer was made long enough ago, not retrieved and not repeated.
func (r *room) repeatDue(receipt *protocol.Receipt) bool {
	return liveOffer(receipt) && r.now.Sub(receipt.Offer.At) >= protocol.RepeatLiveOffer
}

func (c *change) offered(target *protocol.Session, receipt *protocol.Receipt, s OfferSuccess, repeat bool) error {
	if err := c.tx.Put(receipt); err != nil {
		return err
	}
	c.append(target, protocol.OfferSucceededPayload{
		MessageID: receipt.MessageID, RecipientParticipantID: receipt.RecipientParticipantID,
		TargetSessionID: target.SessionID, TargetGenerationRef: protocol.GenerationRef(target.Generation),
		Transport: s.Transport, AdapterID: s.AdapterID, ClientVersion: s.ClientVersion, Repeat: repeat,
	})
	return nil
}

// toldExpired releases the claims of a session whose lease is over and whose end it was told of.
func (c *change) toldExpired(s *protocol.Session, claimIDs []string) error {
	for _, id := range claimIDs {
		claim, found, err := c.claim(id)
		if err != nil {
			return err
		}
		if !found || claim.OwnerSessionID != s.SessionID || c.live(claim) {
			continue
		}
		if err := c.dropClaim(s, claim, ReleaseRequest{Reason: leaseOver}); err != nil {
			return err
		}
	}
	return nil
}

// OfferFailure says that a live offer to exactly one session generation was refused or failed.
type OfferFailure struct {
	MessageID              string
	RecipientParticipantID string
	Target                 Owner // need not be open any more
	Transport              string
	AdapterID              string
	ClientVersion          string
	Code                   protocol.OfferFailure // of the closed vocabulary; any other is refused with Code Data
}

// RecordOfferFailure commits the failure as an event of its target and leaves the receipt as it is. The
// target must be of that participant and generation; messages to the room are never offered live.
func (c *Core) RecordOfferFailure(ctx context.Context, f OfferFailure) (protocol.Receipt, error) {
	var receipt protocol.Receipt
	err := c.update(ctx, func(ch *change) error {
		target, err := ch.known(f.Target)
		if err != nil {
			return err
		}
		if target.ParticipantID != f.RecipientParticipantID {
			return protocol.ConflictError(protocol.ReasonCallerMismatch, fmt.Sprintf("session %q is not of participant %q", target.SessionID, f.RecipientParticipantID))
		}
		m, found, err := ch.addressed(target, f.MessageID)
		if err != nil {
			return err
		}
		if len(m.ToParticipantIDs) == 0 {
			return protocol.DataError("", fmt.Sprintf("message %s went to the room, which is never offered live", m.MessageID))
		}
		receipt = *found
		ch.append(target, protocol.OfferFailedPayload{
			MessageID: m.MessageID, RecipientParticipantID: f.RecipientParticipantID,
			TargetSessionID: target.SessionID, TargetGenerationRef: protocol.GenerationRef(target.Generation),
			Transport: f.Transport, AdapterID: f.AdapterID, ClientVersion: f.ClientVersion, SafeErrorCode: f.Code,
		})
		return nil
	})
	return receipt, err
}

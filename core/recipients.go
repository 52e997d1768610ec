package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/acc-control-plane/acc/core/presence"
	"github.com/acc-control-plane/acc/protocol"
)

// Recipient is one recipient of a message as a router of live offers needs to know it, in one snapshot.
// It holds credentials of sessions and is never shown.
type Recipient struct {
	Message  protocol.Message
	Receipt  protocol.Receipt
	Replaced bool               // a newer decision replaced or withdrew the message: nothing is to be offered
	Sessions []protocol.Session // open and not offline
	Bindings []Binding          // of the only one in Sessions; empty when there are none or several
	// EndReason is the client's word at the end of the participant's latest session, when Sessions is
	// empty.
	EndReason string
}

// Recipients gives every recipient of a message, sorted by participant.
func (c *Core) Recipients(ctx context.Context, messageID string) ([]Recipient, error) {
	var all []Recipient
	err := c.view(ctx, func(r *room) error {
		all = nil
		m, found, err := r.message(messageID)
		if err == nil && !found {
			err = protocol.DataError(protocol.ReasonNotFound, fmt.Sprintf("there is no message %q", messageID))
		}
		if err != nil {
			return err
		}
		receipts, err := r.receiptsOf(messageID)
		if err != nil {
			return err
		}
		for _, receipt := range receipts {
			recipient, err := r.recipient(m, &receipt)
			if err != nil {
				return err
			}
			all = append(all, recipient)
		}
		return nil
	})
	return all, err
}

// Recipient gives one recipient of a message again, for the look immediately before an offer.
func (c *Core) Recipient(ctx context.Context, messageID, participantID string) (Recipient, error) {
	var recipient Recipient
	err := c.view(ctx, func(r *room) error {
		m, receipt, err := r.addressedTo(participantID, messageID)
		if err != nil {
			return err
		}
		recipient, err = r.recipient(m, receipt)
		return err
	})
	return recipient, err
}

// Presences says for each participant how present it is: as its most present open session, or offline without any. It
// costs what those sessions cost, whoever else is in the room.
func (c *Core) Presences(ctx context.Context, participantIDs []string) (map[string]protocol.Presence, error) {
	var found map[string]protocol.Presence
	err := c.view(ctx, func(r *room) error {
		found = make(map[string]protocol.Presence, len(participantIDs))
		for _, id := range participantIDs {
			p, err := r.presenceOfParticipant(id)
			if err != nil {
				return err
			}
			found[id] = p
		}
		return nil
	})
	return found, err
}

func (r *room) presenceOfParticipant(id string) (protocol.Presence, error) {
	sessions, err := r.sessions(OpenSessionsByParticipant, id)
	most := protocol.Offline
	for _, s := range sessions {
		p, err := r.presenceOf(s)
		if err != nil {
			return "", err
		}
		most = presence.More(most, p)
	}
	return most, err
}

// OwedOffers gives the ids of messages that are addressed to a participant, not replaced and still
// queued, oldest first: what a router may try again.
func (c *Core) OwedOffers(ctx context.Context, participantID string, limit int) ([]string, error) {
	var ids []string
	err := c.view(ctx, func(r *room) error {
		ids = nil
		q := Query{Index: QueuedReceipts, Key: []string{participantID}, Limit: chunk}
		return r.walkMail(q, func(m *protocol.Message, _ *protocol.Receipt) (bool, error) {
			if len(m.ToParticipantIDs) > 0 {
				ids = append(ids, m.MessageID)
			}
			return len(ids) < limit, nil
		})
	})
	return ids, err
}

// UnansweredOffers gives the ids of messages with an obligation that a participant sent and that are still
// queued with somebody, newest first: what its router may try again after a crash or a lost wake. Only
// the last limit obligations are looked at.
func (c *Core) UnansweredOffers(ctx context.Context, authorID string, limit int) ([]string, error) {
	var ids []string
	err := c.view(ctx, func(r *room) error {
		ids = nil
		entries, err := r.Find(Query{Index: ObligationsByAuthor, Key: []string{authorID}, Reverse: true, Limit: limit})
		if err != nil {
			return err
		}
		for _, entry := range entries {
			receipt, _, found, err := get[*protocol.Receipt](r, protocol.KindReceipt, entry.ID)
			if err != nil {
				return err
			}
			if found && receipt.State == protocol.Queued && !slices.Contains(ids, receipt.MessageID) {
				ids = append(ids, receipt.MessageID)
			}
		}
		return nil
	})
	return ids, err
}

func (r *room) recipient(m *protocol.Message, receipt *protocol.Receipt) (Recipient, error) {
	recipient := Recipient{Message: *m, Receipt: *receipt}
	head, err := r.isHead(m.MessageID, m.MessageKind)
	if err != nil {
		return recipient, err
	}
	recipient.Replaced = !head
	sessions, err := r.sessions(OpenSessionsByParticipant, receipt.RecipientParticipantID)
	if err != nil {
		return recipient, err
	}
	for _, s := range sessions {
		p, err := r.presenceOf(s)
		if err != nil {
			return recipient, err
		}
		if p != protocol.Offline {
			recipient.Sessions = append(recipient.Sessions, *s)
		}
	}
	switch len(recipient.Sessions) {
	case 0:
		latest, err := r.latestSession(receipt.RecipientParticipantID)
		if err != nil || latest == nil {
			return recipient, err
		}
		recipient.EndReason = latest.EndReason
	case 1:
		recipient.Bindings, err = r.bindingsOf(&recipient.Sessions[0])
	}
	return recipient, err
}

// latestSession gives the session of a participant that first opened last, open or closed; nil: none.
func (r *room) latestSession(participantID string) (*protocol.Session, error) {
	latest, err := list[*protocol.Session](r, protocol.KindSession, Query{Index: SessionsByParticipant, Key: []string{participantID}, Reverse: true, Limit: 1})
	if err != nil || len(latest) == 0 {
		return nil, err
	}
	return latest[0], nil
}

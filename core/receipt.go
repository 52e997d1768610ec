package core

import (
	"context"
	"fmt"

	"github.com/acc-control-plane/acc/core/decision"
	"github.com/acc-control-plane/acc/protocol"
)

// Ack acknowledges a message; refused with ReasonReplyRequired while a reply is owed.
func (c *Core) Ack(ctx context.Context, owner Owner, messageID string) (protocol.Receipt, error) {
	var acknowledged protocol.Receipt
	err := c.update(ctx, func(ch *change) error {
		s, err := ch.owned(owner)
		if err != nil {
			return err
		}
		m, receipt, err := ch.addressed(s, messageID)
		if err != nil {
			return err
		}
		if m.Obligation == protocol.ObligationReply && receipt.State != protocol.Acknowledged {
			return protocol.ConflictError(protocol.ReasonReplyRequired, fmt.Sprintf("message %s is owed a reply, which an acknowledgement does not give", messageID)).
				With("messageId", messageID).WithHint("acc reply --message " + messageID + " --body TEXT")
		}
		acknowledged, err = ch.advance(s, receipt, protocol.Acknowledged)
		return err
	})
	return acknowledged, err
}

// Mail is a whole message with the reader's receipt.
type Mail struct {
	Message  protocol.Message
	Receipt  protocol.Receipt
	Decision *decision.Status // of a decision; nil for other kinds
}

// mail puts a message and a receipt together.
func (r *room) mail(m *protocol.Message, receipt *protocol.Receipt) (Mail, error) {
	status, err := r.decisionStatus(m)
	return Mail{Message: *m, Receipt: *receipt, Decision: status}, err
}

// Read gives one message addressed to the participant of owner and advances its receipt to retrieved
// unless it is further already; then nothing is written.
func (c *Core) Read(ctx context.Context, owner Owner, messageID string) (Mail, error) {
	var mail Mail
	read := func(r *room) (*protocol.Session, *protocol.Receipt, error) {
		s, err := r.owned(owner)
		if err != nil {
			return nil, nil, err
		}
		m, receipt, err := r.addressed(s, messageID)
		if err != nil {
			return nil, nil, err
		}
		mail, err = r.mail(m, receipt)
		return s, receipt, err
	}
	err := c.view(ctx, func(r *room) error {
		_, _, err := read(r)
		return err
	})
	if err != nil || mail.Receipt.State == protocol.Retrieved || mail.Receipt.State == protocol.Acknowledged {
		return mail, err
	}
	err = c.update(ctx, func(ch *change) error {
		s, receipt, err := read(ch.room)
		if err != nil || receipt.State == protocol.Acknowledged {
			return err
		}
		mail.Receipt, err = ch.advance(s, receipt, protocol.Retrieved)
		return err
	})
	return mail, err
}

// advance moves a receipt of the actor's own participant forward and tells of it; a receipt that is
// there already is left as it is.
func (c *change) advance(actor *protocol.Session, receipt *protocol.Receipt, to protocol.ReceiptState) (protocol.Receipt, error) {
	next, changed, err := protocol.AdvanceReceipt(*receipt, to, c.now)
	if err != nil || !changed {
		return *receipt, err
	}
	if err := c.tx.Put(&next); err != nil {
		return *receipt, err
	}
	if to == protocol.Retrieved {
		c.append(actor, protocol.MessageRetrievedPayload{MessageID: next.MessageID, RecipientParticipantID: next.RecipientParticipantID})
	} else {
		c.append(actor, protocol.MessageAcknowledgedPayload{MessageID: next.MessageID, RecipientParticipantID: next.RecipientParticipantID})
	}
	return next, nil
}

// Receipts gives every receipt of a message, sorted by recipient.
func (c *Core) Receipts(ctx context.Context, messageID string) ([]protocol.Receipt, error) {
	var receipts []protocol.Receipt
	err := c.view(ctx, func(r *room) error {
		_, found, err := r.message(messageID)
		if err == nil && !found {
			err = protocol.DataError(protocol.ReasonNotFound, fmt.Sprintf("there is no message %q", messageID))
		}
		if err != nil {
			return err
		}
		receipts, err = r.receiptsOf(messageID)
		return err
	})
	return receipts, err
}

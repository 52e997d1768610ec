package core

import (
	"context"
	"fmt"

	"github.com/acc-control-plane/acc/protocol"
)

// ReplyRequest answers a message addressed to the caller.
type ReplyRequest struct {
	MessageID       string
	Subject         string // empty: "Re: " and the subject of the original
	Body            string
	ClientMessageID string
}

// ReplyResult is a recorded answer and the caller's receipt of the original, now acknowledged.
type ReplyResult struct {
	SendResult
	Original protocol.Receipt
}

// Reply records an answer to the author of the original, in its thread, and acknowledges the original
// in the same transaction. It is allowed after an acknowledgement or an earlier answer too.
func (c *Core) Reply(ctx context.Context, owner Owner, req ReplyRequest) (ReplyResult, error) {
	var result ReplyResult
	err := c.update(ctx, func(ch *change) error {
		s, err := ch.owned(owner)
		if err != nil {
			return err
		}
		original, receipt, err := ch.addressed(s, req.MessageID)
		if err != nil {
			return err
		}
		result.SendResult, err = ch.record(s, protocol.Message{
			ThreadID: original.ThreadID, ClientMessageID: req.ClientMessageID, ToParticipantIDs: []string{original.FromParticipantID},
			MessageKind: protocol.Answer, Obligation: protocol.ObligationNone,
			Subject: orDefault(req.Subject, replySubject(original.Subject)), Body: req.Body, InReplyTo: original.MessageID,
		})
		if err != nil {
			return err
		}
		result.Original, err = ch.advance(s, receipt, protocol.Acknowledged)
		return err
	})
	return result, err
}

// addressed gives a message and the caller's receipt of it.
func (r *room) addressed(s *protocol.Session, messageID string) (*protocol.Message, *protocol.Receipt, error) {
	return r.addressedTo(s.ParticipantID, messageID)
}

func (r *room) addressedTo(participantID, messageID string) (*protocol.Message, *protocol.Receipt, error) {
	receipt, found, err := r.receipt(messageID, participantID)
	if err != nil {
		return nil, nil, err
	}
	m, known, err := r.message(messageID)
	switch {
	case err != nil:
		return nil, nil, err
	case !known:
		return nil, nil, protocol.DataError(protocol.ReasonNotFound, fmt.Sprintf("there is no message %q", messageID)).WithHint("acc inbox lists what waits for you")
	case !found:
		return nil, nil, protocol.DataError(protocol.ReasonNotFound, fmt.Sprintf("message %q was not addressed to %s", messageID, participantID)).
			WithHint("acc thread " + messageID + " shows it")
	}
	return m, receipt, nil
}

// replySubject cuts the subject of an answer to what a line may hold.
func replySubject(subject string) string {
	line := []rune("Re: " + subject)
	return string(line[:min(len(line), protocol.MaxLine)])
}

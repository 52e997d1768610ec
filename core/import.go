package core

import (
	"context"
	"strconv"

	"github.com/acc-control-plane/acc/protocol"
)

// Imported is a message that another store of this record format holds, with everything that goes with it.
type Imported struct {
	Message      protocol.Message
	Receipts     []protocol.Receipt     // as they stand there
	Participants []protocol.Participant // author and recipients, as far as they are known there
}

// Import records a message as it was recorded elsewhere: with its id, author, time and the states of its
// receipts, in the order in which Import is called. Its sessions are not of this room, so nobody can speak for
// them. A message whose id is on record is left as it is: added is false. It is no way to send: nobody is
// asked, and nobody is told sooner.
func (c *Core) Import(ctx context.Context, in Imported) (added bool, err error) {
	err = c.update(ctx, func(ch *change) error {
		added = false
		m := in.Message
		if _, found, err := ch.message(m.MessageID); err != nil || found {
			return err
		}
		author := &protocol.Session{SessionID: m.FromSessionID}
		if err := ch.materialise(author); err != nil {
			return err
		}
		for _, p := range in.Participants {
			if err := ch.acquaint(p); err != nil {
				return err
			}
		}
		before, err := ch.messageCount()
		if err != nil {
			return err
		}
		m.WorkspaceID = c.workspace.WorkspaceID
		m.Extensions = protocol.Extensions{ordinalExtension: strconv.AppendInt(nil, int64(before)+1, 10)}
		if err := ch.tx.Put(&m); err != nil {
			return err
		}
		var recipients []string
		for _, r := range in.Receipts {
			r.WorkspaceID, r.MessageID, r.Obligation, r.Author = m.WorkspaceID, m.MessageID, m.Obligation, ""
			if obliges(m.Obligation) {
				r.Author = m.FromParticipantID
			}
			if _, _, err := ch.receipt(m.MessageID, r.RecipientParticipantID); err != nil {
				return err
			}
			if err := ch.tx.Put(&r); err != nil {
				return err
			}
			recipients = append(recipients, r.RecipientParticipantID)
		}
		ch.append(author, protocol.MessageRecordedPayload{MessageID: m.MessageID, ThreadID: m.ThreadID, RecipientParticipantIDs: recipients})
		added = true
		return nil
	})
	return added && err == nil, err
}

// acquaint puts a participant on record who is not known here.
func (c *change) acquaint(p protocol.Participant) error {
	if _, found, err := c.participant(p.ParticipantID); err != nil || found {
		return err
	}
	p.WorkspaceID = c.core.workspace.WorkspaceID
	return c.tx.Put(&p)
}

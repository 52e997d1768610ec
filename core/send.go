package core

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/acc-control-plane/acc/protocol"
)

// SendRequest is a new message.
type SendRequest struct {
	To              []string // participant ids or client names; empty: the room
	MessageKind     protocol.MessageKind
	Obligation      protocol.Obligation // empty: what the kind implies
	Subject         string
	Body            string
	ClientMessageID string // empty: minted and returned
	Artifacts       []protocol.ArtifactRef
	Replaces        []string // decisions that this decision replaces, or
	Withdraws       []string // withdraws; who received them receives this one too
}

// SendResult is a recorded message.
type SendResult struct {
	Message   protocol.Message
	Receipts  []protocol.Receipt // sorted by recipient
	Duplicate bool               // the same key and content was recorded before; nothing was written
	Warnings  []string           // never block
}

// Send records a note, question, request or decision with one queued receipt per recipient. A retry
// with the same client message id and content gives the original message.
func (c *Core) Send(ctx context.Context, owner Owner, req SendRequest) (SendResult, error) {
	if err := checkSend(&req); err != nil {
		return SendResult{}, err
	}
	linked, err := decisionChange(req)
	if err != nil {
		return SendResult{}, err
	}
	var result SendResult
	err = c.update(ctx, func(ch *change) error {
		s, err := ch.owned(owner)
		if err != nil {
			return err
		}
		to, err := ch.resolve(s, req.To)
		if err != nil {
			return err
		}
		if linked != nil {
			if to, err = ch.inherit(s, to, linked); err != nil {
				return err
			}
		}
		m := protocol.Message{
			DecisionChange: linked, ClientMessageID: req.ClientMessageID, ToParticipantIDs: to, MessageKind: req.MessageKind, Obligation: req.Obligation,
			Subject: req.Subject, Body: req.Body, Artifacts: req.Artifacts,
		}
		result, err = ch.record(s, m)
		return err
	})
	result.Warnings = warnings(req)
	return result, err
}

// checkSend fills in what the kind implies and refuses what Send is not for.
func checkSend(req *SendRequest) error {
	switch req.MessageKind {
	case protocol.Answer:
		return protocol.UsageError("", "an answer is sent as a reply to its message").WithHint("acc reply --message ID --body TEXT")
	case protocol.Handoff:
		return protocol.UsageError("", "a handoff is sent by finishing").WithHint("acc finish --goal TEXT")
	}
	room := len(req.To) == 0
	if len(req.Replaces)+len(req.Withdraws) > 0 && req.Obligation != "" {
		room = false // it reaches at least who received what it changes; the schema judges who that is
	}
	req.Obligation = orDefault(req.Obligation, protocol.DefaultObligation(req.MessageKind, room))
	member, problem := protocol.KindProblem(req.MessageKind, req.Obligation, room, false)
	if problem != "" {
		return protocol.UsageError("", fmt.Sprintf("a message of kind %q cannot be sent like this: its %s %s", req.MessageKind, member, problem))
	}
	return nil
}

// warnings tells an author what a message will not do; they never block.
func warnings(req SendRequest) []string {
	if nudge := protocol.NudgeFor(req.MessageKind, req.Subject, req.Body); nudge != "" {
		return []string{nudge}
	}
	return nil
}

// record writes a message, its receipts and its event, or finds that the same was recorded before. The
// message lacks what only the transaction knows: identity, author, thread of a root and time.
func (c *change) record(s *protocol.Session, m protocol.Message) (SendResult, error) {
	m.WorkspaceID, m.FromParticipantID, m.FromSessionID, m.SentAt = c.core.workspace.WorkspaceID, s.ParticipantID, s.SessionID, c.now
	if m.ClientMessageID == "" {
		m.ClientMessageID = c.core.ids.NewID(protocol.ClientIDPrefix)
	} else if before, found, err := c.recorded(s.ParticipantID, m.ClientMessageID); err != nil || found {
		if err != nil {
			return SendResult{}, err
		}
		return c.repeatOf(before, m)
	}
	if err := c.materialise(s); err != nil {
		return SendResult{}, err
	}
	before, err := c.messageCount()
	if err != nil {
		return SendResult{}, err
	}
	m.MessageID = c.core.ids.NewID(protocol.MessageIDPrefix)
	m.ThreadID = orDefault(m.ThreadID, m.MessageID)
	m.Extensions = protocol.Extensions{ordinalExtension: strconv.AppendInt(nil, int64(before)+1, 10)}
	if _, _, err := c.message(m.MessageID); err != nil {
		return SendResult{}, err
	}
	if err := c.tx.Put(&m); err != nil {
		return SendResult{}, err
	}
	recipients, err := c.recipients(s, m.ToParticipantIDs)
	if err != nil {
		return SendResult{}, err
	}
	receipts := make([]protocol.Receipt, len(recipients))
	for i, participantID := range recipients {
		if receipts[i], err = c.queue(&m, participantID); err != nil {
			return SendResult{}, err
		}
	}
	c.append(s, protocol.MessageRecordedPayload{MessageID: m.MessageID, ThreadID: m.ThreadID, RecipientParticipantIDs: recipients})
	return SendResult{Message: m, Receipts: receipts}, nil
}

// ordinalExtension is where a message says how many were recorded up to it, so that nobody has to count
// them.
const ordinalExtension = "ordinal"

// messageCount gives how many messages were recorded so far.
func (r *room) messageCount() (int, error) {
	newest, err := list[*protocol.Message](r, protocol.KindMessage, Query{Index: MessagesInOrder, Reverse: true, Limit: 1})
	if err != nil || len(newest) == 0 {
		return 0, err
	}
	n, err := strconv.Atoi(string(newest[0].Extensions[ordinalExtension]))
	if err != nil {
		return 0, nil // recorded by somebody who did not count: start again
	}
	return n, nil
}

// queue writes the receipt that a message starts with.
func (c *change) queue(m *protocol.Message, participantID string) (protocol.Receipt, error) {
	receipt := protocol.Receipt{
		MessageID: m.MessageID, WorkspaceID: m.WorkspaceID, RecipientParticipantID: participantID,
		State: protocol.Queued, UpdatedAt: c.now, Obligation: m.Obligation,
	}
	if obliges(m.Obligation) {
		receipt.Author = m.FromParticipantID
	}
	if _, _, err := c.receipt(m.MessageID, participantID); err != nil {
		return receipt, err
	}
	return receipt, c.tx.Put(&receipt)
}

// recorded finds the message that an author sent under a key; the first one counts.
func (r *room) recorded(participantID, clientMessageID string) (*protocol.Message, bool, error) {
	entries, err := r.Find(Query{Index: MessageByClientKey, Key: []string{participantID, clientMessageID}, Limit: 1})
	if err != nil || len(entries) == 0 {
		return nil, false, err
	}
	return r.message(entries[0].ID)
}

// repeatOf answers a retry: the original message where the content is the same, a conflict otherwise.
func (r *room) repeatOf(before *protocol.Message, m protocol.Message) (SendResult, error) {
	if !sameContent(before, &m) {
		return SendResult{}, protocol.ConflictError(protocol.ReasonClientMessageIDConflict, fmt.Sprintf("client message id %q was used for other content in %s", m.ClientMessageID, before.MessageID)).
			With("clientMessageId", m.ClientMessageID).With("messageId", before.MessageID)
	}
	receipts, err := r.receiptsOf(before.MessageID)
	return SendResult{Message: *before, Receipts: receipts, Duplicate: true}, err
}

// sameContent compares what an author meant, after names were resolved.
func sameContent(a, b *protocol.Message) bool {
	return slices.Equal(a.ToParticipantIDs, b.ToParticipantIDs) && a.MessageKind == b.MessageKind && a.Obligation == b.Obligation &&
		a.Subject == b.Subject && a.Body == b.Body && a.InReplyTo == b.InReplyTo && slices.Equal(a.Artifacts, b.Artifacts) &&
		sameHandoff(a.Handoff, b.Handoff) && sameChange(a.DecisionChange, b.DecisionChange)
}

func sameHandoff(a, b *protocol.HandoffPayload) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Status == b.Status && slices.Equal(a.Completed, b.Completed) && slices.Equal(a.Remaining, b.Remaining) &&
		slices.Equal(a.Blockers, b.Blockers) && slices.Equal(a.Verification, b.Verification)
}

func sameChange(a, b *protocol.DecisionChange) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Action == b.Action && slices.Equal(a.MessageIDs, b.MessageIDs)
}

// receiptsOf gives every receipt of a message, sorted by recipient.
func (r *room) receiptsOf(messageID string) ([]protocol.Receipt, error) {
	found, err := r.receipts(ReceiptsByMessage, messageID)
	if err != nil {
		return nil, err
	}
	receipts := make([]protocol.Receipt, len(found))
	for i, receipt := range found {
		receipts[i] = *receipt
	}
	slices.SortFunc(receipts, func(a, b protocol.Receipt) int {
		return cmp.Compare(a.RecipientParticipantID, b.RecipientParticipantID)
	})
	return receipts, nil
}

package core

import (
	"github.com/acc-control-plane/acc/core/resource"
	"github.com/acc-control-plane/acc/protocol"
)

// Index names a question that must cost the same however long the history is. The list is closed;
// every store answers every one, and derives it with Keys from the records alone.
type Index string

// The indexes, with their key and the kind of their entries.
const (
	// MessageByClientKey: [fromParticipantId, clientMessageId] -> message.
	MessageByClientKey Index = "messageByClientKey"
	// MessagesInOrder: [] -> message.
	MessagesInOrder Index = "messagesInOrder"
	// MessagesByKind: [message kind] -> message.
	MessagesByKind Index = "messagesByKind"
	// ThreadMessages: [threadId] -> message.
	ThreadMessages Index = "threadMessages"
	// DecisionSuccessors: [messageId] -> message that replaces or withdraws it.
	DecisionSuccessors Index = "decisionSuccessors"

	// The position of a receipt is that of its message: both are created in one commit.

	// ReceiptsByMessage: [messageId] -> receipt.
	ReceiptsByMessage Index = "receiptsByMessage"
	// PendingReceipts: [recipientParticipantId] -> receipt that is queued or offered, or retrieved with
	// an obligation: what an inbox lists.
	PendingReceipts Index = "pendingReceipts"
	// QueuedReceipts: [recipientParticipantId] -> receipt that is queued: what a next turn carries.
	QueuedReceipts Index = "queuedReceipts"
	// LiveOffers: [recipientParticipantId] -> receipt offered by a live transport, not repeated yet.
	LiveOffers Index = "liveOffers"
	// AwaitingReceipts: [] -> receipt of anybody that waits for a next turn: in QueuedReceipts or
	// LiveOffers, or offered without saying how.
	AwaitingReceipts Index = "awaitingReceipts"
	// OwedReceipts: [recipientParticipantId] -> receipt with an obligation, not acknowledged.
	OwedReceipts Index = "owedReceipts"
	// ObligationsByAuthor: [author's participantId] -> receipt with an obligation, not acknowledged.
	ObligationsByAuthor Index = "obligationsByAuthor"

	// OpenSessions: [] -> session whose state is open.
	OpenSessions Index = "openSessions"
	// OpenSessionsByParticipant: [participantId] -> open session.
	OpenSessionsByParticipant Index = "openSessionsByParticipant"
	// OpenSessionsByHarness: [harness] -> open session.
	OpenSessionsByHarness Index = "openSessionsByHarness"
	// SessionsByParticipant: [participantId] -> session, open or closed.
	SessionsByParticipant Index = "sessionsByParticipant"

	// LiveClaims: [] -> claim on record (expiry is judged by the reader, removal ends the record).
	LiveClaims Index = "liveClaims"
	// ClaimsByOwner: [ownerSessionId] -> claim on record.
	ClaimsByOwner Index = "claimsByOwner"
	// ClaimsByResource: [resource] -> claim on record.
	ClaimsByResource Index = "claimsByResource"
	// ClaimsByDirectory: [directory of resource.Dirs] -> claim on record at or below it.
	ClaimsByDirectory Index = "claimsByDirectory"

	// OpenIntents: [] -> intent that is not done.
	OpenIntents Index = "openIntents"
	// Participants: [] -> participant.
	Participants Index = "participants"
)

// Indexes lists every index.
var Indexes = [...]Index{
	MessageByClientKey, MessagesInOrder, MessagesByKind, ThreadMessages, DecisionSuccessors,
	ReceiptsByMessage, PendingReceipts, QueuedReceipts, LiveOffers, AwaitingReceipts, OwedReceipts, ObligationsByAuthor,
	OpenSessions, OpenSessionsByParticipant, OpenSessionsByHarness, SessionsByParticipant,
	LiveClaims, ClaimsByOwner, ClaimsByResource, ClaimsByDirectory,
	OpenIntents, Participants,
}

// IndexKey is one place where a record is listed.
type IndexKey struct {
	Index Index
	Key   []string
}

// Keys gives every place where r is listed. It depends on r alone, so any store can derive, rebuild
// and verify its indexes from the records.
func Keys(r protocol.Record) []IndexKey {
	switch r := r.(type) {
	case *protocol.Message:
		return messageKeys(r)
	case *protocol.Receipt:
		return receiptKeys(r)
	case *protocol.Session:
		return sessionKeys(r)
	case *protocol.Claim:
		return claimKeys(r)
	case *protocol.Intent:
		if r.State != protocol.IntentDone {
			return []IndexKey{at(OpenIntents)}
		}
	case *protocol.Participant:
		return []IndexKey{at(Participants)}
	}
	return nil
}

func at(index Index, key ...string) IndexKey { return IndexKey{Index: index, Key: key} }

func messageKeys(m *protocol.Message) []IndexKey {
	keys := []IndexKey{
		at(MessageByClientKey, m.FromParticipantID, m.ClientMessageID),
		at(MessagesInOrder),
		at(MessagesByKind, string(m.MessageKind)),
		at(ThreadMessages, m.ThreadID),
	}
	if m.DecisionChange != nil {
		for _, id := range m.DecisionChange.MessageIDs {
			keys = append(keys, at(DecisionSuccessors, id))
		}
	}
	return keys
}

func receiptKeys(r *protocol.Receipt) []IndexKey {
	keys := []IndexKey{at(ReceiptsByMessage, r.MessageID)}
	owed := obliges(r.Obligation) && r.State != protocol.Acknowledged
	if r.State == protocol.Queued || r.State == protocol.Offered || owed {
		keys = append(keys, at(PendingReceipts, r.RecipientParticipantID))
	}
	switch {
	case r.State == protocol.Queued:
		keys = append(keys, at(QueuedReceipts, r.RecipientParticipantID), at(AwaitingReceipts))
	case liveOffer(r):
		keys = append(keys, at(LiveOffers, r.RecipientParticipantID), at(AwaitingReceipts))
	case offeredSomehow(r):
		keys = append(keys, at(AwaitingReceipts))
	}
	if owed {
		keys = append(keys, at(OwedReceipts, r.RecipientParticipantID))
		if r.Author != "" {
			keys = append(keys, at(ObligationsByAuthor, r.Author))
		}
	}
	return keys
}

func sessionKeys(s *protocol.Session) []IndexKey {
	keys := []IndexKey{at(SessionsByParticipant, s.ParticipantID)}
	if s.State == protocol.SessionOpen {
		keys = append(keys, at(OpenSessions), at(OpenSessionsByParticipant, s.ParticipantID), at(OpenSessionsByHarness, s.Harness))
	}
	return keys
}

func claimKeys(c *protocol.Claim) []IndexKey {
	keys := []IndexKey{at(LiveClaims), at(ClaimsByOwner, c.OwnerSessionID), at(ClaimsByResource, c.Resource)}
	for _, dir := range resource.Dirs(c.Resource) {
		keys = append(keys, at(ClaimsByDirectory, dir))
	}
	return keys
}

func obliges(o protocol.Obligation) bool { return o != "" && o != protocol.ObligationNone }

// offeredSomehow says whether nothing is known of how the receipt was offered. A turn may have carried the
// message or not, so it is counted as one that waits.
func offeredSomehow(r *protocol.Receipt) bool { return r.State == protocol.Offered && r.Offer == nil }

// liveOffer says whether the receipt was offered by a live transport and may still be repeated once.
func liveOffer(r *protocol.Receipt) bool {
	return r.State == protocol.Offered && r.Offer != nil && r.Offer.Transport != protocol.TransportNextTurn && r.Offer.RepeatedAt.IsZero()
}

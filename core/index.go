package core

import "github.com/acc-control-plane/acc/protocol"

// Index names a question that must cost the same however long the history is. The list is closed;
// every store answers every one, and derives it with Keys from the records alone.
type Index string

// The indexes, with their key and the kind of their entries.
const (
	// MessageByClientKey: [fromParticipantId, clientMessageId] -> message.
	MessageByClientKey Index = "messageByClientKey"
	// ReceiptsByMessage: [messageId] -> receipt.
	ReceiptsByMessage Index = "receiptsByMessage"
	// PendingReceipts: [recipientParticipantId] -> receipt that is queued or offered, or retrieved with
	// an obligation. Its position is that of its message: both are created in one commit.
	PendingReceipts Index = "pendingReceipts"
	// ObligationsByAuthor: [fromParticipantId] -> message that obliges its recipients.
	ObligationsByAuthor Index = "obligationsByAuthor"
	// MessagesInOrder: [] -> message.
	MessagesInOrder Index = "messagesInOrder"
	// ThreadMessages: [threadId] -> message.
	ThreadMessages Index = "threadMessages"
	// DecisionsInOrder: [] -> message of kind decision.
	DecisionsInOrder Index = "decisionsInOrder"
	// DecisionSuccessors: [messageId] -> message that replaces or withdraws it.
	DecisionSuccessors Index = "decisionSuccessors"
	// OpenSessions: [] -> session whose state is open.
	OpenSessions Index = "openSessions"
	// SessionsByParticipant: [participantId] -> session, open or closed.
	SessionsByParticipant Index = "sessionsByParticipant"
	// OpenSessionsByHarness: [harness] -> open session.
	OpenSessionsByHarness Index = "openSessionsByHarness"
	// LiveClaims: [] -> claim on record (expiry is judged by the reader, removal ends the record).
	LiveClaims Index = "liveClaims"
	// ClaimsByOwner: [ownerSessionId] -> claim on record.
	ClaimsByOwner Index = "claimsByOwner"
	// OpenIntents: [] -> intent that is not done.
	OpenIntents Index = "openIntents"
	// Participants: [] -> participant.
	Participants Index = "participants"
)

// IndexKey is one place where a record is listed.
type IndexKey struct {
	Index Index
	Key   []string
}

// Keys gives every place where r is listed. It depends on r alone, so any store can derive, rebuild
// and verify its indexes from the records.
func Keys(r protocol.Record) []IndexKey { panic("lands with core") }

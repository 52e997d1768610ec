package protocol

import (
	"slices"
	"time"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

var artifactObject = strictjson.Object[ArtifactRef]{
	Name: "artifact", Doc: "Points at something outside the message.",
	Members: func() []strictjson.Member[ArtifactRef] {
		return []strictjson.Member[ArtifactRef]{
			strictjson.Field("kind", "what it is", func(a *ArtifactRef) *ArtifactKind { return &a.ArtifactOf },
				strictjson.Enum(ArtifactFile, ArtifactGit, ArtifactURL, ArtifactReport, ArtifactImage, ArtifactData)),
			strictjson.Field("uri", "where it is", func(a *ArtifactRef) *string { return &a.URI }, resource),
			strictjson.Field("description", "for peers", func(a *ArtifactRef) *string { return &a.Description }, line),
			strictjson.Optional("sha256", "of its bytes", func(a *ArtifactRef) *string { return &a.SHA256 }, strictjson.String[string](&sha256Hex)),
		}
	},
}

var handoffObject = strictjson.Object[HandoffPayload]{
	Name: "handoff", Doc: "What a handoff hands over.",
	Members: func() []strictjson.Member[HandoffPayload] {
		return []strictjson.Member[HandoffPayload]{
			strictjson.Field("status", "how far the work is", func(h *HandoffPayload) *HandoffStatus { return &h.Status },
				strictjson.Enum(HandoffComplete, HandoffPartial, HandoffBlocked)),
			strictjson.Field("completed", "what is done", func(h *HandoffPayload) *[]string { return &h.Completed }, lines),
			strictjson.Field("remaining", "what is left", func(h *HandoffPayload) *[]string { return &h.Remaining }, lines),
			strictjson.Field("blockers", "what stands in the way", func(h *HandoffPayload) *[]string { return &h.Blockers }, lines),
			strictjson.Field("verification", "evidence", func(h *HandoffPayload) *[]ArtifactRef { return &h.Verification }, artifacts),
		}
	},
}

var decisionChangeObject = strictjson.Object[DecisionChange]{
	Name: "decision change", Doc: "Links a decision to the older ones it replaces or withdraws.",
	Members: func() []strictjson.Member[DecisionChange] {
		return []strictjson.Member[DecisionChange]{
			strictjson.Field("action", "what happens to them", func(d *DecisionChange) *DecisionAction { return &d.Action }, strictjson.Enum(Replace, Withdraw)),
			strictjson.Field("messageIds", "older decisions, sorted", func(d *DecisionChange) *[]string { return &d.MessageIDs }, strictjson.Set(idType, 1, MaxDecisionLinks)),
		}
	},
	Rules: []string{"messageIds are sorted"},
	Check: func(d *DecisionChange) *strictjson.Error {
		if !slices.IsSorted(d.MessageIDs) {
			return strictjson.Fail("$.messageIds", "must be sorted")
		}
		return nil
	},
}

var messageObject = strictjson.Object[Message]{
	Name: "message", MaxBytes: maxRecordInput,
	Doc: "Immutable from its commit on; order comes from the commit, not from sentAt.",
	Members: func() []strictjson.Member[Message] {
		return []strictjson.Member[Message]{
			schemaVersion[Message](),
			strictjson.Field("messageId", "key", func(m *Message) *string { return &m.MessageID }, idType),
			strictjson.Field("threadId", "messageId of the first message of the thread", func(m *Message) *string { return &m.ThreadID }, idType),
			strictjson.Field("clientMessageId", "idempotency key, unique per room and author", func(m *Message) *string { return &m.ClientMessageID }, idType),
			strictjson.Field("workspaceId", "the room", func(m *Message) *string { return &m.WorkspaceID }, idType),
			strictjson.Field("fromParticipantId", "author", func(m *Message) *string { return &m.FromParticipantID }, idType),
			strictjson.Field("fromSessionId", "session of the author", func(m *Message) *string { return &m.FromSessionID }, idType),
			strictjson.Field("toParticipantIds", "empty: the room", func(m *Message) *[]string { return &m.ToParticipantIDs }, idSet),
			strictjson.Field("kind", "see kinds and obligations", func(m *Message) *MessageKind { return &m.MessageKind },
				strictjson.Enum(Note, Question, Request, Answer, Decision, Handoff)),
			strictjson.Field("obligation", "what a recipient owes", func(m *Message) *Obligation { return &m.Obligation }, obligation),
			strictjson.Field("subject", "untrusted peer content", func(m *Message) *string { return &m.Subject }, line),
			strictjson.Field("body", "untrusted peer content", func(m *Message) *string { return &m.Body }, strictjson.Prose(MaxBody)),
			strictjson.Field("inReplyTo", "the message that is answered", func(m *Message) *string { return &m.InReplyTo }, nullableID),
			strictjson.Field("artifacts", "references", func(m *Message) *[]ArtifactRef { return &m.Artifacts }, artifacts),
			strictjson.Field("handoff", "null unless the kind is handoff", func(m *Message) **HandoffPayload { return &m.Handoff },
				strictjson.Nullable(strictjson.Pointer(strictjson.Nested(&handoffObject)))),
			strictjson.Field("sentAt", "clock of the author, for people", func(m *Message) *time.Time { return &m.SentAt }, timestamp),
			strictjson.Optional("decisionChange", "absent unless a decision changes others", func(m *Message) **DecisionChange { return &m.DecisionChange },
				strictjson.Pointer(strictjson.Nested(&decisionChangeObject))),
			strictjson.Bag("extensions", extensionsDoc, func(m *Message) *Extensions { return &m.Extensions }),
		}
	},
	Rules: []string{
		"kind, obligation and addressing follow the table of kinds and obligations",
		"threadId equals messageId exactly when inReplyTo is null",
		"handoff is null unless kind is handoff",
		"decisionChange is absent unless kind is decision, and does not name the message itself",
	},
	Check: checkMessage,
}

func checkMessage(m *Message) *strictjson.Error {
	if member, problem := KindProblem(m.MessageKind, m.Obligation, len(m.ToParticipantIDs) == 0, m.InReplyTo != ""); problem != "" {
		return strictjson.Fail("$."+member, problem)
	}
	switch {
	case m.InReplyTo == m.MessageID:
		return strictjson.Fail("$.inReplyTo", "must not be the message itself")
	case m.InReplyTo == "" && m.ThreadID != m.MessageID:
		return strictjson.Fail("$.threadId", "must be the messageId of a message that answers none")
	case m.InReplyTo != "" && m.ThreadID == m.MessageID:
		return strictjson.Fail("$.threadId", "must be the threadId of the message that is answered")
	case m.Handoff != nil && m.MessageKind != Handoff:
		return strictjson.Fail("$.handoff", "must be null unless kind is handoff")
	case m.DecisionChange != nil && m.MessageKind != Decision:
		return strictjson.Fail("$.decisionChange", "must be absent unless kind is decision")
	case m.DecisionChange != nil && slices.Contains(m.DecisionChange.MessageIDs, m.MessageID):
		return strictjson.Fail("$.decisionChange.messageIds", "must not name the message itself")
	}
	return nil
}

var offerObject = strictjson.Object[Offer]{
	Name: "offer", Doc: "How a receipt came to be offered.",
	Members: func() []strictjson.Member[Offer] {
		return []strictjson.Member[Offer]{
			strictjson.Field("transport", "next-turn, or a live transport", func(o *Offer) *string { return &o.Transport }, transport),
			strictjson.Field("at", "when bytes crossed it", func(o *Offer) *time.Time { return &o.At }, timestamp),
			strictjson.Field("repeatedAt", "when the one repeat was shown", func(o *Offer) *time.Time { return &o.RepeatedAt }, strictjson.Nullable(timestamp)),
		}
	},
	Rules: []string{"repeatedAt is null for the transport next-turn"},
	Check: func(o *Offer) *strictjson.Error {
		if o.Transport == TransportNextTurn && !o.RepeatedAt.IsZero() {
			return strictjson.Fail("$.repeatedAt", "must be null for the transport next-turn")
		}
		return nil
	},
}

var receiptObject = strictjson.Object[Receipt]{
	Name: "receipt", MaxBytes: maxRecordInput,
	Doc: "How far one message has come with one recipient. Its storage id follows from the two ids.",
	Members: func() []strictjson.Member[Receipt] {
		return []strictjson.Member[Receipt]{
			schemaVersion[Receipt](),
			strictjson.Field("messageId", "the message", func(r *Receipt) *string { return &r.MessageID }, idType),
			strictjson.Field("workspaceId", "the room", func(r *Receipt) *string { return &r.WorkspaceID }, idType),
			strictjson.Field("recipientParticipantId", "the recipient", func(r *Receipt) *string { return &r.RecipientParticipantID }, idType),
			strictjson.Field("state", "moves forward only", func(r *Receipt) *ReceiptState { return &r.State }, strictjson.Enum(ReceiptStates[:]...)),
			strictjson.Field("updatedAt", "of the last change of state", func(r *Receipt) *time.Time { return &r.UpdatedAt }, timestamp),
			strictjson.Bag("extensions", extensionsDoc, func(r *Receipt) *Extensions { return &r.Extensions },
				strictjson.Optional("obligation", "of the message", func(r *Receipt) *Obligation { return &r.Obligation }, obligation),
				strictjson.Optional("author", "of the message, to whom it is owed", func(r *Receipt) *string { return &r.Author }, idType),
				strictjson.Optional("offer", "how it was offered", func(r *Receipt) **Offer { return &r.Offer }, strictjson.Pointer(strictjson.Nested(&offerObject)))),
		}
	},
	Rules: []string{"a queued receipt has no offer"},
	Check: func(r *Receipt) *strictjson.Error {
		if r.State == Queued && r.Offer != nil {
			return strictjson.Fail("$.extensions.offer", "must be absent while the state is queued")
		}
		return nil
	},
}

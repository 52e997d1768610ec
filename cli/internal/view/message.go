package view

import (
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/decision"
	"github.com/acc-control-plane/acc/delivery-router/delivery"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

var messageObject = &strictjson.Object[protocol.Message]{
	Name: "message", Doc: "A whole message.",
	Members: func() []strictjson.Member[protocol.Message] {
		return []strictjson.Member[protocol.Message]{
			field("messageId", "its id", func(m *protocol.Message) *string { return &m.MessageID }, word),
			field("threadId", "id of the first message of the thread", func(m *protocol.Message) *string { return &m.ThreadID }, word),
			field("clientMessageId", "the author's key: sending again with it records nothing twice", func(m *protocol.Message) *string { return &m.ClientMessageID }, word),
			field("fromParticipantId", "the author", func(m *protocol.Message) *string { return &m.FromParticipantID }, word),
			field("fromSessionId", "the session it was sent from", func(m *protocol.Message) *string { return &m.FromSessionID }, word),
			field("toParticipantIds", "the addressees; none: the room", func(m *protocol.Message) *[]string { return &m.ToParticipantIDs }, words),
			field("kind", "its type", func(m *protocol.Message) *protocol.MessageKind { return &m.MessageKind }, kinds),
			field("obligation", "what a recipient owes", func(m *protocol.Message) *protocol.Obligation { return &m.Obligation }, obligations),
			field("subject", trust, func(m *protocol.Message) *string { return &m.Subject }, text),
			field("body", trust, func(m *protocol.Message) *string { return &m.Body }, text),
			nullable("inReplyTo", "the message that it answers", func(m *protocol.Message) *string { return &m.InReplyTo }, word),
			field("artifacts", "what it points at", func(m *protocol.Message) *[]protocol.ArtifactRef { return &m.Artifacts }, list(protocol.ArtifactObject())),
			nullable("handoff", "of a handoff", func(m *protocol.Message) **protocol.HandoffPayload { return &m.Handoff }, strictjson.Pointer(strictjson.Nested(protocol.HandoffObject()))),
			field("sentAt", "by the author's clock; order comes from the commit", func(m *protocol.Message) *time.Time { return &m.SentAt }, when),
			nullable("decisionChange", "of a decision that changes others", func(m *protocol.Message) **protocol.DecisionChange { return &m.DecisionChange }, strictjson.Pointer(strictjson.Nested(protocol.DecisionChangeObject()))),
			strictjson.Const[protocol.Message]("trust", "how to read subject and body", protocol.Trust),
		}
	},
}

// SentData is the answer of message and request.
type SentData struct {
	Message   protocol.Message
	Delivery  []delivery.Result
	Duplicate bool
}

var sentObject = &strictjson.Object[SentData]{
	Name: "sent",
	Members: func() []strictjson.Member[SentData] {
		return []strictjson.Member[SentData]{
			field("message", "what was recorded", func(s *SentData) *protocol.Message { return &s.Message }, strictjson.Nested(messageObject)),
			field("delivery", "one entry per recipient", func(s *SentData) *[]delivery.Result { return &s.Delivery }, list(delivery.Object())),
			field("duplicate", "the same key and content was recorded before; nothing was written now", func(s *SentData) *bool { return &s.Duplicate }, truth),
		}
	},
}

// Sent is the answer of message and request.
var Sent = &Schema[SentData]{name: "sent", doc: "A recorded message.", data: func() strictjson.Type[SentData] {
	return strictjson.Nested(sentObject)
}}

// RepliedData is the answer of reply.
type RepliedData struct {
	SentData
	Receipt protocol.Receipt
}

// Replied is the answer of reply.
var Replied = &Schema[RepliedData]{name: "replied", doc: "A recorded answer and the settled original.", data: func() strictjson.Type[RepliedData] {
	return strictjson.Nested(&strictjson.Object[RepliedData]{
		Name: "replied",
		Members: func() []strictjson.Member[RepliedData] {
			return []strictjson.Member[RepliedData]{
				field("message", "the answer", func(s *RepliedData) *protocol.Message { return &s.Message }, strictjson.Nested(messageObject)),
				field("delivery", "one entry per recipient", func(s *RepliedData) *[]delivery.Result { return &s.Delivery }, list(delivery.Object())),
				field("duplicate", "the same key and content was recorded before; nothing was written now", func(s *RepliedData) *bool { return &s.Duplicate }, truth),
				field("receipt", "the caller's receipt of the original", func(s *RepliedData) *protocol.Receipt { return &s.Receipt }, strictjson.Nested(core.ReceiptObject())),
			}
		},
	})
}}

// Inbox is the answer of inbox without --message.
var Inbox = &Schema[core.InboxPage]{name: "inbox", doc: "What waits, newest first.", data: func() strictjson.Type[core.InboxPage] {
	return strictjson.Nested(&strictjson.Object[core.InboxPage]{
		Name: "inbox",
		Members: func() []strictjson.Member[core.InboxPage] {
			return []strictjson.Member[core.InboxPage]{
				field("items", "one page", func(p *core.InboxPage) *[]core.InboxItem { return &p.Items }, list(core.InboxItemObject())),
				nullable("nextCursor", "for --cursor; null on the last page", func(p *core.InboxPage) *string { return &p.NextCursor }, word),
			}
		},
	})
}}

var mailObject = &strictjson.Object[core.Mail]{
	Name: "mail", Doc: "A whole message with the reader's receipt.",
	Members: func() []strictjson.Member[core.Mail] {
		return []strictjson.Member[core.Mail]{
			field("message", "the message", func(m *core.Mail) *protocol.Message { return &m.Message }, strictjson.Nested(messageObject)),
			field("receipt", "the reader's receipt", func(m *core.Mail) *protocol.Receipt { return &m.Receipt }, strictjson.Nested(core.ReceiptObject())),
			nullable("decisionStatus", "of a decision", func(m *core.Mail) **decision.Status { return &m.Decision }, decisionStatus),
		}
	},
}

// Mail is the answer of inbox --message: a list of one.
var Mail = &Schema[[]core.Mail]{name: "mail", doc: "The message that was asked for, as a list of one.", data: func() strictjson.Type[[]core.Mail] {
	return strictjson.List(strictjson.Nested(mailObject), 0, manyItems)
}}

// AcknowledgedData is the answer of ack.
type AcknowledgedData struct {
	Receipts []protocol.Receipt
	Refused  []Refusal
}

// Refusal is a message that an ack does not settle.
type Refusal struct{ MessageID, Reason string }

var refusalObject = &strictjson.Object[Refusal]{
	Name: "refusal", Doc: "A message that an ack does not settle.",
	Members: func() []strictjson.Member[Refusal] {
		return []strictjson.Member[Refusal]{
			field("messageId", "the message", func(r *Refusal) *string { return &r.MessageID }, word),
			field("reason", "why", func(r *Refusal) *string { return &r.Reason }, word),
		}
	},
}

// Acknowledged is the answer of ack.
var Acknowledged = &Schema[AcknowledgedData]{name: "acknowledged", doc: "The settled receipts.", data: func() strictjson.Type[AcknowledgedData] {
	return strictjson.Nested(&strictjson.Object[AcknowledgedData]{
		Name: "acknowledged",
		Members: func() []strictjson.Member[AcknowledgedData] {
			return []strictjson.Member[AcknowledgedData]{
				field("receipts", "the caller's, one per message", func(a *AcknowledgedData) *[]protocol.Receipt { return &a.Receipts }, list(core.ReceiptObject())),
				field("refused", "what is owed a reply; only with --all and --through", func(a *AcknowledgedData) *[]Refusal { return &a.Refused }, list(refusalObject)),
			}
		},
	})
}}

// ReceiptsData is the answer of receipts.
type ReceiptsData struct {
	MessageID string
	Receipts  []protocol.Receipt
}

// Receipts is the answer of receipts.
var Receipts = &Schema[ReceiptsData]{name: "receipts", doc: "How far a message has come with each recipient.", data: func() strictjson.Type[ReceiptsData] {
	return strictjson.Nested(&strictjson.Object[ReceiptsData]{
		Name: "receipts",
		Members: func() []strictjson.Member[ReceiptsData] {
			return []strictjson.Member[ReceiptsData]{
				field("messageId", "the message", func(r *ReceiptsData) *string { return &r.MessageID }, word),
				field("receipts", "sorted by recipient", func(r *ReceiptsData) *[]protocol.Receipt { return &r.Receipts }, list(core.ReceiptObject())),
			}
		},
	})
}}

// AskedData is the answer of ask; no answer: none came in time.
type AskedData struct {
	SentData
	Answer *core.Mail
}

// Asked is the answer of ask.
var Asked = &Schema[AskedData]{name: "asked", doc: "A recorded question and its first answer.", data: func() strictjson.Type[AskedData] {
	return strictjson.Nested(&strictjson.Object[AskedData]{
		Name: "asked",
		Members: func() []strictjson.Member[AskedData] {
			return []strictjson.Member[AskedData]{
				field("message", "the question", func(s *AskedData) *protocol.Message { return &s.Message }, strictjson.Nested(messageObject)),
				field("delivery", "one entry per recipient", func(s *AskedData) *[]delivery.Result { return &s.Delivery }, list(delivery.Object())),
				field("duplicate", "the question was recorded before, under the same key", func(s *AskedData) *bool { return &s.Duplicate }, truth),
				nullable("answer", "null: none came in time", func(s *AskedData) **core.Mail { return &s.Answer }, strictjson.Pointer(strictjson.Nested(mailObject))),
			}
		},
	})
}}

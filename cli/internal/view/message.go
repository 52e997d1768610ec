package view

import (
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

var artifactObject = &strictjson.Object[protocol.ArtifactRef]{
	Name: "artifact", Doc: "Something outside the message.",
	Members: []strictjson.Member[protocol.ArtifactRef]{
		field("kind", "what it is", func(a *protocol.ArtifactRef) *protocol.ArtifactKind { return &a.ArtifactOf },
			strictjson.Enum(protocol.ArtifactFile, protocol.ArtifactGit, protocol.ArtifactURL, protocol.ArtifactReport, protocol.ArtifactImage, protocol.ArtifactData)),
		field("uri", "where it is", func(a *protocol.ArtifactRef) *string { return &a.URI }, text),
		field("description", "what it shows", func(a *protocol.ArtifactRef) *string { return &a.Description }, text),
		nullable("sha256", "its content, if stated", func(a *protocol.ArtifactRef) *string { return &a.SHA256 }, word),
	},
}

var handoffObject = &strictjson.Object[protocol.HandoffPayload]{
	Name: "handoff", Doc: "What is handed over.",
	Members: []strictjson.Member[protocol.HandoffPayload]{
		field("status", "how far the work is", func(h *protocol.HandoffPayload) *protocol.HandoffStatus { return &h.Status },
			strictjson.Enum(protocol.HandoffComplete, protocol.HandoffPartial, protocol.HandoffBlocked)),
		field("completed", "what is done", func(h *protocol.HandoffPayload) *[]string { return &h.Completed }, lines),
		field("remaining", "what is left", func(h *protocol.HandoffPayload) *[]string { return &h.Remaining }, lines),
		field("blockers", "what is in the way", func(h *protocol.HandoffPayload) *[]string { return &h.Blockers }, lines),
		field("verification", "what shows it", func(h *protocol.HandoffPayload) *[]protocol.ArtifactRef { return &h.Verification }, list(artifactObject)),
	},
}

var decisionChangeObject = &strictjson.Object[protocol.DecisionChange]{
	Name: "decisionChange", Doc: "What a decision does to older ones.",
	Members: []strictjson.Member[protocol.DecisionChange]{
		field("action", "replace or withdraw", func(d *protocol.DecisionChange) *protocol.DecisionAction { return &d.Action }, strictjson.Enum(protocol.Replace, protocol.Withdraw)),
		field("messageIds", "the older decisions", func(d *protocol.DecisionChange) *[]string { return &d.MessageIDs }, words),
	},
}

var messageObject = &strictjson.Object[protocol.Message]{
	Name: "message", Doc: "A whole message.",
	Members: []strictjson.Member[protocol.Message]{
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
		field("artifacts", "what it points at", func(m *protocol.Message) *[]protocol.ArtifactRef { return &m.Artifacts }, list(artifactObject)),
		nullable("handoff", "of a handoff", func(m *protocol.Message) **protocol.HandoffPayload { return &m.Handoff }, strictjson.Pointer(strictjson.Nested(handoffObject))),
		field("sentAt", "by the author's clock; order comes from the commit", func(m *protocol.Message) *time.Time { return &m.SentAt }, when),
		nullable("decisionChange", "of a decision that changes others", func(m *protocol.Message) **protocol.DecisionChange { return &m.DecisionChange }, strictjson.Pointer(strictjson.Nested(decisionChangeObject))),
		strictjson.Const[protocol.Message]("trust", "how to read subject and body", protocol.Trust),
	},
}

var offerObject = &strictjson.Object[protocol.Offer]{
	Name: "offer", Doc: "How a message was offered.",
	Members: []strictjson.Member[protocol.Offer]{
		field("transport", "what carried it", func(o *protocol.Offer) *string { return &o.Transport }, word),
		field("at", "when", func(o *protocol.Offer) *time.Time { return &o.At }, when),
		nullable("repeatedAt", "when it was shown once more", func(o *protocol.Offer) *time.Time { return &o.RepeatedAt }, when),
	},
}

var receiptObject = &strictjson.Object[protocol.Receipt]{
	Name: "receipt", Doc: "How far one message has come with one recipient.",
	Members: []strictjson.Member[protocol.Receipt]{
		field("messageId", "the message", func(r *protocol.Receipt) *string { return &r.MessageID }, word),
		field("recipientParticipantId", "the recipient", func(r *protocol.Receipt) *string { return &r.RecipientParticipantID }, word),
		field("state", "how far", func(r *protocol.Receipt) *protocol.ReceiptState { return &r.State }, receiptStates),
		field("updatedAt", "when it came so far", func(r *protocol.Receipt) *time.Time { return &r.UpdatedAt }, when),
		nullable("offer", "how it was offered", func(r *protocol.Receipt) **protocol.Offer { return &r.Offer }, strictjson.Pointer(strictjson.Nested(offerObject))),
	},
}

var summaryObject = &strictjson.Object[core.Summary]{
	Name: "summary", Doc: "A message without its body.",
	Members: []strictjson.Member[core.Summary]{
		field("messageId", "its id", func(s *core.Summary) *string { return &s.MessageID }, word),
		field("threadId", "id of the first message of the thread", func(s *core.Summary) *string { return &s.ThreadID }, word),
		field("fromParticipantId", "the author", func(s *core.Summary) *string { return &s.FromParticipantID }, word),
		field("fromSessionId", "the session it was sent from", func(s *core.Summary) *string { return &s.FromSessionID }, word),
		field("kind", "its type", func(s *core.Summary) *protocol.MessageKind { return &s.MessageKind }, kinds),
		field("obligation", "what a recipient owes", func(s *core.Summary) *protocol.Obligation { return &s.Obligation }, obligations),
		field("subject", "cut after 160 bytes; "+trust, func(s *core.Summary) *string { return &s.Subject }, text),
		field("sentAt", "by the author's clock", func(s *core.Summary) *time.Time { return &s.SentAt }, when),
		nullable("inReplyTo", "the message that it answers", func(s *core.Summary) *string { return &s.InReplyTo }, word),
		field("bodyBytes", "length of the body", func(s *core.Summary) *int { return &s.BodyBytes }, count),
		field("artifactCount", "how many artifacts it points at", func(s *core.Summary) *int { return &s.ArtifactCount }, count),
		strictjson.Const[core.Summary]("trust", "how to read the subject", protocol.Trust),
	},
}

// Delivery is what became of a message on its way to one recipient.
type Delivery struct {
	RecipientParticipantID string
	Outcome                protocol.ReceiptState // the receipt when the command ended
	Transport              string                // TransportDurable, or what carried a live offer
	Presence               protocol.Presence     // of the recipient's sessions
}

// TransportDurable is the transport of a message that was recorded and is not yet on its way.
const TransportDurable = "durable"

var deliveryObject = &strictjson.Object[Delivery]{
	Name: "delivery", Doc: "What became of a message on its way to one recipient.",
	Members: []strictjson.Member[Delivery]{
		field("recipientParticipantId", "the recipient", func(d *Delivery) *string { return &d.RecipientParticipantID }, word),
		field("outcome", "the receipt when the command ended", func(d *Delivery) *protocol.ReceiptState { return &d.Outcome }, receiptStates),
		field("transport", `"durable": it waits in the store`, func(d *Delivery) *string { return &d.Transport }, word),
		field("presence", "of the recipient", func(d *Delivery) *protocol.Presence { return &d.Presence }, presences),
	},
}

// SentData is the answer of message and request.
type SentData struct {
	Message   protocol.Message
	Delivery  []Delivery
	Duplicate bool
}

var sentMembers = []strictjson.Member[SentData]{
	field("message", "what was recorded", func(s *SentData) *protocol.Message { return &s.Message }, strictjson.Nested(messageObject)),
	field("delivery", "one entry per recipient", func(s *SentData) *[]Delivery { return &s.Delivery }, list(deliveryObject)),
	field("duplicate", "the same key and content was recorded before; nothing was written now", func(s *SentData) *bool { return &s.Duplicate }, truth),
}

// Sent is the answer of message and request.
var Sent = newSchema("sent", "A recorded message.", strictjson.Nested(&strictjson.Object[SentData]{Name: "sent", Members: sentMembers}))

// RepliedData is the answer of reply.
type RepliedData struct {
	SentData
	Receipt protocol.Receipt
}

// Replied is the answer of reply.
var Replied = newSchema("replied", "A recorded answer and the settled original.", strictjson.Nested(&strictjson.Object[RepliedData]{
	Name: "replied",
	Members: []strictjson.Member[RepliedData]{
		field("message", "the answer", func(s *RepliedData) *protocol.Message { return &s.Message }, strictjson.Nested(messageObject)),
		field("delivery", "one entry per recipient", func(s *RepliedData) *[]Delivery { return &s.Delivery }, list(deliveryObject)),
		field("duplicate", "the same key and content was recorded before; nothing was written now", func(s *RepliedData) *bool { return &s.Duplicate }, truth),
		field("receipt", "the caller's receipt of the original", func(s *RepliedData) *protocol.Receipt { return &s.Receipt }, strictjson.Nested(receiptObject)),
	},
}))

var inboxItemObject = &strictjson.Object[core.InboxItem]{
	Name: "inboxItem", Doc: "One line of the inbox.",
	Members: []strictjson.Member[core.InboxItem]{
		field("message", "its summary", func(i *core.InboxItem) *core.Summary { return &i.Message }, strictjson.Nested(summaryObject)),
		field("receipt", "the reader's receipt", func(i *core.InboxItem) *protocol.Receipt { return &i.Receipt }, strictjson.Nested(receiptObject)),
	},
}

// Inbox is the answer of inbox without --message.
var Inbox = newSchema("inbox", "What waits, newest first.", strictjson.Nested(&strictjson.Object[core.InboxPage]{
	Name: "inbox",
	Members: []strictjson.Member[core.InboxPage]{
		field("items", "one page", func(p *core.InboxPage) *[]core.InboxItem { return &p.Items }, list(inboxItemObject)),
		nullable("nextCursor", "for --cursor; null on the last page", func(p *core.InboxPage) *string { return &p.NextCursor }, word),
	},
}))

var mailObject = &strictjson.Object[core.Mail]{
	Name: "mail", Doc: "A whole message with the reader's receipt.",
	Members: []strictjson.Member[core.Mail]{
		field("message", "the message", func(m *core.Mail) *protocol.Message { return &m.Message }, strictjson.Nested(messageObject)),
		field("receipt", "the reader's receipt", func(m *core.Mail) *protocol.Receipt { return &m.Receipt }, strictjson.Nested(receiptObject)),
	},
}

// Mail is the answer of inbox --message: a list of one.
var Mail = newSchema("mail", "The message that was asked for, as a list of one.", strictjson.List(strictjson.Nested(mailObject), 0, manyItems))

// ReceiptData is the answer of ack.
type ReceiptData struct{ Receipt protocol.Receipt }

// Acknowledged is the answer of ack.
var Acknowledged = newSchema("acknowledged", "The settled receipt.", strictjson.Nested(&strictjson.Object[ReceiptData]{
	Name: "acknowledged",
	Members: []strictjson.Member[ReceiptData]{
		field("receipt", "the caller's receipt", func(r *ReceiptData) *protocol.Receipt { return &r.Receipt }, strictjson.Nested(receiptObject)),
	},
}))

// ReceiptsData is the answer of receipts.
type ReceiptsData struct {
	MessageID string
	Receipts  []protocol.Receipt
}

// Receipts is the answer of receipts.
var Receipts = newSchema("receipts", "How far a message has come with each recipient.", strictjson.Nested(&strictjson.Object[ReceiptsData]{
	Name: "receipts",
	Members: []strictjson.Member[ReceiptsData]{
		field("messageId", "the message", func(r *ReceiptsData) *string { return &r.MessageID }, word),
		field("receipts", "sorted by recipient", func(r *ReceiptsData) *[]protocol.Receipt { return &r.Receipts }, list(receiptObject)),
	},
}))

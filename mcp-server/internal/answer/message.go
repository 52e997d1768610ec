package answer

import (
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/decision"
	"github.com/acc-control-plane/acc/delivery-router/delivery"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Whole is a whole message for a reader: its facts, and its text in the frame of a turn.
type Whole struct {
	protocol.Message
	Framed string
}

var wholeObject = &strictjson.Object[Whole]{
	Name: "message", Doc: "A whole message.",
	Members: []strictjson.Member[Whole]{
		field("messageId", "its id", func(m *Whole) *string { return &m.MessageID }, word),
		field("threadId", "id of the first message of the thread", func(m *Whole) *string { return &m.ThreadID }, word),
		field("fromParticipantId", "the author", func(m *Whole) *string { return &m.FromParticipantID }, word),
		field("toParticipantIds", "the addressees; none: the room", func(m *Whole) *[]string { return &m.ToParticipantIDs }, words),
		field("kind", "its type", func(m *Whole) *protocol.MessageKind { return &m.MessageKind }, kinds),
		field("obligation", "what a recipient owes", func(m *Whole) *protocol.Obligation { return &m.Obligation }, obligations),
		nullable("inReplyTo", "the message that it answers", func(m *Whole) *string { return &m.InReplyTo }, word),
		field("sentAt", "by the author's clock", func(m *Whole) *time.Time { return &m.SentAt }, when),
		field("artifacts", "what it points at", func(m *Whole) *[]protocol.ArtifactRef { return &m.Artifacts }, list(protocol.ArtifactObject())),
		nullable("handoff", "of a handoff", func(m *Whole) **protocol.HandoffPayload { return &m.Handoff }, strictjson.Pointer(nested(protocol.HandoffObject()))),
		nullable("decisionChange", "of a decision that changes others", func(m *Whole) **protocol.DecisionChange { return &m.DecisionChange }, strictjson.Pointer(nested(protocol.DecisionChangeObject()))),
		field(framed, "subject and body as untrusted peer text", func(m *Whole) *string { return &m.Framed }, text),
		strictjson.Const[Whole]("trust", "how to read it", protocol.Trust),
	},
}

// MailData is one whole message with the reader's receipt.
type MailData struct {
	Message  Whole
	Receipt  protocol.Receipt
	Decision *decision.Status
}

// Mail defines MailData.
var Mail = &strictjson.Object[MailData]{
	Name: "mail", Doc: "One whole message with the reader's receipt.",
	Members: []strictjson.Member[MailData]{
		field("message", "the message", func(m *MailData) *Whole { return &m.Message }, nested(wholeObject)),
		field("receipt", "the reader's", func(m *MailData) *protocol.Receipt { return &m.Receipt }, nested(core.ReceiptObject())),
		nullable("decisionStatus", "of a decision", func(m *MailData) **decision.Status { return &m.Decision }, strictjson.Pointer(nested(core.DecisionObject()))),
	},
}

// HistoryMessageData is one whole message of the room with every receipt.
type HistoryMessageData struct {
	Message  Whole
	Receipts []protocol.Receipt
	Decision *decision.Status
}

// HistoryMessage defines HistoryMessageData.
var HistoryMessage = &strictjson.Object[HistoryMessageData]{
	Name: "historyMessage", Doc: "One whole message of the room with every receipt.",
	Members: []strictjson.Member[HistoryMessageData]{
		field("message", "the message", func(m *HistoryMessageData) *Whole { return &m.Message }, nested(wholeObject)),
		field("receipts", "sorted by recipient", func(m *HistoryMessageData) *[]protocol.Receipt { return &m.Receipts }, list(core.ReceiptObject())),
		nullable("decisionStatus", "of a decision", func(m *HistoryMessageData) **decision.Status { return &m.Decision }, strictjson.Pointer(nested(core.DecisionObject()))),
	},
}

// History defines a page of the room's messages.
var History = &strictjson.Object[core.HistoryPage]{
	Name: "history", Doc: "Messages of the room, newest first.",
	Members: []strictjson.Member[core.HistoryPage]{
		field("items", "one page", func(p *core.HistoryPage) *[]core.Summary { return &p.Items }, list(core.SummaryObject())),
		nullable("nextCursor", "null on the last page", func(p *core.HistoryPage) *string { return &p.NextCursor }, word),
	},
}

// Inbox defines a page of what waits; it is also the content of acc://inbox.
var Inbox = &strictjson.Object[core.InboxPage]{
	Name: "inbox", Doc: "What waits, newest first.",
	Members: []strictjson.Member[core.InboxPage]{
		field("items", "one page", func(p *core.InboxPage) *[]core.InboxItem { return &p.Items }, list(core.InboxItemObject())),
		nullable("nextCursor", "null on the last page", func(p *core.InboxPage) *string { return &p.NextCursor }, word),
	},
}

// WaitData is the answer of acc_wait.
type WaitData struct {
	Arrived bool
	Items   []core.InboxItem
	Cursor  string
}

// Wait defines WaitData.
var Wait = &strictjson.Object[WaitData]{
	Name: "wait", Doc: "What arrived.",
	Members: []strictjson.Member[WaitData]{
		field("arrived", "false: the time passed first", func(w *WaitData) *bool { return &w.Arrived }, truth),
		field("items", "what arrived, newest first", func(w *WaitData) *[]core.InboxItem { return &w.Items }, list(core.InboxItemObject())),
		field("cursor", "to wait with for what is newer", func(w *WaitData) *string { return &w.Cursor }, word),
	},
}

// SentData is a recorded message and what is known of its way.
type SentData struct {
	Message   protocol.Message
	Delivery  []delivery.Result
	Duplicate bool
	Warnings  []string
	Settled   *protocol.Receipt // of the message that a reply answers
	Released  []string          // claims that a finish released
}

// Sent defines SentData.
var Sent = &strictjson.Object[SentData]{
	Name: "sent", Doc: "A recorded message and what is known of its way.",
	Members: []strictjson.Member[SentData]{
		field("messageId", "its id", func(s *SentData) *string { return &s.Message.MessageID }, word),
		field("threadId", "id of the first message of the thread", func(s *SentData) *string { return &s.Message.ThreadID }, word),
		field("clientMessageId", "sending again with it records nothing twice", func(s *SentData) *string { return &s.Message.ClientMessageID }, word),
		field("kind", "its type", func(s *SentData) *protocol.MessageKind { return &s.Message.MessageKind }, kinds),
		field("obligation", "what a recipient owes", func(s *SentData) *protocol.Obligation { return &s.Message.Obligation }, obligations),
		field("toParticipantIds", "the addressees; none: the room", func(s *SentData) *[]string { return &s.Message.ToParticipantIDs }, words),
		field("delivery", "one entry per recipient", func(s *SentData) *[]delivery.Result { return &s.Delivery }, list(delivery.Object())),
		field("duplicate", "recorded before; nothing was written now", func(s *SentData) *bool { return &s.Duplicate }, truth),
		field("warnings", "what the message will not do", func(s *SentData) *[]string { return &s.Warnings }, lines),
		strictjson.Optional("receipt", "of the message that was answered", func(s *SentData) **protocol.Receipt { return &s.Settled }, strictjson.Pointer(nested(core.ReceiptObject()))),
		strictjson.Optional("releasedClaimIds", "claims that ended with the session", func(s *SentData) *[]string { return &s.Released }, words),
	},
}

// ReceiptData is the answer of acc_ack.
type ReceiptData struct{ Receipt protocol.Receipt }

// Receipt defines ReceiptData.
var Receipt = &strictjson.Object[ReceiptData]{
	Name: "acknowledged", Doc: "The settled receipt.",
	Members: []strictjson.Member[ReceiptData]{
		field("receipt", "the caller's", func(r *ReceiptData) *protocol.Receipt { return &r.Receipt }, nested(core.ReceiptObject())),
	},
}

package answer

import (
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/decision"
	"github.com/acc-control-plane/acc/core/shape"
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
	Members: func() []strictjson.Member[Whole] {
		return []strictjson.Member[Whole]{
			shape.Field("messageId", "its id", func(m *Whole) *string { return &m.MessageID }, shape.Word),
			shape.Field("threadId", "id of the first message of the thread", func(m *Whole) *string { return &m.ThreadID }, shape.Word),
			shape.Field("fromParticipantId", "the author", func(m *Whole) *string { return &m.FromParticipantID }, shape.Word),
			shape.Field("toParticipantIds", "the addressees; none: the room", func(m *Whole) *[]string { return &m.ToParticipantIDs }, shape.Words),
			shape.Field("kind", "its type", func(m *Whole) *protocol.MessageKind { return &m.MessageKind }, shape.MessageKinds),
			shape.Field("obligation", "what a recipient owes", func(m *Whole) *protocol.Obligation { return &m.Obligation }, shape.Obligations),
			shape.Nullable("inReplyTo", "the message that it answers", func(m *Whole) *string { return &m.InReplyTo }, shape.Word),
			shape.Field("sentAt", "by the author's clock", func(m *Whole) *time.Time { return &m.SentAt }, shape.When),
			shape.Field("artifacts", "what it points at", func(m *Whole) *[]protocol.ArtifactRef { return &m.Artifacts }, shape.List(protocol.ArtifactObject())),
			shape.Nullable("handoff", "of a handoff", func(m *Whole) **protocol.HandoffPayload { return &m.Handoff }, strictjson.Pointer(nested(protocol.HandoffObject()))),
			shape.Nullable("decisionChange", "of a decision that changes others", func(m *Whole) **protocol.DecisionChange { return &m.DecisionChange }, strictjson.Pointer(nested(protocol.DecisionChangeObject()))),
			shape.Field(framed, "subject and body as untrusted peer text", func(m *Whole) *string { return &m.Framed }, shape.Text),
			strictjson.Const[Whole]("trust", "how to read it", protocol.Trust),
		}
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
	Members: func() []strictjson.Member[MailData] {
		return []strictjson.Member[MailData]{
			shape.Field("message", "the message", func(m *MailData) *Whole { return &m.Message }, nested(wholeObject)),
			shape.Field("receipt", "the reader's", func(m *MailData) *protocol.Receipt { return &m.Receipt }, nested(core.ReceiptObject())),
			shape.Nullable("decisionStatus", "of a decision", func(m *MailData) **decision.Status { return &m.Decision }, strictjson.Pointer(nested(core.DecisionObject()))),
		}
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
	Members: func() []strictjson.Member[HistoryMessageData] {
		return []strictjson.Member[HistoryMessageData]{
			shape.Field("message", "the message", func(m *HistoryMessageData) *Whole { return &m.Message }, nested(wholeObject)),
			shape.Field("receipts", "sorted by recipient", func(m *HistoryMessageData) *[]protocol.Receipt { return &m.Receipts }, shape.List(core.ReceiptObject())),
			shape.Nullable("decisionStatus", "of a decision", func(m *HistoryMessageData) **decision.Status { return &m.Decision }, strictjson.Pointer(nested(core.DecisionObject()))),
		}
	},
}

// History defines a page of the room's messages.
var History = &strictjson.Object[core.HistoryPage]{
	Name: "history", Doc: "Messages of the room, newest first.",
	Members: func() []strictjson.Member[core.HistoryPage] {
		return []strictjson.Member[core.HistoryPage]{
			shape.Field("items", "one page", func(p *core.HistoryPage) *[]core.Summary { return &p.Items }, shape.List(core.SummaryObject())),
			shape.Nullable("nextCursor", "null on the last page", func(p *core.HistoryPage) *string { return &p.NextCursor }, shape.Word),
		}
	},
}

// Inbox defines a page of what waits; it is also the content of acc://inbox.
var Inbox = &strictjson.Object[core.InboxPage]{
	Name: "inbox", Doc: "What waits, newest first.",
	Members: func() []strictjson.Member[core.InboxPage] {
		return []strictjson.Member[core.InboxPage]{
			shape.Field("items", "one page", func(p *core.InboxPage) *[]core.InboxItem { return &p.Items }, shape.List(core.InboxItemObject())),
			shape.Nullable("nextCursor", "null on the last page", func(p *core.InboxPage) *string { return &p.NextCursor }, shape.Word),
		}
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
	Members: func() []strictjson.Member[WaitData] {
		return []strictjson.Member[WaitData]{
			shape.Field("arrived", "false: the time passed first", func(w *WaitData) *bool { return &w.Arrived }, shape.Truth),
			shape.Field("items", "what arrived, newest first", func(w *WaitData) *[]core.InboxItem { return &w.Items }, shape.List(core.InboxItemObject())),
			shape.Field("cursor", "to wait with for what is newer", func(w *WaitData) *string { return &w.Cursor }, shape.Word),
		}
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
	Members: func() []strictjson.Member[SentData] {
		return []strictjson.Member[SentData]{
			shape.Field("messageId", "its id", func(s *SentData) *string { return &s.Message.MessageID }, shape.Word),
			shape.Field("threadId", "id of the first message of the thread", func(s *SentData) *string { return &s.Message.ThreadID }, shape.Word),
			shape.Field("clientMessageId", "sending again with it records nothing twice", func(s *SentData) *string { return &s.Message.ClientMessageID }, shape.Word),
			shape.Field("kind", "its type", func(s *SentData) *protocol.MessageKind { return &s.Message.MessageKind }, shape.MessageKinds),
			shape.Field("obligation", "what a recipient owes", func(s *SentData) *protocol.Obligation { return &s.Message.Obligation }, shape.Obligations),
			shape.Field("toParticipantIds", "the addressees; none: the room", func(s *SentData) *[]string { return &s.Message.ToParticipantIDs }, shape.Words),
			shape.Field("delivery", "one entry per recipient", func(s *SentData) *[]delivery.Result { return &s.Delivery }, shape.List(delivery.Object())),
			shape.Field("duplicate", "recorded before; nothing was written now", func(s *SentData) *bool { return &s.Duplicate }, shape.Truth),
			shape.Field("warnings", "what the message will not do", func(s *SentData) *[]string { return &s.Warnings }, shape.Lines),
			strictjson.Optional("receipt", "of the message that was answered", func(s *SentData) **protocol.Receipt { return &s.Settled }, strictjson.Pointer(nested(core.ReceiptObject()))),
			strictjson.Optional("releasedClaimIds", "claims that ended with the session", func(s *SentData) *[]string { return &s.Released }, shape.Words),
		}
	},
}

// ReceiptData is the answer of acc_ack.
type ReceiptData struct{ Receipt protocol.Receipt }

// Receipt defines ReceiptData.
var Receipt = &strictjson.Object[ReceiptData]{
	Name: "acknowledged", Doc: "The settled receipt.",
	Members: func() []strictjson.Member[ReceiptData] {
		return []strictjson.Member[ReceiptData]{
			shape.Field("receipt", "the caller's", func(r *ReceiptData) *protocol.Receipt { return &r.Receipt }, nested(core.ReceiptObject())),
		}
	},
}

package core

import (
	"time"

	"github.com/acc-control-plane/acc/core/decision"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// The closed shapes of what pages list. Commands print them as they are, because a page is measured by
// them.

var decisionObject = strictjson.Object[decision.Status]{
	Name: "decision status", Doc: "What has become of a decision; derived from the links between decisions.",
	Members: func() []strictjson.Member[decision.Status] {
		return []strictjson.Member[decision.Status]{
			strictjson.Field("state", "whether it counts", func(s *decision.Status) *decision.State { return &s.State },
				strictjson.Enum(decision.Current, decision.Superseded, decision.Withdrawn)),
			strictjson.Field("isHead", "nothing replaced or withdrew it", func(s *decision.Status) *bool { return &s.IsHead }, strictjson.Bool()),
			strictjson.Field("conflicted", "its group has not exactly one head", func(s *decision.Status) *bool { return &s.Conflicted }, strictjson.Bool()),
			strictjson.Field("headCount", "heads of its group", func(s *decision.Status) *int { return &s.HeadCount }, strictjson.Int(0, maxGroup)),
			strictjson.Field("currentMessageId", "the only head", func(s *decision.Status) *string { return &s.CurrentMessageID }, strictjson.Nullable(idLine())),
			strictjson.Field("groupId", "names its group; may change when groups join", func(s *decision.Status) *string { return &s.GroupID }, idLine()),
			strictjson.Optional("partial", "the group is larger than what was read: only isHead is certain", func(s *decision.Status) *bool { return &s.Partial }, strictjson.Bool()),
		}
	},
}

// DecisionObject defines decision.Status.
func DecisionObject() *strictjson.Object[decision.Status] { return &decisionObject }

// maxPreview is a cut subject with its ellipsis, in characters.
const maxPreview = protocol.SubjectPreview + 1

var summaryObject = strictjson.Object[Summary]{
	Name: "message summary", Doc: "A message without its body.",
	Members: func() []strictjson.Member[Summary] {
		return []strictjson.Member[Summary]{
			strictjson.Field("messageId", "key", func(s *Summary) *string { return &s.MessageID }, idLine()),
			strictjson.Field("threadId", "messageId of the first message of the thread", func(s *Summary) *string { return &s.ThreadID }, idLine()),
			strictjson.Field("fromParticipantId", "author", func(s *Summary) *string { return &s.FromParticipantID }, idLine()),
			strictjson.Field("fromSessionId", "session of the author", func(s *Summary) *string { return &s.FromSessionID }, idLine()),
			strictjson.Field("kind", "see kinds and obligations", func(s *Summary) *protocol.MessageKind { return &s.MessageKind },
				strictjson.Enum(protocol.Note, protocol.Question, protocol.Request, protocol.Answer, protocol.Decision, protocol.Handoff)),
			strictjson.Field("obligation", "what a recipient owes", func(s *Summary) *protocol.Obligation { return &s.Obligation },
				strictjson.Enum(protocol.ObligationNone, protocol.ObligationAcknowledge, protocol.ObligationReply)),
			strictjson.Field("subject", "at most 160 bytes of it, then an ellipsis", func(s *Summary) *string { return &s.Subject }, strictjson.Line(maxPreview)),
			strictjson.Field("sentAt", "clock of the author, for people", func(s *Summary) *time.Time { return &s.SentAt }, strictjson.Time()),
			strictjson.Field("inReplyTo", "the message that is answered", func(s *Summary) *string { return &s.InReplyTo }, strictjson.Nullable(idLine())),
			strictjson.Field("bodyBytes", "size of the body", func(s *Summary) *int { return &s.BodyBytes }, strictjson.Int(0, protocol.MaxBody)),
			strictjson.Field("artifactCount", "references of the message", func(s *Summary) *int { return &s.ArtifactCount }, strictjson.Int(0, protocol.MaxListItems)),
			strictjson.Optional("decisionStatus", "of a decision", func(s *Summary) **decision.Status { return &s.Decision },
				strictjson.Pointer(strictjson.Nested(&decisionObject))),
			strictjson.Const[Summary]("trust", "what a reader should take it for", protocol.Trust),
		}
	},
}

var receiptObject = strictjson.Object[protocol.Receipt]{
	Name: "receipt", Doc: "How far one message has come with one recipient.",
	Members: func() []strictjson.Member[protocol.Receipt] {
		return []strictjson.Member[protocol.Receipt]{
			strictjson.Field("messageId", "the message", func(r *protocol.Receipt) *string { return &r.MessageID }, idLine()),
			strictjson.Field("recipientParticipantId", "the recipient", func(r *protocol.Receipt) *string { return &r.RecipientParticipantID }, idLine()),
			strictjson.Field("state", "how far", func(r *protocol.Receipt) *protocol.ReceiptState { return &r.State }, strictjson.Enum(protocol.ReceiptStates[:]...)),
			strictjson.Field("updatedAt", "when it came so far", func(r *protocol.Receipt) *time.Time { return &r.UpdatedAt }, strictjson.Time()),
			strictjson.Field("offer", "how it was offered", func(r *protocol.Receipt) **protocol.Offer { return &r.Offer },
				strictjson.Nullable(strictjson.Pointer(strictjson.Nested(protocol.OfferObject())))),
		}
	},
}

var inboxItemObject = strictjson.Object[InboxItem]{
	Name: "inbox item", Doc: "One line of an inbox.",
	Members: func() []strictjson.Member[InboxItem] {
		return []strictjson.Member[InboxItem]{
			strictjson.Field("message", "what waits", func(i *InboxItem) *Summary { return &i.Message }, strictjson.Nested(&summaryObject)),
			strictjson.Field("receipt", "how far it has come with the reader", func(i *InboxItem) *protocol.Receipt { return &i.Receipt }, strictjson.Nested(&receiptObject)),
		}
	},
}

func idLine() strictjson.Type[string] { return strictjson.Line(protocol.MaxIDLength) }

// SummaryObject defines Summary.
func SummaryObject() *strictjson.Object[Summary] { return &summaryObject }

// ReceiptObject defines what public reads show of a receipt.
func ReceiptObject() *strictjson.Object[protocol.Receipt] { return &receiptObject }

// InboxItemObject defines InboxItem.
func InboxItemObject() *strictjson.Object[InboxItem] { return &inboxItemObject }

package mcpserver

import (
	"time"
	"unicode/utf8"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// The types of arguments. The records that come of them are checked more closely by core; here every
// limit is one that a schema can say in a few bytes.
var (
	idArgument   = strictjson.String[string](&strictjson.Rule{Label: "id", MaxChars: protocol.MaxIDLength})
	lineArgument = strictjson.String[string](&strictjson.Rule{Label: "line", MaxChars: protocol.MaxLine, Check: oneLine})
	bodyArgument = strictjson.String[string](&strictjson.Rule{Label: "prose", Check: bodyLimit})
	nameArgument = strictjson.String[string](&strictjson.Rule{Label: "resource", MaxChars: protocol.MaxResource, Check: oneLine})
	flagArgument = strictjson.Bool()
	kindArgument = strictjson.Enum(protocol.Note, protocol.Question, protocol.Request, protocol.Decision)
)

// oneLine refuses control characters, line ends among them.
func oneLine(s string) string {
	for _, r := range s {
		if r < ' ' || r == 0x7f {
			return "must be one line without control characters"
		}
	}
	return ""
}

// bodyLimit is in bytes, which no schema can say.
func bodyLimit(s string) string {
	if len(s) > protocol.MaxBody || !utf8.ValidString(s) {
		return "longer than 65536 bytes"
	}
	return ""
}

// optional is a member that may be left out.
func optional[T, V any](name, doc string, at func(*T) *V, typ strictjson.Type[V]) strictjson.Member[T] {
	return strictjson.Optional(name, doc, at, typ)
}

// required is a member that must be there.
func required[T, V any](name, doc string, at func(*T) *V, typ strictjson.Type[V]) strictjson.Member[T] {
	return strictjson.Field(name, doc, at, typ)
}

const keyDoc = "repeat a call with the same key to be sure"

type statusRequest struct{ all bool }

var statusArguments = strictjson.Object[statusRequest]{
	Name: "acc_status",
	Members: func() []strictjson.Member[statusRequest] {
		return []strictjson.Member[statusRequest]{
			optional("all", "also who left", func(s *statusRequest) *bool { return &s.all }, flagArgument),
		}
	},
}

type scope string

const (
	scopeDelta   scope = "delta"
	scopeFull    scope = "full"
	scopeHistory scope = "history"
)

type syncRequest struct {
	cursor    string
	scope     scope
	limit     int
	kind      protocol.MessageKind
	messageID string
	current   bool
}

var syncArguments = strictjson.Object[syncRequest]{
	Name: "acc_sync",
	Members: func() []strictjson.Member[syncRequest] {
		return []strictjson.Member[syncRequest]{
			optional("cursor", "of the last answer", func(s *syncRequest) *string { return &s.cursor }, idArgument),
			optional("scope", "default delta", func(s *syncRequest) *scope { return &s.scope }, strictjson.Enum(scopeDelta, scopeFull, scopeHistory)),
			optional("limit", "of the page", func(s *syncRequest) *int { return &s.limit }, strictjson.Int(1, protocol.EventsPageMax)),
			optional("kind", "history: only these", func(s *syncRequest) *protocol.MessageKind { return &s.kind },
				strictjson.Enum(protocol.Note, protocol.Question, protocol.Request, protocol.Answer, protocol.Decision, protocol.Handoff)),
			optional("messageId", "history: this one whole", func(s *syncRequest) *string { return &s.messageID }, idArgument),
			optional("current", "history: decisions that still count", func(s *syncRequest) *bool { return &s.current }, flagArgument),
		}
	},
	Check: func(s *syncRequest) *strictjson.Error {
		switch {
		case s.scope != scopeHistory && (s.kind != "" || s.messageID != "" || s.current):
			return strictjson.Fail("$.scope", "kind, messageId and current need the scope history")
		case s.current && s.kind != protocol.Decision:
			return strictjson.Fail("$.current", "needs the kind decision")
		case s.messageID != "" && (s.cursor != "" || s.limit != 0 || s.kind != "" || s.current):
			return strictjson.Fail("$.messageId", "excludes all but the scope")
		}
		return nil
	},
}

type workRequest struct {
	core.IntentRequest
	clear bool
}

var workArguments = strictjson.Object[workRequest]{
	Name: "acc_work",
	Members: func() []strictjson.Member[workRequest] {
		return []strictjson.Member[workRequest]{
			optional("summary", "one line", func(w *workRequest) *string { return &w.Summary },
				strictjson.String[string](&strictjson.Rule{Label: "line", MaxChars: protocol.MaxSummary, Check: oneLine})),
			optional("mode", "default edit", func(w *workRequest) *protocol.IntentMode { return &w.Mode },
				strictjson.Enum(protocol.ModeObserve, protocol.ModeExplore, protocol.ModeEdit, protocol.ModeReview, protocol.ModeCoordinate, protocol.ModeWait)),
			optional("state", "default active", func(w *workRequest) *protocol.IntentState { return &w.State },
				strictjson.Enum(protocol.IntentActive, protocol.IntentBlocked, protocol.IntentWaiting, protocol.IntentDone)),
			optional("resourceHints", "what you will touch", func(w *workRequest) *[]string { return &w.ResourceHints }, strictjson.List(nameArgument, 0, protocol.MaxListItems)),
			optional("clear", "take it back instead", func(w *workRequest) *bool { return &w.clear }, flagArgument),
		}
	},
	Check: func(w *workRequest) *strictjson.Error {
		switch {
		case w.clear && (w.Summary != "" || w.Mode != "" || w.State != "" || len(w.ResourceHints) > 0):
			return strictjson.Fail("$.clear", "excludes the other members")
		case !w.clear && w.Summary == "":
			return strictjson.Fail("$.summary", "is missing, and clear is not set")
		}
		return nil
	},
}

type claimAction string

const (
	acquire claimAction = "acquire"
	renew   claimAction = "renew"
)

type claimRequest struct {
	action   claimAction
	resource string
	claimID  string
	mode     protocol.ClaimMode
	reason   string
	lease    int // seconds
}

var claimArguments = strictjson.Object[claimRequest]{
	Name: "acc_claim",
	Members: func() []strictjson.Member[claimRequest] {
		return []strictjson.Member[claimRequest]{
			optional("action", "default acquire", func(c *claimRequest) *claimAction { return &c.action }, strictjson.Enum(acquire, renew)),
			optional("resource", "what to claim", func(c *claimRequest) *string { return &c.resource }, nameArgument),
			optional("claimId", "what to renew", func(c *claimRequest) *string { return &c.claimID }, idArgument),
			optional("mode", "default exclusive", func(c *claimRequest) *protocol.ClaimMode { return &c.mode }, strictjson.Enum(protocol.Shared, protocol.Exclusive)),
			optional("reason", "shown to peers", func(c *claimRequest) *string { return &c.reason }, lineArgument),
			optional("leaseSeconds", "default 1800", func(c *claimRequest) *int { return &c.lease }, strictjson.Int(1, int(protocol.MaxClaimLease/time.Second))),
		}
	},
	Check: func(c *claimRequest) *strictjson.Error {
		switch {
		case (c.resource == "") == (c.claimID == ""):
			return strictjson.Fail("$.resource", "give either resource or claimId")
		case c.claimID != "" && c.action != renew:
			return strictjson.Fail("$.action", "claimId needs the action renew")
		}
		return nil
	},
}

var releaseArguments = strictjson.Object[core.ReleaseRequest]{
	Name: "acc_release",
	Members: func() []strictjson.Member[core.ReleaseRequest] {
		return []strictjson.Member[core.ReleaseRequest]{
			optional("claimId", "its id, or", func(r *core.ReleaseRequest) *string { return &r.ClaimID }, idArgument),
			optional("resource", "its resource", func(r *core.ReleaseRequest) *string { return &r.Resource }, nameArgument),
		}
	},
	Check: func(r *core.ReleaseRequest) *strictjson.Error {
		if (r.ClaimID == "") == (r.Resource == "") {
			return strictjson.Fail("$.claimId", "give either claimId or resource")
		}
		return nil
	},
}

var messageArguments = strictjson.Object[core.SendRequest]{
	Name: "acc_message",
	Members: func() []strictjson.Member[core.SendRequest] {
		return []strictjson.Member[core.SendRequest]{
			optional("to", "participants; none: the room", func(s *core.SendRequest) *[]string { return &s.To }, strictjson.List(idArgument, 0, protocol.MaxListItems)),
			required("subject", "one line", func(s *core.SendRequest) *string { return &s.Subject }, lineArgument),
			required("body", "", func(s *core.SendRequest) *string { return &s.Body }, bodyArgument),
			optional("kind", "default note", func(s *core.SendRequest) *protocol.MessageKind { return &s.MessageKind }, kindArgument),
			optional("obligation", "default by kind", func(s *core.SendRequest) *protocol.Obligation { return &s.Obligation },
				strictjson.Enum(protocol.ObligationNone, protocol.ObligationAcknowledge, protocol.ObligationReply)),
			optional("clientMessageId", keyDoc, func(s *core.SendRequest) *string { return &s.ClientMessageID }, idArgument),
			optional("supersedes", "decisions that this decision replaces", func(s *core.SendRequest) *[]string { return &s.Replaces }, strictjson.List(idArgument, 0, protocol.MaxDecisionLinks)),
			optional("withdraws", "decisions that it withdraws", func(s *core.SendRequest) *[]string { return &s.Withdraws }, strictjson.List(idArgument, 0, protocol.MaxDecisionLinks)),
		}
	},
}

type askRequest struct{ to, title, detail, key string }

var requestArguments = strictjson.Object[askRequest]{
	Name: "acc_request",
	Members: func() []strictjson.Member[askRequest] {
		return []strictjson.Member[askRequest]{
			required("toParticipantId", "whom to ask", func(a *askRequest) *string { return &a.to }, idArgument),
			required("title", "one line", func(a *askRequest) *string { return &a.title }, lineArgument),
			required("detail", "", func(a *askRequest) *string { return &a.detail }, bodyArgument),
			optional("clientMessageId", keyDoc, func(a *askRequest) *string { return &a.key }, idArgument),
		}
	},
}

type inboxRequest struct {
	core.InboxQuery
	messageID string
}

var inboxArguments = strictjson.Object[inboxRequest]{
	Name: "acc_inbox",
	Members: func() []strictjson.Member[inboxRequest] {
		return []strictjson.Member[inboxRequest]{
			optional("messageId", "read this one whole", func(i *inboxRequest) *string { return &i.messageID }, idArgument),
			optional("cursor", "nextCursor of the last page", func(i *inboxRequest) *string { return &i.Cursor }, idArgument),
			optional("limit", "of the page", func(i *inboxRequest) *int { return &i.Limit }, strictjson.Int(1, protocol.InboxPageMax)),
		}
	},
	Check: func(i *inboxRequest) *strictjson.Error {
		if i.messageID != "" && (i.Cursor != "" || i.Limit != 0) {
			return strictjson.Fail("$.messageId", "excludes cursor and limit")
		}
		return nil
	},
}

var replyArguments = strictjson.Object[core.ReplyRequest]{
	Name: "acc_reply",
	Members: func() []strictjson.Member[core.ReplyRequest] {
		return []strictjson.Member[core.ReplyRequest]{
			required("messageId", "what you answer", func(r *core.ReplyRequest) *string { return &r.MessageID }, idArgument),
			required("body", "", func(r *core.ReplyRequest) *string { return &r.Body }, bodyArgument),
			optional("subject", "default Re: ...", func(r *core.ReplyRequest) *string { return &r.Subject }, lineArgument),
			optional("clientMessageId", keyDoc, func(r *core.ReplyRequest) *string { return &r.ClientMessageID }, idArgument),
		}
	},
}

type ackRequest struct{ messageID string }

var ackArguments = strictjson.Object[ackRequest]{
	Name: "acc_ack",
	Members: func() []strictjson.Member[ackRequest] {
		return []strictjson.Member[ackRequest]{
			required("messageId", "what you settle", func(a *ackRequest) *string { return &a.messageID }, idArgument),
		}
	},
}

type finishRequest struct {
	core.FinishRequest
	to string
}

var finishArguments = strictjson.Object[finishRequest]{
	Name: "acc_finish",
	Members: func() []strictjson.Member[finishRequest] {
		return []strictjson.Member[finishRequest]{
			required("goal", "what the work was for, one line", func(f *finishRequest) *string { return &f.Goal }, lineArgument),
			optional("status", "default partial", func(f *finishRequest) *protocol.HandoffStatus { return &f.Status },
				strictjson.Enum(protocol.HandoffComplete, protocol.HandoffPartial, protocol.HandoffBlocked)),
			optional("completed", "", func(f *finishRequest) *[]string { return &f.Completed }, strictjson.List(lineArgument, 0, protocol.MaxListItems)),
			optional("remaining", "", func(f *finishRequest) *[]string { return &f.Remaining }, strictjson.List(lineArgument, 0, protocol.MaxListItems)),
			optional("blockers", "", func(f *finishRequest) *[]string { return &f.Blockers }, strictjson.List(lineArgument, 0, protocol.MaxListItems)),
			optional("toParticipantId", "default the room", func(f *finishRequest) *string { return &f.to }, idArgument),
			optional("clientMessageId", keyDoc, func(f *finishRequest) *string { return &f.ClientMessageID }, idArgument),
		}
	},
}

// The bounds of acc_wait. Many clients give a call a minute unless it reports progress.
const (
	waitDefault = 45 * time.Second
	waitLongest = 10 * time.Minute
)

type waitRequest struct {
	seconds int
	cursor  string
}

var waitArguments = strictjson.Object[waitRequest]{
	Name: "acc_wait",
	Members: func() []strictjson.Member[waitRequest] {
		return []strictjson.Member[waitRequest]{
			optional("timeoutSeconds", "default 45", func(w *waitRequest) *int { return &w.seconds }, strictjson.Int(1, int(waitLongest/time.Second))),
			optional("cursor", "only what came after it", func(w *waitRequest) *string { return &w.cursor }, idArgument),
		}
	},
}

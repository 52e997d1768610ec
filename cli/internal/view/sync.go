package view

import (
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/decision"
	"github.com/acc-control-plane/acc/core/shape"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// SyncData is the answer of sync with the scopes delta and full.
type SyncData struct {
	Scope  string
	Result core.SyncResult
}

// Scopes of sync.
const (
	ScopeDelta   = "delta"
	ScopeFull    = "full"
	ScopeHistory = "history"
)

var rosterRowObject = &strictjson.Object[core.RosterRow]{
	Name: "rosterRow", Doc: "A session that may be there.",
	Members: func() []strictjson.Member[core.RosterRow] {
		return []strictjson.Member[core.RosterRow]{
			field("sessionId", "its id", func(r *core.RosterRow) *string { return &r.SessionID }, word),
			field("participantId", "what to address", func(r *core.RosterRow) *string { return &r.ParticipantID }, word),
			nullable("parentSessionId", "the session that started it", func(r *core.RosterRow) *string { return &r.ParentSessionID }, word),
			field("harness", "its client", func(r *core.RosterRow) *string { return &r.Harness }, word),
			nullable("branch", "where it works", func(r *core.RosterRow) *string { return &r.Branch }, text),
			field("presence", "whether it is there", func(r *core.RosterRow) *protocol.Presence { return &r.Presence }, presences),
		}
	},
}

var openSessionObject = &strictjson.Object[protocol.Session]{
	Name: "openSession", Doc: "An open session, without its key.",
	Members: func() []strictjson.Member[protocol.Session] {
		return []strictjson.Member[protocol.Session]{
			field("sessionId", "its id", func(s *protocol.Session) *string { return &s.SessionID }, word),
			field("participantId", "what to address", func(s *protocol.Session) *string { return &s.ParticipantID }, word),
			field("harness", "its client", func(s *protocol.Session) *string { return &s.Harness }, word),
			nullable("parentSessionId", "the session that started it", func(s *protocol.Session) *string { return &s.ParentSessionID }, word),
			nullable("checkoutRoot", "where it works", func(s *protocol.Session) *string { return &s.CheckoutRoot }, text),
			nullable("branch", "on what branch", func(s *protocol.Session) *string { return &s.Branch }, text),
			field("enforcement", "whether its client refuses guarded edits", func(s *protocol.Session) *protocol.Enforcement { return &s.Enforcement }, enforcements),
			field("lifecycle", "whether its client or a person ends it", func(s *protocol.Session) *protocol.Lifecycle { return &s.Lifecycle }, lifecycles),
			field("state", "open or closed", func(s *protocol.Session) *protocol.SessionState { return &s.State }, sessionStates),
			field("startedAt", "when it opened", func(s *protocol.Session) *time.Time { return &s.StartedAt }, when),
		}
	},
}

var snapshotObject = &strictjson.Object[core.Snapshot]{
	Name: "snapshot", Doc: "How things stand; at most 500 of each list, the newest.",
	Members: func() []strictjson.Member[core.Snapshot] {
		return []strictjson.Member[core.Snapshot]{
			field("workspaceId", "the room", func(s *core.Snapshot) *string { return &s.Workspace.WorkspaceID }, word),
			field("displayName", "what people call it", func(s *core.Snapshot) *string { return &s.Workspace.DisplayName }, text),
			field("source", "how it was found", func(s *core.Snapshot) *protocol.WorkspaceSource { return &s.Workspace.Source }, sources),
			nullable("createdAt", "when it was first recorded", func(s *core.Snapshot) *time.Time { return &s.Workspace.CreatedAt }, when),
			field("participants", "who can be addressed", func(s *core.Snapshot) *[]protocol.Participant { return &s.Participants }, list(protocol.ParticipantObject())),
			field("sessions", "open ones", func(s *core.Snapshot) *[]protocol.Session { return &s.Sessions }, list(openSessionObject)),
			field("intents", "that are not done", func(s *core.Snapshot) *[]protocol.Intent { return &s.Intents }, list(protocol.IntentObject())),
			field("claims", "on record, expired ones too", func(s *core.Snapshot) *[]protocol.Claim { return &s.Claims }, list(shape.Claim)),
		}
	},
}

// Sync is the answer of sync with the scopes delta and full.
var Sync = &Schema[SyncData]{name: "sync", doc: "What happened since the cursor.", data: func() strictjson.Type[SyncData] {
	return strictjson.Nested(&strictjson.Object[SyncData]{
		Name: "sync",
		Members: func() []strictjson.Member[SyncData] {
			return []strictjson.Member[SyncData]{
				field("scope", "delta or full", func(s *SyncData) *string { return &s.Scope }, strictjson.Enum(ScopeDelta, ScopeFull)),
				field("cursor", "to ask with next", func(s *SyncData) *string { return &s.Result.Cursor }, sequence),
				field("more", "there are events after the cursor", func(s *SyncData) *bool { return &s.Result.More }, truth),
				field("solo", "there is nobody to coordinate with and nothing to know", func(s *SyncData) *bool { return &s.Result.Solo }, truth),
				field("attention", "what the caller must know; empty without an owner pair", func(s *SyncData) *[]core.AttentionItem { return &s.Result.Attention }, list(attentionObject)),
				field("roster", "sessions that may be there, the caller's too", func(s *SyncData) *[]core.RosterRow { return &s.Result.Roster }, list(rosterRowObject)),
				field("events", "oldest first", func(s *SyncData) *[]protocol.Event { return &s.Result.Events }, list(protocol.EventObject())),
				field("trimmedThrough", "events up to this one may be gone", func(s *SyncData) *uint64 { return &s.Result.TrimmedThrough }, sequenceNumber),
				nullable("snapshot", "how things stand; with the scope full", func(s *SyncData) **core.Snapshot { return &s.Result.Snapshot }, strictjson.Pointer(strictjson.Nested(snapshotObject))),
			}
		},
	})
}}

// History is the answer of sync --scope history without --message.
var History = &Schema[core.HistoryPage]{name: "history", doc: "Messages of the room, newest first. Receipts do not change.", data: func() strictjson.Type[core.HistoryPage] {
	return strictjson.Nested(&strictjson.Object[core.HistoryPage]{
		Name: "history",
		Members: func() []strictjson.Member[core.HistoryPage] {
			return []strictjson.Member[core.HistoryPage]{
				strictjson.Const[core.HistoryPage]("scope", "history", ScopeHistory),
				strictjson.Const[core.HistoryPage]("view", "summary", "summary"),
				field("items", "one page", func(p *core.HistoryPage) *[]core.Summary { return &p.Items }, list(core.SummaryObject())),
				nullable("nextCursor", "for --cursor; null on the last page", func(p *core.HistoryPage) *string { return &p.NextCursor }, word),
			}
		},
	})
}}

var historyMessageObject = &strictjson.Object[core.HistoryMessage]{
	Name: "historyMessage", Doc: "A whole message with every receipt.",
	Members: func() []strictjson.Member[core.HistoryMessage] {
		return []strictjson.Member[core.HistoryMessage]{
			field("message", "the message", func(m *core.HistoryMessage) *protocol.Message { return &m.Message }, strictjson.Nested(messageObject)),
			field("receipts", "sorted by recipient", func(m *core.HistoryMessage) *[]protocol.Receipt { return &m.Receipts }, list(core.ReceiptObject())),
			nullable("decisionStatus", "of a decision", func(m *core.HistoryMessage) **decision.Status { return &m.Decision }, decisionStatus),
		}
	},
}

// HistoryMessage is the answer of sync --scope history --message.
var HistoryMessage = &Schema[core.HistoryMessage]{name: "historyMessage", doc: "One whole message. Receipts do not change.", data: func() strictjson.Type[core.HistoryMessage] {
	return strictjson.Nested(&strictjson.Object[core.HistoryMessage]{
		Name: "historyMessage",
		Members: func() []strictjson.Member[core.HistoryMessage] {
			return append([]strictjson.Member[core.HistoryMessage]{
				strictjson.Const[core.HistoryMessage]("scope", "history", ScopeHistory),
				strictjson.Const[core.HistoryMessage]("view", "message", "message"),
			}, historyMessageObject.Members()...)
		},
	})
}}

// ThreadData is the answer of thread.
type ThreadData struct {
	ThreadID   string
	Items      []core.HistoryMessage
	NextCursor string
}

// Thread is the answer of thread.
var Thread = &Schema[ThreadData]{name: "thread", doc: "The messages of one thread, newest first. Receipts do not change.", data: func() strictjson.Type[ThreadData] {
	return strictjson.Nested(&strictjson.Object[ThreadData]{
		Name: "thread",
		Members: func() []strictjson.Member[ThreadData] {
			return []strictjson.Member[ThreadData]{
				field("threadId", "id of its first message", func(t *ThreadData) *string { return &t.ThreadID }, word),
				field("items", "one page", func(t *ThreadData) *[]core.HistoryMessage { return &t.Items }, list(historyMessageObject)),
				nullable("nextCursor", "for --cursor; null on the last page", func(t *ThreadData) *string { return &t.NextCursor }, word),
			}
		},
	})
}}

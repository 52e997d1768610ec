package answer

import (
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/shape"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

var sessionObject = &strictjson.Object[core.SessionStatus]{
	Name: "session", Doc: "One session of the room.",
	Members: func() []strictjson.Member[core.SessionStatus] {
		return []strictjson.Member[core.SessionStatus]{
			shape.Field("sessionId", "its id", func(s *core.SessionStatus) *string { return &s.SessionID }, shape.Word),
			shape.Field("participantId", "what to address", func(s *core.SessionStatus) *string { return &s.ParticipantID }, shape.Word),
			shape.Field("harness", "its client", func(s *core.SessionStatus) *string { return &s.Harness }, shape.Word),
			shape.Nullable("branch", "on what branch", func(s *core.SessionStatus) *string { return &s.Branch }, shape.Text),
			shape.Nullable("checkoutRoot", "where it works", func(s *core.SessionStatus) *string { return &s.CheckoutRoot }, shape.Text),
			shape.Field("enforcement", "whether its client refuses guarded edits", func(s *core.SessionStatus) *protocol.Enforcement { return &s.Enforcement }, shape.Enforcements),
			shape.Field("lifecycle", "whether its client or a person ends it", func(s *core.SessionStatus) *protocol.Lifecycle { return &s.Lifecycle }, shape.Lifecycles),
			shape.Field("presence", "whether it is there", func(s *core.SessionStatus) *protocol.Presence { return &s.Presence }, shape.Presences),
			shape.Nullable("intent", "what it says it is doing", func(s *core.SessionStatus) *string { return &s.Intent }, shape.Text),
			shape.Nullable("endReason", "why it ended", func(s *core.SessionStatus) *string { return &s.EndReason }, shape.Text),
			shape.Field("queued", "messages to its participant that nobody was shown", func(s *core.SessionStatus) *int { return &s.Queued }, shape.Count),
			shape.Field("offered", "shown and not read exactly", func(s *core.SessionStatus) *int { return &s.Offered }, shape.Count),
			shape.Field("liveDelivery", "a message can make it look", func(s *core.SessionStatus) *bool { return &s.LiveDelivery }, shape.Truth),
		}
	},
}

var countsObject = &strictjson.Object[core.Counts]{
	Name: "counts", Doc: "The room summed up.",
	Members: func() []strictjson.Member[core.Counts] {
		return []strictjson.Member[core.Counts]{
			shape.Field("live", "sessions that are online", func(c *core.Counts) *int { return &c.Live }, shape.Count),
			shape.Field("stale", "sessions that may be there and do not answer", func(c *core.Counts) *int { return &c.Stale }, shape.Count),
			shape.Field("claims", "live claims", func(c *core.Counts) *int { return &c.Claims }, shape.Count),
			shape.Field("messages", "recorded so far", func(c *core.Counts) *int { return &c.Messages }, shape.Count),
		}
	},
}

var attentionObject = &strictjson.Object[core.AttentionItem]{
	Name: "attention", Doc: "Something that the caller must know.",
	Members: func() []strictjson.Member[core.AttentionItem] {
		return []strictjson.Member[core.AttentionItem]{
			shape.Field("kind", "which rule", func(a *core.AttentionItem) *core.AttentionKind { return &a.AttentionKind }, shape.Attentions),
			shape.Field("sourceId", "the message or claim to act on", func(a *core.AttentionItem) *string { return &a.SourceID }, shape.Word),
			shape.Field("summary", "one line; may hold peer text", func(a *core.AttentionItem) *string { return &a.Summary }, shape.Text),
		}
	},
}

// StatusData is the answer of acc_status.
type StatusData struct {
	core.Status
	Participant string // who asked
}

// Status defines StatusData.
var Status = &strictjson.Object[StatusData]{
	Name: "status", Doc: "The room at one moment.",
	Members: func() []strictjson.Member[StatusData] {
		return []strictjson.Member[StatusData]{
			shape.Field("you", "the participant that asked", func(s *StatusData) *string { return &s.Participant }, shape.Word),
			shape.Field("workspaceId", "the room", func(s *StatusData) *string { return &s.WorkspaceID }, shape.Word),
			shape.Field("displayName", "what people call it", func(s *StatusData) *string { return &s.DisplayName }, shape.Text),
			shape.Field("source", "how it was found", func(s *StatusData) *protocol.WorkspaceSource { return &s.Source }, shape.Sources),
			shape.Field("materialised", "whether anything durable was recorded", func(s *StatusData) *bool { return &s.Materialised }, shape.Truth),
			shape.Field("protection", "how far claims protect files", func(s *StatusData) *core.Protection { return &s.Protection }, shape.Protections),
			shape.Field("participants", "the sessions of the room", func(s *StatusData) *[]core.SessionStatus { return &s.Sessions }, shape.List(sessionObject)),
			shape.Field("claims", "the live claims", func(s *StatusData) *[]core.ClaimStatus { return &s.Claims }, shape.List(shape.LiveClaim)),
			shape.Field("counts", "the room summed up", func(s *StatusData) *core.Counts { return &s.Counts }, nested(countsObject)),
			shape.Field("attention", "what the caller must know", func(s *StatusData) *[]core.AttentionItem { return &s.Attention }, shape.List(attentionObject)),
			shape.Field("waiting", "what the caller waits for", func(s *StatusData) *[]core.Waiting { return &s.Waiting }, shape.List(shape.Waiting)),
			shape.Field("cursor", "of the newest event", func(s *StatusData) *string { return &s.Cursor }, shape.Word),
			shape.Field("now", "when this was true", func(s *StatusData) *time.Time { return &s.Now }, shape.When),
		}
	},
}

// RosterData is the content of acc://roster.
type RosterData struct{ Sessions []core.SessionStatus }

// Roster defines RosterData.
var Roster = &strictjson.Object[RosterData]{
	Name: "roster", Doc: "Who may be in the room.",
	Members: func() []strictjson.Member[RosterData] {
		return []strictjson.Member[RosterData]{
			shape.Field("participants", "the sessions of the room", func(r *RosterData) *[]core.SessionStatus { return &r.Sessions }, shape.List(sessionObject)),
		}
	},
}

var rosterRowObject = &strictjson.Object[core.RosterRow]{
	Name: "rosterRow", Doc: "One session that may be there.",
	Members: func() []strictjson.Member[core.RosterRow] {
		return []strictjson.Member[core.RosterRow]{
			shape.Field("sessionId", "its id", func(r *core.RosterRow) *string { return &r.SessionID }, shape.Word),
			shape.Field("participantId", "what to address", func(r *core.RosterRow) *string { return &r.ParticipantID }, shape.Word),
			shape.Field("harness", "its client", func(r *core.RosterRow) *string { return &r.Harness }, shape.Word),
			shape.Nullable("branch", "on what branch", func(r *core.RosterRow) *string { return &r.Branch }, shape.Text),
			shape.Field("presence", "whether it is there", func(r *core.RosterRow) *protocol.Presence { return &r.Presence }, shape.Presences),
		}
	},
}

var openSessionObject = &strictjson.Object[protocol.Session]{
	Name: "openSession", Doc: "A session on record, without its credential.",
	Members: func() []strictjson.Member[protocol.Session] {
		return []strictjson.Member[protocol.Session]{
			shape.Field("sessionId", "its id", func(s *protocol.Session) *string { return &s.SessionID }, shape.Word),
			shape.Field("participantId", "whose", func(s *protocol.Session) *string { return &s.ParticipantID }, shape.Word),
			shape.Field("harness", "its client", func(s *protocol.Session) *string { return &s.Harness }, shape.Word),
			shape.Nullable("branch", "on what branch", func(s *protocol.Session) *string { return &s.Branch }, shape.Text),
			shape.Nullable("checkoutRoot", "where it works", func(s *protocol.Session) *string { return &s.CheckoutRoot }, shape.Text),
			shape.Field("startedAt", "since when", func(s *protocol.Session) *time.Time { return &s.StartedAt }, shape.When),
		}
	},
}

// Snapshot defines how things stand; it is also the content of acc://snapshot.
var Snapshot = &strictjson.Object[core.Snapshot]{
	Name: "snapshot", Doc: "How things stand.",
	Members: func() []strictjson.Member[core.Snapshot] {
		return []strictjson.Member[core.Snapshot]{
			shape.Field("workspaceId", "the room", func(s *core.Snapshot) *string { return &s.Workspace.WorkspaceID }, shape.Word),
			shape.Field("displayName", "what people call it", func(s *core.Snapshot) *string { return &s.Workspace.DisplayName }, shape.Text),
			shape.Field("participants", "who was ever here", func(s *core.Snapshot) *[]protocol.Participant { return &s.Participants }, shape.List(protocol.ParticipantObject())),
			shape.Field("sessions", "on record as open", func(s *core.Snapshot) *[]protocol.Session { return &s.Sessions }, shape.List(openSessionObject)),
			shape.Field("intents", "not done", func(s *core.Snapshot) *[]protocol.Intent { return &s.Intents }, shape.List(protocol.IntentObject())),
			shape.Field("claims", "on record, expired ones too", func(s *core.Snapshot) *[]protocol.Claim { return &s.Claims }, shape.List(shape.Claim)),
		}
	},
}

// Sync defines what happened since a cursor.
var Sync = &strictjson.Object[core.SyncResult]{
	Name: "sync", Doc: "What happened since a cursor.",
	Members: func() []strictjson.Member[core.SyncResult] {
		return []strictjson.Member[core.SyncResult]{
			shape.Field("cursor", "to ask with next", func(s *core.SyncResult) *string { return &s.Cursor }, shape.Word),
			shape.Field("more", "there are later events", func(s *core.SyncResult) *bool { return &s.More }, shape.Truth),
			shape.Field("solo", "nobody to coordinate with and nothing to know", func(s *core.SyncResult) *bool { return &s.Solo }, shape.Truth),
			shape.Field("attention", "what the caller must know", func(s *core.SyncResult) *[]core.AttentionItem { return &s.Attention }, shape.List(attentionObject)),
			shape.Field("roster", "sessions that may be there", func(s *core.SyncResult) *[]core.RosterRow { return &s.Roster }, shape.List(rosterRowObject)),
			shape.Field("events", "oldest first", func(s *core.SyncResult) *[]protocol.Event { return &s.Events }, shape.List(protocol.EventObject())),
			shape.Nullable("snapshot", "with scope full", func(s *core.SyncResult) **core.Snapshot { return &s.Snapshot }, strictjson.Pointer(nested(Snapshot))),
		}
	},
}

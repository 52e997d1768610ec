package answer

import (
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

var sessionObject = &strictjson.Object[core.SessionStatus]{
	Name: "session", Doc: "One session of the room.",
	Members: []strictjson.Member[core.SessionStatus]{
		field("sessionId", "its id", func(s *core.SessionStatus) *string { return &s.SessionID }, word),
		field("participantId", "what to address", func(s *core.SessionStatus) *string { return &s.ParticipantID }, word),
		field("harness", "its client", func(s *core.SessionStatus) *string { return &s.Harness }, word),
		nullable("branch", "on what branch", func(s *core.SessionStatus) *string { return &s.Branch }, text),
		nullable("checkoutRoot", "where it works", func(s *core.SessionStatus) *string { return &s.CheckoutRoot }, text),
		field("enforcement", "whether its client refuses guarded edits", func(s *core.SessionStatus) *protocol.Enforcement { return &s.Enforcement }, enforcements),
		field("lifecycle", "whether its client or a person ends it", func(s *core.SessionStatus) *protocol.Lifecycle { return &s.Lifecycle }, lifecycles),
		field("presence", "whether it is there", func(s *core.SessionStatus) *protocol.Presence { return &s.Presence }, presences),
		nullable("intent", "what it says it is doing", func(s *core.SessionStatus) *string { return &s.Intent }, text),
		nullable("endReason", "why it ended", func(s *core.SessionStatus) *string { return &s.EndReason }, text),
		field("queued", "messages to its participant that nobody was shown", func(s *core.SessionStatus) *int { return &s.Queued }, count),
		field("offered", "shown and not read exactly", func(s *core.SessionStatus) *int { return &s.Offered }, count),
		field("liveDelivery", "a message can make it look", func(s *core.SessionStatus) *bool { return &s.LiveDelivery }, truth),
	},
}

var liveClaimObject = &strictjson.Object[core.ClaimStatus]{
	Name: "liveClaim", Doc: "One live claim.",
	Members: []strictjson.Member[core.ClaimStatus]{
		field("claimId", "its id", func(c *core.ClaimStatus) *string { return &c.ClaimID }, word),
		field("resource", "what is claimed", func(c *core.ClaimStatus) *string { return &c.Resource }, word),
		field("mode", "whether others may claim it too", func(c *core.ClaimStatus) *protocol.ClaimMode { return &c.Mode }, claimModes),
		field("enforcement", "whether guarded clients refuse edits of others", func(c *core.ClaimStatus) *protocol.Enforcement { return &c.Enforcement }, enforcements),
		field("reason", "why", func(c *core.ClaimStatus) *string { return &c.Reason }, text),
		field("ownerSessionId", "who holds it", func(c *core.ClaimStatus) *string { return &c.OwnerSessionID }, word),
		nullable("ownerParticipantId", "whom to ask", func(c *core.ClaimStatus) *string { return &c.OwnerParticipantID }, word),
		field("expiresAt", "until when", func(c *core.ClaimStatus) *time.Time { return &c.ExpiresAt }, when),
	},
}

var countsObject = &strictjson.Object[core.Counts]{
	Name: "counts", Doc: "The room summed up.",
	Members: []strictjson.Member[core.Counts]{
		field("live", "sessions that are online", func(c *core.Counts) *int { return &c.Live }, count),
		field("stale", "sessions that may be there and do not answer", func(c *core.Counts) *int { return &c.Stale }, count),
		field("claims", "live claims", func(c *core.Counts) *int { return &c.Claims }, count),
		field("messages", "recorded so far", func(c *core.Counts) *int { return &c.Messages }, count),
	},
}

var attentionObject = &strictjson.Object[core.AttentionItem]{
	Name: "attention", Doc: "Something that the caller must know.",
	Members: []strictjson.Member[core.AttentionItem]{
		field("kind", "which rule", func(a *core.AttentionItem) *core.AttentionKind { return &a.AttentionKind }, attentions),
		field("sourceId", "the message or claim to act on", func(a *core.AttentionItem) *string { return &a.SourceID }, word),
		field("summary", "one line; may hold peer text", func(a *core.AttentionItem) *string { return &a.Summary }, text),
	},
}

var waitingObject = &strictjson.Object[core.Waiting]{
	Name: "waiting", Doc: "Something that the caller waits for.",
	Members: []strictjson.Member[core.Waiting]{
		field("messageId", "the caller's message", func(w *core.Waiting) *string { return &w.MessageID }, word),
		field("kind", "its type", func(w *core.Waiting) *protocol.MessageKind { return &w.MessageKind }, kinds),
		field("subject", "its subject", func(w *core.Waiting) *string { return &w.Subject }, text),
		field("recipientParticipantId", "who has not settled it", func(w *core.Waiting) *string { return &w.Recipient }, word),
		field("state", "how far it has come", func(w *core.Waiting) *protocol.ReceiptState { return &w.State }, receiptStates),
		field("since", "since when", func(w *core.Waiting) *time.Time { return &w.Since }, when),
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
	Members: []strictjson.Member[StatusData]{
		field("you", "the participant that asked", func(s *StatusData) *string { return &s.Participant }, word),
		field("workspaceId", "the room", func(s *StatusData) *string { return &s.WorkspaceID }, word),
		field("displayName", "what people call it", func(s *StatusData) *string { return &s.DisplayName }, text),
		field("source", "how it was found", func(s *StatusData) *protocol.WorkspaceSource { return &s.Source }, sources),
		field("materialised", "whether anything durable was recorded", func(s *StatusData) *bool { return &s.Materialised }, truth),
		field("protection", "how far claims protect files", func(s *StatusData) *core.Protection { return &s.Protection }, protections),
		field("participants", "the sessions of the room", func(s *StatusData) *[]core.SessionStatus { return &s.Sessions }, list(sessionObject)),
		field("claims", "the live claims", func(s *StatusData) *[]core.ClaimStatus { return &s.Claims }, list(liveClaimObject)),
		field("counts", "the room summed up", func(s *StatusData) *core.Counts { return &s.Counts }, nested(countsObject)),
		field("attention", "what the caller must know", func(s *StatusData) *[]core.AttentionItem { return &s.Attention }, list(attentionObject)),
		field("waiting", "what the caller waits for", func(s *StatusData) *[]core.Waiting { return &s.Waiting }, list(waitingObject)),
		field("cursor", "of the newest event", func(s *StatusData) *string { return &s.Cursor }, word),
		field("now", "when this was true", func(s *StatusData) *time.Time { return &s.Now }, when),
	},
}

// RosterData is the content of acc://roster.
type RosterData struct{ Sessions []core.SessionStatus }

// Roster defines RosterData.
var Roster = &strictjson.Object[RosterData]{
	Name: "roster", Doc: "Who may be in the room.",
	Members: []strictjson.Member[RosterData]{
		field("participants", "the sessions of the room", func(r *RosterData) *[]core.SessionStatus { return &r.Sessions }, list(sessionObject)),
	},
}

var rosterRowObject = &strictjson.Object[core.RosterRow]{
	Name: "rosterRow", Doc: "One session that may be there.",
	Members: []strictjson.Member[core.RosterRow]{
		field("sessionId", "its id", func(r *core.RosterRow) *string { return &r.SessionID }, word),
		field("participantId", "what to address", func(r *core.RosterRow) *string { return &r.ParticipantID }, word),
		field("harness", "its client", func(r *core.RosterRow) *string { return &r.Harness }, word),
		nullable("branch", "on what branch", func(r *core.RosterRow) *string { return &r.Branch }, text),
		field("presence", "whether it is there", func(r *core.RosterRow) *protocol.Presence { return &r.Presence }, presences),
	},
}

var openSessionObject = &strictjson.Object[protocol.Session]{
	Name: "openSession", Doc: "A session on record, without its credential.",
	Members: []strictjson.Member[protocol.Session]{
		field("sessionId", "its id", func(s *protocol.Session) *string { return &s.SessionID }, word),
		field("participantId", "whose", func(s *protocol.Session) *string { return &s.ParticipantID }, word),
		field("harness", "its client", func(s *protocol.Session) *string { return &s.Harness }, word),
		nullable("branch", "on what branch", func(s *protocol.Session) *string { return &s.Branch }, text),
		nullable("checkoutRoot", "where it works", func(s *protocol.Session) *string { return &s.CheckoutRoot }, text),
		field("startedAt", "since when", func(s *protocol.Session) *time.Time { return &s.StartedAt }, when),
	},
}

// Snapshot defines how things stand; it is also the content of acc://snapshot.
var Snapshot = &strictjson.Object[core.Snapshot]{
	Name: "snapshot", Doc: "How things stand.",
	Members: []strictjson.Member[core.Snapshot]{
		field("workspaceId", "the room", func(s *core.Snapshot) *string { return &s.Workspace.WorkspaceID }, word),
		field("displayName", "what people call it", func(s *core.Snapshot) *string { return &s.Workspace.DisplayName }, text),
		field("participants", "who was ever here", func(s *core.Snapshot) *[]protocol.Participant { return &s.Participants }, list(protocol.ParticipantObject())),
		field("sessions", "on record as open", func(s *core.Snapshot) *[]protocol.Session { return &s.Sessions }, list(openSessionObject)),
		field("intents", "not done", func(s *core.Snapshot) *[]protocol.Intent { return &s.Intents }, list(protocol.IntentObject())),
		field("claims", "on record, expired ones too", func(s *core.Snapshot) *[]protocol.Claim { return &s.Claims }, list(claimObject)),
	},
}

// Sync defines what happened since a cursor.
var Sync = &strictjson.Object[core.SyncResult]{
	Name: "sync", Doc: "What happened since a cursor.",
	Members: []strictjson.Member[core.SyncResult]{
		field("cursor", "to ask with next", func(s *core.SyncResult) *string { return &s.Cursor }, word),
		field("more", "there are later events", func(s *core.SyncResult) *bool { return &s.More }, truth),
		field("solo", "nobody to coordinate with and nothing to know", func(s *core.SyncResult) *bool { return &s.Solo }, truth),
		field("attention", "what the caller must know", func(s *core.SyncResult) *[]core.AttentionItem { return &s.Attention }, list(attentionObject)),
		field("roster", "sessions that may be there", func(s *core.SyncResult) *[]core.RosterRow { return &s.Roster }, list(rosterRowObject)),
		field("events", "oldest first", func(s *core.SyncResult) *[]protocol.Event { return &s.Events }, list(protocol.EventObject())),
		nullable("snapshot", "with scope full", func(s *core.SyncResult) **core.Snapshot { return &s.Snapshot }, strictjson.Pointer(nested(Snapshot))),
	},
}

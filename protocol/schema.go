package protocol

import (
	"math"
	"time"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// schemaVersion is the first member of every durable record and event.
func schemaVersion[T any]() strictjson.Member[T] {
	return strictjson.Const[T]("schemaVersion", "version of the record format", SchemaVersion)
}

const extensionsDoc = "additive facts; every transition keeps members it does not know"

// maxRecordInput bounds what a decoder reads: a record of MaxRecordBytes with indentation.
const maxRecordInput = 4 * MaxRecordBytes

var workspaceObject = strictjson.Object[Workspace]{
	Name: "workspace", MaxBytes: maxRecordInput,
	Doc: "The room: one per repository with all its worktrees, or one per directory.",
	Members: func() []strictjson.Member[Workspace] {
		return []strictjson.Member[Workspace]{
			schemaVersion[Workspace](),
			strictjson.Field("workspaceId", "key", func(w *Workspace) *string { return &w.WorkspaceID }, idType),
			strictjson.Field("displayName", "what people call it", func(w *Workspace) *string { return &w.DisplayName }, line),
			strictjson.Field("source", "how it was found", func(w *Workspace) *WorkspaceSource { return &w.Source },
				strictjson.Enum(WorkspaceSources[:]...)),
			strictjson.Field("roots", "absolute directories", func(w *Workspace) *[]string { return &w.Roots }, lines),
			strictjson.Field("createdAt", "when it was first recorded", func(w *Workspace) *time.Time { return &w.CreatedAt }, timestamp),
			strictjson.Bag("extensions", extensionsDoc, func(w *Workspace) *Extensions { return &w.Extensions }),
		}
	},
}

var participantObject = strictjson.Object[Participant]{
	Name: "participant", MaxBytes: maxRecordInput,
	Doc: "Somebody messages can be addressed to; it survives its sessions.",
	Members: func() []strictjson.Member[Participant] {
		return []strictjson.Member[Participant]{
			schemaVersion[Participant](),
			strictjson.Field("participantId", "key", func(p *Participant) *string { return &p.ParticipantID }, idType),
			strictjson.Field("workspaceId", "the room", func(p *Participant) *string { return &p.WorkspaceID }, idType),
			strictjson.Field("displayName", "what people call it", func(p *Participant) *string { return &p.DisplayName }, line),
			strictjson.Field("kind", "who speaks", func(p *Participant) *ParticipantKind { return &p.ParticipantOf }, strictjson.Enum(Agent, Human)),
			strictjson.Field("createdAt", "when it first appeared", func(p *Participant) *time.Time { return &p.CreatedAt }, timestamp),
			strictjson.Bag("extensions", extensionsDoc, func(p *Participant) *Extensions { return &p.Extensions }),
		}
	},
}

var sessionObject = strictjson.Object[Session]{
	Name: "session", MaxBytes: maxRecordInput,
	Doc: "One opened client conversation of a participant.",
	Members: func() []strictjson.Member[Session] {
		return []strictjson.Member[Session]{
			schemaVersion[Session](),
			strictjson.Field("sessionId", "key", func(s *Session) *string { return &s.SessionID }, idType),
			strictjson.Field("participantId", "who speaks through it", func(s *Session) *string { return &s.ParticipantID }, idType),
			strictjson.Field("workspaceId", "the room", func(s *Session) *string { return &s.WorkspaceID }, idType),
			strictjson.Field("generation", "owner credential, never shown", func(s *Session) *string { return &s.Generation }, secret),
			strictjson.Field("harness", "the client program", func(s *Session) *string { return &s.Harness }, line),
			strictjson.Field("state", "presence is derived, never stored", func(s *Session) *SessionState { return &s.State },
				strictjson.Enum(SessionOpen, SessionClosed)),
			strictjson.Field("parentSessionId", "the session that started it", func(s *Session) *string { return &s.ParentSessionID },
				nullableID),
			strictjson.Field("checkoutRoot", "its worktree", func(s *Session) *string { return &s.CheckoutRoot }, nullLine),
			strictjson.Field("branch", "checked out there when it was opened", func(s *Session) *string { return &s.Branch }, nullLine),
			strictjson.Field("pid", "the client process, where known", func(s *Session) *int { return &s.PID }, strictjson.Nullable(strictjson.Int(1, math.MaxInt32))),
			strictjson.Field("enforcement", "whether the client really refuses an edit", func(s *Session) *Enforcement { return &s.Enforcement }, enforcement),
			strictjson.Field("lifecycle", "who ends it", func(s *Session) *Lifecycle { return &s.Lifecycle }, strictjson.Enum(Managed, Manual)),
			strictjson.Field("heartbeatCadenceMs", "expected time between signs of life", func(s *Session) *time.Duration { return &s.HeartbeatCadence }, strictjson.DurationMS(time.Millisecond, MaxCadence)),
			strictjson.Field("startedAt", "when it was opened", func(s *Session) *time.Time { return &s.StartedAt }, timestamp),
			strictjson.Field("heartbeatAt", "last sign of life on record", func(s *Session) *time.Time { return &s.HeartbeatAt }, timestamp),
			strictjson.Bag("extensions", extensionsDoc, func(s *Session) *Extensions { return &s.Extensions },
				strictjson.Optional("endReason", "the client's word at its end, or gone: nobody closed it", func(s *Session) *string { return &s.EndReason }, line)),
		}
	},
}

var intentObject = strictjson.Object[Intent]{
	Name: "intent", MaxBytes: maxRecordInput,
	Doc: "What a session is doing; one per session.",
	Members: func() []strictjson.Member[Intent] {
		return []strictjson.Member[Intent]{
			schemaVersion[Intent](),
			strictjson.Field("sessionId", "key", func(i *Intent) *string { return &i.SessionID }, idType),
			strictjson.Field("workspaceId", "the room", func(i *Intent) *string { return &i.WorkspaceID }, idType),
			strictjson.Field("summary", "for peers", func(i *Intent) *string { return &i.Summary }, strictjson.Line(MaxSummary)),
			strictjson.Field("mode", "kind of work", func(i *Intent) *IntentMode { return &i.Mode },
				strictjson.Enum(ModeObserve, ModeExplore, ModeEdit, ModeReview, ModeCoordinate, ModeWait)),
			strictjson.Field("resourceHints", "what it is about to touch", func(i *Intent) *[]string { return &i.ResourceHints },
				strictjson.List(resource, 0, MaxListItems)),
			strictjson.Field("state", "how far the work is", func(i *Intent) *IntentState { return &i.State },
				strictjson.Enum(IntentActive, IntentBlocked, IntentWaiting, IntentDone)),
			strictjson.Field("updatedAt", "when it was last published", func(i *Intent) *time.Time { return &i.UpdatedAt }, timestamp),
			strictjson.Bag("extensions", extensionsDoc, func(i *Intent) *Extensions { return &i.Extensions }),
		}
	},
}

var claimObject = strictjson.Object[Claim]{
	Name: "claim", MaxBytes: maxRecordInput,
	Doc: "A lease on a resource; it is live while expiresAt is after now.",
	Members: func() []strictjson.Member[Claim] {
		return []strictjson.Member[Claim]{
			schemaVersion[Claim](),
			strictjson.Field("claimId", "key", func(c *Claim) *string { return &c.ClaimID }, idType),
			strictjson.Field("workspaceId", "the room", func(c *Claim) *string { return &c.WorkspaceID }, idType),
			strictjson.Field("ownerSessionId", "who holds it", func(c *Claim) *string { return &c.OwnerSessionID }, idType),
			strictjson.Field("resource", "what is held", func(c *Claim) *string { return &c.Resource }, resource),
			strictjson.Field("mode", "shared claims coexist", func(c *Claim) *ClaimMode { return &c.Mode }, claimMode),
			strictjson.Field("enforcement", "whether edits of others are refused", func(c *Claim) *Enforcement { return &c.Enforcement }, enforcement),
			strictjson.Field("reason", "for peers", func(c *Claim) *string { return &c.Reason }, line),
			strictjson.Field("acquiredAt", "kept by a renewal", func(c *Claim) *time.Time { return &c.AcquiredAt }, timestamp),
			strictjson.Field("expiresAt", "end of the lease", func(c *Claim) *time.Time { return &c.ExpiresAt }, timestamp),
			strictjson.Field("generation", "owner credential, never shown, new with each renewal", func(c *Claim) *string { return &c.Generation }, secret),
			strictjson.Bag("extensions", extensionsDoc, func(c *Claim) *Extensions { return &c.Extensions }),
		}
	},
}

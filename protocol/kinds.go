package protocol

// Kind names a durable record kind; it is also the directory name under state/.
type Kind string

// The durable kinds. Events are not a kind: they live in the journal only.
const (
	KindWorkspace   Kind = "workspace"
	KindParticipant Kind = "participant"
	KindSession     Kind = "session"
	KindIntent      Kind = "intent"
	KindClaim       Kind = "claim"
	KindMessage     Kind = "message"
	KindReceipt     Kind = "receipt"
)

// Kinds lists every durable kind in a fixed order.
var Kinds = [...]Kind{KindWorkspace, KindParticipant, KindSession, KindIntent, KindClaim, KindMessage, KindReceipt}

// WorkspaceSource says how a workspace was found.
type WorkspaceSource string

// The workspace sources, in the order in which discovery tries them.
const (
	SourceConfig    WorkspaceSource = "config"
	SourceGit       WorkspaceSource = "git"
	SourceDirectory WorkspaceSource = "directory"
)

// WorkspaceSources lists every source in that order.
var WorkspaceSources = [...]WorkspaceSource{SourceConfig, SourceGit, SourceDirectory}

// ParticipantKind says whether a model or a person speaks.
type ParticipantKind string

// The participant kinds.
const (
	Agent ParticipantKind = "agent"
	Human ParticipantKind = "human"
)

// SessionState is open until the session was closed; presence is derived, never stored.
type SessionState string

// The session states.
const (
	SessionOpen   SessionState = "open"
	SessionClosed SessionState = "closed"
)

// Enforcement says whether a client really refuses an edit (guarded) or is only told (advisory).
type Enforcement string

// The enforcement levels of sessions and claims.
const (
	Guarded  Enforcement = "guarded"
	Advisory Enforcement = "advisory"
)

// Lifecycle says who ends a session: its client's hooks (managed) or a person (manual).
type Lifecycle string

// The lifecycles.
const (
	Managed Lifecycle = "managed"
	Manual  Lifecycle = "manual"
)

// IntentMode says what a session is doing.
type IntentMode string

// The intent modes.
const (
	ModeObserve    IntentMode = "observe"
	ModeExplore    IntentMode = "explore"
	ModeEdit       IntentMode = "edit"
	ModeReview     IntentMode = "review"
	ModeCoordinate IntentMode = "coordinate"
	ModeWait       IntentMode = "wait"
)

// IntentState says how far the work is.
type IntentState string

// The intent states. A done intent counts for nothing in attention.
const (
	IntentActive  IntentState = "active"
	IntentBlocked IntentState = "blocked"
	IntentWaiting IntentState = "waiting"
	IntentDone    IntentState = "done"
)

// ClaimMode says whether others may claim the same resource.
type ClaimMode string

// The claim modes: two shared claims coexist, an exclusive one excludes every other.
const (
	Shared    ClaimMode = "shared"
	Exclusive ClaimMode = "exclusive"
)

// MessageKind is the type of a message.
type MessageKind string

// The message kinds; KindRules is the table of obligations and addressing.
const (
	Note     MessageKind = "note"
	Question MessageKind = "question"
	Request  MessageKind = "request"
	Answer   MessageKind = "answer"
	Decision MessageKind = "decision"
	Handoff  MessageKind = "handoff"
)

// Obligation says what a recipient owes.
type Obligation string

// The obligations.
const (
	ObligationNone        Obligation = "none"
	ObligationAcknowledge Obligation = "acknowledge"
	ObligationReply       Obligation = "reply"
)

// ReceiptState is how far one message has come with one recipient. States only move forward.
type ReceiptState string

// The receipt states in order.
const (
	Queued       ReceiptState = "queued"       // recorded; nobody has been shown it
	Offered      ReceiptState = "offered"      // bytes crossed a transport boundary or the client accepted them
	Retrieved    ReceiptState = "retrieved"    // read exactly by that participant
	Acknowledged ReceiptState = "acknowledged" // acknowledged or answered by that participant
)

// DecisionAction says what a decision does to older ones.
type DecisionAction string

// The decision actions.
const (
	Replace  DecisionAction = "replace"
	Withdraw DecisionAction = "withdraw"
)

// HandoffStatus is the state of handed-over work.
type HandoffStatus string

// The handoff states.
const (
	HandoffComplete HandoffStatus = "complete"
	HandoffPartial  HandoffStatus = "partial"
	HandoffBlocked  HandoffStatus = "blocked"
)

// ArtifactKind is the type of a referenced artifact.
type ArtifactKind string

// The artifact kinds.
const (
	ArtifactFile   ArtifactKind = "file"
	ArtifactGit    ArtifactKind = "git"
	ArtifactURL    ArtifactKind = "url"
	ArtifactReport ArtifactKind = "report"
	ArtifactImage  ArtifactKind = "image"
	ArtifactData   ArtifactKind = "data"
)

// DeliveryMode is something a live endpoint can do.
type DeliveryMode string

// The delivery modes.
const (
	NextTurn   DeliveryMode = "nextTurn"
	LivePush   DeliveryMode = "livePush"
	IdleWake   DeliveryMode = "idleWake"
	BusyQueue  DeliveryMode = "busyQueue"
	ReplyRoute DeliveryMode = "replyRoute"
)

// LivePolicy says which messages may spend a turn of the recipient.
type LivePolicy string

// The live policies.
const (
	LiveOff        LivePolicy = "off"
	LiveActionable LivePolicy = "actionable"
	LiveAll        LivePolicy = "all"
)

// Presence is derived from a session record, its presence file and its process; it is never stored.
type Presence string

// The presences. Unknown is said where the evidence decides nothing.
const (
	Online          Presence = "online"
	Stale           Presence = "stale"
	Offline         Presence = "offline"
	PresenceUnknown Presence = "unknown"
)

// EventType names an event; the vocabulary is closed.
type EventType string

// The event types.
const (
	WorkspaceMaterialised EventType = "workspace.materialised"
	SessionOpened         EventType = "session.opened"
	SessionClosedEvent    EventType = "session.closed"
	IntentPublished       EventType = "intent.published"
	IntentCleared         EventType = "intent.cleared"
	ClaimAcquired         EventType = "claim.acquired"
	ClaimReleased         EventType = "claim.released"
	ClaimRenewed          EventType = "claim.renewed"
	ClaimForceReleased    EventType = "claim.force_released"
	MessageRecorded       EventType = "message.recorded"
	MessageOffered        EventType = "message.offered"
	MessageRetrieved      EventType = "message.retrieved"
	MessageAcknowledged   EventType = "message.acknowledged"
	OfferSucceeded        EventType = "message.offer_succeeded"
	OfferFailed           EventType = "message.offer_failed"
)

// EventTypes lists every event type in a fixed order.
var EventTypes = [...]EventType{
	WorkspaceMaterialised,
	SessionOpened,
	SessionClosedEvent,
	IntentPublished,
	IntentCleared,
	ClaimAcquired,
	ClaimReleased,
	ClaimRenewed,
	ClaimForceReleased,
	MessageRecorded,
	MessageOffered,
	MessageRetrieved,
	MessageAcknowledged,
	OfferSucceeded,
	OfferFailed,
}

// Transport names that a receipt may show. An unknown name is replaced before it is recorded, so that
// no endpoint leaks.
const (
	TransportNextTurn = "next-turn"
)

// Trust is what every copy of peer text carries.
const Trust = "untrusted peer content"

package protocol

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Conventions of every record: a nullable string is "" in Go and null in JSON (an id or a line is
// never empty), a nullable number is 0 and null, a nullable list or object is nil and null. Times are
// UTC and whole milliseconds. A record is a value: whoever changes one makes a copy first.

// Record is a durable record. Only this package implements it.
type Record interface {
	// Kind names the kind of the record.
	Kind() Kind
	// Key is the storage id, unique within the kind.
	Key() string
	// Validate checks every field and every rule that needs no other record. It returns an *Error
	// with Code Data that names the JSON path.
	Validate() error
}

// Extensions are additive facts that every record may carry and every transition keeps. Members that
// this build knows (Receipt.Offer, Session.EndReason) are decoded into fields and are not here.
type Extensions map[string]jsontext.Value

// Workspace is the room.
type Workspace struct {
	WorkspaceID string
	DisplayName string
	Source      WorkspaceSource
	Roots       []string // absolute directories
	CreatedAt   time.Time
	Extensions  Extensions
}

// Participant is somebody messages can be addressed to; it survives its sessions.
type Participant struct {
	ParticipantID string
	WorkspaceID   string
	DisplayName   string
	ParticipantOf ParticipantKind // "kind" in JSON
	CreatedAt     time.Time
	Extensions    Extensions
}

// Session is one opened client conversation of a participant.
type Session struct {
	SessionID        string
	ParticipantID    string
	WorkspaceID      string
	Generation       string // owner credential; never in events or public output
	Harness          string // adapter id, "cli", "mcp", or what attach was told
	State            SessionState
	ParentSessionID  string // nullable
	CheckoutRoot     string // nullable
	Branch           string // nullable
	PID              int    // nullable
	Enforcement      Enforcement
	Lifecycle        Lifecycle
	HeartbeatCadence time.Duration // "heartbeatCadenceMs" in JSON
	StartedAt        time.Time
	HeartbeatAt      time.Time
	EndReason        string // extensions.endReason: the client's word at its end, or gone, nullable
	Extensions       Extensions
}

// Intent says what a session is doing; its key is the session id.
type Intent struct {
	SessionID     string
	WorkspaceID   string
	Summary       string
	Mode          IntentMode
	ResourceHints []string
	State         IntentState
	UpdatedAt     time.Time
	Extensions    Extensions
}

// Claim is a lease on a resource.
type Claim struct {
	ClaimID        string
	WorkspaceID    string
	OwnerSessionID string
	Resource       string // canonical resource URI, see core/resource
	Mode           ClaimMode
	Enforcement    Enforcement
	Reason         string
	AcquiredAt     time.Time
	ExpiresAt      time.Time // the claim is live while ExpiresAt is after now
	Generation     string    // owner credential of the claim
	Extensions     Extensions
}

// ArtifactRef points at something outside the message.
type ArtifactRef struct {
	ArtifactOf  ArtifactKind // "kind" in JSON
	URI         string
	Description string
	SHA256      string // optional, 64 lower-case hex digits
}

// HandoffPayload is what a handoff hands over.
type HandoffPayload struct {
	Status       HandoffStatus
	Completed    []string
	Remaining    []string
	Blockers     []string
	Verification []ArtifactRef
}

// DecisionChange links a decision to the older ones it replaces or withdraws.
type DecisionChange struct {
	Action     DecisionAction
	MessageIDs []string // 1 to 16, unique, sorted
}

// Message is immutable from its commit on.
type Message struct {
	MessageID         string
	ThreadID          string
	ClientMessageID   string // idempotency key, unique per workspace and author
	WorkspaceID       string
	FromParticipantID string
	FromSessionID     string
	ToParticipantIDs  []string // empty: the room
	MessageKind       MessageKind
	Obligation        Obligation
	Subject           string
	Body              string
	InReplyTo         string // nullable
	Artifacts         []ArtifactRef
	Handoff           *HandoffPayload // nullable
	SentAt            time.Time       // for people; order comes from the commit
	DecisionChange    *DecisionChange // absent unless a decision changes others
	Extensions        Extensions
}

// Offer says how a receipt came to be offered.
type Offer struct {
	Transport  string
	At         time.Time
	RepeatedAt time.Time // nullable: zero until the one repeat
}

// Receipt is the state of one message with one recipient.
type Receipt struct {
	MessageID              string
	WorkspaceID            string
	RecipientParticipantID string
	State                  ReceiptState
	UpdatedAt              time.Time
	Obligation             Obligation // extensions.obligation: copied from the message, so that the receipt alone says whether it is settled
	Author                 string     // extensions.author: the message's author, copied, so that what is still owed to a participant is found from receipts alone; empty when no obligation
	Offer                  *Offer     // extensions.offer
	Extensions             Extensions
}

// Event is an immutable entry of the journal.
type Event struct {
	Sequence       uint64 // 16 zero-padded digits in JSON; the cursor of whoever read it
	EventID        string
	WorkspaceID    string
	ActorSessionID string
	Type           EventType
	OccurredAt     time.Time
	Payload        jsontext.Value // an object; see events.go for the known shapes
}

// PresenceBeat is the ephemeral sign of life of a session generation. It is published directly, not
// through the journal; the newer of it and Session.HeartbeatAt counts.
type PresenceBeat struct {
	SessionID     string
	GenerationRef string
	HeartbeatAt   time.Time
}

// DeliveryBinding is the ephemeral claim of a session generation to be reachable. It is validated,
// never durable, and its endpoint is opaque to everybody but the adapter that wrote it.
type DeliveryBinding struct {
	SessionID         string
	Generation        string
	AdapterID         string
	ClientVersion     string
	AvailableModes    []DeliveryMode
	LivePolicy        LivePolicy
	OpaqueEndpointRef string
	LeaseUntil        time.Time
	RetiredAt         time.Time // nullable: the session gave the endpoint up
}

// Kind and Key of each record.

func (*Workspace) Kind() Kind      { return KindWorkspace }
func (w *Workspace) Key() string   { return w.WorkspaceID }
func (*Participant) Kind() Kind    { return KindParticipant }
func (p *Participant) Key() string { return p.ParticipantID }
func (*Session) Kind() Kind        { return KindSession }
func (s *Session) Key() string     { return s.SessionID }
func (*Intent) Kind() Kind         { return KindIntent }
func (i *Intent) Key() string      { return i.SessionID }
func (*Claim) Kind() Kind          { return KindClaim }
func (c *Claim) Key() string       { return c.ClaimID }
func (*Message) Kind() Kind        { return KindMessage }
func (m *Message) Key() string     { return m.MessageID }
func (*Receipt) Kind() Kind        { return KindReceipt }
func (r *Receipt) Key() string     { return ReceiptID(r.MessageID, r.RecipientParticipantID) }

package core

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// Core applies the rules to one room. It is safe for concurrent use.
type Core struct {
	store     Store
	clock     Clock
	ids       IDs
	processes ProcessProbe
	workspace protocol.Workspace
}

// Config is everything a Core needs; every field is required.
type Config struct {
	Store     Store
	Clock     Clock
	IDs       IDs
	Processes ProcessProbe
	// Workspace describes the room; it is recorded with the first durable change. CreatedAt is set
	// then.
	Workspace protocol.Workspace
}

// New checks cfg and gives a Core.
func New(cfg Config) (*Core, error) { panic("lands with core") }

// Owner is the credential pair of a session. Every operation that speaks for a session takes it and
// refuses an unknown session or another generation with ReasonCallerMismatch, a closed one with
// ReasonSessionClosed.
type Owner struct {
	SessionID  string
	Generation string
}

// OpenSession is what a client says of itself when it attaches.
type OpenSession struct {
	// SessionID and Generation are given together by a caller that persisted the pair before it
	// opened the session, or both left empty to be minted. Opening a pair that is already open
	// resumes it: same session, refreshed heartbeat and process, no event.
	SessionID  string
	Generation string

	ParticipantID   string
	DisplayName     string // of the participant; empty: the participant id
	ParticipantOf   protocol.ParticipantKind
	Harness         string
	ParentSessionID string
	CheckoutRoot    string
	Branch          string
	PID             int // 0: no process is known
	Enforcement     protocol.Enforcement
	Lifecycle       protocol.Lifecycle
	Cadence         time.Duration // 0: protocol.HookCadence
}

// OpenSession opens or resumes a session. A session id that is live with another generation is
// refused with ReasonSessionLive unless its process is confirmed dead.
func (c *Core) OpenSession(ctx context.Context, req OpenSession) (protocol.Session, error) {
	panic("lands with core")
}

// Heartbeat says that the session lives; it publishes a presence beat at most every HeartbeatEvery and
// never writes the journal. It gives the time of the newest beat.
func (c *Core) Heartbeat(ctx context.Context, owner Owner) (time.Time, error) {
	panic("lands with core")
}

// CloseSession ends the session and releases its claims in the same transaction. Closing a closed
// session of the same generation gives it unchanged. reason is the client's word, or empty.
func (c *Core) CloseSession(ctx context.Context, owner Owner, reason string) (protocol.Session, error) {
	panic("lands with core")
}

// Session gives the session of owner, open or closed, after checking the generation.
func (c *Core) Session(ctx context.Context, owner Owner) (protocol.Session, error) {
	panic("lands with core")
}

// ClaimRequest asks for a lease.
type ClaimRequest struct {
	Resource    string // URI; normalised by core/resource, unmatchable forms are refused
	Mode        protocol.ClaimMode
	Enforcement protocol.Enforcement
	Reason      string
	Lease       time.Duration // 0: protocol.DefaultLease
}

// ClaimResult is a granted claim.
type ClaimResult struct {
	Claim   protocol.Claim
	Renewed bool // the session already held the same resource: same id and acquiredAt, new generation
}

// Claim acquires or renews. An overlapping live claim of another session is refused with
// ReasonClaimConflict when either side is exclusive; the details name claimId, resource,
// ownerSessionId, ownerParticipantId, ownerPresence, expiresAt and requestedBy.
func (c *Core) Claim(ctx context.Context, owner Owner, req ClaimRequest) (ClaimResult, error) {
	panic("lands with core")
}

// ReleaseRequest names a claim by id or by resource.
type ReleaseRequest struct {
	ClaimID   string
	Resource  string
	Authority string // "human" or "policy" to release another session's claim; needs Reason
	Reason    string
}

// Release removes a claim and gives what was released.
func (c *Core) Release(ctx context.Context, owner Owner, req ReleaseRequest) (protocol.Claim, error) {
	panic("lands with core")
}

// GuardDecision says whether a write may go on.
type GuardDecision struct {
	Denied   bool
	Resource string         // the first target that is covered
	Claim    protocol.Claim // what covers it; Generation is blank
	Owner    string         // participant id of the claim's owner
	Beat     bool           // the session's heartbeat is due
}

// Guard asks whether any of the resources (canonical URIs) is covered by a live guarded claim of
// another session. It reads only and never waits for a writer.
func (c *Core) Guard(ctx context.Context, owner Owner, resources []string) (GuardDecision, error) {
	panic("lands with core")
}

// SendRequest is a new message.
type SendRequest struct {
	To              []string // participant ids or client names; empty: the room
	MessageKind     protocol.MessageKind
	Obligation      protocol.Obligation // empty: what the kind implies
	Subject         string
	Body            string
	ClientMessageID string // empty: minted and returned
	Artifacts       []protocol.ArtifactRef
}

// SendResult is a recorded message.
type SendResult struct {
	Message   protocol.Message
	Receipts  []protocol.Receipt // sorted by recipient
	Duplicate bool               // the same key and content was recorded before; nothing was written
	Warnings  []string           // never block
}

// Send records a note, question, request or decision.
func (c *Core) Send(ctx context.Context, owner Owner, req SendRequest) (SendResult, error) {
	panic("lands with core")
}

// ReplyRequest answers a message addressed to the caller.
type ReplyRequest struct {
	MessageID       string
	Subject         string // empty: "Re: " and the subject of the original
	Body            string
	ClientMessageID string
}

// ReplyResult is a recorded answer and the caller's receipt of the original, now acknowledged.
type ReplyResult struct {
	SendResult
	Original protocol.Receipt
}

// Reply records an answer to the author of the original and acknowledges the original atomically.
func (c *Core) Reply(ctx context.Context, owner Owner, req ReplyRequest) (ReplyResult, error) {
	panic("lands with core")
}

// Ack acknowledges a message; refused with ReasonReplyRequired while a reply is owed.
func (c *Core) Ack(ctx context.Context, owner Owner, messageID string) (protocol.Receipt, error) {
	panic("lands with core")
}

// InboxQuery pages through the inbox, newest first.
type InboxQuery struct {
	Cursor string // message id of the last item of the page before
	Limit  int    // 0: protocol.InboxPageDefault
}

// Summary is a message without its body. Trust is always "untrusted peer content".
type Summary struct {
	MessageID         string
	ThreadID          string
	FromParticipantID string
	FromSessionID     string
	MessageKind       protocol.MessageKind
	Obligation        protocol.Obligation
	Subject           string // at most protocol.SubjectPreview bytes, then an ellipsis
	SentAt            time.Time
	InReplyTo         string
	BodyBytes         int
	ArtifactCount     int
}

// InboxItem is one line of the inbox.
type InboxItem struct {
	Message Summary
	Receipt protocol.Receipt
}

// InboxPage is one page; NextCursor is empty on the last.
type InboxPage struct {
	Items      []InboxItem
	NextCursor string
}

// Inbox lists what waits for the participant of owner and changes nothing.
func (c *Core) Inbox(ctx context.Context, owner Owner, q InboxQuery) (InboxPage, error) {
	panic("lands with core")
}

// Mail is a whole message with the reader's receipt.
type Mail struct {
	Message protocol.Message
	Receipt protocol.Receipt
}

// Read gives one message addressed to the participant of owner and advances its receipt to retrieved
// unless it is acknowledged.
func (c *Core) Read(ctx context.Context, owner Owner, messageID string) (Mail, error) {
	panic("lands with core")
}

// AttentionItem is something the session must know, in the closed vocabulary of attention kinds.
type AttentionItem struct {
	AttentionKind AttentionKind
	Priority      int
	SourceID      string
	Summary       string
}

// AttentionKind is one of the six rules.
type AttentionKind string

// The attention kinds in the order of their priority, 1 to 6.
const (
	ReplyRequired           AttentionKind = "reply_required"
	AcknowledgementRequired AttentionKind = "acknowledgement_required"
	RecipientUnavailable    AttentionKind = "recipient_unavailable"
	ClaimConflict           AttentionKind = "claim_conflict"
	ClaimContended          AttentionKind = "claim_contended"
	ClaimExpired            AttentionKind = "claim_expired"
)

// Turn is what a hook may tell a session before its next turn.
type Turn struct {
	Session   protocol.Session
	Peers     []Peer          // other sessions that are not offline
	Mail      []Mail          // queued, oldest first, at most the limit asked for
	More      int             // queued beyond Mail
	Attention []AttentionItem // of this participant, sorted by priority, then source id
}

// Peer is another session of the room.
type Peer struct {
	SessionID     string
	ParticipantID string
	Harness       string
	Branch        string
	CheckoutRoot  string
	Presence      protocol.Presence
}

// Turn reads everything a next-turn projection needs in one snapshot and changes nothing.
func (c *Core) Turn(ctx context.Context, owner Owner, limit int) (Turn, error) {
	panic("lands with core")
}

// OfferSuccess says that bytes of these messages crossed a transport boundary towards a session.
type OfferSuccess struct {
	MessageIDs    []string // one transaction for all
	Target        Owner
	Transport     string // protocol.TransportNextTurn or a live transport name
	AdapterID     string
	ClientVersion string // "unknown" where it is not known
}

// RecordOffers commits offered for every receipt that is still queued and leaves the others alone.
// The target session must be open and of that generation. It gives the receipts in the order asked.
func (c *Core) RecordOffers(ctx context.Context, s OfferSuccess) ([]protocol.Receipt, error) {
	panic("lands with core")
}

// StatusQuery asks for the state of the room.
type StatusQuery struct {
	Owner *Owner // nil: the public view, without attention
	All   bool   // also sessions that are offline
}

// SessionStatus is one row of the roster.
type SessionStatus struct {
	SessionID       string
	ParticipantID   string
	Harness         string
	ParentSessionID string
	CheckoutRoot    string
	Branch          string
	Enforcement     protocol.Enforcement
	Lifecycle       protocol.Lifecycle
	Presence        protocol.Presence
	HeartbeatAt     time.Time
	ProcessTracked  bool
	EndReason       string
	Queued          int // receipts of the participant
	Offered         int
}

// ClaimStatus is one live claim.
type ClaimStatus struct {
	ClaimID            string
	Resource           string
	Mode               protocol.ClaimMode
	Enforcement        protocol.Enforcement
	Reason             string
	OwnerSessionID     string
	OwnerParticipantID string
	ExpiresAt          time.Time
}

// Protection says how far claims protect the room.
type Protection string

// The protection levels.
const (
	ProtectionNone     Protection = "none"     // no claims
	ProtectionGuarded  Protection = "guarded"  // every live session and every claim is guarded
	ProtectionAdvisory Protection = "advisory" // anything else
)

// Waiting is an unsettled obligation of the caller's own messages, or an unread message.
type Waiting struct {
	MessageID   string
	MessageKind protocol.MessageKind
	Subject     string
	Recipient   string
	State       protocol.ReceiptState
	Since       time.Time
}

// Status is the room at one moment.
type Status struct {
	WorkspaceID  string
	DisplayName  string
	Source       protocol.WorkspaceSource
	Materialised bool // something durable was recorded
	Protection   Protection
	Sessions     []SessionStatus
	Claims       []ClaimStatus
	Attention    []AttentionItem // empty in the public view
	Waiting      []Waiting       // empty in the public view
	Cursor       string          // sequence of the newest event, 16 digits
	Now          time.Time
}

// Status gives the room. Presence is classified once per call.
func (c *Core) Status(ctx context.Context, q StatusQuery) (Status, error) {
	panic("lands with core")
}

// Receipts gives every receipt of a message, sorted by recipient.
func (c *Core) Receipts(ctx context.Context, messageID string) ([]protocol.Receipt, error) {
	panic("lands with core")
}

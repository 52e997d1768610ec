package protocol

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// EventPayload is the typed payload of an event; the concrete types are below. A payload never holds
// a generation, only its GenerationRef, and readers tolerate members they do not know.
type EventPayload interface {
	EventType() EventType
	encode() ([]byte, error)
}

// WorkspaceMaterialisedPayload: the room became durable.
type WorkspaceMaterialisedPayload struct{}

// SessionOpenedPayload: a session began; a resume is no event.
type SessionOpenedPayload struct {
	Replaced string // generation reference of the dead session whose id was taken over, nullable
}

// SessionClosedPayload: a session ended. All members are empty unless it ended by finish.
type SessionClosedPayload struct {
	Cause                string // CauseFinish, or empty
	MessageID            string // the handoff
	SessionGenerationRef string
	ReleasedClaimIDs     []string
}

// CauseFinish is the Cause of a session that ended with a handoff.
const CauseFinish = "finish"

// IntentPublishedPayload: the actor said what it is doing.
type IntentPublishedPayload struct{}

// IntentClearedPayload: the actor took it back.
type IntentClearedPayload struct{}

// ClaimAcquiredPayload: the actor holds a claim.
type ClaimAcquiredPayload struct {
	ClaimID  string
	Resource string
	Mode     ClaimMode
}

// ClaimRenewedPayload: a lease was extended. Resource and mode are empty when it was named by its id.
type ClaimRenewedPayload struct {
	ClaimID  string
	Resource string
	Mode     ClaimMode
}

// ClaimReleasedPayload: the owner gave a claim up.
type ClaimReleasedPayload struct {
	ClaimID               string
	Authority             Authority // nullable
	Reason                string    // nullable
	ReplacedGenerationRef string    // of the claim
}

// ClaimForceReleasedPayload: a claim was taken from its owner.
type ClaimForceReleasedPayload struct {
	ClaimID               string
	Authority             Authority
	Reason                string
	ReplacedGenerationRef string // of the claim
}

// Authority is who may take a claim from its owner.
type Authority string

// The authorities.
const (
	AuthorityHuman  Authority = "human"
	AuthorityPolicy Authority = "policy"
)

// MessageRecordedPayload: a message and its receipts were committed.
type MessageRecordedPayload struct {
	MessageID               string
	ThreadID                string
	RecipientParticipantIDs []string
}

// MessageOfferedPayload: a receipt advanced to offered without a transport of record.
type MessageOfferedPayload struct{ MessageID, RecipientParticipantID string }

// MessageRetrievedPayload: the recipient read the message exactly.
type MessageRetrievedPayload struct{ MessageID, RecipientParticipantID string }

// MessageAcknowledgedPayload: the recipient acknowledged or answered.
type MessageAcknowledgedPayload struct{ MessageID, RecipientParticipantID string }

// OfferSucceededPayload: bytes crossed a transport towards exactly this session generation.
type OfferSucceededPayload struct {
	MessageID              string
	RecipientParticipantID string
	TargetSessionID        string
	TargetGenerationRef    string
	Transport              string
	AdapterID              string
	ClientVersion          string
	Repeat                 bool // the one repeat of a live offer; absent when false
}

// OfferFailedPayload: an offer to exactly this session generation was refused or failed.
type OfferFailedPayload struct {
	MessageID              string
	RecipientParticipantID string
	TargetSessionID        string
	TargetGenerationRef    string
	Transport              string
	AdapterID              string
	ClientVersion          string
	SafeErrorCode          OfferFailure
}

// EncodePayload validates p and gives its canonical JSON, as Event.Payload holds it. Errors are *Error
// with Code Data.
func EncodePayload(p EventPayload) (jsontext.Value, error) {
	if p == nil {
		return nil, DataError(ReasonMalformed, "there is no event payload to write")
	}
	raw, err := p.encode()
	return raw, Malformed("payload of "+string(p.EventType()), err)
}

// DecodePayload decodes the payload of e according to its type, tolerating members that this build
// does not know. Errors are *Error with Code Data.
func DecodePayload(e Event) (EventPayload, error) {
	switch e.Type {
	case WorkspaceMaterialised:
		return decodePayload(&workspaceMaterialisedObject, e)
	case SessionOpened:
		return decodePayload(&sessionOpenedObject, e)
	case SessionClosedEvent:
		return decodePayload(&sessionClosedObject, e)
	case IntentPublished:
		return decodePayload(&intentPublishedObject, e)
	case IntentCleared:
		return decodePayload(&intentClearedObject, e)
	case ClaimAcquired:
		return decodePayload(&claimAcquiredObject, e)
	case ClaimRenewed:
		return decodePayload(&claimRenewedObject, e)
	case ClaimReleased:
		return decodePayload(&claimReleasedObject, e)
	case ClaimForceReleased:
		return decodePayload(&claimForceReleasedObject, e)
	case MessageRecorded:
		return decodePayload(&messageRecordedObject, e)
	case MessageOffered:
		return decodePayload(&messageOfferedObject, e)
	case MessageRetrieved:
		return decodePayload(&messageRetrievedObject, e)
	case MessageAcknowledged:
		return decodePayload(&messageAcknowledgedObject, e)
	case OfferSucceeded:
		return decodePayload(&offerSucceededObject, e)
	case OfferFailed:
		return decodePayload(&offerFailedObject, e)
	}
	return nil, DataError(ReasonMalformed, "unknown event type "+strconv.Quote(string(e.Type)))
}

func decodePayload[T EventPayload](o *strictjson.Object[T], e Event) (EventPayload, error) {
	p, err := o.Decode(e.Payload)
	if err != nil {
		return nil, Malformed("payload of "+string(e.Type), err)
	}
	return p, nil
}

// EventType and encoding of each payload.

func (WorkspaceMaterialisedPayload) EventType() EventType { return WorkspaceMaterialised }
func (SessionOpenedPayload) EventType() EventType         { return SessionOpened }
func (SessionClosedPayload) EventType() EventType         { return SessionClosedEvent }
func (IntentPublishedPayload) EventType() EventType       { return IntentPublished }
func (IntentClearedPayload) EventType() EventType         { return IntentCleared }
func (ClaimAcquiredPayload) EventType() EventType         { return ClaimAcquired }
func (ClaimRenewedPayload) EventType() EventType          { return ClaimRenewed }
func (ClaimReleasedPayload) EventType() EventType         { return ClaimReleased }
func (ClaimForceReleasedPayload) EventType() EventType    { return ClaimForceReleased }
func (MessageRecordedPayload) EventType() EventType       { return MessageRecorded }
func (MessageOfferedPayload) EventType() EventType        { return MessageOffered }
func (MessageRetrievedPayload) EventType() EventType      { return MessageRetrieved }
func (MessageAcknowledgedPayload) EventType() EventType   { return MessageAcknowledged }
func (OfferSucceededPayload) EventType() EventType        { return OfferSucceeded }
func (OfferFailedPayload) EventType() EventType           { return OfferFailed }

func (p WorkspaceMaterialisedPayload) encode() ([]byte, error) {
	return workspaceMaterialisedObject.Append(nil, &p)
}
func (p SessionOpenedPayload) encode() ([]byte, error) { return sessionOpenedObject.Append(nil, &p) }
func (p SessionClosedPayload) encode() ([]byte, error) { return sessionClosedObject.Append(nil, &p) }
func (p IntentPublishedPayload) encode() ([]byte, error) {
	return intentPublishedObject.Append(nil, &p)
}
func (p IntentClearedPayload) encode() ([]byte, error) { return intentClearedObject.Append(nil, &p) }
func (p ClaimAcquiredPayload) encode() ([]byte, error) { return claimAcquiredObject.Append(nil, &p) }
func (p ClaimRenewedPayload) encode() ([]byte, error)  { return claimRenewedObject.Append(nil, &p) }
func (p ClaimReleasedPayload) encode() ([]byte, error) { return claimReleasedObject.Append(nil, &p) }
func (p ClaimForceReleasedPayload) encode() ([]byte, error) {
	return claimForceReleasedObject.Append(nil, &p)
}
func (p MessageRecordedPayload) encode() ([]byte, error) {
	return messageRecordedObject.Append(nil, &p)
}
func (p MessageOfferedPayload) encode() ([]byte, error) { return messageOfferedObject.Append(nil, &p) }
func (p MessageRetrievedPayload) encode() ([]byte, error) {
	return messageRetrievedObject.Append(nil, &p)
}
func (p MessageAcknowledgedPayload) encode() ([]byte, error) {
	return messageAcknowledgedObject.Append(nil, &p)
}
func (p OfferSucceededPayload) encode() ([]byte, error) { return offerSucceededObject.Append(nil, &p) }
func (p OfferFailedPayload) encode() ([]byte, error)    { return offerFailedObject.Append(nil, &p) }

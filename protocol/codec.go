package protocol

import (
	"errors"
	"strconv"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Malformed turns a refusal of package strictjson into an *Error with Code Data, ReasonMalformed and
// the JSON path as the detail "path". what says which document it is. A nil err gives nil.
func Malformed(what string, err error) error {
	if err == nil {
		return nil
	}
	e := DataError(ReasonMalformed, "invalid "+what+": "+err.Error()).Because(err)
	var refused *strictjson.Error
	if errors.As(err, &refused) {
		e = e.With("path", refused.Path)
	}
	return e
}

// DecodeRecord decodes and validates one record of the given kind from exactly one JSON value.
// Errors are *Error with Code Data and the JSON path.
func DecodeRecord(kind Kind, data []byte) (Record, error) {
	switch kind {
	case KindWorkspace:
		return decodeRecord[*Workspace](&workspaceObject, data)
	case KindParticipant:
		return decodeRecord[*Participant](&participantObject, data)
	case KindSession:
		return decodeRecord[*Session](&sessionObject, data)
	case KindIntent:
		return decodeRecord[*Intent](&intentObject, data)
	case KindClaim:
		return decodeRecord[*Claim](&claimObject, data)
	case KindMessage:
		return decodeRecord[*Message](&messageObject, data)
	case KindReceipt:
		return decodeRecord[*Receipt](&receiptObject, data)
	}
	return nil, DataError(ReasonMalformed, "unknown record kind "+strconv.Quote(string(kind)))
}

func decodeRecord[P interface {
	*T
	Record
}, T any](o *strictjson.Object[T], data []byte) (Record, error) {
	t := new(T)
	if err := o.DecodeInto(data, t); err != nil {
		return nil, Malformed(o.Name, err)
	}
	return P(t), nil
}

// AppendRecord validates r and appends its canonical JSON (members in schema order, no spaces).
func AppendRecord(dst []byte, r Record) ([]byte, error) {
	switch r := r.(type) {
	case *Workspace:
		return appendRecord(dst, &workspaceObject, r)
	case *Participant:
		return appendRecord(dst, &participantObject, r)
	case *Session:
		return appendRecord(dst, &sessionObject, r)
	case *Intent:
		return appendRecord(dst, &intentObject, r)
	case *Claim:
		return appendRecord(dst, &claimObject, r)
	case *Message:
		return appendRecord(dst, &messageObject, r)
	case *Receipt:
		return appendRecord(dst, &receiptObject, r)
	}
	return dst, DataError(ReasonMalformed, "there is no record to write")
}

func appendRecord[T any](dst []byte, o *strictjson.Object[T], t *T) ([]byte, error) {
	if t == nil {
		return dst, DataError(ReasonMalformed, "there is no "+o.Name+" to write")
	}
	out, err := o.Append(dst, t)
	if err != nil {
		return dst, Malformed(o.Name, err)
	}
	if len(out)-len(dst) > MaxRecordBytes {
		return dst, Malformed(o.Name, strictjson.Fail("$", "larger than "+strconv.Itoa(MaxRecordBytes)+" bytes"))
	}
	return out, nil
}

// DecodeEvent decodes and validates an event; its payload is only known to be an object, see
// DecodePayload.
func DecodeEvent(data []byte) (Event, error) { return decodeValue(&eventObject, data) }

// AppendEvent validates e and appends its canonical JSON.
func AppendEvent(dst []byte, e Event) ([]byte, error) { return appendRecord(dst, &eventObject, &e) }

// DecodeBinding decodes and validates a delivery binding.
func DecodeBinding(data []byte) (DeliveryBinding, error) { return decodeValue(&bindingObject, data) }

// AppendBinding validates b and appends its canonical JSON.
func AppendBinding(dst []byte, b DeliveryBinding) ([]byte, error) {
	return appendRecord(dst, &bindingObject, &b)
}

// DecodeBeat decodes and validates a presence beat.
func DecodeBeat(data []byte) (PresenceBeat, error) { return decodeValue(&beatObject, data) }

// AppendBeat validates b and appends its canonical JSON.
func AppendBeat(dst []byte, b PresenceBeat) ([]byte, error) {
	return appendRecord(dst, &beatObject, &b)
}

func decodeValue[T any](o *strictjson.Object[T], data []byte) (T, error) {
	t, err := o.Decode(data)
	return t, Malformed(o.Name, err)
}

// The Validate methods check a value as if it had been decoded.

func (w *Workspace) Validate() error { return Malformed("workspace", workspaceObject.Validate(w)) }
func (p *Participant) Validate() error {
	return Malformed("participant", participantObject.Validate(p))
}
func (s *Session) Validate() error { return Malformed("session", sessionObject.Validate(s)) }
func (i *Intent) Validate() error  { return Malformed("intent", intentObject.Validate(i)) }
func (c *Claim) Validate() error   { return Malformed("claim", claimObject.Validate(c)) }
func (m *Message) Validate() error { return Malformed("message", messageObject.Validate(m)) }
func (r *Receipt) Validate() error { return Malformed("receipt", receiptObject.Validate(r)) }

// Validate checks every member of the binding; whether it is current is for the reader to judge.
func (b *DeliveryBinding) Validate() error {
	return Malformed("delivery binding", bindingObject.Validate(b))
}

// The definitions, for modules that nest these shapes in documents of their own. Session, Claim and
// DeliveryBinding are not among them: they hold credentials, and what is shown of them is a view that
// its owner defines.

// WorkspaceObject defines Workspace.
func WorkspaceObject() *strictjson.Object[Workspace] { return &workspaceObject }

// ParticipantObject defines Participant.
func ParticipantObject() *strictjson.Object[Participant] { return &participantObject }

// IntentObject defines Intent.
func IntentObject() *strictjson.Object[Intent] { return &intentObject }

// MessageObject defines Message.
func MessageObject() *strictjson.Object[Message] { return &messageObject }

// ReceiptObject defines Receipt.
func ReceiptObject() *strictjson.Object[Receipt] { return &receiptObject }

// EventObject defines Event.
func EventObject() *strictjson.Object[Event] { return &eventObject }

// ArtifactObject defines ArtifactRef.
func ArtifactObject() *strictjson.Object[ArtifactRef] { return &artifactObject }

// HandoffObject defines HandoffPayload.
func HandoffObject() *strictjson.Object[HandoffPayload] { return &handoffObject }

// DecisionChangeObject defines DecisionChange.
func DecisionChangeObject() *strictjson.Object[DecisionChange] { return &decisionChangeObject }

// OfferObject defines Offer.
func OfferObject() *strictjson.Object[Offer] { return &offerObject }

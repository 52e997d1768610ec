package protocol

import (
	"slices"
	"strings"
	"time"
)

// KindRule says how one kind of message may be sent.
type KindRule struct {
	MessageKind MessageKind
	Addressed   []Obligation // allowed with recipients, the default first
	Room        []Obligation // allowed to the whole room, the default first; empty: never to the room
	ReplyOnly   bool         // must answer a message
	Send        bool         // a plain send may make it; the others come from a reply or a finish
}

// KindRules is the table of kinds, obligations and addressing.
var KindRules = [...]KindRule{
	{Note, []Obligation{ObligationNone}, []Obligation{ObligationNone}, false, true},
	{Question, []Obligation{ObligationReply}, nil, false, true},
	{Request, []Obligation{ObligationReply}, nil, false, true},
	{Answer, []Obligation{ObligationNone}, nil, true, false},
	{Decision, []Obligation{ObligationNone, ObligationAcknowledge}, []Obligation{ObligationNone}, false, true},
	{Handoff, []Obligation{ObligationAcknowledge}, []Obligation{ObligationNone}, false, false},
}

func kindRule(kind MessageKind) (KindRule, bool) {
	for _, r := range KindRules {
		if r.MessageKind == kind {
			return r, true
		}
	}
	return KindRule{}, false
}

// DefaultObligation is what a kind implies when the sender says nothing; "" for a kind that cannot be
// sent that way.
func DefaultObligation(kind MessageKind, room bool) Obligation {
	r, _ := kindRule(kind)
	allowed := r.Addressed
	if room {
		allowed = r.Room
	}
	if len(allowed) == 0 {
		return ""
	}
	return allowed[0]
}

// Sendable says whether a plain send may make a message of this kind; an answer comes from a reply and
// a handoff from a finish.
func Sendable(kind MessageKind) bool {
	r, _ := kindRule(kind)
	return r.Send
}

// KindProblem judges kind, obligation and addressing together. room: there are no recipients; reply:
// the message answers another one. It gives the JSON member at fault and what is wrong with it, or
// two empty strings.
func KindProblem(kind MessageKind, obligation Obligation, room, reply bool) (member, problem string) {
	r, known := kindRule(kind)
	switch {
	case !known:
		return "kind", "must be a known kind of message"
	case r.ReplyOnly && !reply:
		return "inReplyTo", "must name the message that this " + string(kind) + " answers"
	case room && len(r.Room) == 0:
		return "toParticipantIds", "must name who a " + string(kind) + " is for"
	}
	allowed, how := r.Addressed, " with recipients"
	if room {
		allowed, how = r.Room, " to the room"
	}
	if !slices.Contains(allowed, obligation) {
		words := make([]string, len(allowed))
		for i, o := range allowed {
			words[i] = string(o)
		}
		return "obligation", "must be " + strings.Join(words, " or ") + " for a message of kind " + string(kind) + how
	}
	return "", ""
}

// NudgeFor gives the warning of a note that reads like something that wants an answer, or "". It looks
// at marks, not words, so that it works in every language; it never blocks.
func NudgeFor(kind MessageKind, subject, body string) string {
	if kind != Note {
		return ""
	}
	for _, text := range []string{subject, body} {
		if strings.ContainsAny(text, "?？") {
			return "a note asks for nothing: send a question if an answer is needed"
		}
		if strings.Contains(text, "⚠") {
			return "a note may be passed over: send a decision to be acknowledged if it must be seen"
		}
	}
	return ""
}

// ReceiptStates lists the states in the order in which a receipt moves through them; it may skip some.
var ReceiptStates = [...]ReceiptState{Queued, Offered, Retrieved, Acknowledged}

// AtLeast says whether s has come as far as other.
func (s ReceiptState) AtLeast(other ReceiptState) bool {
	return slices.Index(ReceiptStates[:], s) >= slices.Index(ReceiptStates[:], other)
}

// AdvanceReceipt moves r to the state to at the time at. The same state gives r unchanged, an earlier
// one is refused with Code Conflict.
func AdvanceReceipt(r Receipt, to ReceiptState, at time.Time) (advanced Receipt, changed bool, err error) {
	now, next := slices.Index(ReceiptStates[:], r.State), slices.Index(ReceiptStates[:], to)
	switch {
	case now < 0 || next < 0:
		return r, false, DataError(ReasonMalformed, "unknown receipt state of message "+r.MessageID)
	case next == now:
		return r, false, nil
	case next < now:
		return r, false, ConflictError(ReasonReceiptBackward, "the receipt of "+r.MessageID+" with "+
			r.RecipientParticipantID+" is already "+string(r.State)+" and cannot become "+string(to)).
			With("state", string(r.State))
	}
	r.State, r.UpdatedAt = to, at
	return r, true, nil
}

// OfferFailure is a code that may be recorded and shown when an offer failed: the vocabulary is closed,
// so that nothing of a transport leaks through it.
type OfferFailure string

// The offer failures.
const (
	FailAmbiguousSessions  OfferFailure = "ambiguous_recipient_sessions" // several live sessions or endpoints
	FailDeliveryDisabled   OfferFailure = "delivery_disabled"            // the recipient's policy
	FailRecipientBusy      OfferFailure = "recipient_busy"               // a turn is running
	FailRecipientGone      OfferFailure = "recipient_unavailable"        // the endpoint is not there any more
	FailTransport          OfferFailure = "transport_error"              // the transport failed, or it is not known what became of the offer
	FailRejected           OfferFailure = "transport_rejected"           // the client said no, for whatever reason it gave
	FailPermission         OfferFailure = "transport_permission_denied"  // the system or the client does not let us
	FailUnsupportedVersion OfferFailure = "unsupported_client_version"   // not certified for this client version
)

// OfferFailures lists every code that may be recorded.
var OfferFailures = [...]OfferFailure{
	FailAmbiguousSessions, FailDeliveryDisabled, FailRecipientBusy, FailRecipientGone,
	FailTransport, FailRejected, FailPermission, FailUnsupportedVersion,
}

// SafeOfferFailure gives code if it may be recorded, and FailRejected for anything else.
func SafeOfferFailure(code string) OfferFailure {
	if slices.Contains(OfferFailures[:], OfferFailure(code)) {
		return OfferFailure(code)
	}
	return FailRejected
}

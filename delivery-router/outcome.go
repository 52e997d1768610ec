package router

import "github.com/acc-control-plane/acc/protocol"

// State is what became of a message on its way to one recipient. It claims no more than is known.
type State string

// The states. All but Woken are the state of the receipt.
const (
	Queued       State = State(protocol.Queued) // it waits in the store
	Woken        State = "woken"                // the session was asked to look; the receipt is still queued
	Offered      State = State(protocol.Offered)
	Retrieved    State = State(protocol.Retrieved)
	Acknowledged State = State(protocol.Acknowledged)
)

// Code says why a message waits. Every protocol.OfferFailure is one; the others are no failures of an
// offer, since none was made, and are never recorded.
type Code string

// The codes that are not a protocol.OfferFailure.
const (
	CodeRecipientOffline Code = "recipient_offline" // no session of the recipient is there
	CodeNoLiveTransport  Code = "no_live_transport" // its session published no endpoint
	CodeWakeInFlight     Code = "wake_in_flight"    // its session was just asked to look for another message, or given one
	CodeWakeSpent        Code = "wake_spent"        // its session was asked for this message before, and looked
	CodeLoopGuard        Code = "loop_guard"        // too many live offers between the two without a person
	CodeTurnGuard        Code = "turn_guard"        // too many live offers to it, from whomever, without a person
	CodeReplaced         Code = "decision_replaced" // a newer decision took its place
	CodeUnreadable       Code = "recipient_unknown" // the store could not be read for it
	CodeNotTried         Code = "deadline_passed"   // there was no time left to ask
)

// Codes gives every code in a fixed order.
func Codes() []Code {
	codes := []Code{
		CodeRecipientOffline, CodeNoLiveTransport, CodeWakeInFlight, CodeWakeSpent, CodeLoopGuard, CodeTurnGuard, CodeReplaced, CodeUnreadable, CodeNotTried,
	}
	for _, failure := range protocol.OfferFailures {
		codes = append(codes, Code(failure))
	}
	return codes
}

// TransportDurable is the transport of a message that nothing but the store holds.
const TransportDurable = "durable"

// Outcome is what became of a message on its way to one recipient.
type Outcome struct {
	RecipientParticipantID string
	State                  State
	Transport              string // TransportDurable, or the name of what was asked or would have been
	Code                   Code   // "" if nothing is in the way
	EndReason              string // of CodeRecipientOffline: the client's word at the end of the last session
	PendingApproval        bool   // of Woken: the recipient's client holds the wake until a person approves
	NativeReason           string // of CodeNoLiveTransport: why the session published no endpoint
	LaunchOption           string // of CodeNoLiveTransport: the option of the client that is in the way
}

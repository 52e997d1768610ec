// Package delivery says what is known of a recorded message on its way to each recipient: what came of
// the live offers, what the receipts say by now, and who is there. Commands and the MCP server tell a
// sender the same through it. Hooks do not need it, so it is no part of package router.
package delivery

import (
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/delivery-router"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Result is what became of a message on its way to one recipient by the time the sender is told.
type Result struct {
	router.Outcome
	Presence protocol.Presence // of the recipient's sessions
}

// Results gives one result per receipt, in their order. outcomes are what the router said, if it was
// asked. sessions are those that are not offline; known is false when they could not be read: the
// message is recorded by now, so not knowing who is there is told as unknown, never as a failure.
func Results(receipts []protocol.Receipt, outcomes []router.Outcome, sessions []core.SessionStatus, known bool) []Result {
	made := make(map[string]router.Outcome, len(outcomes))
	for _, o := range outcomes {
		made[o.RecipientParticipantID] = o
	}
	present := map[string]protocol.Presence{}
	for _, s := range sessions {
		present[s.ParticipantID] = better(present[s.ParticipantID], s.Presence)
	}
	var results []Result
	for _, receipt := range receipts {
		r := Result{Outcome: current(receipt, made), Presence: protocol.PresenceUnknown}
		if known {
			r.Presence = better(present[receipt.RecipientParticipantID], protocol.Offline)
		}
		results = append(results, r)
	}
	return results
}

// current gives what an offer said of a recipient, unless its receipt has come further.
func current(receipt protocol.Receipt, made map[string]router.Outcome) router.Outcome {
	o, found := made[receipt.RecipientParticipantID]
	woken := o.State == router.Woken && receipt.State == protocol.Queued
	if found && (woken || protocol.ReceiptState(o.State).AtLeast(receipt.State)) {
		return o
	}
	o = router.Outcome{RecipientParticipantID: receipt.RecipientParticipantID, State: router.State(receipt.State), Transport: router.TransportDurable}
	if receipt.Offer != nil {
		o.Transport = receipt.Offer.Transport
	}
	return o
}

// better gives the more present of two presences of one participant's sessions.
func better(a, b protocol.Presence) protocol.Presence {
	rank := map[protocol.Presence]int{protocol.Online: 4, protocol.Stale: 3, protocol.PresenceUnknown: 2, protocol.Offline: 1}
	if rank[a] >= rank[b] {
		return a
	}
	return b
}

// word is an id or a name: it was validated when it was stored.
var (
	word = strictjson.String[string](&strictjson.Rule{Label: "id or word"})
	text = strictjson.String[string](&strictjson.Rule{Label: "text", Empty: true})
)

var resultObject = &strictjson.Object[Result]{
	Name: "delivery", Doc: "What became of a message on its way to one recipient.",
	Members: func() []strictjson.Member[Result] {
		return []strictjson.Member[Result]{
			strictjson.Field("recipientParticipantId", "the recipient", func(r *Result) *string { return &r.RecipientParticipantID }, word),
			strictjson.Field("outcome", "the receipt when the sender was told; woken: its session was asked to look, the receipt is queued", func(r *Result) *router.State { return &r.State },
				strictjson.Enum(router.Queued, router.Woken, router.Offered, router.Retrieved, router.Acknowledged)),
			strictjson.Field("transport", `"durable": it waits in the store; else what was asked or carried it`, func(r *Result) *string { return &r.Transport }, word),
			strictjson.Field("presence", "of the recipient", func(r *Result) *protocol.Presence { return &r.Presence },
				strictjson.Enum(protocol.Online, protocol.Stale, protocol.Offline, protocol.PresenceUnknown)),
			strictjson.Optional("errorCode", "why it waits", func(r *Result) *router.Code { return &r.Code }, strictjson.Enum(router.Codes()...)),
			strictjson.Optional("endReason", "of an offline recipient: how its last session ended", func(r *Result) *string { return &r.EndReason }, text),
			strictjson.Optional("pendingApproval", "its client holds the wake until a person approves", func(r *Result) *bool { return &r.PendingApproval }, strictjson.Bool()),
			strictjson.Optional("nativeReasonCode", "why its session cannot be woken", func(r *Result) *string { return &r.NativeReason }, word),
			strictjson.Optional("nativeLaunchOption", "the option of its client that is in the way", func(r *Result) *string { return &r.LaunchOption }, text),
		}
	},
}

// Object defines the JSON of a Result.
func Object() *strictjson.Object[Result] { return resultObject }

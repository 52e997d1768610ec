// Package delivery says what is known of a recorded message on its way to each recipient: what came of
// the live offers, what the receipts say by now, and who is there. Commands and the MCP server tell a
// sender the same through it. Hooks do not need it, so it is no part of package router.
package delivery

import (
	"cmp"

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
// asked. present says how present the recipients are; whoever is not in it is unknown: the message is
// recorded by now, so that who is there could not be read is never told as a failure.
func Results(receipts []protocol.Receipt, outcomes []router.Outcome, present map[string]protocol.Presence) []Result {
	made := make(map[string]router.Outcome, len(outcomes))
	for _, o := range outcomes {
		made[o.RecipientParticipantID] = o
	}
	var results []Result
	for _, receipt := range receipts {
		results = append(results, Result{
			Outcome: current(receipt, made), Presence: cmp.Or(present[receipt.RecipientParticipantID], protocol.PresenceUnknown),
		})
	}
	return results
}

// Recipients gives the participants that receipts belong to.
func Recipients(receipts []protocol.Receipt) []string {
	ids := make([]string, len(receipts))
	for i, receipt := range receipts {
		ids[i] = receipt.RecipientParticipantID
	}
	return ids
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

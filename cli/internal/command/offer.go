package command

import (
	"context"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/delivery-router"
	"github.com/acc-control-plane/acc/delivery-router/delivery"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// offer asks running sessions of the recipients to look sooner. The message is recorded by now, so nothing
// that goes wrong here fails the command.
func (inv *Invocation) offer(ctx context.Context, r *room.Room, sent core.SendResult) []router.Outcome {
	if inv.Lives == nil || len(sent.Message.ToParticipantIDs) == 0 {
		return nil
	}
	outcomes, _ := bounded(ctx, func(ctx context.Context) ([]router.Outcome, error) {
		lives, err := inv.Lives()
		if err != nil {
			return nil, err
		}
		ledger := livefiles.NewLedger(r.Home, r.Dir)
		offering, err := router.New(router.Config{
			Room: r.Core, Lives: lives, Vault: livefiles.NewVault(r.Home), Ledger: ledger, Policies: livefiles.NewPolicies(r.Home), Attempts: ledger,
		})
		if err != nil {
			return nil, err
		}
		return offering.OfferNew(ctx, sent.Message.MessageID)
	})
	return outcomes
}

// headline is the state of a message on its way, and what was asked.
func headline(d delivery.Result) string {
	if d.State == router.Woken {
		return string(d.State) + " (" + d.Transport + ")"
	}
	return string(d.State)
}

// forecast says what happens next to a message, from what is known of the recipient.
func forecast(d delivery.Result) string {
	const nextTurn = "waits for its next turn"
	switch {
	case d.State == router.Woken && d.PendingApproval:
		return "its client holds the wake until a person approves"
	case d.State == router.Woken:
		return "arrives with its next turn"
	case d.State != router.Queued:
		return "by " + d.Transport
	case d.EndReason == "clear":
		return "its conversation was cleared; waits until that conversation resumes"
	case d.Presence == protocol.Offline:
		return "offline; waits until a session of that name opens"
	}
	if reason, known := waitingReasons[d.Code]; known {
		return string(d.Presence) + "; " + reason + "; " + nextTurn
	}
	if d.Code == router.CodeNoLiveTransport && d.NativeReason != "" {
		reason := "cannot be woken (" + d.NativeReason
		if d.LaunchOption != "" {
			reason += ": " + d.LaunchOption
		}
		return string(d.Presence) + "; " + reason + "); " + nextTurn
	}
	return string(d.Presence) + "; " + nextTurn + " or its next look into the inbox"
}

// waitingReasons say why a message waits although its recipient could have been asked.
var waitingReasons = map[router.Code]string{
	router.CodeWakeInFlight:                      "was just asked to look",
	router.CodeWakeSpent:                         "was asked for it before",
	router.CodeLoopGuard:                         "too many wakes between the two without a person",
	router.CodeTurnGuard:                         "woken too often without a person",
	router.CodeReplaced:                          "a newer decision took its place",
	router.CodeNotTried:                          "there was no time to ask it",
	router.Code(protocol.FailAmbiguousSessions):  "several sessions of that name",
	router.Code(protocol.FailDeliveryDisabled):   "not to be woken for this",
	router.Code(protocol.FailRecipientBusy):      "busy",
	router.Code(protocol.FailRecipientGone):      "its inbox did not answer",
	router.Code(protocol.FailTransport):          "asking it failed",
	router.Code(protocol.FailRejected):           "its client said no",
	router.Code(protocol.FailPermission):         "this sandbox may not ask it, your next hook will",
	router.Code(protocol.FailUnsupportedVersion): "its client's version cannot be woken",
}

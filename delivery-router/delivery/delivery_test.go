package delivery_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/delivery-router"
	"github.com/acc-control-plane/acc/delivery-router/delivery"
	"github.com/acc-control-plane/acc/protocol"
)

func TestResults(t *testing.T) {
	receipt := func(state protocol.ReceiptState, offer *protocol.Offer) protocol.Receipt {
		return protocol.Receipt{RecipientParticipantID: "bob", State: state, Offer: offer}
	}
	outcome := func(state router.State, transport string) router.Outcome {
		return router.Outcome{RecipientParticipantID: "bob", State: state, Transport: transport}
	}
	online, offline := map[string]protocol.Presence{"bob": protocol.Online}, map[string]protocol.Presence{"bob": protocol.Offline}
	for name, c := range map[string]struct {
		receipt  protocol.Receipt
		outcomes []router.Outcome
		present  map[string]protocol.Presence
		want     delivery.Result
	}{
		"nobody was asked": {
			receipt: receipt(protocol.Queued, nil), present: online,
			want: delivery.Result{Outcome: outcome(router.Queued, router.TransportDurable), Presence: protocol.Online},
		},
		"woken": {
			receipt: receipt(protocol.Queued, nil), outcomes: []router.Outcome{outcome(router.Woken, "claude-inbox")}, present: online,
			want: delivery.Result{Outcome: outcome(router.Woken, "claude-inbox"), Presence: protocol.Online},
		},
		"woken, and told by now": {
			receipt:  receipt(protocol.Offered, &protocol.Offer{Transport: protocol.TransportNextTurn}),
			outcomes: []router.Outcome{outcome(router.Woken, "claude-inbox")}, present: offline,
			want: delivery.Result{Outcome: outcome(router.Offered, protocol.TransportNextTurn), Presence: protocol.Offline},
		},
		"offered, the receipt was read before": {
			receipt: receipt(protocol.Queued, nil), outcomes: []router.Outcome{outcome(router.Offered, "codex-app-server")}, present: offline,
			want: delivery.Result{Outcome: outcome(router.Offered, "codex-app-server"), Presence: protocol.Offline},
		},
		"acknowledged by now": {
			receipt:  receipt(protocol.Acknowledged, &protocol.Offer{Transport: "codex-app-server"}),
			outcomes: []router.Outcome{outcome(router.Offered, "codex-app-server")}, present: offline,
			want: delivery.Result{Outcome: outcome(router.Acknowledged, "codex-app-server"), Presence: protocol.Offline},
		},
		"who is there could not be read": {
			receipt: receipt(protocol.Queued, nil),
			want:    delivery.Result{Outcome: outcome(router.Queued, router.TransportDurable), Presence: protocol.PresenceUnknown},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := delivery.Results([]protocol.Receipt{c.receipt}, c.outcomes, c.present)
			if diff := cmp.Diff([]delivery.Result{c.want}, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

package chronicle_test

import (
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/chronicle"
	"github.com/acc-control-plane/acc/protocol"
)

// Every event type has words of its own, and none is told by its bare type.
func TestEveryEventHasWords(t *testing.T) {
	payloads := []protocol.EventPayload{
		protocol.WorkspaceMaterialisedPayload{}, protocol.SessionOpenedPayload{}, protocol.SessionClosedPayload{},
		protocol.IntentPublishedPayload{}, protocol.IntentClearedPayload{},
		protocol.ClaimAcquiredPayload{ClaimID: "claim_1", Resource: "file:x", Mode: protocol.Exclusive},
		protocol.ClaimRenewedPayload{ClaimID: "claim_1", Resource: "file:x", Mode: protocol.Exclusive},
		protocol.ClaimReleasedPayload{ClaimID: "claim_1", ReplacedGenerationRef: "0123456789abcdef"},
		protocol.ClaimForceReleasedPayload{ClaimID: "claim_1", Authority: protocol.AuthorityHuman, Reason: "gone", ReplacedGenerationRef: "0123456789abcdef"},
		protocol.MessageRecordedPayload{MessageID: "message_1", ThreadID: "message_1", RecipientParticipantIDs: []string{"bob"}},
		protocol.MessageOfferedPayload{MessageID: "message_1", RecipientParticipantID: "bob"},
		protocol.MessageRetrievedPayload{MessageID: "message_1", RecipientParticipantID: "bob"},
		protocol.MessageAcknowledgedPayload{MessageID: "message_1", RecipientParticipantID: "bob"},
		protocol.OfferSucceededPayload{MessageID: "message_1", RecipientParticipantID: "bob", TargetSessionID: "session_1",
			TargetGenerationRef: "0123456789abcdef", Transport: "next-turn", AdapterID: "a", ClientVersion: "1"},
		protocol.OfferFailedPayload{MessageID: "message_1", RecipientParticipantID: "bob", TargetSessionID: "session_1",
			TargetGenerationRef: "0123456789abcdef", Transport: "x", AdapterID: "a", ClientVersion: "1", SafeErrorCode: "recipient_busy"},
	}
	told := map[protocol.EventType]bool{}
	for _, p := range payloads {
		raw, err := protocol.EncodePayload(p)
		if err != nil {
			t.Fatalf("%s: %v", p.EventType(), err)
		}
		e := chronicle.Tell(protocol.Event{ActorSessionID: "session_1", Type: p.EventType(), Payload: raw}, func(string) string { return "ada" })
		if e.Who != "ada" || e.Did == "" || e.Did == string(p.EventType()) || strings.Contains(e.Did, "0123456789abcdef") {
			t.Errorf("%s is told as %+v", p.EventType(), e)
		}
		told[p.EventType()] = true
	}
	for _, typ := range protocol.EventTypes {
		if !told[typ] {
			t.Errorf("%s is not tried", typ)
		}
	}
}

func TestWhatCannotBeReadIsToldByItsType(t *testing.T) {
	e := chronicle.Tell(protocol.Event{ActorSessionID: "session_1", Type: "future.event", Payload: []byte("{}")}, func(string) string { return "" })
	if e != (chronicle.Entry{Who: "session_1", Did: "future.event"}) {
		t.Errorf("%+v", e)
	}
}

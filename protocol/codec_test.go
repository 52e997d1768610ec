package protocol_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol"
)

// documents holds one canonical document of every definition, with every optional member in it.
var documents = map[string]string{
	"workspace": `{"schemaVersion":3,"workspaceId":"workspace_0","displayName":"acc","source":"git","roots":["/home/u/acc"],` +
		`"createdAt":"2026-01-02T03:04:05.006Z","extensions":{"x":{"y":[1,2]}}}`,
	"participant": `{"schemaVersion":3,"participantId":"claude-code-AbCd_1","workspaceId":"workspace_0","displayName":"Ada","kind":"agent",` +
		`"createdAt":"2026-01-02T03:04:05.006Z","extensions":{"x":1}}`,
	"session": `{"schemaVersion":3,"sessionId":"session_1","participantId":"ada","workspaceId":"workspace_0","generation":"AAAAAAAAAAAAAAAAAAAAAA",` +
		`"harness":"claude-code","state":"closed","parentSessionId":"session_0","checkoutRoot":"/home/u/acc","branch":"main","pid":4242,` +
		`"enforcement":"guarded","lifecycle":"managed","heartbeatCadenceMs":60000,"startedAt":"2026-01-02T03:04:05.006Z",` +
		`"heartbeatAt":"2026-01-02T03:05:05.006Z","extensions":{"endReason":"clear","x":null}}`,
	"intent": `{"schemaVersion":3,"sessionId":"session_1","workspaceId":"workspace_0","summary":"rework the parser","mode":"edit",` +
		`"resourceHints":["file:src/parser.go"],"state":"active","updatedAt":"2026-01-02T03:04:05.006Z","extensions":{"x":1}}`,
	"claim": `{"schemaVersion":3,"claimId":"claim_1","workspaceId":"workspace_0","ownerSessionId":"session_1","resource":"file:src/**",` +
		`"mode":"exclusive","enforcement":"guarded","reason":"rework","acquiredAt":"2026-01-02T03:04:05.006Z",` +
		`"expiresAt":"2026-01-02T03:34:05.006Z","generation":"BBBBBBBBBBBBBBBBBBBBBB","extensions":{"x":1}}`,
	"message": `{"schemaVersion":3,"messageId":"message_2","threadId":"message_1","clientMessageId":"client_1","workspaceId":"workspace_0",` +
		`"fromParticipantId":"ada","fromSessionId":"session_1","toParticipantIds":["bob","cy"],"kind":"decision","obligation":"acknowledge",` +
		`"subject":"use \"tokens\"","body":"line one\n\tline two ⚠","inReplyTo":"message_1","artifacts":[{"kind":"file","uri":"file:a.go","description":"the code",` +
		`"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}],"handoff":null,"sentAt":"2026-01-02T03:04:05.006Z",` +
		`"decisionChange":{"action":"replace","messageIds":["message_00","message_01"]},"extensions":{"x":1}}`,
	"message (handoff)": `{"schemaVersion":3,"messageId":"message_1","threadId":"message_1","clientMessageId":"client_1","workspaceId":"workspace_0",` +
		`"fromParticipantId":"ada","fromSessionId":"session_1","toParticipantIds":["bob"],"kind":"handoff","obligation":"acknowledge",` +
		`"subject":"yours now","body":"all of it","inReplyTo":null,"artifacts":[],"handoff":{"status":"partial","completed":["a"],"remaining":["b"],"blockers":["c"],` +
		`"verification":[{"kind":"report","uri":"file:report.txt","description":"tests"}]},"sentAt":"2026-01-02T03:04:05.006Z"}`,
	"receipt": `{"schemaVersion":3,"messageId":"message_2","workspaceId":"workspace_0","recipientParticipantId":"bob","state":"offered",` +
		`"updatedAt":"2026-01-02T03:04:05.006Z","extensions":{"obligation":"reply","author":"ada","offer":{"transport":"claude-inbox",` +
		`"at":"2026-01-02T03:04:05.006Z","repeatedAt":"2026-01-02T03:24:05.006Z"},"x":1}}`,
	"event": `{"schemaVersion":3,"sequence":"0000000000000007","eventId":"event_7","workspaceId":"workspace_0","actorSessionId":"session_1",` +
		`"type":"claim.acquired","occurredAt":"2026-01-02T03:04:05.006Z","payload":{"claimId":"claim_1","resource":"file:a","mode":"shared"}}`,
	"delivery binding": `{"sessionId":"session_1","generation":"AAAAAAAAAAAAAAAAAAAAAA","adapterId":"claude-code","clientVersion":"2.1.0",` +
		`"availableModes":["livePush","idleWake"],"livePolicy":"actionable","opaqueEndpointRef":"/tmp/socket","leaseUntil":"2026-01-02T03:04:05.006Z",` +
		`"retiredAt":"2026-01-02T03:04:06.006Z"}`,
	"workspace.materialised": `{}`,
	"session.opened":         `{"replaced":"0123456789abcdef"}`,
	"session.closed":         `{"cause":"finish","messageId":"message_1","sessionGenerationRef":"0123456789abcdef","releasedClaimIds":["claim_1"]}`,
	"intent.published":       `{}`,
	"intent.cleared":         `{}`,
	"claim.acquired":         `{"claimId":"claim_1","resource":"file:a","mode":"shared"}`,
	"claim.renewed":          `{"claimId":"claim_1","resource":"file:a","mode":"shared"}`,
	"claim.released":         `{"claimId":"claim_1","authority":"human","reason":"done","replacedGenerationRef":"0123456789abcdef"}`,
	"claim.force_released":   `{"claimId":"claim_1","authority":"human","reason":"gone home","replacedGenerationRef":"0123456789abcdef"}`,
	"message.recorded":       `{"messageId":"message_1","threadId":"message_1","recipientParticipantIds":["bob"]}`,
	"message.offered":        `{"messageId":"message_1","recipientParticipantId":"bob"}`,
	"message.retrieved":      `{"messageId":"message_1","recipientParticipantId":"bob"}`,
	"message.acknowledged":   `{"messageId":"message_1","recipientParticipantId":"bob"}`,
	"message.offer_succeeded": `{"messageId":"message_1","recipientParticipantId":"bob","targetSessionId":"session_1","targetGenerationRef":"0123456789abcdef",` +
		`"transport":"next-turn","adapterId":"claude-code","clientVersion":"2.1.0","repeat":true}`,
	"message.offer_failed": `{"messageId":"message_1","recipientParticipantId":"bob","targetSessionId":"session_1","targetGenerationRef":"0123456789abcdef",` +
		`"transport":"claude-inbox","adapterId":"claude-code","clientVersion":"2.1.0","safeErrorCode":"transport_error"}`,
	"presence beat": `{"sessionId":"session_1","generationRef":"0123456789abcdef","heartbeatAt":"2026-01-02T03:04:05.006Z"}`,
}

// definitionOf cuts the variant, which is in parentheses, from the name of a document.
func definitionOf(name string) string {
	name, _, _ = strings.Cut(name, " (")
	return name
}

// again decodes a document by the name of its definition and gives what is written for it.
func again(name string, document []byte) ([]byte, error) {
	name = definitionOf(name)
	if strings.Contains(name, ".") {
		p, err := protocol.DecodePayload(protocol.Event{Type: protocol.EventType(name), Payload: document})
		if err != nil {
			return nil, err
		}
		return protocol.EncodePayload(p)
	}
	switch name {
	case "event":
		v, err := protocol.DecodeEvent(document)
		if err != nil {
			return nil, err
		}
		return protocol.AppendEvent(nil, v)
	case "delivery binding":
		v, err := protocol.DecodeBinding(document)
		if err != nil {
			return nil, err
		}
		return protocol.AppendBinding(nil, v)
	case "presence beat":
		v, err := protocol.DecodeBeat(document)
		if err != nil {
			return nil, err
		}
		return protocol.AppendBeat(nil, v)
	}
	r, err := protocol.DecodeRecord(protocol.Kind(name), document)
	if err != nil {
		return nil, err
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return protocol.AppendRecord(nil, r)
}

func TestDocumentsAreWrittenAsTheyWereRead(t *testing.T) {
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			got, err := again(name, []byte(document))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(document, string(got)); diff != "" {
				t.Errorf("(-read +written)\n%s", diff)
			}
		})
	}
}

func TestErrorsNameDocumentAndPath(t *testing.T) {
	document := strings.Replace(documents["message"], `["bob","cy"]`, `["bob","cy","con"]`, 1)
	_, err := protocol.DecodeRecord(protocol.KindMessage, []byte(document))
	var refused *protocol.Error
	if !errors.As(err, &refused) || refused.Code != protocol.Data || refused.Reason != protocol.ReasonMalformed {
		t.Fatalf("got %v", err)
	}
	if got := refused.Details["path"]; got != "$.toParticipantIds[2]" {
		t.Errorf("path %v", got)
	}
	if want := "invalid message: $.toParticipantIds[2]: must not be a device name of Windows"; refused.Message != want {
		t.Errorf("got  %s\nwant %s", refused.Message, want)
	}
}

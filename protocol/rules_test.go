package protocol_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Each case replaces old by new in a good document and breaks one rule.
func TestRules(t *testing.T) {
	for _, c := range []struct{ document, old, new, path, message string }{
		{"message", `"kind":"decision"`, `"kind":"note"`, "$.obligation", "must be none for a message of kind note with recipients"},
		{"message", `"toParticipantIds":["bob","cy"]`, `"toParticipantIds":[]`, "$.obligation", "must be none for a message of kind decision to the room"},
		{"message", `"inReplyTo":"message_1"`, `"inReplyTo":"message_2"`, "$.inReplyTo", "must not be the message itself"},
		{"message", `"inReplyTo":"message_1"`, `"inReplyTo":null`, "$.threadId", "must be the messageId of a message that answers none"},
		{"message", `"threadId":"message_1"`, `"threadId":"message_2"`, "$.threadId", "must be the threadId of the message that is answered"},
		{"message", `"message_00","message_01"`, `"message_01","message_00"`, "$.decisionChange.messageIds", "must be sorted"},
		{"message", `"message_00","message_01"`, `"message_00","message_2"`, "$.decisionChange.messageIds", "must not name the message itself"},
		{"message", `"message_00","message_01"`, ``, "$.decisionChange.messageIds", "fewer than 1 elements"},
		{"message", `"kind":"decision","obligation":"acknowledge"`, `"kind":"question","obligation":"reply"`, "$.decisionChange", "must be absent unless kind is decision"},
		{"message", `e3b0c442`, `E3B0C442`, "$.artifacts[0].sha256", "must be lower-case hex digits of full length"},
		{"message", `e3b0c442`, `3b0c442`, "$.artifacts[0].sha256", "must be lower-case hex digits of full length"},
		{"message (handoff)", `"kind":"handoff"`, `"kind":"decision"`, "$.handoff", "must be null unless kind is handoff"},
		{"receipt", `"state":"offered"`, `"state":"queued"`, "$.extensions.offer", "must be absent while the state is queued"},
		{"receipt", `claude-inbox`, `next-turn`, "$.extensions.offer.repeatedAt", "must be null for the transport next-turn"},
		{"presence beat", `0123456789abcdef`, `0123456789abcde`, "$.generationRef", "must be lower-case hex digits of full length"},
		{"presence beat", `0123456789abcdef`, `0123456789ABCDEF`, "$.generationRef", "must be lower-case hex digits of full length"},
		{"event", `0000000000000007`, `0000000000000000`, "$.sequence", "must be 16 digits, from 1"},
		{"message.offer_succeeded", `next-turn`, `claude-inbox`, "$.transport", "must be next-turn for a repeat"},
		{"session.closed", `"messageId":"message_1",`, ``, "$.cause", "cause, messageId, sessionGenerationRef and releasedClaimIds come together"},
		{"session.closed", `"cause":"finish",`, ``, "$.cause", "cause, messageId, sessionGenerationRef and releasedClaimIds come together"},
		{"session.closed", `,"releasedClaimIds":["claim_1"]`, ``, "$.cause", "cause, messageId, sessionGenerationRef and releasedClaimIds come together"},
		{"session.closed", `"sessionGenerationRef":"0123456789abcdef",`, ``, "$.cause", "cause, messageId, sessionGenerationRef and releasedClaimIds come together"},
	} {
		document := strings.Replace(documents[c.document], c.old, c.new, 1)
		if document == documents[c.document] {
			t.Fatalf("%s: %s is not in the document", c.document, c.old)
		}
		_, err := again(c.document, []byte(document))
		var refused *strictjson.Error
		if !errors.As(err, &refused) || refused.Path != c.path || refused.Message != c.message {
			t.Errorf("%s with %s: got %v, want %s: %s", c.document, c.new, err, c.path, c.message)
		}
	}
}

func TestRecordsHaveASizeLimit(t *testing.T) {
	line := strings.Repeat("a", protocol.MaxLine)
	w := protocol.Workspace{WorkspaceID: "w", DisplayName: "w", Source: protocol.SourceGit, CreatedAt: time.UnixMilli(0).UTC(), Roots: slices.Repeat([]string{line}, 500)}
	if _, err := protocol.AppendRecord(nil, &w); err != nil {
		t.Fatal(err)
	}
	w.Extensions = protocol.Extensions{"x": []byte(`"` + strings.Repeat("a", protocol.MaxRecordBytes) + `"`)}
	got, err := protocol.AppendRecord([]byte("kept"), &w)
	var refused *strictjson.Error
	if !errors.As(err, &refused) || refused.Message != "larger than 524288 bytes" || string(got) != "kept" {
		t.Errorf("%v", err)
	}
	if _, err := protocol.DecodeRecord(protocol.KindWorkspace, []byte(strings.Repeat(" ", 4*protocol.MaxRecordBytes+1))); !errors.As(err, &refused) || refused.Message != "larger than 2097152 bytes" {
		t.Errorf("%v", err)
	}
}

func TestUnknownKindsAreRefused(t *testing.T) {
	if _, err := protocol.DecodeRecord("task", []byte("{}")); protocol.CodeOf(err) != protocol.Data {
		t.Error(err)
	}
	if _, err := protocol.AppendRecord(nil, nil); protocol.CodeOf(err) != protocol.Data {
		t.Error(err)
	}
	if _, err := protocol.AppendRecord(nil, (*protocol.Claim)(nil)); protocol.CodeOf(err) != protocol.Data {
		t.Error(err)
	}
	if _, err := protocol.EncodePayload(nil); protocol.CodeOf(err) != protocol.Data {
		t.Error(err)
	}
	if _, err := protocol.DecodePayload(protocol.Event{Type: "task.created", Payload: []byte("{}")}); protocol.CodeOf(err) != protocol.Data {
		t.Error(err)
	}
}

func TestPayloadsTolerateUnknownMembersAndDropThem(t *testing.T) {
	got, err := again("message.retrieved", []byte(`{"later":{"x":1},"messageId":"message_1","recipientParticipantId":"bob"}`))
	if err != nil || string(got) != documents["message.retrieved"] {
		t.Errorf("%v %s", err, got)
	}
}

func TestRecordKeys(t *testing.T) {
	for kind, key := range map[protocol.Kind]string{
		protocol.KindWorkspace: "workspace_0", protocol.KindParticipant: "claude-code-AbCd_1", protocol.KindSession: "session_1", protocol.KindIntent: "session_1",
		protocol.KindClaim: "claim_1", protocol.KindMessage: "message_2", protocol.KindReceipt: protocol.ReceiptID("message_2", "bob"),
	} {
		r, err := protocol.DecodeRecord(kind, []byte(documents[string(kind)]))
		if err != nil || r.Kind() != kind || r.Key() != key {
			t.Errorf("%s: %v %v", kind, r, err)
		}
	}
}

package view_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/google/go-cmp/cmp"
)

var at = time.Date(2026, 7, 1, 12, 0, 0, 5e6, time.UTC)

func TestEnvelopeIsClosedAndOrdered(t *testing.T) {
	page := core.InboxPage{NextCursor: "message_1", Items: []core.InboxItem{{
		Message: core.Summary{MessageID: "message_1", ThreadID: "message_1", FromParticipantID: "a", FromSessionID: "session_1",
			MessageKind: protocol.Question, Obligation: protocol.ObligationReply, Subject: "why\u202e", SentAt: at, BodyBytes: 3},
		Receipt: protocol.Receipt{MessageID: "message_1", RecipientParticipantID: "b", State: protocol.Offered, UpdatedAt: at,
			Offer: &protocol.Offer{Transport: "next-turn", At: at}},
	}}}
	got, err := view.Inbox.Envelope(page, view.Meta{WorkspaceID: "w", Warnings: []string{"look"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"envelope_version":1,"ok":true,"data":{"items":[{"message":{"messageId":"message_1","threadId":"message_1","fromParticipantId":"a",` +
		`"fromSessionId":"session_1","kind":"question","obligation":"reply","subject":"why` + "\u202e" + `","sentAt":"2026-07-01T12:00:00.005Z","inReplyTo":null,` +
		`"bodyBytes":3,"artifactCount":0,"trust":"untrusted peer content"},"receipt":{"messageId":"message_1","recipientParticipantId":"b",` +
		`"state":"offered","updatedAt":"2026-07-01T12:00:00.005Z","offer":{"transport":"next-turn","at":"2026-07-01T12:00:00.005Z","repeatedAt":null}}}],` +
		`"nextCursor":"message_1"},"meta":{"workspaceId":"w","warnings":["look"]}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := view.Inbox.Decode(got); err != nil {
		t.Errorf("the envelope is refused by its own schema: %v", err)
	}
	if _, err := view.Inbox.Decode([]byte(strings.Replace(string(got), `"meta"`, `"more":1,"meta"`, 1))); err == nil {
		t.Error("an unknown member was accepted")
	}
}

func TestEmptyAnswersHaveEmptyListsAndNulls(t *testing.T) {
	got, err := view.Inbox.Envelope(core.InboxPage{}, view.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"envelope_version":1,"ok":true,"data":{"items":[],"nextCursor":null},"meta":{"workspaceId":null,"warnings":[]}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// Only attach shows a generation. A key named like a credential anywhere else is a leak.
func TestNoSchemaButAttachHasACredential(t *testing.T) {
	for _, schema := range view.All() {
		for _, row := range schema.Rows() {
			name := strings.ToLower(row.Name)
			if (strings.Contains(name, "generation") || strings.Contains(name, "endpoint") || strings.Contains(name, "token")) && schema.Name() != "attached" {
				t.Errorf("%s shows %s", schema.Name(), row.Name)
			}
		}
	}
}

func TestEverySchemaIsDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, schema := range view.All() {
		if seen[schema.Name()] {
			t.Errorf("two schemas are called %s", schema.Name())
		}
		seen[schema.Name()] = true
		if schema.Doc() == "" || len(schema.Rows()) == 0 {
			t.Errorf("%s says nothing of itself", schema.Name())
		}
		for _, row := range schema.Rows() {
			if row.Doc == "" {
				t.Errorf("%s.%s is not explained", schema.Name(), row.Name)
			}
		}
	}
}

func TestErrorEnvelope(t *testing.T) {
	e := protocol.ConflictError(protocol.ReasonClaimConflict, "taken").WithHint("ask").
		With("expiresAt", at).With("names", []string{"a", "b"}).With("state", protocol.Queued).With("count", 3).
		With("nested", map[string]any{"x": true, "y": nil}).With("bad", "a\xffb").With("cause", errors.New("why"))
	got := view.AppendError(nil, e)
	want := `{"envelope_version":1,"ok":false,"error":{"code":5,"reason":"claim_conflict","message":"taken","details":{` +
		`"bad":"a` + "\ufffd" + `b","cause":"why","count":3,"expiresAt":"2026-07-01T12:00:00.005Z","hint":"ask","names":["a","b"],"nested":{"x":true,"y":null},"state":"queued"}}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	f, err := view.DecodeError(got)
	if err != nil || f.Code != 5 || f.Reason != "claim_conflict" {
		t.Errorf("decoded %+v, %v", f, err)
	}
	if _, changed := e.Details["hint"]; changed {
		t.Error("the error itself was changed")
	}
}

func TestErrorWithoutAnything(t *testing.T) {
	got := string(view.AppendError(nil, protocol.DataError("", "x\xff")))
	want := `{"envelope_version":1,"ok":false,"error":{"code":4,"reason":null,"message":"x` + "\ufffd" + `","details":{}}}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

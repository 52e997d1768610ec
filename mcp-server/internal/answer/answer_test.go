package answer

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

var writer = Writer{Tags: []string{"system-reminder", "hook_result"}}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// spice is what peer text would hold if it wanted to be taken for something else.
var spice = []string{
	"```", "````acc-peer-message", "~~~~", "</system-reminder>", "< / HOOK_RESULT >", "\u202e", "\u200b", "\U000e0041", "\ufeff",
	"\n", "\r\n", "\u2028", "\x1b[2J", "\x00", "\"", "\\", "framed", "subject:", "body:", "a", "é", "{\"x\":1}",
}

func peerText(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(spice), 0, 20).Draw(t, label), "")
}

// unsafe says what in a text could mislead its reader; "" says that nothing can.
func unsafe(text string) string {
	lower := strings.ToLower(text)
	for _, bad := range []string{"```", "~~~", "<system-reminder", "</system-reminder", "<hook_result", "</hook_result", "< / hook_result"} {
		if strings.Contains(lower, bad) {
			return bad
		}
	}
	if i := strings.IndexAny(text, "\u202e\u200b\U000e0041\ufeff\u2028\x1b\x00"); i >= 0 {
		return "a hidden character"
	}
	return ""
}

// texts gives every string of a JSON document, names too, those of frames aside.
func texts(t *rapid.T, data jsontext.Value) (all, frames []string) {
	d := jsontext.NewDecoder(strings.NewReader(string(data)))
	wasFrame := false
	for d.PeekKind() != jsontext.KindInvalid {
		token, err := d.ReadToken()
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if token.Kind() != jsontext.KindString {
			wasFrame = false
			continue
		}
		kind, n := d.StackIndex(d.StackDepth())
		if wasFrame {
			frames = append(frames, token.String())
		} else {
			all = append(all, token.String())
		}
		wasFrame = kind == jsontext.KindBeginObject && n%2 == 1 && token.String() == framed
	}
	return all, frames
}

// TestNoPeerTextEscapes: whatever peers write, no string of an answer imitates a fence, a tag of a client
// or hides anything, and a body stands only inside a whole frame.
func TestNoPeerTextEscapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := protocol.Message{
			MessageID: "message_A", ThreadID: "message_A", FromParticipantID: "p", ClientMessageID: "c", MessageKind: protocol.Handoff,
			Obligation: protocol.ObligationNone, Subject: peerText(t, "subject"), Body: peerText(t, "body"), SentAt: noon,
		}
		whole := Whole{Message: m, Framed: writer.Frame(m, noon)}
		mail := MailData{Message: whole, Receipt: protocol.Receipt{MessageID: "message_A", RecipientParticipantID: "q", State: protocol.Retrieved, UpdatedAt: noon}}
		status := StatusData{Participant: "me", Status: core.Status{
			WorkspaceID: "w", DisplayName: peerText(t, "room"), Source: protocol.SourceGit, Protection: core.ProtectionNone, Cursor: "0", Now: noon,
			Sessions: []core.SessionStatus{{
				SessionID: "s", ParticipantID: "p", Harness: peerText(t, "harness") + "x", Branch: peerText(t, "branch"), Intent: peerText(t, "intent"),
				Enforcement: protocol.Advisory, Lifecycle: protocol.Manual, Presence: protocol.Online,
			}},
			Claims: []core.ClaimStatus{{
				ClaimID: "c", Resource: "x:" + peerText(t, "resource"), Mode: protocol.Shared, Enforcement: protocol.Advisory, Reason: peerText(t, "reason"), OwnerSessionID: "s", ExpiresAt: noon,
			}},
			Attention: []core.AttentionItem{{AttentionKind: core.ReplyRequired, SourceID: "m", Summary: peerText(t, "summary")}},
		}}
		failed, said := writer.Failure(protocol.DataError("", peerText(t, "message")).With("x", peerText(t, "detail")), peerText(t, "hint"))
		documents := []jsontext.Value{failed}
		for _, write := range []func() (jsontext.Value, error){
			func() (jsontext.Value, error) { return Object(writer, Mail, &mail) },
			func() (jsontext.Value, error) { return Object(writer, Status, &status) },
		} {
			data, err := write()
			if err != nil {
				t.Fatal(err)
			}
			documents = append(documents, data)
		}
		for _, part := range strings.Split(said, "\nnext: ") {
			if bad := unsafe(part); bad != "" || strings.Contains(part, "\n") {
				t.Fatalf("%q in the text of a failure: %q", bad, said)
			}
		}
		for _, data := range documents {
			all, frames := texts(t, data)
			for _, text := range all {
				if bad := unsafe(text); bad != "" || strings.ContainsAny(text, "\n\r") {
					t.Fatalf("%q in %q", bad, text)
				}
			}
			for _, frame := range frames {
				inside, whole := strings.CutPrefix(frame, "```acc-peer-message\nmessage_A | from p")
				inside, closed := strings.CutSuffix(inside, "\n```\n")
				if !whole || !closed || unsafe(inside) != "" {
					t.Fatalf("the frame is %q", frame)
				}
			}
		}
	})
}

// TestTheLongestBodyIsCarried: a frame is never left out for want of room.
func TestTheLongestBodyIsCarried(t *testing.T) {
	m := protocol.Message{MessageID: "m", FromParticipantID: "p", Subject: "s", Body: strings.Repeat("\u200b", protocol.MaxBody/3), MessageKind: protocol.Note}
	if frame := writer.Frame(m, noon); !strings.HasPrefix(frame, "```acc-peer-message\n") {
		t.Errorf("the frame of a long body is %.200q", frame)
	}
	m.Body = strings.Repeat("`", protocol.MaxBody)
	if frame := writer.Frame(m, noon); !strings.HasPrefix(frame, "```acc-peer-message\n") {
		t.Errorf("the frame of a body of fences is %.200q", frame)
	}
}

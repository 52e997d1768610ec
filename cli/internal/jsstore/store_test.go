package jsstore

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol"
)

const at = "2026-07-01T12:00:00.000Z"

// written is a store as the JavaScript acc writes it.
type written struct {
	*testing.T
	dir string
}

func (w written) file(name, format string, args ...any) {
	w.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, format, args...), 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w written) record(kind, id, record string) {
	w.file("state/"+kind+"/"+id+".json", `{"kind":%q,"id":%q,"generation":3,"record":{"schemaVersion":3,%s,"extensions":{}}}`, kind, id, record)
}

func (w written) message(id, sentAt string) {
	w.record("message", id, fmt.Sprintf(`"messageId":%[1]q,"threadId":%[1]q,"clientMessageId":"client_%[1]s","workspaceId":"room_js","fromParticipantId":"ana","fromSessionId":"session_a",`+
		`"toParticipantIds":["ben"],"kind":"question","obligation":"reply","subject":"s","body":"b","inReplyTo":null,"artifacts":[],"handoff":null,"sentAt":%[2]q`, id, sentAt))
	w.record("receipt", protocol.ReceiptID(id, "ben"), fmt.Sprintf(`"messageId":%q,"workspaceId":"room_js","recipientParticipantId":"ben","state":"offered","updatedAt":%q`, id, at))
}

func newStore(t *testing.T, contract int) written {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := written{t, filepath.Join(dir, "room_js")}
	w.file("protocol.json", `{"storeVersion":%d,"workspaceId":"room_js","initialisedAt":%q}`, contract, at)
	for _, p := range []string{"ana", "ben"} {
		w.record("participant", p, fmt.Sprintf(`"participantId":%[1]q,"workspaceId":"room_js","displayName":%[1]q,"kind":"agent","createdAt":%[2]q`, p, at))
	}
	return w
}

func (w written) event(sequence int, messageID string) {
	w.file(fmt.Sprintf("events/%016d.json", sequence), `{"schemaVersion":3,"sequence":"%016d","eventId":"event_%d","workspaceId":"room_js","actorSessionId":"session_a","type":"message.recorded",`+
		`"occurredAt":%q,"payload":{"messageId":%q,"threadId":%q,"recipientParticipantIds":["ben"]}}`, sequence, sequence, at, messageID, messageID)
}

func (w written) tree() map[string]string {
	all := map[string]string{}
	_ = filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(path)
			all[path] = string(data)
		}
		return err
	})
	return all
}

// TestRead: the order is that of the events, what they do not reach comes first, what a marker hides is gone, and
// nothing is changed.
func TestRead(t *testing.T) {
	for _, contract := range []int{6, 7} {
		w := newStore(t, contract)
		w.message("message_first", "2026-07-01T12:00:05.000Z")
		w.message("message_second", "2026-07-01T12:00:01.000Z")
		w.message("message_trimmed", "2026-07-01T12:00:09.000Z")
		w.message("message_gone", at)
		w.event(7, "message_first")
		w.event(8, "message_second")
		w.file("retained/state/message/message_gone/3.json", "{}")
		w.file("retained/state/message/message_first/2.json", "{}")
		before := w.tree()
		s, err := Read(w.dir)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, m := range s.Messages {
			ids = append(ids, m.Message.MessageID)
			if len(m.Receipts) != 1 || m.Receipts[0].State != protocol.Offered || len(m.Participants) != 2 {
				t.Errorf("%s comes with %v and %v", m.Message.MessageID, m.Receipts, m.Participants)
			}
		}
		if diff := cmp.Diff([]string{"message_trimmed", "message_first", "message_second"}, ids); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if s.WorkspaceID != "room_js" || int(s.Contract) != contract || len(s.Unreadable) > 0 {
			t.Errorf("%+v", s)
		}
		if diff := cmp.Diff(before, w.tree()); diff != "" {
			t.Errorf("the store was changed:\n%s", diff)
		}
	}
}

// TestUnreadable: each damaged file is named, the others are read.
func TestUnreadable(t *testing.T) {
	w := newStore(t, 7)
	w.message("message_good", at)
	w.file("state/message/message_half.json", `{"kind":"message"`)
	w.file("state/message/message_other.json", `{"kind":"message","id":"message_x","generation":1,"record":{}}`)
	w.file("events/0000000000000001.json", `{}`)
	want := 3
	outside := filepath.Join(t.TempDir(), "x.json")
	if os.Symlink(outside, filepath.Join(w.dir, "state", "participant", "link.json")) == nil {
		want++ // a link is not followed
	}
	_ = os.WriteFile(outside, []byte("{}"), 0o600)
	s, err := Read(w.dir)
	if err != nil || len(s.Messages) != 1 || len(s.Unreadable) != want {
		t.Errorf("%d messages, unreadable: %s, %v", len(s.Messages), strings.Join(s.Unreadable, "\n"), err)
	}
}

func TestWhatIsNoJavaScriptStore(t *testing.T) {
	for name, text := range map[string]string{
		"absent": "", "newer": `{"storeVersion":8,"workspaceId":"r","initialisedAt":"x"}`, "older": `{"storeVersion":5,"workspaceId":"r","initialisedAt":"x"}`,
		"ours": `{"layout":"go-journal-2","storeVersion":7,"workspaceId":"r","initialisedAt":"x"}`, "no JSON": "x",
	} {
		w := written{t, filepath.Join(t.TempDir(), "r")}
		if err := os.Mkdir(w.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if text != "" {
			w.file("protocol.json", "%s", text)
		}
		if _, err := Read(w.dir); protocol.CodeOf(err) != protocol.Data {
			t.Errorf("%s: %v", name, err)
		}
	}
}

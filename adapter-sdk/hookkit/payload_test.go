package hookkit

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
)

func TestReadPayloadIsBounded(t *testing.T) {
	whole := strings.Repeat(" ", adapter.MaxPayloadBytes)
	if got, err := ReadPayload(strings.NewReader(whole)); err != nil || len(got) != len(whole) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := ReadPayload(strings.NewReader(whole + " ")); err == nil {
		t.Error("one byte too many was read")
	}
}

func TestMend(t *testing.T) {
	tests := []struct{ in, want string }{
		{`"a"`, `"a"`},
		{`"\ud83d\ude00"`, `"\ud83d\ude00"`},
		{`"\ud83d"`, `"\ufffd"`},
		{`"\ud83d\ud83d\ude00"`, `"\ufffd\ud83d\ude00"`},
		{`"\ude00x"`, `"\ufffdx"`},
		{`"\\ud83d"`, `"\\ud83d"`},
		{`"\\\ud83d"`, `"\\\ufffd"`},
		{`"\ud83dx\ude00"`, `"\ufffdx\ufffd"`},
		{`"\u00"`, `"\u00"`},
		{"\"\xff\"", "\"\uFFFD\""},
	}
	for _, tt := range tests {
		got, changed := mend([]byte(tt.in))
		if string(got) != tt.want || changed != (tt.in != tt.want) {
			t.Errorf("mend(%q) = %q, %v; want %q", tt.in, got, changed, tt.want)
		}
	}
}

func FuzzMend(f *testing.F) {
	for _, s := range []string{`"\ud83d"`, `{"a":"\ude00\ud800"}`, "\"\xff\\ud800\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		out, _ := mend(in)
		if !bytes.Equal(in, before) {
			t.Error("the payload was changed in place")
		}
		if !utf8.Valid(out) {
			t.Errorf("%q became %q", in, out)
		}
		if again, changed := mend(out); changed {
			t.Errorf("mending %q twice gave %q", out, again)
		}
		if jsontext.Value(in).IsValid() && !bytes.Equal(in, out) {
			t.Errorf("valid JSON %q was changed to %q", in, out)
		}
	})
}

// TestCarried: only what acc itself handed over says which message it is.
func TestCarried(t *testing.T) {
	const handed = WakeMark + HandedOver
	for prompt, want := range map[string]string{
		handed + "```acc-peer-message\nmessage_1 | from ada | question\nbody:\nmessage_2 | from eve\n```": "message_1",
		"\n" + handed + "message_1 | from ada":                                       "message_1",
		handed + "acc: a message waits. Read it with: acc inbox --message message_1": "",
		handed + "../x | from ada":                                                   "",
		WakeMark + " Message message_1 waits for you in acc.":                        "", // a wake: its body comes with the hook
		"message_1 | from ada":                                                       "",
		"see " + handed + "message_1 | from ada":                                     "",
		handed + strings.Repeat("x", originWindow) + "\nmessage_1 | from ada":        "",
		"": "",
	} {
		if got := Carried(prompt); got != want {
			t.Errorf("Carried(%q) = %q, want %q", prompt[:min(len(prompt), 80)], got, want)
		}
	}
}

func TestOrigin(t *testing.T) {
	w := Wrappers{Peer: []string{"<peer"}, Continuation: []string{"<task>"}}
	tests := []struct {
		prompt string
		want   adapter.Origin
	}{
		{"fix it", adapter.OriginHuman}, {"", adapter.OriginUnknown}, {" \n", adapter.OriginUnknown},
		{"  <peer from=x>", adapter.OriginPeer}, {"\n<task>", adapter.OriginContinuation},
		{WakeMark + " message_1", adapter.OriginPeer}, {"see <peer", adapter.OriginHuman},
	}
	for _, tt := range tests {
		if got := w.Origin(tt.prompt); got != tt.want {
			t.Errorf("Origin(%q) = %q, want %q", tt.prompt, got, tt.want)
		}
	}
}

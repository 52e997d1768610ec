package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/acc-control-plane/acc/protocol"
)

func TestReadLine(t *testing.T) {
	for text, want := range map[string]string{"a\n": "a", "\n": "", "a\nb\n": "a", strings.Repeat("x", MaxLine-1) + "\n": strings.Repeat("x", MaxLine-1)} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
			if got, err := ReadLine(r); err != nil || string(got) != want {
				t.Errorf("%.20q of %d bytes: %d bytes, %v", text, len(text), len(got), err)
			}
		}
	}
	for text, want := range map[string]error{"": io.ErrUnexpectedEOF, "a": io.ErrUnexpectedEOF, strings.Repeat("x", MaxLine) + "\n": ErrReply} {
		if got, err := ReadLine(strings.NewReader(text)); !errors.Is(err, want) {
			t.Errorf("%.20q: %q, %v", text, got, err)
		}
	}
}

// FuzzAsk: whatever arrives is refused, or is an ask that says the same when it is written again.
func FuzzAsk(f *testing.F) {
	for _, a := range []Ask{
		{Nonce: strings.Repeat("0", nonceHex), Conversation: "c", What: Probe},
		{Nonce: strings.Repeat("f", nonceHex), Conversation: "c-1", What: Wake, MessageID: "message_01J"},
	} {
		line, err := a.Append(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.TrimSuffix(line, []byte("\n")))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := DecodeAsk(line)
		if err != nil {
			return
		}
		again, err := a.Append(nil)
		if err != nil {
			t.Fatalf("%q became %+v: %v", line, a, err)
		}
		if b, err := DecodeAsk(again[:len(again)-1]); err != nil || b != a {
			t.Errorf("%+v became %+v, %v", a, b, err)
		}
		if strings.HasPrefix(a.Conversation, "-") || protocol.PortableIDProblem(a.Conversation) != "" {
			t.Errorf("%q would be an option of the client's command", a.Conversation)
		}
	})
}

// FuzzReply: no answer of a relay but a whole and known one is taken.
func FuzzReply(f *testing.F) {
	for _, r := range []Reply{{ClientVersion: "1.2.7"}, {ClientVersion: "1.2.7", Refusal: protocol.FailRecipientGone}} {
		line, err := r.Append(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		r, err := Exchange(both{bytes.NewReader(answer), io.Discard}, Ask{Nonce: strings.Repeat("0", nonceHex), Conversation: "c", What: Probe})
		if err != nil {
			return
		}
		if !bytes.Contains(answer, []byte{'\n'}) || r.Refusal != "" && protocol.SafeOfferFailure(string(r.Refusal)) != r.Refusal {
			t.Errorf("%q became %+v", answer, r)
		}
	})
}

type both struct {
	io.Reader
	io.Writer
}

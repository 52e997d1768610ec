package protocol_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// fuzzDecoder holds for every decoder: it never panics, a refusal has a path, and what it accepts is
// written in a canonical form that reads and writes as itself.
func fuzzDecoder(f *testing.F, names ...string) {
	for name, document := range documents {
		for i, n := range names {
			if n == definitionOf(name) {
				f.Add(i, []byte(document))
			}
		}
	}
	f.Fuzz(func(t *testing.T, i int, document []byte) {
		if i < 0 || i >= len(names) {
			return
		}
		written, err := again(names[i], document)
		if err != nil {
			var refused *strictjson.Error
			if !errors.As(err, &refused) || len(refused.Path) == 0 || refused.Path[0] != '$' || protocol.CodeOf(err) != protocol.Data {
				t.Fatalf("%v has no path", err)
			}
			return
		}
		rewritten, err := again(names[i], written)
		if err != nil {
			t.Fatalf("what was written is refused: %v\n%s", err, written)
		}
		if !bytes.Equal(written, rewritten) {
			t.Fatalf("written   %s\nrewritten %s", written, rewritten)
		}
	})
}

func FuzzDecodeRecord(f *testing.F) {
	var names []string
	for _, kind := range protocol.Kinds {
		names = append(names, string(kind))
	}
	fuzzDecoder(f, names...)
}

func FuzzDecodeEvent(f *testing.F) { fuzzDecoder(f, "event") }

func FuzzDecodeEphemeral(f *testing.F) { fuzzDecoder(f, "delivery binding", "presence beat") }

func FuzzDecodePayload(f *testing.F) {
	var names []string
	for _, eventType := range protocol.EventTypes {
		names = append(names, string(eventType))
	}
	fuzzDecoder(f, names...)
}

func FuzzParseSequence(f *testing.F) {
	f.Add("0000000000000007")
	f.Add("7")
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := protocol.ParseSequence(text); err == nil && protocol.FormatSequence(n) != text {
			t.Fatalf("%q was read as %d", text, n)
		}
	})
}

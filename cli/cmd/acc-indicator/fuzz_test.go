package main

import (
	"testing"
	"unicode/utf8"

	"github.com/acc-control-plane/acc/protocol"
)

// FuzzNamed gives arbitrary bytes for what a client says of itself. What is taken for the id of a conversation is
// text of a bounded length, and is taken again.
func FuzzNamed(f *testing.F) {
	for _, said := range []string{
		`{"session_id":"3f","cwd":"/p","model":{"id":"m"}}`, `{"conversation_id":"c"}`, `{"session_id":"","conversation_id":"c"}`, `{"session_id":null}`, `[`, "",
	} {
		f.Add([]byte(said))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		id := named(data)
		if !utf8.ValidString(id) || len(id) > protocol.MaxLine+12 {
			t.Fatalf("%q is no id", id)
		}
		if again := named(data); again != id {
			t.Fatalf("%q, then %q", id, again)
		}
	})
}

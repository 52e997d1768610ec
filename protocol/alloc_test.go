package protocol_test

import (
	"testing"

	"github.com/acc-control-plane/acc/protocol"
)

// The budgets leave room for the pool of decoders being emptied by a collection during the run, not
// for another allocation per member.
func TestAllocationBudgets(t *testing.T) {
	for _, c := range []struct {
		name           string
		decode, append float64
	}{
		{"session", 18, 6},
		{"message", 32, 6},
		{"receipt", 15, 5},
	} {
		document := []byte(documents[c.name])
		if got := testing.AllocsPerRun(200, func() {
			if err := decodeOnly(c.name, document); err != nil {
				t.Fatal(err)
			}
		}); got > c.decode {
			t.Errorf("decoding a %s allocates %v times, budget %v", c.name, got, c.decode)
		}
		r, err := protocol.DecodeRecord(protocol.Kind(c.name), document)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 0, 4096)
		if got := testing.AllocsPerRun(200, func() {
			if _, err := protocol.AppendRecord(buf, r); err != nil {
				t.Fatal(err)
			}
		}); got > c.append {
			t.Errorf("writing a %s allocates %v times, budget %v", c.name, got, c.append)
		}
	}
}

package presence

import (
	"testing"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

func TestOf(t *testing.T) {
	const minute = time.Minute
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		closed  bool
		process Process
		age     time.Duration
		want    protocol.Presence
	}{
		{"closed", true, Alive, 0, protocol.Offline},
		{"dead process, fresh beat", false, Dead, 0, protocol.Offline},
		{"live process, old beat", false, Alive, 100 * time.Hour, protocol.Online},
		{"live process, beat from the future", false, Alive, -time.Hour, protocol.Online},
		{"fresh", false, None, 0, protocol.Online},
		{"three cadences", false, None, 3 * minute, protocol.Online},
		{"just over three cadences", false, None, 3*minute + 1, protocol.Stale},
		{"half an hour", false, None, 30 * minute, protocol.Stale},
		{"just over half an hour", false, None, 30*minute + 1, protocol.Offline},
		{"unseen process, fresh", false, Unknown, 3 * minute, protocol.Online},
		{"unseen process, half an hour", false, Unknown, 30 * minute, protocol.Stale},
		{"unseen process, longer", false, Unknown, 30*minute + 1, protocol.PresenceUnknown},
		{"unseen process, a day", false, Unknown, 24 * time.Hour, protocol.PresenceUnknown},
		{"unseen process, more", false, Unknown, 24*time.Hour + 1, protocol.Offline},
		{"a minute ahead", false, None, -minute, protocol.Online},
		{"further ahead", false, None, -minute - 1, protocol.PresenceUnknown},
	} {
		facts := Facts{Open: !c.closed, HeartbeatAt: now.Add(-c.age), Cadence: minute, Process: c.process}
		if got := Of(facts, now); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestLongCadence: a session that promised to beat rarely is not offline before it is stale.
func TestLongCadence(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	facts := Facts{Open: true, HeartbeatAt: now.Add(-time.Hour), Cadence: time.Hour, Process: None}
	if got := Of(facts, now); got != protocol.Online {
		t.Errorf("one cadence old: %s", got)
	}
}

// More of two is the same whichever comes first.
func TestMore(t *testing.T) {
	sorted := []protocol.Presence{protocol.Offline, protocol.PresenceUnknown, protocol.Stale, protocol.Online}
	for i, less := range sorted {
		for _, more := range sorted[i:] {
			if a, b := More(less, more), More(more, less); a != more || b != more {
				t.Errorf("%s and %s: %s, and the other way %s", less, more, a, b)
			}
		}
	}
}

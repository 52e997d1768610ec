// Package presence decides whether a session is there, from what is known of it. It is pure: the record,
// the newest beat and the state of the process are handed in, so that one answer can be used for a
// whole response.
package presence

import (
	"slices"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// Process is what is known of the process that a session recorded.
type Process int

// The process states. Unknown covers a process that cannot be looked at, for example one of another
// pid namespace; it is never taken for dead.
const (
	None Process = iota // no process was recorded
	Unknown
	Alive
	Dead
)

// Facts is the evidence for one session.
type Facts struct {
	Open        bool
	HeartbeatAt time.Time // the newer of the record and the beat
	Cadence     time.Duration
	Process     Process
}

// Of classifies a session at a moment.
//
// A closed session or a dead process is offline, a live process is online however old its last beat.
// Only where the process says nothing do ages decide: up to three cadences online, then stale, offline
// after 30 minutes without a recorded process. A recorded process that cannot be looked at leaves it
// unknown after those 30 minutes, and offline after 24 hours, when its number proves nothing any more.
// A beat from the future by more than a minute decides nothing; a smaller one is taken as now.
func Of(f Facts, now time.Time) protocol.Presence {
	switch {
	case !f.Open || f.Process == Dead:
		return protocol.Offline
	case f.Process == Alive:
		return protocol.Online
	}
	age := now.Sub(f.HeartbeatAt)
	switch {
	case age < -protocol.ClockSkewTolerance:
		return protocol.PresenceUnknown
	case age <= protocol.StaleCadences*f.Cadence:
		return protocol.Online
	case f.Process == None && age > protocol.OfflineAfter, age > protocol.PresenceHorizon:
		return protocol.Offline
	case age > protocol.OfflineAfter:
		return protocol.PresenceUnknown
	default:
		return protocol.Stale
	}
}

// order is from the least present to the most.
var order = [...]protocol.Presence{protocol.Offline, protocol.PresenceUnknown, protocol.Stale, protocol.Online}

// More gives the more present of two.
func More(a, b protocol.Presence) protocol.Presence {
	if slices.Index(order[:], a) >= slices.Index(order[:], b) {
		return a
	}
	return b
}

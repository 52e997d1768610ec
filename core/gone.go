package core

import "github.com/acc-control-plane/acc/protocol"

// A client that is killed closes nothing: its session and claims stay on record, and everybody who asks
// who is here pays for them. Whoever opens a session therefore ends a few that are gone for certain. One
// opening makes up for more than one killed client, so they cannot pile up.

// Bounds of what one opening does for sessions that are gone: oldest sessions looked at, sessions ended,
// and claims released. What is left is for the next.
const (
	goneLookedAt = 64
	goneEnded    = 8
	goneClaims   = 64
)

// EndGone is the end reason of a session that nobody closed and whose client is gone for certain.
const EndGone = "gone"

// leaseOver is why a claim is released that nobody gave up.
const leaseOver = "its lease had run out"

// ownerGone is why somebody else releases it.
const ownerGone = leaseOver + " and its owner is gone"

// gone says whether nobody can come back to an open session: the process that it recorded is confirmed
// dead and it was silent for protocol.OfflineAfter, or it recorded none and was silent for
// protocol.PresenceHorizon. A process that cannot be looked at decides nothing.
func (r *room) gone(s *protocol.Session) (bool, error) {
	if r.now.Sub(s.HeartbeatAt) <= protocol.OfflineAfter {
		return false, nil // without a look at its beat, which can only be newer
	}
	beat, err := r.beatOf(s)
	if err != nil {
		return false, err
	}
	silent := r.now.Sub(beat)
	if s.PID == 0 {
		return silent > protocol.PresenceHorizon, nil
	}
	return silent > protocol.OfflineAfter && r.core.processes.Probe(s.PID, s.HeartbeatAt) == ProcessDead, nil
}

// endGone ends sessions that are gone, on behalf of one that opens, and gives them. A claim whose lease
// still runs keeps its session: silence never releases one.
func (c *change) endGone(actor *protocol.Session) ([]*protocol.Session, error) {
	oldest, err := list[*protocol.Session](c, protocol.KindSession, Query{Index: OpenSessions, Limit: goneLookedAt})
	if err != nil {
		return nil, err
	}
	var ended []*protocol.Session
	claims := goneClaims
	for _, s := range oldest {
		if len(ended) == goneEnded || claims == 0 {
			break
		}
		if s.SessionID == actor.SessionID {
			continue
		}
		gone, err := c.gone(s)
		if err != nil {
			return nil, err
		}
		if !gone {
			continue
		}
		free, err := c.releaseGone(actor, s, &claims)
		if err != nil {
			return nil, err
		}
		if !free {
			continue
		}
		if _, err := c.close(s, ending{reason: EndGone, extensions: s.Extensions}); err != nil {
			return nil, err
		}
		ended = append(ended, s)
	}
	return ended, nil
}

// releaseGone releases the claims of a gone session whose lease is over, at most left of them, and says
// whether it holds none any more.
func (c *change) releaseGone(actor, s *protocol.Session, left *int) (free bool, err error) {
	limit := *left
	held, err := list[*protocol.Claim](c, protocol.KindClaim, Query{Index: ClaimsByOwner, Key: []string{s.SessionID}, Limit: limit})
	if err != nil {
		return false, err
	}
	free = len(held) < limit
	for _, claim := range held {
		if c.live(claim) {
			free = false
			continue
		}
		*left--
		if err := c.dropClaim(actor, claim, ReleaseRequest{Authority: protocol.AuthorityPolicy, Reason: ownerGone}); err != nil {
			return false, err
		}
	}
	return free, nil
}

package core

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/core/resource"
	"github.com/acc-control-plane/acc/protocol"
)

// ClaimRequest asks for a lease.
type ClaimRequest struct {
	Resource    string // URI; normalised by core/resource, unmatchable forms are refused
	Mode        protocol.ClaimMode
	Enforcement protocol.Enforcement
	Reason      string
	Lease       time.Duration // 0: protocol.DefaultLease; at most protocol.MaxClaimLease
}

// ClaimResult is a granted claim.
type ClaimResult struct {
	Claim   protocol.Claim
	Renewed bool // the session already held the same resource: same id and acquiredAt, new generation
	// Lapsed are other claims of the session whose lease had run out, oldest first, without generation.
	// They were released with this, a few at a time; being named here is how their owner is told, once.
	Lapsed []protocol.Claim
}

// noReason stands in a claim whose owner gave none.
const noReason = "no reason given"

// Claim acquires or renews. An overlapping live claim of another session is refused with
// ReasonClaimConflict when either side is exclusive; the details name claimId, resource,
// ownerSessionId, ownerParticipantId, ownerPresence, expiresAt and requestedBy.
func (c *Core) Claim(ctx context.Context, owner Owner, req ClaimRequest) (ClaimResult, error) {
	name, err := resource.Normalise(req.Resource)
	if err != nil {
		return ClaimResult{}, err
	}
	lease, err := claimLease(req.Lease)
	if err != nil {
		return ClaimResult{}, err
	}
	var result ClaimResult
	err = c.update(ctx, func(ch *change) error {
		s, err := ch.owned(owner)
		if err != nil {
			return err
		}
		claim := protocol.Claim{
			WorkspaceID: c.workspace.WorkspaceID, OwnerSessionID: s.SessionID, Resource: name,
			Mode: orDefault(req.Mode, protocol.Exclusive), Enforcement: orDefault(req.Enforcement, protocol.Advisory),
			Reason: orDefault(req.Reason, noReason), AcquiredAt: ch.now, ExpiresAt: ch.until(lease), Generation: c.ids.NewGeneration(),
		}
		result, err = ch.acquire(s, claim)
		return err
	})
	return result, err
}

func claimLease(asked time.Duration) (time.Duration, error) {
	lease := orDefault(asked, protocol.DefaultLease)
	if lease < 0 || lease > protocol.MaxClaimLease {
		return 0, protocol.UsageError("", fmt.Sprintf("a lease lasts more than nothing and at most %s", protocol.MaxClaimLease))
	}
	return lease, nil
}

// until gives the end of a lease that begins now.
func (r *room) until(lease time.Duration) time.Time {
	return r.now.Add(lease).Truncate(time.Millisecond)
}

// acquire records a claim unless somebody else holds what it overlaps. A claim that has its id already was
// named by it.
func (c *change) acquire(s *protocol.Session, claim protocol.Claim) (ClaimResult, error) {
	overlapping, err := c.overlapping(claim.Resource)
	if err != nil {
		return ClaimResult{}, err
	}
	var own *protocol.Claim
	for _, held := range overlapping {
		switch {
		case held.OwnerSessionID == s.SessionID:
			if held.Resource == claim.Resource {
				own = held
			}
		case c.live(held) && (held.Mode == protocol.Exclusive || claim.Mode == protocol.Exclusive):
			return ClaimResult{}, c.claimConflict(s, held)
		}
	}
	if err := c.materialise(s); err != nil {
		return ClaimResult{}, err
	}
	for _, held := range overlapping {
		if held.OwnerSessionID != s.SessionID && !c.live(held) {
			if err := c.end(s, held); err != nil {
				return ClaimResult{}, err
			}
		}
	}
	lapsed, err := c.releaseLapsed(s, claim.Resource)
	if err != nil {
		return ClaimResult{}, err
	}
	if own == nil {
		claim, err = c.grant(s, claim)
	} else {
		claim, err = c.renew(s, own, claim)
	}
	return ClaimResult{Claim: claim, Renewed: own != nil, Lapsed: lapsed}, err
}

// grant records a claim that the session does not hold yet.
func (c *change) grant(s *protocol.Session, claim protocol.Claim) (protocol.Claim, error) {
	held, err := c.Find(Query{Index: ClaimsByOwner, Key: []string{s.SessionID}, Limit: protocol.MaxListItems})
	if err != nil {
		return claim, err
	}
	if len(held) == protocol.MaxListItems {
		return claim, protocol.UsageError("", fmt.Sprintf("a session holds at most %d claims", protocol.MaxListItems)).WithHint("claim a directory as DIR/** instead of its files")
	}
	claim.ClaimID = c.core.ids.NewID(protocol.ClaimIDPrefix)
	if _, _, err := c.claim(claim.ClaimID); err != nil {
		return claim, err
	}
	c.append(s, protocol.ClaimAcquiredPayload{ClaimID: claim.ClaimID, Resource: claim.Resource, Mode: claim.Mode})
	return claim, c.tx.Put(&claim)
}

// claimConflict says who holds what was asked for, in enough detail to ask them.
func (r *room) claimConflict(asking *protocol.Session, held *protocol.Claim) error {
	until := held.ExpiresAt.UTC().Format(time.RFC3339) // as in the details, where whoever speaks to people finds it
	e := protocol.ConflictError(protocol.ReasonClaimConflict, fmt.Sprintf("%s is claimed by session %q until %s", held.Resource, held.OwnerSessionID, until)).
		With("claimId", held.ClaimID).With("resource", held.Resource).With("ownerSessionId", held.OwnerSessionID).
		With("expiresAt", held.ExpiresAt).With("requestedBy", asking.SessionID).With("ownerPresence", string(protocol.Offline))
	owner, found, err := r.session(held.OwnerSessionID)
	if err != nil || !found {
		return e
	}
	p, err := r.presenceOf(owner)
	if err != nil {
		p = protocol.PresenceUnknown
	}
	e.Message = fmt.Sprintf("%s is claimed by %s until %s", held.Resource, owner.ParticipantID, until)
	return e.With("ownerParticipantId", owner.ParticipantID).With("ownerPresence", string(p)).
		WithHint("ask " + owner.ParticipantID + ", or work elsewhere")
}

// endedExtension marks a claim whose lease had run out when somebody else took what it held, so that a
// clock set back does not give one thing to two holders.
const endedExtension = "ended"

// live says whether a claim's lease still runs.
func (r *room) live(claim *protocol.Claim) bool {
	_, ended := claim.Extensions[endedExtension]
	return !ended && claim.ExpiresAt.After(r.now)
}

// end settles an expired claim that another session's claim overlaps. It stays on record while its
// owner may still be told (ClaimExpired), and goes when nobody is left to tell.
func (c *change) end(taker *protocol.Session, expired *protocol.Claim) error {
	owner, found, err := c.session(expired.OwnerSessionID)
	if err != nil {
		return err
	}
	gone := !found
	if found {
		p, err := c.presenceOf(owner)
		if err != nil {
			return err
		}
		gone = p == protocol.Offline
	}
	if gone {
		return c.dropClaim(taker, expired, ReleaseRequest{Authority: protocol.AuthorityPolicy, Reason: ownerGone})
	}
	if _, ended := expired.Extensions[endedExtension]; ended {
		return nil
	}
	marked := *expired
	marked.Extensions = protocol.Extensions{}
	maps.Copy(marked.Extensions, expired.Extensions)
	marked.Extensions[endedExtension] = jsontext.Value("true")
	return c.tx.Put(&marked)
}

// overlapping gives every claim on record that overlaps a canonical name, each once, whoever owns it
// and whether or not its lease still runs. It costs the depth of the name and the hits.
func (r *room) overlapping(name string) ([]*protocol.Claim, error) {
	var all []*protocol.Claim
	seen := map[string]bool{}
	add := func(claims []*protocol.Claim, err error) error {
		for _, claim := range claims {
			if !seen[claim.ClaimID] && resource.Overlap(claim.Resource, name) {
				seen[claim.ClaimID] = true
				all = append(all, claim)
			}
		}
		return err
	}
	for _, over := range resource.Over(name) {
		if err := add(r.claims(ClaimsByResource, over)); err != nil {
			return nil, err
		}
	}
	if dir, ok := resource.Dir(name); ok {
		if err := add(r.claims(ClaimsByDirectory, dir)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

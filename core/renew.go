package core

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// RenewRequest extends the lease of a claim that the session holds, named by its id or by its resource.
type RenewRequest struct {
	ClaimID  string
	Resource string

	// What is empty stays as it is.
	Mode        protocol.ClaimMode
	Enforcement protocol.Enforcement
	Reason      string
	Lease       time.Duration // from now on; 0: protocol.DefaultLease; at most protocol.MaxClaimLease
}

// Renew starts the lease of the session's own claim again and keeps the rest of it: the id, acquiredAt, and
// what the request leaves empty. A claim of somebody else is refused with ReasonClaimConflict, and so is one
// whose lease had run out when somebody else took what it held; one that is not on record, with
// ReasonNotFound.
func (c *Core) Renew(ctx context.Context, owner Owner, req RenewRequest) (ClaimResult, error) {
	name, err := claimName(req.ClaimID, req.Resource)
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
		held, err := ch.named(s, name)
		if err != nil {
			return err
		}
		if held.OwnerSessionID != s.SessionID {
			return notYours(held).WithHint("acc claim --resource NAME asks for a claim of your own")
		}
		claim := *held
		claim.Mode, claim.Enforcement, claim.Reason = orDefault(req.Mode, held.Mode), orDefault(req.Enforcement, held.Enforcement), orDefault(req.Reason, held.Reason)
		claim.ExpiresAt, claim.Generation = ch.until(lease), c.ids.NewGeneration()
		if req.ClaimID == "" {
			claim.ClaimID = "" // the event tells how it was named
		}
		result, err = ch.acquire(s, claim)
		return err
	})
	return result, err
}

// renew records a claim in place of the one that the session holds on the same resource.
func (c *change) renew(s *protocol.Session, own *protocol.Claim, claim protocol.Claim) (protocol.Claim, error) {
	facts := protocol.ClaimRenewedPayload{ClaimID: own.ClaimID}
	if claim.ClaimID == "" {
		facts.Resource, facts.Mode = claim.Resource, claim.Mode
	}
	claim.ClaimID, claim.AcquiredAt, claim.Extensions = own.ClaimID, own.AcquiredAt, maps.Clone(own.Extensions)
	delete(claim.Extensions, endedExtension)
	c.append(s, facts)
	return claim, c.tx.Put(&claim)
}

// lapsedLookedAt is how many of its oldest claims a session that claims is told of when they have run out.
const lapsedLookedAt = 16

// releaseLapsed releases claims of the session whose lease had run out, except on a resource that it is
// about to claim, and gives them to tell of.
func (c *change) releaseLapsed(s *protocol.Session, except string) ([]protocol.Claim, error) {
	oldest, err := list[*protocol.Claim](c, protocol.KindClaim, Query{Index: ClaimsByOwner, Key: []string{s.SessionID}, Limit: lapsedLookedAt})
	if err != nil {
		return nil, err
	}
	var lapsed []protocol.Claim
	for _, claim := range oldest {
		if c.live(claim) || claim.Resource == except {
			continue
		}
		if err := c.dropClaim(s, claim, ReleaseRequest{Reason: leaseOver}); err != nil {
			return nil, err
		}
		told := *claim
		told.Generation = ""
		lapsed = append(lapsed, told)
	}
	return lapsed, nil
}

// notYours refuses to do with a claim what only its owner does.
func notYours(claim *protocol.Claim) *protocol.Error {
	return protocol.ConflictError(protocol.ReasonClaimConflict, fmt.Sprintf("claim %s belongs to session %q", claim.ClaimID, claim.OwnerSessionID)).
		With("claimId", claim.ClaimID).With("ownerSessionId", claim.OwnerSessionID)
}

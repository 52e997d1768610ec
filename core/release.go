package core

import (
	"context"
	"fmt"

	"github.com/acc-control-plane/acc/core/resource"
	"github.com/acc-control-plane/acc/protocol"
)

// ReleaseRequest names a claim by id or by resource.
type ReleaseRequest struct {
	ClaimID   string
	Resource  string
	Authority protocol.Authority // releases another session's claim; needs Reason
	Reason    string
}

// Release removes a claim and gives what was released, without its generation. A claim of another
// session is released only with an authority and a reason.
func (c *Core) Release(ctx context.Context, owner Owner, req ReleaseRequest) (protocol.Claim, error) {
	name, err := claimName(req.ClaimID, req.Resource)
	if err != nil {
		return protocol.Claim{}, err
	}
	if req.Authority != "" {
		if req.Authority != protocol.AuthorityHuman && req.Authority != protocol.AuthorityPolicy {
			return protocol.Claim{}, protocol.UsageError("", fmt.Sprintf("authority %q is neither human nor policy", req.Authority))
		}
		if req.Reason == "" {
			return protocol.Claim{}, protocol.UsageError("", "releasing another session's claim needs a reason")
		}
	}
	var released protocol.Claim
	err = c.update(ctx, func(ch *change) error {
		s, err := ch.owned(owner)
		if err != nil {
			return err
		}
		claim, err := ch.named(s, name)
		if err != nil {
			return err
		}
		if claim.OwnerSessionID != s.SessionID && req.Authority == "" {
			return notYours(claim).WithHint("only its owner releases it, or somebody with --authority and --reason")
		}
		if claim.OwnerSessionID == s.SessionID {
			req.Authority = ""
		}
		released = *claim
		released.Generation = ""
		return ch.dropClaim(s, claim, req)
	})
	return released, err
}

// named is how a request speaks of a claim: by its id, or by the canonical name of what it holds.
type named struct{ claimID, resource string }

func claimName(claimID, written string) (named, error) {
	switch {
	case (claimID == "") == (written == ""):
		return named{}, protocol.UsageError("", "name the claim either by its id or by its resource")
	case claimID != "":
		return named{claimID: claimID}, nil
	}
	name, err := resource.Normalise(written)
	return named{resource: name}, err
}

// named finds the claim that a request speaks of: by id, or the caller's own on that resource, or the
// only one on it.
func (r *room) named(s *protocol.Session, name named) (*protocol.Claim, error) {
	if name.claimID != "" {
		claim, found, err := r.claim(name.claimID)
		if err == nil && !found {
			err = protocol.DataError(protocol.ReasonNotFound, fmt.Sprintf("there is no claim %q: it was released, or its lease ran out", name.claimID)).
				WithHint("acc status lists the claims that hold; acc claim --resource NAME claims anew")
		}
		return claim, err
	}
	claims, err := r.claims(ClaimsByResource, name.resource)
	if err != nil {
		return nil, err
	}
	for _, claim := range claims {
		if claim.OwnerSessionID == s.SessionID {
			return claim, nil
		}
	}
	switch len(claims) {
	case 0:
		return nil, protocol.DataError(protocol.ReasonNotFound, fmt.Sprintf("nothing claims %s", name.resource))
	case 1:
		return claims[0], nil
	}
	ids := make([]string, len(claims))
	for i, claim := range claims {
		ids[i] = claim.ClaimID
	}
	return nil, protocol.UsageError("", fmt.Sprintf("%d claims are on %s: name one by its id", len(claims), name.resource)).With("claimIds", ids)
}

// dropClaim removes a claim and tells of it.
func (c *change) dropClaim(actor *protocol.Session, claim *protocol.Claim, req ReleaseRequest) error {
	facts := protocol.ClaimReleasedPayload{
		ClaimID: claim.ClaimID, Authority: req.Authority, Reason: req.Reason, ReplacedGenerationRef: protocol.GenerationRef(claim.Generation),
	}
	if req.Authority != "" {
		c.append(actor, protocol.ClaimForceReleasedPayload(facts))
	} else {
		c.append(actor, facts)
	}
	if _, _, err := c.claim(claim.ClaimID); err != nil {
		return err
	}
	return c.tx.Remove(protocol.KindClaim, claim.ClaimID)
}

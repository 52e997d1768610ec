package core

import (
	"context"

	"github.com/acc-control-plane/acc/core/resource"
	"github.com/acc-control-plane/acc/protocol"
)

// GuardDecision says whether a write may go on.
type GuardDecision struct {
	Denied   bool
	Resource string         // the first target that is covered
	Claim    protocol.Claim // what covers it; Generation is blank
	Owner    string         // participant id of the claim's owner
	Beat     bool           // the session's heartbeat is due
}

// Guard asks whether any of the resources (file: URIs, links and letter case settled by the caller) is
// covered by a live guarded claim of another session. It reads only session and claim facts and never
// waits for a writer.
func (c *Core) Guard(ctx context.Context, owner Owner, resources []string) (GuardDecision, error) {
	targets := make([]string, len(resources))
	for i, raw := range resources {
		name, err := resource.Target(raw)
		if err != nil {
			return GuardDecision{}, err
		}
		targets[i] = name
	}
	var decision GuardDecision
	err := c.view(ctx, func(r *room) error {
		s, err := r.owned(owner)
		if err != nil {
			return err
		}
		newest, err := r.beatOf(s)
		if err != nil {
			return err
		}
		decision, err = r.guard(s, targets)
		decision.Beat = r.beatDue(newest)
		return err
	})
	return decision, err
}

func (r *room) guard(s *protocol.Session, targets []string) (GuardDecision, error) {
	for _, target := range targets {
		for _, over := range resource.Over(target) {
			claims, err := r.claims(ClaimsByResource, over)
			if err != nil {
				return GuardDecision{}, err
			}
			for _, claim := range claims {
				if claim.OwnerSessionID == s.SessionID || claim.Enforcement != protocol.Guarded || !r.live(claim) || !resource.Covers(claim.Resource, target) {
					continue
				}
				d := GuardDecision{Denied: true, Resource: target, Claim: *claim, Owner: claim.OwnerSessionID}
				d.Claim.Generation = ""
				if owner, found, err := r.session(claim.OwnerSessionID); err == nil && found {
					d.Owner = owner.ParticipantID
				}
				return d, nil
			}
		}
	}
	return GuardDecision{}, nil
}

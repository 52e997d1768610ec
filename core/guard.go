package core

import (
	"context"

	"github.com/acc-control-plane/acc/core/resource"
	"github.com/acc-control-plane/acc/protocol"
)

// GuardDecision says whether a write may go on.
type GuardDecision struct {
	Denied   bool
	Resource string         // the first target that is covered; of a tree, what is claimed of it
	Claim    protocol.Claim // what covers it; Generation is blank
	Owner    string         // participant id of the claim's owner
	Beat     bool           // the session's heartbeat is due
}

// Guard asks whether any of the resources (file: URIs, links and letter case settled by the caller) is
// covered by a live guarded claim of another session, or anything in one of the trees (the same, with /** at
// the end) claimed by one. It reads only session and claim facts and never waits for a writer.
func (c *Core) Guard(ctx context.Context, owner Owner, resources []string, trees ...string) (GuardDecision, error) {
	targets, err := canonical(resources, resource.Target)
	if err != nil {
		return GuardDecision{}, err
	}
	patterns, err := canonical(trees, resource.Normalise)
	if err != nil {
		return GuardDecision{}, err
	}
	var decision GuardDecision
	err = c.view(ctx, func(r *room) error {
		s, err := r.owned(owner)
		if err != nil {
			return err
		}
		newest, err := r.beatOf(s)
		if err != nil {
			return err
		}
		if decision, err = r.guard(s, targets); err == nil && !decision.Denied {
			decision, err = r.guardTrees(s, patterns)
		}
		decision.Beat = beatDue(r.now, newest)
		return err
	})
	return decision, err
}

// canonical gives the canonical names of what is guarded.
func canonical(raw []string, of func(string) (string, error)) (names []string, err error) {
	names = make([]string, len(raw))
	for i := range raw {
		if names[i], err = of(raw[i]); err != nil {
			return nil, err
		}
	}
	return names, nil
}

func (r *room) guard(s *protocol.Session, targets []string) (GuardDecision, error) {
	for _, target := range targets {
		for _, over := range resource.Over(target) {
			claims, err := r.claims(ClaimsByResource, over)
			if err != nil {
				return GuardDecision{}, err
			}
			for _, claim := range claims {
				if r.guards(s, claim) && resource.Covers(claim.Resource, target) {
					return r.denied(target, claim), nil
				}
			}
		}
	}
	return GuardDecision{}, nil
}

// guardTrees asks for claims above and below.
func (r *room) guardTrees(s *protocol.Session, patterns []string) (GuardDecision, error) {
	for _, pattern := range patterns {
		claims, err := r.overlapping(pattern)
		if err != nil {
			return GuardDecision{}, err
		}
		for _, claim := range claims {
			if r.guards(s, claim) {
				return r.denied(claim.Resource, claim), nil
			}
		}
	}
	return GuardDecision{}, nil
}

// guards says whether a claim keeps a session from what it speaks for.
func (r *room) guards(s *protocol.Session, claim *protocol.Claim) bool {
	return claim.OwnerSessionID != s.SessionID && claim.Enforcement == protocol.Guarded && r.live(claim)
}

func (r *room) denied(target string, claim *protocol.Claim) GuardDecision {
	d := GuardDecision{Denied: true, Resource: target, Claim: *claim, Owner: claim.OwnerSessionID}
	d.Claim.Generation = ""
	if owner, found, err := r.session(claim.OwnerSessionID); err == nil && found {
		d.Owner = owner.ParticipantID
	}
	return d
}

package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// BindingRequest is what an adapter publishes of a live endpoint.
type BindingRequest struct {
	AdapterID     string
	ClientVersion string // "unknown" where it is not known
	Modes         []protocol.DeliveryMode
	Policy        protocol.LivePolicy
	Endpoint      string        // opaque to everybody but the adapter
	Lease         time.Duration // 0: protocol.BindingLease, which is also the longest
}

// Binding is a published endpoint of an open session generation that was not given up.
type Binding struct {
	protocol.DeliveryBinding
	// LeaseCurrent says that its owner still vouches for it. A lapsed lease is not the end: the adapter
	// may verify the endpoint again before an offer.
	LeaseCurrent bool
}

// retirement is in the key of a record that says that an endpoint was given up. It has a key of its own,
// so that a renewal that was on its way, and writes the key of the binding, cannot undo it; nobody takes
// a lock.
const retirement = ".retired."

func retirementKey(adapterID, endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return adapterID + retirement + hex.EncodeToString(sum[:8])
}

// PublishBinding says that the session can be reached at an endpoint, or renews the lease of one. An
// endpoint that was given up stays so.
func (c *Core) PublishBinding(ctx context.Context, owner Owner, req BindingRequest) (protocol.DeliveryBinding, error) {
	lease := orDefault(req.Lease, protocol.BindingLease)
	if lease < 0 || lease > protocol.BindingLease {
		return protocol.DeliveryBinding{}, protocol.UsageError("", fmt.Sprintf("the lease of a binding lasts more than nothing and at most %s", protocol.BindingLease))
	}
	if strings.Contains(req.AdapterID, retirement) {
		return protocol.DeliveryBinding{}, protocol.UsageError("", fmt.Sprintf("%q cannot be an adapter id", req.AdapterID))
	}
	var binding protocol.DeliveryBinding
	err := c.view(ctx, func(r *room) error {
		s, err := r.owned(owner)
		if err != nil {
			return err
		}
		binding = protocol.DeliveryBinding{
			SessionID: s.SessionID, Generation: s.Generation, AdapterID: req.AdapterID, ClientVersion: req.ClientVersion,
			AvailableModes: req.Modes, LivePolicy: req.Policy, OpaqueEndpointRef: req.Endpoint, LeaseUntil: r.now.Add(lease),
		}
		if err := binding.Validate(); err != nil {
			return err
		}
		retired, err := r.retirements(s)
		if err == nil && retired[retirementKey(req.AdapterID, req.Endpoint)] {
			err = protocol.ConflictError("", fmt.Sprintf("session %q gave this endpoint up", s.SessionID))
		}
		return err
	})
	if err != nil {
		return protocol.DeliveryBinding{}, err
	}
	return binding, c.store.Ephemeral().PutBinding(ctx, binding)
}

// RetireBinding gives up every endpoint that an adapter published for the session. Retiring nothing
// changes nothing.
func (c *Core) RetireBinding(ctx context.Context, owner Owner, adapterID string) error {
	var retired []protocol.DeliveryBinding
	err := c.view(ctx, func(r *room) error {
		s, err := r.owned(owner)
		if err != nil {
			return err
		}
		bindings, err := r.bindingsOf(s)
		if err != nil {
			return err
		}
		retired = nil
		for _, b := range bindings {
			if b.AdapterID == adapterID {
				gone := b.DeliveryBinding
				gone.AdapterID, gone.RetiredAt = retirementKey(adapterID, b.OpaqueEndpointRef), r.now
				retired = append(retired, gone)
			}
		}
		return nil
	})
	for _, b := range retired {
		if err == nil {
			err = c.store.Ephemeral().PutBinding(ctx, b)
		}
	}
	return err
}

// Published gives the endpoints that the caller's session published and did not give up.
func (c *Core) Published(ctx context.Context, owner Owner) ([]Binding, error) {
	var bindings []Binding
	err := c.view(ctx, func(r *room) error {
		s, err := r.owned(owner)
		if err == nil {
			bindings, err = r.bindingsOf(s)
		}
		return err
	})
	return bindings, err
}

// published gives everything that a session generation published, retirements among it.
func (r *room) published(s *protocol.Session) ([]protocol.DeliveryBinding, error) {
	return r.core.store.Ephemeral().Bindings(r.ctx, s.SessionID, protocol.GenerationRef(s.Generation))
}

// retirements gives the keys of the endpoints that a session gave up.
func (r *room) retirements(s *protocol.Session) (map[string]bool, error) {
	all, err := r.published(s)
	retired := map[string]bool{}
	for _, b := range all {
		if strings.Contains(b.AdapterID, retirement) {
			retired[b.AdapterID] = true
		}
	}
	return retired, err
}

// bindingsOf gives the endpoints of an open session that it did not give up. One that was written for
// another session or generation, or does not hold what a binding holds, is left out.
func (r *room) bindingsOf(s *protocol.Session) ([]Binding, error) {
	if s.State != protocol.SessionOpen {
		return nil, nil
	}
	all, err := r.published(s)
	if err != nil {
		return nil, err
	}
	retired, err := r.retirements(s)
	if err != nil {
		return nil, err
	}
	var bindings []Binding
	for _, b := range all {
		switch {
		case strings.Contains(b.AdapterID, retirement), !b.RetiredAt.IsZero(), retired[retirementKey(b.AdapterID, b.OpaqueEndpointRef)]:
		case b.SessionID != s.SessionID || !sameGeneration(b.Generation, s.Generation) || b.Validate() != nil:
		default:
			bindings = append(bindings, Binding{DeliveryBinding: b, LeaseCurrent: r.vouched(b.LeaseUntil)})
		}
	}
	return bindings, nil
}

// vouched says whether a lease runs. One that ends later than any lease can was made by a clock that
// has been set back since, and vouches for nothing.
func (r *room) vouched(until time.Time) bool {
	return until.After(r.now) && until.Sub(r.now) <= protocol.BindingLease+protocol.ClockSkewTolerance
}

// wakeable says whether a session that may be there has an endpoint that can make it look.
func (r *room) wakeable(s *protocol.Session) (bool, error) {
	bindings, err := r.bindingsOf(s)
	return slices.ContainsFunc(bindings, Binding.wakes), err
}

// wakes says whether the endpoint can make its session look, and may.
func (b Binding) wakes() bool {
	able := slices.Contains(b.AvailableModes, protocol.LivePush) || slices.Contains(b.AvailableModes, protocol.IdleWake)
	return able && b.LivePolicy != protocol.LiveOff
}

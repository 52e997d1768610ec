package hookrunner

import (
	"context"
	"slices"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/delivery-router"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
)

// live is what a hook does for live delivery, after the client was answered. None of it is worth a word
// on standard error: a message that is not offered live arrives with the next turn.
type live struct {
	*call
	owner    core.Owner
	ledger   *livefiles.Ledger
	vault    livefiles.Vault
	policies livefiles.Policies
}

// delivering are the events after which there is something to do for live delivery.
var delivering = []adapter.EventKind{adapter.SessionStart, adapter.BeforeTurn, adapter.AfterTool, adapter.TurnEnd}

// deliver runs after the handler of an event. Only the session's own hooks count, not its subagents'.
func (c *call) deliver(ctx context.Context) {
	if c.event.AgentID != "" || !slices.Contains(delivering, c.event.Kind) {
		return
	}
	if c.owner == nil {
		return
	}
	owner := *c.owner
	l := c.live(owner)
	switch c.event.Kind {
	case adapter.SessionStart:
		l.bind(ctx)
		_ = l.ledger.SweepDue(l.now)
	case adapter.BeforeTurn:
		_ = l.ledger.EndWake(owner.SessionID, protocol.GenerationRef(owner.Generation))
		if c.event.Origin == adapter.OriginHuman {
			_ = l.ledger.HumanTurn(c.participant())
		}
		l.bind(ctx)
	case adapter.AfterTool:
		_ = l.ledger.EndWake(owner.SessionID, protocol.GenerationRef(owner.Generation))
		l.offer(ctx, false)
	case adapter.TurnEnd:
		if t := l.adapter.Live(); t != nil && t.Contract().AppearsLate {
			l.bind(ctx)
		}
		l.offer(ctx, true)
	}
}

func (c *call) live(owner core.Owner) *live {
	home := c.room.Home
	return &live{
		call: c, owner: owner, ledger: livefiles.LedgerIn(c.files.tree, c.room.Dir),
		vault: livefiles.NewVault(home), policies: livefiles.NewPolicies(home),
	}
}

// offer tries again what a sandbox kept from its recipients and, when a turn is over, what this session
// asked of others that nobody was told of, and what still waits for itself: nobody else may come by for
// long.
func (l *live) offer(ctx context.Context, turnOver bool) {
	denied, err := l.ledger.Denied(l.participant())
	turnOver = turnOver && l.anybody()
	if err != nil || len(denied) == 0 && !turnOver {
		return
	}
	r, err := router.New(router.Config{
		Room: l.room.Core, Lives: l.lives, Vault: l.vault, Ledger: l.ledger, Policies: l.policies, Attempts: l.ledger,
	})
	if err != nil {
		return
	}
	if len(denied) > 0 {
		_, _ = r.OfferDenied(ctx, l.participant())
	}
	if turnOver {
		_, _ = r.OfferAsked(ctx, l.participant())
	}
	if turnOver && l.adapter.Live() != nil && l.policy() != protocol.LiveOff {
		_, _ = r.OfferOwed(ctx, l.participant())
	}
}

// anybody says whether sessions of any client may be woken. Where none may, a turn ends with one look.
func (l *live) anybody() bool {
	decided, err := l.policies.Decided()
	for _, policy := range decided {
		if policy != protocol.LiveOff {
			return err == nil
		}
	}
	return false
}

// policy is the owner's choice for this client; what cannot be read is off.
func (l *live) policy() protocol.LivePolicy {
	policy, err := l.policies.LivePolicy(l.adapter.ID())
	if err != nil {
		return protocol.LiveOff
	}
	return policy
}

// renewBefore is how much of a lease may be left when it is renewed; a hook that comes earlier writes
// nothing.
const renewBefore = protocol.BindingLease / 2

// bind publishes the session's endpoint, renews its lease, or gives it up.
func (l *live) bind(ctx context.Context) {
	transport := l.adapter.Live()
	if transport == nil {
		return
	}
	policy := l.policy()
	if _, tried := l.ledger.LastAttempt(l.owner.SessionID, protocol.GenerationRef(l.owner.Generation)); !tried && policy == protocol.LiveOff {
		return // it was never on
	}
	published, err := l.published(ctx)
	if err != nil {
		return
	}
	if policy == protocol.LiveOff {
		l.giveUp(ctx, transport, published)
		l.attempted(policy, adapter.Handshake{})
		return
	}
	request := adapter.BindRequest{
		SessionID: l.event.SessionID, GenerationRef: protocol.GenerationRef(l.owner.Generation), PID: l.clientPID(), Cwd: l.cwd(),
		ClientVersion: l.event.ClientVersion, PermissionMode: l.event.PermissionMode, Env: l.process.Env, Vault: l.vault,
	}
	if published != nil {
		request.Previous = published.OpaqueEndpointRef
	}
	h := transport.Bind(ctx, request)
	l.attempted(policy, h)
	if h.Reason != adapter.NativeOK {
		l.giveUp(ctx, transport, published)
		return
	}
	if published != nil && published.OpaqueEndpointRef == h.Endpoint && published.ClientVersion == h.ClientVersion &&
		published.LivePolicy == policy && time.Until(published.LeaseUntil) > renewBefore && published.LeaseCurrent {
		return
	}
	_, err = l.room.Core.PublishBinding(ctx, l.owner, core.BindingRequest{
		AdapterID: l.adapter.ID(), ClientVersion: h.ClientVersion, Modes: h.Modes, Policy: policy, Endpoint: h.Endpoint, Lease: h.Lease,
	})
	if err != nil && (published == nil || published.OpaqueEndpointRef != h.Endpoint) {
		_ = transport.Retire(ctx, l.vault, h.Endpoint) // nobody will ask for it
	}
}

// published gives the endpoint that this session published for its client; nil: none.
func (l *live) published(ctx context.Context) (*core.Binding, error) {
	all, err := l.room.Core.Published(ctx, l.owner)
	for i := range all {
		if all[i].AdapterID == l.adapter.ID() {
			return &all[i], err
		}
	}
	return nil, err
}

func (l *live) giveUp(ctx context.Context, transport *adapter.Live, published *core.Binding) {
	if published == nil {
		return
	}
	_ = l.room.Core.RetireBinding(ctx, l.owner, l.adapter.ID())
	_ = transport.Retire(ctx, l.vault, published.OpaqueEndpointRef)
}

// attempted records how the session stands, if that is news. Nobody waits until it is on file: where the
// process ends first, the next prompt tries again.
func (l *live) attempted(policy protocol.LivePolicy, h adapter.Handshake) {
	ref := protocol.GenerationRef(l.owner.Generation)
	now := livefiles.Attempt{At: l.now, Event: string(l.event.Kind), Reason: string(h.Reason), Policy: policy, LaunchOption: h.LaunchOption}
	before, found := l.ledger.LastAttempt(l.owner.SessionID, ref)
	if found && before.Reason == now.Reason && before.Policy == now.Policy && before.LaunchOption == now.LaunchOption {
		return
	}
	l.process.aside(func() { _ = l.ledger.RecordAttempt(l.owner.SessionID, ref, now) })
}

// leave forgets what a session that ends left for live delivery. The endpoint is the one that was
// published when it ended.
func (l *live) leave(ctx context.Context, published *core.Binding) {
	if transport := l.adapter.Live(); transport != nil && published != nil {
		_ = transport.Retire(ctx, l.vault, published.OpaqueEndpointRef)
	}
	_ = l.ledger.Forget(l.owner.SessionID, protocol.GenerationRef(l.owner.Generation))
}

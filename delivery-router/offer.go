package router

import (
	"context"
	"slices"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// result is an outcome, and whether it holds for every other message to the same session just now.
type result struct {
	outcome Outcome
	last    bool
}

// attempt is one message on its way to one recipient.
type attempt struct {
	*Router
	to      core.Recipient
	session protocol.Session // the only one
	binding core.Binding     // the only one that can be used
	live    *adapter.Live    // its adapter
}

// offer decides, in the order in which this function reads.
func (r *Router) offer(ctx context.Context, to core.Recipient) result {
	a := &attempt{Router: r, to: to}
	if done, o := a.settled(to); done {
		return o
	}
	if o := a.chooseSession(); o != nil {
		return *o
	}
	if o := a.chooseBinding(); o != nil {
		return *o
	}
	if o := a.guard(); o != nil {
		return *o
	}
	if ctx.Err() != nil {
		return a.waits(CodeNotTried, true)
	}
	if !a.binding.LeaseCurrent {
		if code := a.refresh(ctx); code != "" {
			return a.failed(ctx, code)
		}
	}
	if o := a.claim(ctx); o != nil {
		return *o
	}
	if a.live.Contract().Kind == adapter.OfferWake {
		return a.wake(ctx)
	}
	return a.hand(ctx)
}

// settled says whether nothing is to be offered any more.
func (a *attempt) settled(to core.Recipient) (bool, result) {
	o := result{outcome: Outcome{
		RecipientParticipantID: to.Receipt.RecipientParticipantID, State: State(to.Receipt.State), Transport: TransportDurable,
	}}
	if to.Receipt.Offer != nil {
		o.outcome.Transport = to.Receipt.Offer.Transport
	}
	if to.Replaced && to.Receipt.State == protocol.Queued {
		o.outcome.Code = CodeReplaced
	}
	return to.Receipt.State != protocol.Queued || to.Replaced, o
}

// chooseSession finds the one session that may be asked. None is opened to make one.
func (a *attempt) chooseSession() *result {
	var o result
	switch len(a.to.Sessions) {
	case 1:
		a.session = a.to.Sessions[0]
		return nil
	case 0:
		o = a.waits(CodeRecipientOffline, true)
		o.outcome.EndReason = a.to.EndReason
	default:
		o = a.waits(Code(protocol.FailAmbiguousSessions), true)
	}
	return &o
}

// chooseBinding finds the one endpoint that may be used and can.
func (a *attempt) chooseBinding() *result {
	bindings := a.to.Bindings
	if len(bindings) == 0 {
		o := a.waits(CodeNoLiveTransport, true)
		if a.attempts != nil {
			o.outcome.NativeReason, o.outcome.LaunchOption = a.attempts.Attempt(a.session.SessionID, protocol.GenerationRef(a.session.Generation))
		}
		return &o
	}
	bindings = slices.DeleteFunc(slices.Clone(bindings), func(b core.Binding) bool { return !a.permitted(b.AdapterID) })
	if len(bindings) == 0 {
		o := a.waits(Code(protocol.FailDeliveryDisabled), false) // another kind may be permitted
		return &o
	}
	bindings = slices.DeleteFunc(bindings, func(b core.Binding) bool { return !a.capable(b) })
	var o result
	switch len(bindings) {
	case 1:
		a.binding, a.live = bindings[0], a.lives[bindings[0].AdapterID]
		return nil
	case 0:
		o = a.waits(Code(protocol.FailUnsupportedVersion), true)
	default:
		o = a.waits(Code(protocol.FailAmbiguousSessions), true)
	}
	return &o
}

// permitted asks the record of the installation, as it is now.
func (a *attempt) permitted(adapterID string) bool {
	policy, err := a.policies.LivePolicy(adapterID)
	if err != nil {
		return false
	}
	switch policy {
	case protocol.LiveAll:
		return true
	case protocol.LiveActionable:
		switch a.to.Message.MessageKind {
		case protocol.Question, protocol.Request, protocol.Answer, protocol.Decision, protocol.Handoff:
			return true
		}
	}
	return false
}

// capable says whether the endpoint has what an offer takes. Its admission was judged when it was
// published; only what the adapter declares is compared here.
func (a *attempt) capable(b core.Binding) bool {
	return a.lives[b.AdapterID] != nil && slices.Contains(b.AvailableModes, protocol.LivePush)
}

// refresh has the adapter verify an endpoint whose lease has passed, and publishes exactly what was
// there for another lease.
func (a *attempt) refresh(ctx context.Context) protocol.OfferFailure {
	h := a.live.Refresh(ctx, a.vault, a.endpoint())
	switch {
	case h.Reason != adapter.NativeOK:
		return failureOf(h.Reason)
	case h.ClientVersion != a.binding.ClientVersion:
		return protocol.FailRecipientGone // what answers now is not what was bound
	}
	_, err := a.room.PublishBinding(ctx, a.owner(), core.BindingRequest{
		AdapterID: a.binding.AdapterID, ClientVersion: a.binding.ClientVersion, Modes: a.binding.AvailableModes,
		Policy: a.binding.LivePolicy, Endpoint: a.binding.OpaqueEndpointRef, Lease: h.Lease,
	})
	switch {
	case err == nil:
		return ""
	case protocol.CodeOf(err) == protocol.Conflict:
		return protocol.FailRecipientGone // the session ended or gave the endpoint up meanwhile
	}
	return protocol.FailTransport
}

// failureOf gives the safe code of an endpoint that could not be verified.
func failureOf(reason adapter.NativeReason) protocol.OfferFailure {
	switch reason {
	case adapter.NativePermissionDenied:
		return protocol.FailPermission
	case adapter.NativeBelowMinimum, adapter.NativeKnownBad, adapter.NativeVersionUnknown, adapter.NativeProtocolMismatch, adapter.NativeUnsupported:
		return protocol.FailUnsupportedVersion
	case adapter.NativeHandshakeFailed, adapter.NativeHandshakeTimeout:
		return protocol.FailTransport
	}
	return protocol.FailRecipientGone
}

// claim takes the one offer that a session may have before it. While it has not looked, what else is sent to it waits: its
// next hook tells it all of that in one turn, where an offer each would cost a turn each.
func (a *attempt) claim(ctx context.Context) *result {
	inFlight, spent, err := a.ledger.BeginWake(
		a.session.SessionID, protocol.GenerationRef(a.session.Generation), a.to.Message.MessageID, a.clock.Now(), WakeExpires)
	var o result
	switch {
	case err != nil:
		o = a.failed(ctx, claimFailure(err))
	case inFlight:
		o = a.waits(CodeWakeInFlight, true)
	case spent && a.live.Contract().Kind == adapter.OfferWake: // a message is looked for before it is handed over again
		o = a.waits(CodeWakeSpent, false)
	default:
		return nil
	}
	return &o
}

// unclaim takes a claim back because nothing crossed.
func (a *attempt) unclaim() {
	_ = a.ledger.CancelWake(a.session.SessionID, protocol.GenerationRef(a.session.Generation), a.to.Message.MessageID) // else it expires by itself
}

// wake asks the session to look.
func (a *attempt) wake(ctx context.Context) result {
	answer, o := a.cross(ctx, "")
	if o != nil || answer.State == adapter.OfferRefused && answer.Code != protocol.FailTransport {
		a.unclaim()
	}
	if o != nil {
		return *o
	}
	if answer.State == adapter.OfferRefused {
		return a.failed(ctx, answer.Code)
	}
	a.count()
	o = &result{last: true, outcome: a.named()}
	o.outcome.State, o.outcome.PendingApproval = Woken, answer.State == adapter.OfferPending
	return *o
}

// cross reads everything once more and asks the adapter. It gives a result instead when something
// changed since.
func (a *attempt) cross(ctx context.Context, text string) (adapter.OfferAnswer, *result) {
	now, err := a.room.Recipient(ctx, a.to.Message.MessageID, a.to.Receipt.RecipientParticipantID)
	if err != nil {
		o := a.waits(CodeUnreadable, true)
		return adapter.OfferAnswer{}, &o
	}
	if done, o := a.settled(now); done {
		return adapter.OfferAnswer{}, &o
	}
	again := &attempt{Router: a.Router, to: now}
	o := again.chooseSession()
	if o == nil {
		o = again.chooseBinding()
	}
	if o != nil {
		return adapter.OfferAnswer{}, o
	}
	if !a.identical(again) {
		o := a.waits(Code(protocol.FailRecipientGone), true)
		return adapter.OfferAnswer{}, &o
	}
	return a.live.Offer(ctx, a.vault, a.endpoint(), adapter.Offer{MessageID: a.to.Message.MessageID, Text: text}), nil
}

// identical says whether a later look chose the very same endpoint, and its lease runs.
func (a *attempt) identical(b *attempt) bool {
	return b.session.SessionID == a.session.SessionID && protocol.SameGeneration(b.session.Generation, a.session.Generation) &&
		b.binding.AdapterID == a.binding.AdapterID && b.binding.ClientVersion == a.binding.ClientVersion &&
		b.binding.OpaqueEndpointRef == a.binding.OpaqueEndpointRef && b.binding.LeaseCurrent
}

func (a *attempt) owner() core.Owner {
	return core.Owner{SessionID: a.session.SessionID, Generation: a.session.Generation}
}

func (a *attempt) endpoint() adapter.Endpoint {
	return adapter.Endpoint{Ref: a.binding.OpaqueEndpointRef, GenerationRef: protocol.GenerationRef(a.session.Generation)}
}

// waits is the outcome of a message that nobody was asked about.
func (a *attempt) waits(code Code, last bool) result {
	o := Outcome{RecipientParticipantID: a.to.Receipt.RecipientParticipantID, State: Queued, Transport: TransportDurable, Code: code}
	return result{outcome: o, last: last}
}

// named is the outcome of a message that the chosen transport was asked about.
func (a *attempt) named() Outcome {
	return Outcome{
		RecipientParticipantID: a.to.Receipt.RecipientParticipantID, State: Queued,
		Transport: string(a.live.Contract().Transport.Public()),
	}
}

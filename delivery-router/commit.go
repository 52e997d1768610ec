package router

import (
	"context"
	"errors"
	"io/fs"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/projection"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// hand hands the framed message over and commits that it was offered. A body that is too long for a turn
// is not cut: the session is told where to read it, and the receipt stays queued.
func (a *attempt) hand(ctx context.Context) result {
	page := projection.Project(projection.Input{
		Now: a.clock.Now(), Budget: protocol.DefaultHookBudget, MidTurn: true, Mail: []projection.Mail{{Message: a.to.Message}},
	})
	text, carried := page.Text, len(page.Carried) == 1
	if !carried {
		text = "acc: a message waits. Read it with: acc inbox --message " + a.to.Message.MessageID
	}
	answer, o := a.cross(ctx, text)
	if o != nil || answer.State == adapter.OfferRefused {
		a.unclaim() // whether it crossed or not: its adapter looks before it hands a message over again
	}
	switch {
	case o != nil:
		return *o
	case answer.State == adapter.OfferRefused:
		return a.failed(ctx, answer.Code)
	}
	a.count()
	accepted := result{outcome: a.named(), last: true}
	accepted.outcome.State, accepted.outcome.PendingApproval = Woken, answer.State == adapter.OfferPending
	if !carried || answer.State == adapter.OfferPending {
		return accepted // nothing that the session could read has reached it
	}
	receipts, err := a.room.RecordOffers(ctx, core.OfferSuccess{
		MessageIDs: []string{a.to.Message.MessageID}, Target: a.owner(), Transport: accepted.outcome.Transport,
		AdapterID: a.binding.AdapterID, ClientVersion: answer.ClientVersion,
	})
	if err != nil {
		return a.failed(ctx, protocol.FailTransport)
	}
	accepted.outcome.State = State(receipts[0].State)
	return accepted
}

// failed commits that the adapter was asked and the offer failed; the receipt stays as it is. That this
// cannot be committed changes nothing for anybody.
func (a *attempt) failed(ctx context.Context, code protocol.OfferFailure) result {
	o := a.named()
	o.Code = Code(code)
	_, _ = a.room.RecordOfferFailure(ctx, core.OfferFailure{
		MessageID: a.to.Message.MessageID, RecipientParticipantID: a.to.Receipt.RecipientParticipantID, Target: a.owner(),
		Transport: o.Transport, AdapterID: a.binding.AdapterID, ClientVersion: a.binding.ClientVersion, Code: code,
	})
	return result{outcome: o, last: true}
}

// claimFailure is the code of a ledger that cannot be written: a sandbox, or something worse.
func claimFailure(err error) protocol.OfferFailure {
	if errors.Is(err, fs.ErrPermission) {
		return protocol.FailPermission
	}
	return protocol.FailTransport
}

package router

import (
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// What bounds the turns that live offers spend while no person looks on. Durable delivery goes on.
const (
	// DefaultLoopLimit is how many live offers two participants may exchange without a person.
	DefaultLoopLimit = 30
	// crowd is how many times that one participant may take from all others together: a name costs a sender
	// nothing, so a limit for each pair alone would bound nothing.
	crowd = 10
)

// anybody stands for all senders together in the ledger. No participant can have that name.
const anybody = "*"

// guard stops what keeps spending turns of the recipient without a person.
func (a *attempt) guard() *result {
	to := a.counted()
	between, err := a.ledger.Exchanges(a.to.Message.FromParticipantID, to)
	var taken int
	if err == nil {
		taken, err = a.ledger.Exchanges(anybody, to)
	}
	var o result
	switch {
	case err != nil: // who cannot count must not flood
		o = a.waits(Code(protocol.FailTransport), false)
	case taken >= crowd*a.loopLimit:
		o = a.waits(CodeTurnGuard, true)
	case between >= a.loopLimit:
		o = a.waits(CodeLoopGuard, false)
	default:
		return nil
	}
	return &o
}

// count adds an offer that crossed. Not counting is no reason to fail.
func (a *attempt) count() {
	to := a.counted()
	_ = a.ledger.CountExchange(a.to.Message.FromParticipantID, to)
	_ = a.ledger.CountExchange(anybody, to)
}

// counted is the name under which offers to the recipient are counted. A person's turn with it begins the count
// anew; where its client shows no such turn, the next day does.
func (a *attempt) counted() string {
	name := a.to.Receipt.RecipientParticipantID
	if a.live.Contract().PersonUnseen {
		name += "@" + a.clock.Now().UTC().Format(time.DateOnly)
	}
	return name
}

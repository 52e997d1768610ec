package router

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// owedLimit bounds what one call of OfferOwed looks at.
const owedLimit = 16

// Router makes live offers in one room. It is safe for concurrent use and holds nothing open.
type Router struct {
	room      Room
	lives     map[string]*adapter.Live
	vault     adapter.Vault
	ledger    Ledger
	policies  Policies
	attempts  Attempts
	clock     core.Clock
	loopLimit int
}

// Config is everything a Router needs. Attempts, Clock and LoopLimit may be left out.
type Config struct {
	Room     Room
	Lives    []*adapter.Live
	Vault    adapter.Vault
	Ledger   Ledger
	Policies Policies
	Attempts Attempts
	Clock    core.Clock // nil: the time of day
	// LoopLimit bounds the live offers between two participants without a person, and ten times as many those that
	// one takes from all others together; 0: DefaultLoopLimit.
	LoopLimit int
}

// New checks cfg and gives a Router.
func New(cfg Config) (*Router, error) {
	if cfg.Room == nil || cfg.Vault == nil || cfg.Ledger == nil || cfg.Policies == nil {
		return nil, protocol.UsageError("", "a router needs a room, a vault, a ledger and policies")
	}
	if cfg.Clock == nil {
		cfg.Clock = wall{}
	}
	r := &Router{
		room: cfg.Room, lives: map[string]*adapter.Live{}, vault: cfg.Vault, ledger: cfg.Ledger,
		policies: cfg.Policies, attempts: cfg.Attempts, clock: cfg.Clock, loopLimit: cfg.LoopLimit,
	}
	if r.loopLimit == 0 {
		r.loopLimit = DefaultLoopLimit
	}
	for _, l := range cfg.Lives {
		if r.lives[l.ID()] != nil {
			return nil, protocol.UsageError("", "two live transports of adapter "+l.ID())
		}
		r.lives[l.ID()] = l
	}
	return r, nil
}

// wall is the time of day.
type wall struct{}

func (wall) Now() time.Time { return time.Now() }

// OfferNew offers a message that was just recorded to each of its recipients in turn, and says what
// became of it, sorted by recipient. A message to the room wakes nobody: it has no outcomes. The error is
// that of reading the message; an offer that fails is an outcome.
func (r *Router) OfferNew(ctx context.Context, messageID string) ([]Outcome, error) {
	return r.offerTo(ctx, messageID, func(o result, to core.Recipient) {
		if o.outcome.Code == Code(protocol.FailPermission) {
			_ = r.ledger.Deny(to.Message.FromParticipantID, messageID) // a hint: the next turn carries it anyway
		}
	})
}

// offerTo offers a message to each of its recipients and tells what came of each.
func (r *Router) offerTo(ctx context.Context, messageID string, tell func(result, core.Recipient)) ([]Outcome, error) {
	recipients, err := r.room.Recipients(ctx, messageID)
	if err != nil {
		return nil, err
	}
	var outcomes []Outcome
	for _, to := range recipients {
		if len(to.Message.ToParticipantIDs) == 0 {
			return nil, nil
		}
		o := r.offer(ctx, to)
		tell(o, to)
		outcomes = append(outcomes, o.outcome)
	}
	return outcomes, nil
}

// OfferOwed offers again what waits for a participant: what a crash or a lost wake left queued. It stops
// at the first message that shows that the session will not be asked again now.
func (r *Router) OfferOwed(ctx context.Context, participantID string) ([]Outcome, error) {
	ids, err := r.room.OwedOffers(ctx, participantID, owedLimit)
	if err != nil {
		return nil, err
	}
	var outcomes []Outcome
	for _, id := range ids {
		to, err := r.room.Recipient(ctx, id, participantID)
		if err != nil {
			return outcomes, err
		}
		o := r.offer(ctx, to)
		outcomes = append(outcomes, o.outcome)
		if o.last {
			break
		}
	}
	return outcomes, nil
}

// OfferAsked offers again what a participant asked of others and nobody was told of yet: its sender may
// have died before the offer, or the wake was lost. Of several messages to one recipient it tries no more
// after the first that shows that the recipient will not be asked again now.
func (r *Router) OfferAsked(ctx context.Context, participantID string) ([]Outcome, error) {
	ids, err := r.room.UnansweredOffers(ctx, participantID, owedLimit)
	if err != nil {
		return nil, err
	}
	var outcomes []Outcome
	over := map[string]bool{}
	for _, id := range ids {
		recipients, err := r.room.Recipients(ctx, id)
		if err != nil {
			return outcomes, err
		}
		for _, to := range recipients {
			name := to.Receipt.RecipientParticipantID
			if over[name] || len(to.Message.ToParticipantIDs) == 0 {
				continue
			}
			o := r.offer(ctx, to)
			over[name] = o.last
			outcomes = append(outcomes, o.outcome)
		}
	}
	return outcomes, nil
}

// OfferDenied offers again what the sandbox of a participant's tools did not let through, from outside of
// it. Each message is tried once more and then left to the recipient's next turn.
func (r *Router) OfferDenied(ctx context.Context, participantID string) ([]Outcome, error) {
	ids, err := r.ledger.Denied(participantID)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	var all []Outcome
	for _, id := range ids {
		outcomes, err := r.offerTo(ctx, id, func(result, core.Recipient) {})
		if err != nil && protocol.ReasonOf(err) != protocol.ReasonNotFound {
			return all, err
		}
		all = append(all, outcomes...)
	}
	return all, r.ledger.DropDenied(participantID, ids)
}

package router

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// Room is what the router needs of core; *core.Core is one.
type Room interface {
	Recipients(ctx context.Context, messageID string) ([]core.Recipient, error)
	Recipient(ctx context.Context, messageID, participantID string) (core.Recipient, error)
	OwedOffers(ctx context.Context, participantID string, limit int) ([]string, error)
	UnansweredOffers(ctx context.Context, authorID string, limit int) ([]string, error)
	PublishBinding(ctx context.Context, owner core.Owner, req core.BindingRequest) (protocol.DeliveryBinding, error)
	RecordOffers(ctx context.Context, s core.OfferSuccess) ([]protocol.Receipt, error)
	RecordOfferFailure(ctx context.Context, f core.OfferFailure) (protocol.Receipt, error)
}

// Policies tells the recipient's choice.
type Policies interface {
	// LivePolicy says which messages may spend a turn of sessions of an adapter, by the record of the
	// installation as it is now. Nothing recorded is off, and so is, to the router, an error.
	LivePolicy(adapterID string) (protocol.LivePolicy, error)
}

// Attempts tells why a session has no endpoint.
type Attempts interface {
	// Attempt gives the last attempt of a session generation to publish an endpoint; empty words if it
	// is not known.
	Attempt(sessionID, generationRef string) (reason, launchOption string)
}

// Ledger remembers what must not be done twice. It is a hint beside the store: it may be lost, and then a
// session is woken once more than it had to be.
type Ledger interface {
	// BeginWake claims the one offer, wake or message, that a session generation may have in flight. inFlight: another one
	// is, and began less than expires ago. spent: the session was woken for this very message, and a hook
	// of it ran since. Neither: the caller holds the claim. A flight that expired was lost, so its
	// message may be woken for again.
	BeginWake(sessionID, generationRef, messageID string, now time.Time, expires time.Duration) (inFlight, spent bool, err error)
	// CancelWake takes a claim back whose wake did not cross.
	CancelWake(sessionID, generationRef, messageID string) error
	// EndWake says that the session looked: a hook of it ran. Nothing in flight is no error.
	EndWake(sessionID, generationRef string) error

	// Exchanges counts the live offers between two participants, in both directions, since a person
	// last had a turn with either of them. Either may be a name of the router's own that no participant can
	// have: then no person ever has a turn with it.
	Exchanges(a, b string) (int, error)
	// CountExchange adds one.
	CountExchange(from, to string) error
	// HumanTurn says that a person had a turn with a participant.
	HumanTurn(participantID string) error

	// Denied gives the messages of a participant whose offer its sandbox did not let through.
	Denied(participantID string) ([]string, error)
	// Deny adds one; a ledger may keep only the last ones.
	Deny(participantID, messageID string) error
	// DropDenied forgets those.
	DropDenied(participantID string, messageIDs []string) error
}

// WakeExpires is how long a wake counts as in flight while no hook of the session runs.
const WakeExpires = 120 * time.Second

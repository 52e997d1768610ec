package core

import (
	"context"
	"crypto/subtle"
	"fmt"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// Core applies the rules to one room. It is safe for concurrent use.
type Core struct {
	store     Store
	clock     Clock
	ids       IDs
	processes ProcessProbe
	workspace protocol.Workspace
}

// Config is everything a Core needs; every field is required.
type Config struct {
	Store     Store
	Clock     Clock
	IDs       IDs
	Processes ProcessProbe
	// Workspace describes the room; it is recorded with the first durable change. CreatedAt is set
	// then.
	Workspace protocol.Workspace
}

// New checks cfg and gives a Core.
func New(cfg Config) (*Core, error) {
	switch {
	case cfg.Store == nil:
		return nil, protocol.UsageError("", "core needs a store")
	case cfg.Clock == nil:
		return nil, protocol.UsageError("", "core needs a clock")
	case cfg.IDs == nil:
		return nil, protocol.UsageError("", "core needs a source of ids")
	case cfg.Processes == nil:
		return nil, protocol.UsageError("", "core needs a process probe")
	}
	room := cfg.Workspace
	room.CreatedAt = cfg.Clock.Now().UTC().Truncate(time.Millisecond)
	if err := room.Validate(); err != nil {
		return nil, err // now, and not with the first durable change, which may be days away
	}
	return &Core{store: cfg.Store, clock: cfg.Clock, ids: cfg.IDs, processes: cfg.Processes, workspace: cfg.Workspace}, nil
}

// Owner is the credential pair of a session. Every operation that speaks for a session takes it and
// refuses an unknown session or another generation with ReasonCallerMismatch, a closed one with
// ReasonSessionClosed.
type Owner struct {
	SessionID  string
	Generation string
}

// now is the time that records carry: UTC and whole milliseconds.
func (c *Core) now() time.Time { return c.clock.Now().UTC().Truncate(time.Millisecond) }

// view runs fn on one snapshot.
func (c *Core) view(ctx context.Context, fn func(*room) error) error {
	return c.store.View(ctx, func(r Reader) error { return fn(c.room(ctx, r)) })
}

// update runs fn in one transaction.
func (c *Core) update(ctx context.Context, fn func(*change) error) error {
	_, err := c.store.Update(ctx, func(tx Tx) error { return fn(&change{room: c.room(ctx, tx), tx: tx}) })
	return err
}

// known gives the session that the owner pair names, open or closed.
func (r *room) known(owner Owner) (*protocol.Session, error) {
	session, found, err := r.session(owner.SessionID)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, protocol.ConflictError(protocol.ReasonCallerMismatch, fmt.Sprintf("session %q is not of this room", owner.SessionID))
	}
	if !sameGeneration(session.Generation, owner.Generation) {
		return nil, protocol.ConflictError(protocol.ReasonCallerMismatch, fmt.Sprintf("session %q has another generation", owner.SessionID))
	}
	return session, nil
}

// owned gives the open session that the owner pair names.
func (r *room) owned(owner Owner) (*protocol.Session, error) {
	session, err := r.known(owner)
	if err != nil {
		return nil, err
	}
	if session.State != protocol.SessionOpen {
		return nil, ended(session)
	}
	return session, nil
}

// ended says that a session is over, and what to do instead.
func ended(s *protocol.Session) error {
	said := fmt.Sprintf("session %q has ended", s.SessionID)
	if s.EndReason == EndGone {
		said = fmt.Sprintf("session %q was silent for too long and was ended", s.SessionID)
	}
	return protocol.ConflictError(protocol.ReasonSessionClosed, said).WithHint("acc attach --participant " + s.ParticipantID + " opens another")
}

// sameGeneration compares credentials in constant time.
func sameGeneration(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

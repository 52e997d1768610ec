package caller

import (
	"context"
	"os"
	"sync"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// Harness is the client that a session of this server names.
const Harness = "mcp"

// Caller is one participant in its room. It is safe for concurrent use.
type Caller struct {
	Room        *room.Room
	Participant string

	hooked func(context.Context) (core.Owner, bool, error) // nil: no hook can own a session of this caller

	mu    sync.Mutex
	owner core.Owner // zero: none yet
	own   bool       // owner is a session of this server
}

// Do runs fn with the owner pair of an open session of the caller. When fn finds that the session has
// ended meanwhile, it runs once more with the next one.
func (c *Caller) Do(ctx context.Context, fn func(core.Owner) error) error {
	owner, err := c.current(ctx)
	if err != nil {
		return err
	}
	err = fn(owner)
	if !ended(err) {
		return err
	}
	c.forget(owner)
	if owner, err = c.current(ctx); err != nil {
		return err
	}
	return fn(owner)
}

// ended says that a pair names no open session of the room any more.
func ended(err error) bool {
	switch protocol.ReasonOf(err) {
	case protocol.ReasonSessionClosed, protocol.ReasonCallerMismatch:
		return true
	}
	return false
}

// current gives the pair in use, and opens or resumes a session where there is none. A conversation
// whose client has hooks speaks as the session that they own.
func (c *Caller) current(ctx context.Context) (core.Owner, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hooked != nil && (c.owner == core.Owner{} || c.own) {
		owner, open, err := c.hooked(ctx)
		if err != nil {
			return core.Owner{}, err
		}
		if open {
			c.leave(ctx)
			c.owner, c.own = owner, false
		}
	}
	if c.owner != (core.Owner{}) {
		return c.owner, nil
	}
	owner, err := c.open(ctx)
	if err != nil {
		return core.Owner{}, err
	}
	c.owner, c.own = owner, true
	return owner, nil
}

// leave ends a session of this server that the conversation's hooks have overtaken: two open sessions of
// one participant would leave nobody to deliver to. That it cannot be ended costs only that.
func (c *Caller) leave(ctx context.Context) {
	if c.own {
		_, _ = c.Room.Core.CloseSession(ctx, c.owner, "")
	}
}

// forget drops a pair that has ended, unless another call has dropped it already.
func (c *Caller) forget(owner core.Owner) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owner == owner {
		c.owner = core.Owner{}
	}
}

// open takes over the first session of the participant that no living server speaks for, or begins one.
func (c *Caller) open(ctx context.Context) (core.Owner, error) {
	kept := newSlots(c.Room.Home.Root, c.Room.Dir, c.Participant, c.Room.Workspace.ID)
	for n := range maxSlots {
		owner := c.Room.Core.NewOwner()
		id, err := kept.session(n, owner.SessionID)
		if err != nil {
			return core.Owner{}, err
		}
		owner.SessionID = id
		err = c.enter(ctx, owner)
		if protocol.ReasonOf(err) != protocol.ReasonSessionLive {
			return owner, err
		}
	}
	owner := c.Room.Core.NewOwner()
	return owner, c.enter(ctx, owner)
}

func (c *Caller) enter(ctx context.Context, owner core.Owner) error {
	d, branch := c.Room.Workspace, ""
	if d.Git != nil {
		branch = d.Git.Branch
	}
	_, err := c.Room.Core.OpenSession(ctx, core.OpenSession{
		SessionID: owner.SessionID, Generation: owner.Generation,
		ParticipantID: c.Participant, ParticipantOf: protocol.Agent, Harness: Harness,
		CheckoutRoot: d.CheckoutRoot(), Branch: branch, PID: os.Getpid(),
		Enforcement: protocol.Advisory, Lifecycle: protocol.Manual, Cadence: protocol.AttachCadence,
	})
	return err
}

// beat gives a sign of life for a session of this server. The sessions of hooks are theirs to keep
// alive.
func (c *Caller) beat(ctx context.Context) {
	c.mu.Lock()
	owner, own := c.owner, c.own
	c.mu.Unlock()
	if !own || owner == (core.Owner{}) {
		return
	}
	if _, err := c.Room.Core.Heartbeat(ctx, owner); ended(err) {
		c.forget(owner) // the next call begins again
	}
}

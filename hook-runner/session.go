package hookrunner

import (
	"context"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/nativeworkspace"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// opened is a session that this conversation owns and that is open.
type opened struct {
	owner core.Owner
	pid   int // of the client; 0: unknown
}

// attempts bounds how often another hook of the same conversation may come in between.
const attempts = 16

// open brings the conversation into its room: it opens a session, joins the one that another hook of
// the same conversation opened, resumes it, or begins a new one when the last has ended. The owner pair
// is on file before the session exists, so that a hook killed in between leaves a pair to continue
// with and never a session that nobody owns.
func (c *call) open(ctx context.Context) (opened, error) {
	for range attempts {
		if err := ctx.Err(); err != nil {
			return opened{}, err
		}
		owner, found, err := c.files.owner()
		if err != nil {
			return opened{}, err
		}
		if !found {
			if err := c.files.begin(c.room.Core.NewOwner()); err != nil {
				return opened{}, err
			}
			continue // read back whoever was first
		}
		switch err := c.resume(ctx, owner); {
		case err == nil:
			c.speaksFor(owner)
			return opened{owner, c.clientPID()}, nil
		case !ended(err):
			return opened{}, err
		}
		if err := c.files.succeed(owner, c.room.Core.NewOwner()); err != nil {
			return opened{}, err
		}
		// It may have ended without saying so, and then its end took nothing along.
		_ = c.live(owner).ledger.Forget(owner.SessionID, protocol.GenerationRef(owner.Generation))
	}
	return opened{}, protocol.ConflictError("", "the conversation's owner changed too often")
}

// ended says that a pair can never be used again: its session was closed, or its id is another
// generation's.
func ended(err error) bool {
	switch protocol.ReasonOf(err) {
	case protocol.ReasonSessionClosed, protocol.ReasonSessionLive:
		return true
	}
	return false
}

// asRecorded says whether what a session says of itself is still true.
func (c *call) asRecorded(s protocol.Session) bool {
	pid := c.clientPID()
	return s.Branch == c.branch() && s.CheckoutRoot == c.saved.Workspace.CheckoutRoot() && (pid == 0 || s.PID == pid)
}

// branch is the one that is checked out; "": none, or no repository.
func (c *call) branch() string {
	if git := c.saved.Workspace.Git; git != nil {
		return git.Branch
	}
	return ""
}

// resume makes sure that the session of owner is open and says what is true now. When nothing changed
// it only gives a sign of life.
func (c *call) resume(ctx context.Context, owner core.Owner) error {
	s, _, err := c.room.Core.Alive(ctx, owner)
	switch {
	case err == nil && c.asRecorded(s):
		return nil
	case err != nil && !gone(err):
		return err
	case protocol.ReasonOf(err) == protocol.ReasonSessionClosed:
		return err
	}
	participant := c.participant()
	_, err = c.room.Core.OpenSession(ctx, core.OpenSession{
		SessionID: owner.SessionID, Generation: owner.Generation,
		ParticipantID: participant, ParticipantOf: protocol.Agent, Harness: c.adapter.ID(),
		CheckoutRoot: c.saved.Workspace.CheckoutRoot(), Branch: c.branch(), PID: c.clientPID(),
		Enforcement: c.enforcement(), Lifecycle: c.lifecycle(), Cadence: protocol.HookCadence,
	})
	if err != nil {
		return err
	}
	return c.stillIn(ctx, owner)
}

// stillIn closes the session that was just opened if the conversation ended meanwhile: its next hook speaks for
// another pair, and nobody would ever close this one.
func (c *call) stillIn(ctx context.Context, owner core.Owner) error {
	current, found, err := c.files.owner()
	if err != nil || found && current == owner {
		return err
	}
	if _, err := c.room.Core.CloseSession(ctx, owner, ""); err != nil && !gone(err) {
		return err
	}
	return protocol.ConflictError(protocol.ReasonSessionClosed, "the conversation ended while its session was opened")
}

// stay tells the installation that a session begins, if its client's process is known: only that process's death
// shows for certain that a session is over which did not say so.
func (c *call) stay(pid int) {
	if c.process.Residence == nil || pid == 0 {
		return
	}
	if client, ok := (process.Table{}).Identify(pid); ok {
		c.process.Residence.Began(c.adapter.ID(), c.event.SessionID, client)
	}
}

// enforcement is guarded only where this version of the client was seen to refuse an edit.
func (c *call) enforcement() protocol.Enforcement {
	if c.adapter.Effective(certification.GuardWrite, c.event.ClientVersion).On {
		return protocol.Guarded
	}
	return protocol.Advisory
}

// lifecycle is managed only where this version of the client was seen to say that a session ends.
func (c *call) lifecycle() protocol.Lifecycle {
	if c.adapter.Effective(certification.SessionEnd, c.event.ClientVersion).On {
		return protocol.Managed
	}
	return protocol.Manual
}

// sessionEnd closes what the conversation owns. Clients send it late, several times or never; closing
// is by generation, so that a repeated end changes nothing. The pair that the conversation would
// continue with is on file at once, so that nothing can come back under the old one. The saved room
// stays: the conversation may be resumed. Only where nobody ever shared the room nothing stays.
func (c *call) sessionEnd(ctx context.Context) error {
	if home := c.process.Residence; home != nil {
		defer home.Ended(c.adapter.ID(), c.event.SessionID)
	}
	owner, found, err := c.files.owner()
	if err != nil || !found {
		return err
	}
	l := c.live(owner)
	published, _ := l.published(ctx)
	_, err = c.room.Core.CloseSession(ctx, owner, c.event.Reason)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	l.leave(ctx, published)
	if vanished, err := c.vanish(ctx); vanished || err != nil {
		return err
	}
	c.files.forget()
	if err := c.files.succeed(owner, c.room.Core.NewOwner()); err != nil {
		return err
	}
	// A hook that began before the next pair was on file may have opened the session once more.
	if _, err := c.room.Core.CloseSession(ctx, owner, c.event.Reason); err != nil && !gone(err) {
		return err
	}
	return nil
}

// vanish removes everything of a conversation that ended in a room that nobody ever shared with it, and says
// whether it was such a one.
func (c *call) vanish(ctx context.Context) (bool, error) {
	vanished, err := c.room.Store.Vanish(ctx, append(c.files.names(), livefiles.Directory)...)
	if !vanished || err != nil {
		return false, err
	}
	c.mu.Lock()
	c.runner.files = nil // nothing is to be noted any more
	c.mu.Unlock()
	return true, nativeworkspace.Forget(c.room.Home, c.files.session)
}

package hookrunner

import (
	"context"
	"iter"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/nativeworkspace"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// call handles one event of one conversation.
type call struct {
	*runner
	event adapter.Event

	saved nativeworkspace.Saved
	room  *room.Room
	files ownerFiles
	owner *core.Owner // whom the handler answered; nil: nobody
	now   time.Time

	pid       int // of the client
	pidLooked bool
}

func newCall(r *runner, e adapter.Event) *call {
	return &call{runner: r, event: e, now: r.process.Started}
}

// handle is the order of every call.
func (c *call) handle(ctx context.Context) error {
	entered, err := c.enter(ctx)
	if err != nil || !entered {
		return err
	}
	err = c.answered(ctx)
	c.deliver(ctx)
	return err
}

// answered answers the client and records what that changed.
func (c *call) answered(ctx context.Context) error {
	switch c.event.Kind {
	case adapter.SessionStart:
		return c.sessionStart(ctx)
	case adapter.BeforeTurn:
		return c.beforeTurn(ctx)
	case adapter.BeforeTool:
		return c.beforeTool(ctx)
	case adapter.AfterTool:
		return c.afterTool(ctx)
	case adapter.SessionEnd:
		return c.sessionEnd(ctx)
	}
	return c.signOfLife(ctx)
}

// establishes says whether an event may bring a conversation into a room.
func (c *call) establishes() bool {
	return c.event.Kind == adapter.SessionStart || c.event.Kind == adapter.BeforeTurn
}

// enter finds the room. Nothing saved, or nothing recorded yet, means that there is nothing to say.
func (c *call) enter(ctx context.Context) (entered bool, err error) {
	home, err := datahome.Locate(c.env)
	if err != nil {
		return false, advised(err, noHome)
	}
	create := c.establishes() && c.event.Cwd != ""
	session := nativeworkspace.Session{AdapterID: c.adapter.ID(), NativeID: c.event.SessionID}
	saved, found, err := nativeworkspace.Establish(ctx, home, c.env, session, c.event.Cwd, create)
	if err != nil || !found {
		return false, err
	}
	c.saved = saved
	if c.room, err = room.At(ctx, home, saved.Workspace); err != nil {
		return false, err
	}
	c.files = newOwnerFiles(c.room.FS, home.Root, c.room.Dir, session)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runner.files = &c.files
	return true, nil
}

// env narrows the environment: what names a person's participant or room is read only for adapters
// that declared it, because some clients run the hooks of all conversations in one environment.
func (c *call) env(name string) string {
	switch name {
	case envParticipant, envWorkspaceRoot:
		return c.adapter.Environment(c.process.Env)(name)
	}
	return c.process.Env(name)
}

const (
	envParticipant   = "ACC_PARTICIPANT"
	envWorkspaceRoot = "ACC_WORKSPACE_ROOT"
)

// cwd is where relative paths of the payload start.
func (c *call) cwd() string {
	if c.event.Cwd != "" {
		return c.event.Cwd
	}
	return c.saved.Cwd
}

// known gives the owner pair of the conversation, if it has one.
func (c *call) known() (owner core.Owner, found bool, err error) {
	owner, found, err = c.files.owner()
	if found {
		c.speaksFor(owner)
	}
	return owner, found, err
}

// speaksFor notes whose call it is.
func (c *call) speaksFor(owner core.Owner) {
	c.owner = &owner
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessionID = owner.SessionID
}

// signOfLife is all that most events are good for.
func (c *call) signOfLife(ctx context.Context) error {
	owner, found, err := c.known()
	if err != nil || !found {
		return err
	}
	return c.alive(ctx, owner)
}

// alive publishes a heartbeat if one is due. While none is, nothing of the room is looked at.
func (c *call) alive(ctx context.Context, owner core.Owner) error {
	due, err := c.room.Core.BeatDue(ctx, owner)
	if err == nil && due {
		_, err = c.beat(ctx, owner)
	}
	return err
}

// beat publishes a heartbeat if one is due and says whether the session is open. One that ended, or was
// never opened because its hook was killed, is brought back by the next prompt and by nothing else.
func (c *call) beat(ctx context.Context, owner core.Owner) (open bool, err error) {
	_, err = c.room.Core.Heartbeat(ctx, owner)
	if gone(err) {
		return false, nil
	}
	return err == nil, err
}

// gone says that the owner pair names no open session.
func gone(err error) bool {
	switch protocol.ReasonOf(err) {
	case protocol.ReasonSessionClosed, protocol.ReasonCallerMismatch, protocol.ReasonNotFound:
		return true
	}
	return false
}

// maxAncestors is how far up the process tree the client is looked for.
const maxAncestors = 16

// clientPID finds the client's process, once; 0 is unknown.
func (c *call) clientPID() int {
	if !c.pidLooked {
		c.pid, c.pidLooked = c.adapter.ClientPID(c.process.Env, above(c.process.Parent)), true
	}
	return c.pid
}

// above is the way from a process, which is on it, to the root of the process tree.
type above int

// Includes implements adapter.Ancestry.
func (p above) Includes(pid int) bool { return process.Table{}.Descends(int(p), pid, maxAncestors) }

// All implements adapter.Ancestry.
func (p above) All() iter.Seq[adapter.Process] {
	return func(yield func(adapter.Process) bool) {
		for i := range (process.Table{}).Walk(int(p), maxAncestors) {
			if !yield(adapter.Process{PID: i.PID, Name: i.Name, Args: i.Args}) {
				return
			}
		}
	}
}

package hookrunner

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
)

// discoverTime bounds a whole look: whoever waits for it wanted to know something else.
const discoverTime = 2 * time.Second

// Discover brings conversations of which no hook has told yet into the room where somebody looks, so that they can be
// written to before their first prompt. What fails is tried again with the next look.
func Discover(ctx context.Context, in *room.Room, env func(string) string, adapters []*adapter.Adapter) {
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	for _, a := range adapters {
		if a.Live() == nil {
			continue
		}
		for _, found := range a.Live().Find(ctx, env) {
			_ = introduce(ctx, in, env, a, found)
		}
	}
}

// introduce opens the session of a conversation. Its first hook joins that, and has a header to tell then, because
// nothing was told here. A conversation that has an owner pair already gets a sign of life and nothing else: one that has
// ended comes back with its next prompt. One of another room is none of this room's business.
func introduce(ctx context.Context, in *room.Room, env func(string) string, a *adapter.Adapter, found adapter.Found) error {
	r := &runner{process: Process{Env: env, Started: time.Now(), Aside: func(work func()) { work() }}, adapter: a}
	c := newCall(r, adapter.Event{
		Kind: adapter.SessionStart, SessionID: found.SessionID, Cwd: found.Cwd, ClientVersion: found.ClientVersion,
	})
	d, err := workspace.Discover(workspace.Request{Dir: found.Cwd, Env: c.env})
	if err != nil || d.ID != in.Workspace.ID {
		return err
	}
	entered, err := c.enter(ctx)
	if err != nil || !entered {
		return err
	}
	if c.room.Dir != in.Dir {
		return nil // it began elsewhere
	}
	owner, known, err := c.known()
	if err != nil {
		return err
	}
	if known {
		return c.alive(ctx, owner)
	}
	if _, err := c.open(ctx); err != nil {
		return err
	}
	c.deliver(ctx)
	return nil
}

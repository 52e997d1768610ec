package installer

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/protocol"
)

// State is how far a client has come.
type State string

// The states.
const (
	Absent    State = "absent"    // it is not on this machine, or nothing was installed into it
	Planned   State = "planned"   // nothing was touched yet
	Unchanged State = "unchanged" // everything was as it should be
	Done      State = "done"
	Failed    State = "failed"
)

// Client is one client of the machine on its way through an installation.
type Client struct {
	Installer adapter.Installer
	Detection adapter.Detection
	State     State
	// Plans are one for each configuration directory: installing has at most one.
	Plans []*adapter.Plan
	Err   error // of State Failed
}

// limit is the time of all that one client is asked and all that is written into it.
const limit = 3 * time.Minute

// Select picks installers by id, in the order of the build; none: all.
func Select(all []adapter.Installer, ids []string) ([]adapter.Installer, error) {
	if len(ids) == 0 {
		return all, nil
	}
	var known []string
	for _, i := range all {
		known = append(known, i.ID())
	}
	for _, id := range ids {
		if !slices.Contains(known, id) {
			return nil, unknown(id, known)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(i adapter.Installer) bool { return !slices.Contains(ids, i.ID()) }), nil
}

// unknown says which adapter was probably meant: people write a client's name as its command or its package is called.
func unknown(id string, known []string) error {
	e := protocol.UsageError(protocol.ReasonNotFound, "this build has no adapter \""+id+"\"")
	if near := argv.Suggest(strings.NewReplacer("-", "_", " ", "_").Replace(id), known); near != "" {
		return e.WithHint("did you mean "+near+"?").With("suggestion", near)
	}
	return e.WithHint("one of " + strings.Join(known, ", "))
}

// Detect looks for clients, for all at the same time.
func Detect(ctx context.Context, m adapter.Machine, installers []adapter.Installer) []*Client {
	clients := make([]*Client, len(installers))
	var group sync.WaitGroup
	for n, i := range installers {
		c := &Client{Installer: i, State: Planned}
		clients[n] = c
		group.Go(func() {
			c.bounded(ctx, func(ctx context.Context) (err error) {
				c.Detection, err = i.Detect(ctx, m)
				return err
			})
			if c.Err == nil && !c.Detection.Present {
				c.State = Absent
			}
		})
	}
	group.Wait()
	return clients
}

// bounded does something for a client and keeps its error.
func (c *Client) bounded(ctx context.Context, do func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := do(ctx); err != nil {
		c.State, c.Err = Failed, err
	}
}

// Plan plans the installation into a client that was found. It must be called, like Install and Remove,
// under the lock of the data home, unless nothing will be written.
func (c *Client) Plan(ctx context.Context, m adapter.Machine) {
	if c.State != Planned {
		return
	}
	c.bounded(ctx, func(ctx context.Context) error {
		p, err := c.Installer.Plan(ctx, m)
		if err == nil {
			c.Plans = []*adapter.Plan{p}
		}
		return err
	})
}

// Install applies what was planned. It plans once more, because all clients share one record, and refuses
// what differs from the first plan: nobody was told of it. Also a plan without changes is applied: it may
// have to note a version.
func (c *Client) Install(ctx context.Context, m adapter.Machine) {
	if c.State != Planned || len(c.Plans) == 0 {
		return
	}
	told := c.Plans[0]
	c.bounded(ctx, func(ctx context.Context) error {
		p, err := c.Installer.Plan(ctx, m)
		if err != nil {
			return err
		}
		if p.Root != told.Root || !slices.EqualFunc(p.Changes, told.Changes, sameChange) {
			return protocol.ConflictError("", "its files changed while acc was at work; nothing was written").WithHint("run the command again")
		}
		return p.Apply(ctx)
	})
	switch {
	case c.Err != nil:
	case len(told.Changes) == 0:
		c.State = Unchanged
	default:
		c.State = Done
	}
}

func sameChange(a, b adapter.FileChange) bool {
	return a.Path == b.Path && a.Action == b.Action && slices.Equal(a.Details, b.Details)
}

// Remove takes out of a client all that this data home installed, in every configuration directory, and
// calls announce before each. With dryRun only the first directory is planned, and nothing is touched.
func (c *Client) Remove(ctx context.Context, m adapter.Machine, dryRun bool, announce func(*adapter.Plan)) {
	c.State, c.Err = Planned, nil // whether or not the client is still here
	c.bounded(ctx, func(ctx context.Context) error {
		for {
			p, err := c.Installer.PlanRemoval(ctx, m, adapter.RemovalOptions{})
			if protocol.ReasonOf(err) == protocol.ReasonNotFound {
				break
			}
			if err != nil {
				return err
			}
			// What stays because somebody changed it or uses it stays on record as well.
			if slices.ContainsFunc(c.Plans, func(before *adapter.Plan) bool { return before.Root == p.Root }) {
				break
			}
			c.Plans = append(c.Plans, p)
			announce(p)
			if dryRun {
				return nil
			}
			if err := p.Apply(ctx); err != nil {
				return err
			}
		}
		c.State = Done
		if len(c.Plans) == 0 {
			c.State = Absent
		}
		return nil
	})
}

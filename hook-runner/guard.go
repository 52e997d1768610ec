package hookrunner

import (
	"context"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/projection"
	"github.com/acc-control-plane/acc/core"
)

// beforeTool refuses a write to what another session holds with a guarded claim. Whatever cannot be
// decided is let through and said so.
func (c *call) beforeTool(ctx context.Context) error {
	owner, found, err := c.known()
	if err != nil || !found {
		return err
	}
	if c.blind != nil {
		return c.blind
	}
	if len(c.event.Targets) == 0 || !c.adapter.Denies() {
		if !c.introduces() {
			return c.alive(ctx, owner)
		}
		open, err := c.beat(ctx, owner)
		if err != nil || !open {
			return err
		}
		return c.introduce(ctx, owner)
	}
	var files, trees []string
	for _, target := range c.event.Targets {
		into, name := &files, c.saved.Workspace.Target
		if strings.HasSuffix(target, "/") {
			into, name, target = &trees, c.saved.Workspace.Resource, target+"**"
		}
		resource, err := name(c.cwd(), target)
		if err != nil {
			return err
		}
		*into = append(*into, resource)
	}
	decision, err := c.room.Core.Guard(ctx, owner, files, trees...)
	if err != nil {
		return err
	}
	if decision.Denied {
		return c.refuse(decision)
	}
	c.decided(GuardAllowed)
	if decision.Beat {
		if _, err := c.beat(ctx, owner); err != nil {
			return err
		}
	}
	return c.introduce(ctx, owner)
}

// decided notes what became of the write. What fails after this is no longer the guard's failure; a
// refusal that cannot be written still is.
func (c *call) decided(o GuardOutcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outcome = o
}

// refuse answers in the client's own shape.
func (c *call) refuse(d core.GuardDecision) error {
	out, err := c.adapter.Deny(c.event, c.refusal(d))
	if err == nil {
		_, err = c.answer(out)
	}
	if err == nil {
		c.decided(GuardDenied)
	}
	return err
}

// refusal says in one sentence what is held, by whom, until when and why, and then the way out.
func (c *call) refusal(d core.GuardDecision) string {
	tags := c.adapter.WrapperTags()
	path := projection.Line(strings.TrimPrefix(d.Resource, "file:"), tags)
	peer := projection.Line(d.Owner, tags)
	until := d.Claim.ExpiresAt.Local().Format("15:04")
	if d.Claim.ExpiresAt.Sub(c.now).Hours() >= 24 {
		until = d.Claim.ExpiresAt.Local().Format("2006-01-02 15:04")
	}
	return path + " is claimed by " + peer + " until " + until +
		` ("` + projection.Line(d.Claim.Reason, tags) + `", ` + projection.Line(d.Claim.ClaimID, tags) + `).` +
		" Ask: acc message --to " + peer + ` --type question --subject "..." --body "...", or work elsewhere.`
}

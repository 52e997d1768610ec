package command

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

func claimCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "claim", Group: groupSession, Common: true,
			Summary: "reserve a file, a directory or any named thing for a while",
			Options: withOwner(
				argv.Option{Name: "resource", Value: "PATH", Usage: "a path, DIR/** for everything below, or SCHEME:NAME; or"},
				argv.Option{Name: "claim", Value: "ID", Usage: "the claim of yours to renew as it is"},
				argv.Option{Name: "mode", Value: "MODE", Default: string(protocol.Exclusive), Choices: []string{string(protocol.Exclusive), string(protocol.Shared)}, Usage: "shared claims coexist"},
				argv.Option{Name: "enforcement", Value: "LEVEL", Default: string(protocol.Advisory), Choices: []string{string(protocol.Advisory), string(protocol.Guarded)}, Usage: "guarded makes the clients of others refuse file edits"},
				argv.Option{Name: "reason", Value: "TEXT", Usage: "shown to whoever is stopped by it"},
				argv.Option{Name: "lease", Value: "SECONDS", Default: "1800", Usage: "how long; claiming again starts it anew"},
			),
			Notes: []string{
				"Prints the name as it is stored. A relative path starts at the current directory, a file: name at the checkout root.",
				"Names other claims of yours whose lease had run out, once, and lets go of them.",
			},
		},
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseClaim(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

type claimOptions struct {
	who     core.Owner
	claimID string            // to renew; empty: req names what to claim
	req     core.ClaimRequest // Resource as it was written
}

func parseClaim(inv *Invocation, given *flags.Context) (claimOptions, error) {
	who, err := owner(inv, given)
	if err != nil {
		return claimOptions{}, err
	}
	lease, err := span(given, "lease", time.Second, 0)
	if err != nil {
		return claimOptions{}, err
	}
	o := claimOptions{who, given.String("claim"), core.ClaimRequest{
		Resource: given.String("resource"), Mode: protocol.ClaimMode(given.String("mode")),
		Enforcement: protocol.Enforcement(given.String("enforcement")), Reason: given.String("reason"), Lease: lease,
	}}
	switch {
	case o.claimID == "" && o.req.Resource == "":
		return claimOptions{}, invalid("acc claim needs --resource PATH, or --claim ID to renew").WithHint("acc claim --help")
	case o.claimID != "" && o.req.Resource != "":
		return claimOptions{}, invalid("--claim and --resource exclude each other")
	}
	return o, nil
}

func (o claimOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	var result core.ClaimResult
	var warnings []string
	if o.claimID != "" {
		result, err = r.Core.Renew(ctx, o.who, core.RenewRequest{
			ClaimID: o.claimID, Mode: o.req.Mode, Enforcement: o.req.Enforcement, Reason: o.req.Reason, Lease: o.req.Lease,
		})
	} else {
		named, nameErr := resourceName(inv, r, o.req.Resource)
		if nameErr != nil {
			return Answer{}, nameErr
		}
		warnings = nameOnly(o.req.Resource, named, "acc claim --resource '%s'")
		o.req.Resource = named.Resource
		result, err = r.Core.Claim(ctx, o.who, o.req)
	}
	if err != nil {
		return Answer{}, err
	}
	a := answer(view.Claimed, result, func(u *ui.UI) { sayClaimed(u, result) })
	a.WorkspaceID, a.Warnings = r.Workspace.ID, warnings
	return a, nil
}

func sayClaimed(u *ui.UI, result core.ClaimResult) {
	done := "claimed"
	if result.Renewed {
		done = "renewed"
	}
	c := result.Claim
	u.Print("%s %s  %s until %s  %s", done, ui.Escape(c.Resource), c.Mode, ui.ClockTime(time.Now(), c.ExpiresAt), c.ClaimID)
	u.Print("  %s", effect(c.Enforcement))
	for _, lapsed := range result.Lapsed {
		u.Print("lapsed  %s  %s  its lease ran out %s", ui.Escape(lapsed.Resource), lapsed.ClaimID, ui.Ago(time.Now(), lapsed.ExpiresAt))
	}
}

// effect says what a claim does to others, and never more. Whether a given reader can be stopped is
// the other half; its client says that.
func effect(enforcement protocol.Enforcement) string {
	if enforcement == protocol.Guarded {
		return "guarded: clients that can refuse others' file edits do, shell edits go through"
	}
	return "advisory: others are told, nothing stops them"
}

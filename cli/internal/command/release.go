package command

import (
	"context"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

func releaseCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "release", Group: groupSession,
			Summary: "give up a claim",
			Options: withOwner(
				argv.Option{Name: "claim", Value: "ID", Usage: "the claim, or"},
				argv.Option{Name: "resource", Value: "PATH", Usage: "what was claimed"},
				argv.Option{Name: "authority", Value: "WHO", Choices: []string{string(protocol.AuthorityHuman), string(protocol.AuthorityPolicy)}, Usage: "release another session's claim, on whose word"},
				argv.Option{Name: "reason", Value: "TEXT", Usage: "why; required with --authority"},
			),
			Notes: []string{"A session that went quiet keeps its claims until their lease ends or somebody with authority releases them."},
		},
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseRelease(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

type releaseOptions struct {
	who core.Owner
	req core.ReleaseRequest // Resource as it was written
}

func parseRelease(inv *Invocation, given *flags.Context) (releaseOptions, error) {
	who, err := owner(inv, given)
	if err != nil {
		return releaseOptions{}, err
	}
	req := core.ReleaseRequest{ClaimID: given.String("claim"), Resource: given.String("resource"), Authority: protocol.Authority(given.String("authority")), Reason: given.String("reason")}
	switch {
	case req.ClaimID == "" && req.Resource == "":
		return releaseOptions{}, invalid("acc release needs --claim ID or --resource PATH").WithHint("acc status lists the claims")
	case req.ClaimID != "" && req.Resource != "":
		return releaseOptions{}, invalid("--claim and --resource exclude each other")
	case req.Authority != "" && req.Reason == "":
		return releaseOptions{}, invalid("--authority needs --reason")
	}
	return releaseOptions{who, req}, nil
}

func (o releaseOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	if o.req.Resource != "" {
		named, err := resourceName(inv, r, o.req.Resource)
		if err != nil {
			return Answer{}, err
		}
		o.req.Resource = named.Resource
	}
	claim, err := r.Core.Release(ctx, o.who, o.req)
	if err != nil {
		return Answer{}, err
	}
	a := answer(view.Released, view.ReleasedData{Claim: claim}, func(u *ui.UI) { u.Print("released %s  %s", ui.Escape(claim.Resource), claim.ClaimID) })
	a.WorkspaceID = r.Workspace.ID
	return a, nil
}

package command

import (
	"context"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	flags "github.com/urfave/cli/v2"
)

func whoamiCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "whoami", Group: groupSession,
			Summary: "tell which session an owner pair stands for",
			Options: withOwner(),
		},
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			who, err := owner(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return runWhoami(ctx, inv, who)
		},
	}
}

func runWhoami(ctx context.Context, inv *Invocation, who core.Owner) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	s, err := r.Core.Session(ctx, who)
	if err != nil {
		return Answer{}, err
	}
	a := answer(view.Whoami, s, func(u *ui.UI) {
		u.Table("", [][]ui.Cell{ui.Row(s.ParticipantID, s.Harness, string(s.State), shorten(s.CheckoutRoot, home()), s.Branch, s.SessionID)})
	})
	a.WorkspaceID = r.Workspace.ID
	return a, nil
}

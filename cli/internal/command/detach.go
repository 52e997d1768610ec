package command

import (
	"context"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	flags "github.com/urfave/cli/v2"
)

func detachCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "detach", Group: groupLifecycle,
			Summary: "end the session and release its claims",
			Options: withOwner(),
			Notes:   []string{"Ending an ended session again is no error, unless it was alone: then nothing is left of it."},
		},
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			who, err := owner(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return runDetach(ctx, inv, who)
		},
	}
}

func runDetach(ctx context.Context, inv *Invocation, who core.Owner) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	// Core takes a session that it does not know for one that was alone, ended and left no trace, because
	// clients end theirs more than once. Whoever types this may be in the wrong room.
	if _, err := r.Core.Session(ctx, who); err != nil {
		return Answer{}, err
	}
	session, err := r.Core.CloseSession(ctx, who, "")
	if err != nil {
		return Answer{}, err
	}
	a := answer(view.Detached, session, func(u *ui.UI) { u.Print("%s %s", session.SessionID, session.State) })
	a.WorkspaceID = r.Workspace.ID
	return a, nil
}

package command

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	flags "github.com/urfave/cli/v2"
)

func heartbeatCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "heartbeat", Group: groupLifecycle,
			Summary: "say that the session still lives",
			Options: withOwner(),
			Notes:   []string{"Written at most every 30 seconds; the answer is the newest sign of life."},
		},
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			who, err := owner(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return runHeartbeat(ctx, inv, who)
		},
	}
}

func runHeartbeat(ctx context.Context, inv *Invocation, who core.Owner) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	at, err := r.Core.Heartbeat(ctx, who)
	if err != nil {
		return Answer{}, err
	}
	data := view.HeartbeatData{SessionID: who.SessionID, HeartbeatAt: view.Millis(at)}
	a := answer(view.Heartbeat, data, func(u *ui.UI) { u.Print("%s", ui.ClockTime(time.Now(), data.HeartbeatAt)) })
	a.WorkspaceID = r.Workspace.ID
	return a, nil
}

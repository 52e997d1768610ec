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

func finishCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "finish", Group: groupSession, Common: true,
			Summary: "hand the work over, release every claim and end the session",
			Options: withOwner(
				argv.Option{Name: "goal", Value: "TEXT", Required: true, Usage: "what the work was for, in one line"},
				argv.Option{Name: "status", Value: "STATUS", Default: string(protocol.HandoffPartial), Choices: texts(protocol.HandoffComplete, protocol.HandoffPartial, protocol.HandoffBlocked), Usage: "how far it is"},
				argv.Option{Name: "to", Value: "NAME", Repeated: true, Usage: "who takes over and must acknowledge; none: the room"},
				argv.Option{Name: "completed", Value: "TEXT", Repeated: true, Usage: "what is done"},
				argv.Option{Name: "remaining", Value: "TEXT", Repeated: true, Usage: "what is left"},
				argv.Option{Name: "blocker", Value: "TEXT", Repeated: true, Usage: "what is in the way"},
				keyOption(),
			),
			Notes: []string{"All of it happens or none. Give a --client-message-id to be able to repeat it safely."},
		},
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseFinish(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

type finishOptions struct {
	who core.Owner
	req core.FinishRequest
}

func parseFinish(inv *Invocation, given *flags.Context) (finishOptions, error) {
	who, err := owner(inv, given)
	return finishOptions{who, core.FinishRequest{
		Goal: given.String("goal"), Status: protocol.HandoffStatus(given.String("status")), To: given.StringSlice("to"),
		Completed: given.StringSlice("completed"), Remaining: given.StringSlice("remaining"), Blockers: given.StringSlice("blocker"),
		ClientMessageID: given.String("client-message-id"),
	}}, err
}

func (o finishOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	result, err := r.Core.Finish(ctx, o.who, o.req)
	if err != nil {
		return Answer{}, err
	}
	sent := sentData(ctx, r, result.SendResult, inv.offer(ctx, r, result.SendResult))
	data := view.FinishedData{SentData: sent, Session: result.Session, ReleasedClaimIDs: result.ReleasedClaimIDs}
	a := answer(view.Finished, data, func(u *ui.UI) {
		saySent(u, data.SentData)
		u.Print("%s  %s", data.Session.SessionID, data.Session.State)
		for _, id := range data.ReleasedClaimIDs {
			u.Print("%s  released", id)
		}
	})
	a.WorkspaceID, a.Warnings = r.Workspace.ID, result.Warnings
	return a, nil
}

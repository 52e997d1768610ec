package command

import (
	"context"
	"slices"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	flags "github.com/urfave/cli/v2"
)

func replyCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "reply", Group: groupSession, Common: true,
			Summary: "answer a message and settle it",
			Options: withOwner(slices.Concat([]argv.Option{
				{Name: "message", Value: "ID", Required: true, Usage: "the message to answer"},
				{Name: "body", Value: "TEXT", Usage: "the answer, or"},
				{Name: "body-file", Value: "PATH", Usage: "the file that holds it; - is stdin"},
				{Name: "subject", Value: "TEXT", Default: "Re: and the subject of the message", Usage: "one line"},
				keyOption(),
			}, awaitOptions())...),
		},
		Patience: MaxWait + Deadline,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseReply(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

type replyOptions struct {
	who   core.Owner
	req   core.ReplyRequest
	await await
}

func parseReply(inv *Invocation, given *flags.Context) (replyOptions, error) {
	who, err := owner(inv, given)
	if err != nil {
		return replyOptions{}, err
	}
	body, err := bodyText(inv, given)
	if err != nil {
		return replyOptions{}, err
	}
	wait, err := parseAwait(given)
	return replyOptions{who, core.ReplyRequest{
		MessageID: given.String("message"), Subject: given.String("subject"), Body: body, ClientMessageID: given.String("client-message-id"),
	}, wait}, err
}

func (o replyOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	result, err := bounded(ctx, func(ctx context.Context) (core.ReplyResult, error) { return r.Core.Reply(ctx, o.who, o.req) })
	if err != nil {
		return Answer{}, err
	}
	reached, err := o.await.advance(ctx, inv, r, &result.SendResult)
	if err != nil {
		return Answer{}, err
	}
	sent := sentData(ctx, r, result.SendResult, inv.offer(ctx, r, result.SendResult))
	a := answer(view.Replied, view.RepliedData{SentData: sent, Receipt: result.Original}, func(u *ui.UI) {
		saySent(u, sent)
		u.Print("%s  %s", result.Original.MessageID, result.Original.State)
	})
	a.WorkspaceID, a.Warnings = r.Workspace.ID, result.Warnings
	return o.await.judge(a, reached), nil
}

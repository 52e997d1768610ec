package command

import (
	"context"
	"slices"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

func requestCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "request", Group: groupSession,
			Summary: "ask one participant to do something and to reply",
			Options: withOwner(slices.Concat([]argv.Option{
				{Name: "to", Value: "NAME", Required: true, Usage: "a participant, or a client with one session here"},
				{Name: "title", Value: "TEXT", Required: true, Usage: "what to do, in one line"},
				{Name: "detail", Value: "TEXT", Usage: "the rest"},
				keyOption(),
			}, awaitOptions())...),
		},
		Patience: MaxWait + Deadline,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseRequest(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

// parseRequest gives the message that a request is.
func parseRequest(inv *Invocation, given *flags.Context) (messageOptions, error) {
	who, err := owner(inv, given)
	if err != nil {
		return messageOptions{}, err
	}
	wait, err := parseAwait(given)
	title, detail := given.String("title"), given.String("detail")
	if detail == "" {
		detail = title
	}
	return messageOptions{who, core.SendRequest{
		To: []string{given.String("to")}, MessageKind: protocol.Request, Obligation: protocol.ObligationReply,
		Subject: title, Body: detail, ClientMessageID: given.String("client-message-id"),
	}, wait}, err
}

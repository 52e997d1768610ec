package command

import (
	"context"
	"slices"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

func messageCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "message", Group: groupSession, Common: true,
			Summary: "send a note, question, request or decision",
			Options: withOwner(slices.Concat([]argv.Option{
				{Name: "to", Value: "NAME", Repeated: true, Usage: "a participant, or a client with one session here; none: the room"},
				{Name: "subject", Value: "TEXT", Required: true, Usage: "one line"},
				{Name: "body", Value: "TEXT", Usage: "the message, or"},
				{Name: "body-file", Value: "PATH", Usage: "the file that holds it; - is stdin"},
				{Name: "type", Value: "TYPE", Default: string(protocol.Note),
					Choices: []string{string(protocol.Note), string(protocol.Question), string(protocol.Request), string(protocol.Decision)}, Usage: "what it is"},
				{Name: "obligation", Value: "DUTY", Choices: []string{string(protocol.ObligationNone), string(protocol.ObligationAcknowledge), string(protocol.ObligationReply)},
					Usage: "if the type leaves it open"},
				{Name: "supersedes", Value: "ID", Repeated: true, Usage: "a decision that this decision replaces, or"},
				{Name: "withdraws", Value: "ID", Repeated: true, Usage: "a decision to withdraw; its recipients get this, too"},
				keyOption(),
			}, awaitOptions())...),
			Notes: []string{
				"Questions and requests oblige to a reply. What changes decisions is a decision.",
				"Succeeds once the message is recorded; acc receipts tells how far it has come. With --wait-for, exit code 6 means that it is recorded and has not come so far in time.",
			},
		},
		Patience: MaxWait + Deadline,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseMessage(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

// keyOption makes a retried send safe.
func keyOption() argv.Option {
	return argv.Option{Name: "client-message-id", Value: "KEY", Usage: "sending again with the same key records nothing twice"}
}

type messageOptions struct {
	who   core.Owner
	req   core.SendRequest
	await await
}

func parseMessage(inv *Invocation, given *flags.Context) (messageOptions, error) {
	who, err := owner(inv, given)
	if err != nil {
		return messageOptions{}, err
	}
	body, err := bodyText(inv, given)
	if err != nil {
		return messageOptions{}, err
	}
	supersedes, withdraws := given.StringSlice("supersedes"), given.StringSlice("withdraws")
	kind := protocol.MessageKind(given.String("type"))
	switch changes := len(supersedes) > 0 || len(withdraws) > 0; {
	case len(supersedes) > 0 && len(withdraws) > 0:
		return messageOptions{}, invalid("--supersedes and --withdraws exclude each other")
	case changes && kind == "":
		kind = protocol.Decision // only a decision changes decisions
	case kind == "":
		kind = protocol.Note
	}
	wait, err := parseAwait(given)
	return messageOptions{who, core.SendRequest{
		To: given.StringSlice("to"), MessageKind: kind, Obligation: protocol.Obligation(given.String("obligation")),
		Subject: given.String("subject"), Body: body, ClientMessageID: given.String("client-message-id"),
		Replaces: supersedes, Withdraws: withdraws,
	}, wait}, err
}

func (o messageOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	result, err := bounded(ctx, func(ctx context.Context) (core.SendResult, error) { return r.Core.Send(ctx, o.who, o.req) })
	if err != nil {
		return Answer{}, err
	}
	return sentAnswer(ctx, inv, r, result, o.await)
}

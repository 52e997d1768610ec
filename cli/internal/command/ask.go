package command

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	flags "github.com/urfave/cli/v2"
)

// defaultAsk is how long an answer is waited for.
const defaultAsk = 10 * time.Minute

func askCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "ask", Group: groupSession,
			Summary: "send a question and wait for the answer",
			Options: withOwner(
				argv.Option{Name: "to", Value: "NAME", Required: true, Usage: "a participant, or a client with one session here"},
				argv.Option{Name: "subject", Value: "TEXT", Required: true, Usage: "the question, in one line"},
				argv.Option{Name: "body", Value: "TEXT", Usage: "the rest, or"},
				argv.Option{Name: "body-file", Value: "PATH", Usage: "the file that holds it; - is stdin"},
				argv.Option{Name: "wait", Value: "DURATION", Default: "10m", Usage: "how long to wait: seconds, or 90s, 10m"},
				keyOption(),
			),
			Notes: []string{
				"Exit code 6 when no answer came in time: the question stays, and the answer comes with a later turn or acc inbox.",
				"Asked again with the same key, it goes on waiting for the answer to the same question.",
			},
		},
		Patience: MaxWait + Deadline,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseAsk(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

type askOptions struct {
	who  core.Owner
	req  core.SendRequest
	span time.Duration
}

func parseAsk(inv *Invocation, given *flags.Context) (askOptions, error) {
	who, err := owner(inv, given)
	if err != nil {
		return askOptions{}, err
	}
	body := given.String("subject")
	if given.String("body") != "" || given.String("body-file") != "" {
		if body, err = bodyText(inv, given); err != nil {
			return askOptions{}, err
		}
	}
	wait, err := waitSpan(given)
	if wait == 0 {
		wait = defaultAsk
	}
	return askOptions{who, core.SendRequest{
		To: []string{given.String("to")}, MessageKind: protocol.Question, Obligation: protocol.ObligationReply,
		Subject: given.String("subject"), Body: body, ClientMessageID: given.String("client-message-id"),
	}, wait}, err
}

func (o askOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	sent, err := bounded(ctx, func(ctx context.Context) (core.SendResult, error) { return r.Core.Send(ctx, o.who, o.req) })
	if err != nil {
		return Answer{}, err
	}
	data, made := view.AskedData{}, inv.offer(ctx, r, sent)
	inv.UI.Progress("waiting for an answer")
	_, err = inv.poll(ctx, r.Dir, o.span, func(ctx context.Context) (bool, error) {
		data.Answer, err = o.answered(ctx, r, sent.Message)
		return data.Answer != nil, err
	})
	if err != nil {
		return Answer{}, recorded(err, sent.Message.MessageID)
	}
	data.SentData, err = bounded(ctx, func(ctx context.Context) (view.SentData, error) {
		sent.Receipts, err = r.Core.Receipts(ctx, sent.Message.MessageID)
		return sentData(ctx, r, sent, made), err
	})
	if err != nil {
		return Answer{}, recorded(err, sent.Message.MessageID)
	}
	a := answer(view.Asked, data, func(u *ui.UI) { sayAsked(u, data) })
	a.WorkspaceID, a.Warnings = r.Workspace.ID, sent.Warnings
	if data.Answer == nil {
		a.Code = protocol.Attention
	}
	return a, nil
}

// answered finds the first answer to the question and retrieves it.
func (o askOptions) answered(ctx context.Context, r *room.Room, question protocol.Message) (*core.Mail, error) {
	query := core.HistoryQuery{ThreadID: question.ThreadID, Limit: protocol.InboxPageMax}
	var first string
	for {
		page, err := r.Core.History(ctx, query)
		if err != nil {
			return nil, err
		}
		for _, m := range page.Items { // newest first
			if m.InReplyTo == question.MessageID && m.MessageKind == protocol.Answer {
				first = m.MessageID
			}
		}
		if query.Cursor = page.NextCursor; query.Cursor == "" {
			break
		}
	}
	if first == "" {
		return nil, nil
	}
	mail, err := r.Core.Read(ctx, o.who, first)
	return &mail, err
}

func sayAsked(u *ui.UI, data view.AskedData) {
	if data.Answer != nil {
		sayMail(u, *data.Answer)
		return
	}
	saySent(u, data.SentData)
	u.Print("no answer yet; it will come with a later turn, or with acc inbox")
}

package mcpserver

import (
	"context"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/mcp-server/internal/answer"
	"github.com/acc-control-plane/acc/protocol"
)

func runMessage(ctx context.Context, c call, q core.SendRequest) (reply, error) {
	if q.MessageKind == "" {
		q.MessageKind = protocol.Note
	}
	return send(ctx, c, q)
}

func runRequest(ctx context.Context, c call, q askRequest) (reply, error) {
	return send(ctx, c, core.SendRequest{
		To: []string{q.to}, MessageKind: protocol.Request, Subject: q.title, Body: q.detail, ClientMessageID: q.key,
	})
}

func send(ctx context.Context, c call, req core.SendRequest) (reply, error) {
	who, err := c.caller(ctx)
	if err != nil {
		return reply{}, err
	}
	var sent core.SendResult
	err = who.Do(ctx, func(owner core.Owner) (err error) {
		sent, err = who.Room.Core.Send(ctx, owner, req)
		return err
	})
	if err != nil {
		return reply{}, err
	}
	return c.sent(ctx, who, answer.SentData{Message: sent.Message, Duplicate: sent.Duplicate, Warnings: sent.Warnings}, sent.Receipts)
}

func runReply(ctx context.Context, c call, q core.ReplyRequest) (reply, error) {
	who, err := c.caller(ctx)
	if err != nil {
		return reply{}, err
	}
	var result core.ReplyResult
	err = who.Do(ctx, func(owner core.Owner) (err error) {
		result, err = who.Room.Core.Reply(ctx, owner, q)
		return err
	})
	if err != nil {
		return reply{}, err
	}
	data := answer.SentData{Message: result.Message, Duplicate: result.Duplicate, Warnings: result.Warnings, Settled: &result.Original}
	return c.sent(ctx, who, data, result.Receipts)
}

// runFinish ends the session. The next call of another tool begins a new one; a repeated finish with the
// same key is told the same again, because it is tried with the session that ended first.
func runFinish(ctx context.Context, c call, q finishRequest) (reply, error) {
	who, err := c.caller(ctx)
	if err != nil {
		return reply{}, err
	}
	if q.to != "" {
		q.To = []string{q.to}
	}
	var result core.FinishResult
	err = who.Do(ctx, func(owner core.Owner) (err error) {
		result, err = who.Room.Core.Finish(ctx, owner, q.FinishRequest)
		return err
	})
	if err != nil {
		return reply{}, err
	}
	data := answer.SentData{Message: result.Message, Duplicate: result.Duplicate, Warnings: result.Warnings, Released: result.ReleasedClaimIDs}
	return c.sent(ctx, who, data, result.Receipts)
}

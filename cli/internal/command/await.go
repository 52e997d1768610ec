package command

import (
	"context"
	"slices"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	flags "github.com/urfave/cli/v2"
)

// defaultAwait is how long --wait-for waits without --wait.
const defaultAwait = time.Minute

// awaited are the states that a sender can wait for, in their order.
var awaited = []protocol.ReceiptState{protocol.Offered, protocol.Retrieved, protocol.Acknowledged}

// awaitOptions let a sender wait for its recipients.
func awaitOptions() []argv.Option {
	return []argv.Option{
		{Name: "wait-for", Value: "STATE", Choices: texts(awaited...), Usage: "wait until it is"},
		{Name: "wait", Value: "DURATION", Default: "1m", Usage: "how long: seconds, or 90s, 10m"},
	}
}

// await is what a sender waits for; the zero value waits for nothing.
type await struct {
	state protocol.ReceiptState
	span  time.Duration
}

func parseAwait(given *flags.Context) (await, error) {
	d, err := waitSpan(given)
	state := protocol.ReceiptState(given.String("wait-for"))
	switch {
	case err != nil:
		return await{}, err
	case d > 0 && state == "":
		return await{}, invalid("--wait needs --wait-for STATE")
	case d == 0:
		d = defaultAwait
	}
	return await{state, d}, nil
}

// advance waits, brings the receipts of sent up to date and says whether all have come far enough. An
// error says that the message is recorded all the same.
func (w await) advance(ctx context.Context, inv *Invocation, r *room.Room, sent *core.SendResult) (bool, error) {
	if w.state == "" {
		return true, nil
	}
	reached, err := inv.poll(ctx, r.Dir, w.span, func(ctx context.Context) (bool, error) {
		now, err := r.Core.Receipts(ctx, sent.Message.MessageID)
		if err != nil {
			return false, err
		}
		sent.Receipts = now
		return !slices.ContainsFunc(now, func(r protocol.Receipt) bool { return !r.State.AtLeast(w.state) }), nil
	})
	if err != nil {
		err = recorded(err, sent.Message.MessageID)
	}
	return reached, err
}

// judge turns waiting in vain into the exit code that says so.
func (w await) judge(a Answer, reached bool) Answer {
	if !reached {
		a.Code = protocol.Attention
		a.Warnings = append(a.Warnings, "recorded, and not "+string(w.state)+" by everybody within "+w.span.String())
	}
	return a
}

// recorded says of an error while waiting that what was sent is on record. It never has the exit code of a
// timeout, after which nothing is: whoever sent again would send twice.
func recorded(err error, messageID string) error {
	e := classify(err).With("messageId", messageID).WithHint("acc receipts " + messageID)
	switch {
	case e.Reason == protocol.ReasonInterrupted:
		e.Code, e.Message = protocol.Attention, messageID+" is recorded, and the wait for it was interrupted"
	case e.Code == protocol.Timeout:
		e.Code = protocol.Attention
		fallthrough
	default:
		e.Message = messageID + " is recorded, but waiting for it failed: " + e.Message
	}
	return e
}

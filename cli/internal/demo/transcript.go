package demo

import (
	"context"
	"slices"

	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol"
)

// step tells of a step and keeps it.
func (t *tale) step(actor string, o outcome, did, saw string) {
	step := view.DemoStep{Actor: actor, Program: o.program, PID: o.pid, DurationMS: int(o.took.Milliseconds()), Did: did, Saw: saw}
	if n := len(t.data.Steps); n > 0 {
		step.Receipts = t.data.Steps[n-1].Receipts
	}
	t.add(step)
}

func (t *tale) add(step view.DemoStep) {
	t.data.Steps = append(t.data.Steps, step)
	t.tell(step)
}

// settled reads the receipts of every message so far through acc receipts and demands one state.
func (t *tale) settled(ctx context.Context, actor string, o outcome, did, messageID string, want protocol.ReceiptState) error {
	step := view.DemoStep{Actor: actor, Program: o.program, PID: o.pid, DurationMS: int(o.took.Milliseconds()), Did: did}
	for _, id := range t.asked {
		looked, err := t.run(ctx, t.project, nil, nil, t.acc, "receipts", id, "--json")
		if err != nil {
			return err
		}
		data, err := decode(looked, view.Receipts)
		if err != nil {
			return err
		}
		for _, r := range data.Receipts {
			step.Receipts = append(step.Receipts, view.DemoReceipt{MessageID: id, Recipient: r.RecipientParticipantID, State: string(r.State)})
		}
	}
	t.add(step)
	return t.is(messageID, want)
}

// is demands the state of the one receipt of a message, as the last step saw it.
func (t *tale) is(messageID string, want protocol.ReceiptState) error {
	last := t.data.Steps[len(t.data.Steps)-1]
	i := slices.IndexFunc(last.Receipts, func(r view.DemoReceipt) bool { return r.MessageID == messageID })
	if i < 0 {
		return protocol.DataError(ReasonUnexpected, messageID+" has no receipt")
	}
	if got := last.Receipts[i].State; got != string(want) {
		return protocol.DataError(ReasonUnexpected, "the receipt of "+messageID+" is "+got+", and must be "+string(want))
	}
	return nil
}

// decode reads the answer of an acc command that must have succeeded.
func decode[T any](o outcome, schema *view.Schema[T]) (T, error) {
	var none T
	if o.code != 0 {
		return none, o.wrong("the command failed")
	}
	data, err := schema.Decode(o.out)
	if err != nil {
		return none, o.wrong("the answer breaks its schema: %v", err)
	}
	return data, nil
}

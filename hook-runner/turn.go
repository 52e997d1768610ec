package hookrunner

import (
	"context"
	"runtime"
	"slices"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/projection"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// mailLimit is how many bodies one turn reads; the budget rarely has room for more.
const mailLimit = 16

// freshContexts are the sources of a SessionStart after which the model's context no longer holds what
// it was told.
var freshContexts = []string{"resume", "clear", "compact"}

// sessionStart opens or resumes and gives the model its owner header. Bodies wait for the first turn: a
// conversation that is never used must not look as if it had been told anything.
func (c *call) sessionStart(ctx context.Context) error {
	o, err := c.open(ctx)
	if err != nil {
		return err
	}
	c.stay(o.pid)
	release, _ := c.files.alone(ctx)
	defer release()
	_, header := c.files.shownTo(&o)
	if header && !slices.Contains(freshContexts, c.event.Source) {
		return nil // the first prompt came before the start, and told already
	}
	if !c.adapter.Injects(c.event) {
		if header {
			c.files.forget()
		}
		return nil
	}
	in := c.projection()
	in.Owner = c.header(o)
	return c.tell(ctx, o, projection.Project(in))
}

// beforeTurn tells what is new below the owner header; the header alone if the context does not hold it.
func (c *call) beforeTurn(ctx context.Context) error {
	if !c.adapter.Injects(c.event) {
		_, err := c.open(ctx)
		return err
	}
	o, t, release, err := c.openForTurn(ctx)
	defer release()
	if gone(err) {
		return nil // the conversation ended while it was opened
	}
	if err != nil {
		return err
	}
	return c.tell(ctx, o, projection.Project(c.lay(t, &o, true)))
}

// openForTurn is open, the conversation's lock, and what the room holds for the turn. Most turns find the
// session as they left it, and then one reading of the room serves for all.
func (c *call) openForTurn(ctx context.Context) (o opened, t core.Turn, release func(), err error) {
	owner, found, err := c.files.owner()
	if err != nil {
		return opened{}, core.Turn{}, func() {}, err
	}
	if found {
		release, _ = c.files.alone(ctx)
		t, err = c.room.Core.TurnAlive(ctx, owner, mailLimit)
		if err == nil && c.asRecorded(t.Session) {
			c.speaksFor(owner)
			return opened{owner, c.clientPID()}, t, release, nil
		}
		release() // opening waits for writers, and nobody should wait for this call meanwhile
		if err != nil && !gone(err) {
			return opened{}, core.Turn{}, func() {}, err
		}
	}
	if o, err = c.open(ctx); err != nil {
		return opened{}, core.Turn{}, func() {}, err
	}
	release, _ = c.files.alone(ctx)
	t, err = c.room.Core.Turn(ctx, o.owner, mailLimit)
	return o, t, release, err
}

// afterTool delivers what was queued since the turn began, at the earliest point that the client has.
// For a client that hears nothing at the beginning of a turn, this is the first point of all.
func (c *call) afterTool(ctx context.Context) error {
	owner, found, err := c.known()
	if err != nil || !found {
		return err
	}
	if !c.adapter.Injects(c.event) {
		return c.alive(ctx, owner)
	}
	release, alone := c.files.alone(ctx)
	defer release()
	if !alone { // whoever has the lock is telling, and there will be another tool
		return c.alive(ctx, owner)
	}
	t, err := c.room.Core.TurnAlive(ctx, owner, mailLimit)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	o := opened{owner: owner}
	in := c.lay(t, &o, false)
	if c.hearsPrompts() {
		in.MidTurn = true
	} else {
		in.Reminders = 0 // every tool is not every turn
	}
	return c.tell(ctx, o, projection.Project(in))
}

// hearsPrompts says whether what a hook says before a prompt reaches the model.
func (c *call) hearsPrompts() bool {
	return c.adapter.Injects(adapter.Event{Kind: adapter.BeforeTurn})
}

// introduces says whether the event is where the model of such a client can be given the owner header.
func (c *call) introduces() bool { return !c.hearsPrompts() && c.adapter.Injects(c.event) }

// introduce gives the owner header with a tool's result, to the model of a client that hears nothing
// before.
func (c *call) introduce(ctx context.Context, owner core.Owner) error {
	if !c.introduces() {
		return nil
	}
	release, alone := c.files.alone(ctx)
	defer release()
	o := opened{owner: owner}
	if _, header := c.files.shownTo(&o); header || !alone {
		return nil
	}
	in := c.projection()
	in.Owner = c.header(o)
	return c.tell(ctx, o, projection.Project(in))
}

// lay lays out what may be told of a turn. Where a turn begins, what was offered live and never read is
// shown once more, and the owner header stands above whatever is said: a model that must answer needs the
// pair at hand, not a thousand lines further up.
func (c *call) lay(t core.Turn, o *opened, begins bool) projection.Input {
	in := c.projection()
	in.Known, in.Held = c.files.shownTo(o)
	if begins || !in.Held {
		in.Owner = c.header(*o)
	}
	for _, p := range t.Peers {
		in.Peers = append(in.Peers, projection.Peer{ParticipantID: p.ParticipantID, Branch: p.Branch, Presence: p.Presence})
	}
	waiting := map[string]bool{}
	for _, m := range t.Mail {
		if m.Message.MessageID == c.event.Carries {
			continue // the prompt is that message; whoever handed it over is about to record it
		}
		in.Mail = append(in.Mail, projection.Mail{Message: m.Message})
		waiting[m.Message.MessageID] = true
	}
	if begins {
		for _, m := range t.Repeats {
			in.Mail = append(in.Mail, projection.Mail{Message: m.Message, Repeat: m.Receipt.Offer})
			waiting[m.Message.MessageID] = true
		}
	}
	in.More = t.More
	for _, a := range t.Attention {
		switch a.AttentionKind {
		case core.ReplyRequired, core.AcknowledgementRequired:
			if !waiting[a.SourceID] {
				in.Reminders++
			}
		default:
			in.Attention = append(in.Attention, projection.Attention{
				Kind: string(a.AttentionKind), SourceID: a.SourceID, Summary: a.Summary,
			})
		}
	}
	if t.More > 0 {
		in.Reminders = 0 // some of them are among those that were never shown
	}
	return in
}

// projection is an input with nothing to tell.
func (c *call) projection() projection.Input {
	budget := c.saved.Workspace.ContextBudgetBytes
	if budget <= 0 {
		budget = protocol.DefaultHookBudget
	}
	return projection.Input{
		GOOS: runtime.GOOS, Now: c.now, Tags: c.adapter.WrapperTags(),
		Budget: min(budget, c.adapter.ContextLimit()),
	}
}

// header is what the session's acc commands must be given.
func (c *call) header(o opened) *projection.Owner {
	return &projection.Owner{
		SessionID: o.owner.SessionID, Generation: o.owner.Generation, Cwd: c.saved.Cwd,
		Room: protocol.RoomRef(c.saved.AdapterID, c.saved.NativeID),
	}
}

// tell writes what there is to say and, only after it was written, records that it was said.
func (c *call) tell(ctx context.Context, o opened, p projection.Output) error {
	if p.HeaderError != nil {
		c.complain(headerLeftOut)
	}
	out, err := c.adapter.Inject(c.event, p.Text)
	if err != nil {
		return err
	}
	written, err := c.answer(out)
	if err != nil || !written {
		return err
	}
	if err := c.recordTold(ctx, o.owner, p); err != nil {
		return advised(err, notRecorded)
	}
	if p.HeaderError != nil {
		return nil
	}
	return c.files.remember(o, p.Keys)
}

// recordTold records that bodies crossed to the client, and that expired claims were told of.
func (c *call) recordTold(ctx context.Context, owner core.Owner, p projection.Output) error {
	told := core.OfferSuccess{
		Target: owner, Transport: protocol.TransportNextTurn, AdapterID: c.adapter.ID(), ClientVersion: c.event.ClientVersion,
		Repeats: p.Repeated,
	}
	if told.ClientVersion == "" {
		told.ClientVersion = "unknown"
	}
	for _, id := range p.Carried {
		if !slices.Contains(p.Repeated, id) {
			told.MessageIDs = append(told.MessageIDs, id)
		}
	}
	for _, a := range p.Told {
		if a.Kind == string(core.ClaimExpired) {
			told.ExpiredClaims = append(told.ExpiredClaims, a.SourceID)
		}
	}
	if len(told.MessageIDs)+len(told.Repeats)+len(told.ExpiredClaims) == 0 {
		return nil
	}
	_, err := c.room.Core.RecordOffers(ctx, told)
	return err
}

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

func syncCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "sync", Group: groupSession,
			Summary: "tell what happened since a cursor, or page through the history",
			Options: withOwner(
				argv.Option{Name: "scope", Value: "SCOPE", Default: view.ScopeDelta, Choices: []string{view.ScopeDelta, view.ScopeFull, view.ScopeHistory}, Usage: "events, events and how things stand, or messages"},
				argv.Option{Name: "cursor", Value: "CURSOR", Usage: "where the last answer ended: 16 digits, or a message id with history"},
				argv.Option{Name: "limit", Value: "N", Usage: "entries of a page (default 100 events or 20 messages)"},
				argv.Option{Name: "type", Value: "TYPE", Usage: "with history: only messages of this type", Choices: texts(
					protocol.Note, protocol.Question, protocol.Request, protocol.Answer, protocol.Decision, protocol.Handoff)},
				argv.Option{Name: "current", Usage: "with history and --type decision: only those that nothing replaced or withdrew"},
				argv.Option{Name: "message", Value: "ID", Usage: "with history: this one whole, with every receipt"},
			),
			Notes: []string{"Prints nothing when you are alone here. Reading changes no receipt."},
		},
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseSync(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

type syncOptions struct {
	scope     string
	query     core.SyncQuery
	history   core.HistoryQuery
	messageID string
}

func parseSync(inv *Invocation, given *flags.Context) (syncOptions, error) {
	o := syncOptions{scope: given.String("scope"), messageID: given.String("message")}
	if o.scope == "" {
		o.scope = view.ScopeDelta
	}
	size, err := limit(given, protocol.EventsPageMax)
	if err != nil {
		return o, err
	}
	who, found, err := optionalOwner(inv, given)
	if err != nil {
		return o, err
	}
	o.query = core.SyncQuery{Cursor: given.String("cursor"), Limit: size, Full: o.scope == view.ScopeFull}
	if found {
		o.query.Owner = &who
	}
	o.history = core.HistoryQuery{Cursor: given.String("cursor"), Limit: size, MessageKind: protocol.MessageKind(given.String("type")), Current: given.Bool("current")}
	historical := o.messageID != "" || o.history.MessageKind != "" || o.history.Current
	switch {
	case o.scope != view.ScopeHistory && historical:
		return o, invalid("--type, --current and --message need --scope history")
	case o.messageID != "" && o.history != core.HistoryQuery{}:
		return o, invalid("--message reads one message and takes neither --cursor, --limit, --type nor --current")
	}
	return o, nil
}

func (o syncOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	var a Answer
	switch {
	case o.messageID != "":
		a, err = exactHistory(ctx, r, o.messageID)
	case o.scope == view.ScopeHistory:
		a, err = historyPage(ctx, r, o.history)
	default:
		a, err = o.events(ctx, r)
	}
	a.WorkspaceID = r.Workspace.ID
	return a, err
}

func (o syncOptions) events(ctx context.Context, r *room.Room) (Answer, error) {
	result, err := r.Core.Sync(ctx, o.query)
	if err != nil {
		return Answer{}, err
	}
	return answer(view.Sync, view.SyncData{Scope: o.scope, Result: result}, func(u *ui.UI) { saySync(u, result) }), nil
}

func saySync(u *ui.UI, result core.SyncResult) {
	if result.Solo {
		return
	}
	u.Table("", attentionRows(result.Attention))
	u.Print("%d attention; %d session(s); cursor %s", len(result.Attention), len(result.Roster), result.Cursor)
}

func historyPage(ctx context.Context, r *room.Room, q core.HistoryQuery) (Answer, error) {
	page, err := r.Core.History(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	return answer(view.History, page, func(u *ui.UI) {
		now := time.Now()
		var rows [][]ui.Cell
		for _, m := range page.Items {
			row := ui.Row(m.MessageID, m.FromParticipantID, what(m.MessageKind, m.Obligation), ui.Ago(now, m.SentAt), ui.Cut(ui.Escape(m.Subject), 60))
			rows = append(rows, append(row, decisionCells(m.Decision)...))
		}
		u.Table("", rows)
		if page.NextCursor != "" {
			u.Print("more: --cursor %s", page.NextCursor)
		}
	}), nil
}

func exactHistory(ctx context.Context, r *room.Room, messageID string) (Answer, error) {
	whole, err := r.Core.Message(ctx, messageID)
	if err != nil {
		return Answer{}, err
	}
	return answer(view.HistoryMessage, whole, func(u *ui.UI) { sayWhole(u, whole) }), nil
}

// sayWhole prints a message for somebody who looks on, with how far it has come with everybody.
func sayWhole(u *ui.UI, whole core.HistoryMessage) {
	sayMessage(u, whole.Message)
	if s := whole.Decision; s != nil {
		u.Print("decision: %s", decisionWords(s))
	}
	u.Table("  ", receiptRows(time.Now(), whole.Receipts))
}

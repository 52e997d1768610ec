package command

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/chronicle"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/change"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	flags "github.com/urfave/cli/v2"
)

// logDefault is how many events acc log shows.
const logDefault = 20

func logCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "log", Group: groupRoom,
			Summary: "tell what happened in the room, newest last",
			Options: withHeader([]argv.Option{
				{Name: "limit", Value: "N", Default: "20", Usage: "events"},
				{Name: "cursor", Value: "CURSOR", Usage: "what came after this event instead of the newest"},
				{Name: "follow", Usage: "go on telling until interrupted"},
			}...),
			Notes: []string{"With --follow and --json each line is one object, as of acc sync."},
		},
		Patience: MaxWait,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseLog(given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

type logOptions struct {
	cursor string
	size   int
	follow bool
}

func parseLog(given *flags.Context) (logOptions, error) {
	size, err := limit(given, protocol.EventsPageMax)
	if size == 0 {
		size = logDefault
	}
	return logOptions{given.String("cursor"), size, given.Bool("follow")}, err
}

func (o logOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	l := &chronicler{room: r, names: map[string]string{}}
	if o.cursor == "" {
		if o.cursor, err = l.newest(ctx, o.size); err != nil {
			return Answer{}, err
		}
	}
	page, err := l.read(ctx, o.cursor, o.size)
	if err != nil {
		return Answer{}, err
	}
	if o.follow {
		return Answer{}, l.follow(ctx, inv, page)
	}
	a := answer(view.Sync, view.SyncData{Scope: view.ScopeDelta, Result: page}, func(u *ui.UI) {
		l.say(u, page.Events)
		if page.More {
			u.Print("more: acc log --cursor %s", page.Cursor)
		}
	})
	a.WorkspaceID = r.Workspace.ID
	return a, nil
}

// chronicler reads events and knows who acted.
type chronicler struct {
	room  *room.Room
	names map[string]string // session -> participant
}

// newest gives the cursor before the last size events.
func (l *chronicler) newest(ctx context.Context, size int) (string, error) {
	status, err := bounded(ctx, func(ctx context.Context) (core.Status, error) {
		return l.room.Core.Status(ctx, core.StatusQuery{All: true})
	})
	if err != nil {
		return "", err
	}
	for _, s := range status.Sessions {
		l.names[s.SessionID] = s.ParticipantID
	}
	last, err := protocol.ParseSequence(status.Cursor)
	if err != nil {
		return "", err
	}
	return protocol.FormatSequence(last - min(last, uint64(size))), nil
}

func (l *chronicler) read(ctx context.Context, cursor string, size int) (core.SyncResult, error) {
	page, err := bounded(ctx, func(ctx context.Context) (core.SyncResult, error) {
		return l.room.Core.Sync(ctx, core.SyncQuery{Cursor: cursor, Limit: size})
	})
	for _, row := range page.Roster {
		l.names[row.SessionID] = row.ParticipantID
	}
	return page, err
}

// follow tells events as they come, until the command is interrupted, which is how it is meant to end.
func (l *chronicler) follow(ctx context.Context, inv *Invocation, page core.SyncResult) error {
	inv.patient()
	if err := l.tell(inv, page); err != nil {
		return err
	}
	err := change.Watch(ctx, l.room.Dir, func(ctx context.Context) (bool, error) {
		for {
			next, err := l.read(ctx, page.Cursor, protocol.EventsPageMax)
			if busy(err) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			page = next
			if err := l.tell(inv, page); err != nil || !page.More {
				return false, err
			}
		}
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (l *chronicler) tell(inv *Invocation, page core.SyncResult) error {
	if len(page.Events) == 0 {
		return nil
	}
	if !inv.JSON {
		l.say(inv.UI, page.Events)
		return inv.UI.Err()
	}
	line, err := view.Sync.Envelope(view.SyncData{Scope: view.ScopeDelta, Result: page}, view.Meta{WorkspaceID: l.room.Workspace.ID})
	if err != nil {
		return err
	}
	inv.UI.Raw(append(line, '\n'))
	return inv.UI.Err()
}

func (l *chronicler) say(u *ui.UI, events []protocol.Event) {
	now := time.Now()
	var rows [][]ui.Cell
	for _, e := range events {
		entry := chronicle.Tell(e, func(id string) string { return l.names[id] })
		row := ui.Row(ui.ClockTime(now, e.OccurredAt), entry.Who, entry.Did)
		row[0].Style = ui.Dim
		rows = append(rows, row)
	}
	u.Table("", rows)
}

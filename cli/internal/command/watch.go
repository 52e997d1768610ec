package command

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/change"
	flags "github.com/urfave/cli/v2"
)

// watchEvents is how many of the last events acc watch shows below the room.
const watchEvents = 12

// repaintEvery is how often ages on the screen are brought up to date when nothing happens.
const repaintEvery = 5 * time.Second

func watchCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "watch", Group: groupRoom,
			Summary: "show the room and what happens in it, live",
			Options: withHeader(),
			Notes:   []string{"On a terminal the screen is repainted until interrupted, and lines end at its edge; elsewhere it is acc log --follow."},
		},
		Patience: MaxWait,
		Run: func(ctx context.Context, inv *Invocation, _ *flags.Context) (Answer, error) {
			if inv.JSON || !inv.UI.Terminal() {
				return logOptions{size: watchEvents, follow: true}.run(ctx, inv)
			}
			return Answer{}, watch(ctx, inv)
		},
	}
}

// watch repaints when something happened, and from time to time because ages grow.
func watch(ctx context.Context, inv *Invocation) error {
	r, err := inv.Room(ctx)
	if err != nil {
		return err
	}
	l := &chronicler{room: r, names: map[string]string{}}
	inv.patient()
	var shown string
	var painted time.Time
	err = change.Watch(ctx, r.Dir, func(ctx context.Context) (bool, error) {
		status, err := bounded(ctx, func(ctx context.Context) (core.Status, error) { return r.Core.Status(ctx, core.StatusQuery{}) })
		if err == nil && (status.Cursor != shown || time.Since(painted) >= repaintEvery) {
			err = l.paint(ctx, inv, status)
			shown, painted = status.Cursor, time.Now()
		}
		if busy(err) {
			return false, nil
		}
		return false, err
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (l *chronicler) paint(ctx context.Context, inv *Invocation, status core.Status) error {
	last, err := protocol.ParseSequence(status.Cursor)
	if err != nil {
		return err
	}
	page, err := l.read(ctx, protocol.FormatSequence(last-min(last, watchEvents)), watchEvents)
	if err != nil {
		return err
	}
	for _, s := range status.Sessions {
		l.names[s.SessionID] = s.ParticipantID
	}
	inv.UI.Frame(func() {
		sayStatus(inv.UI, status, "", home())
		inv.UI.Print("")
		l.say(inv.UI, page.Events)
	})
	return inv.UI.Err()
}

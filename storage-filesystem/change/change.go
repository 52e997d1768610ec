// Package change tells when a room may have changed.
//
// The store is the truth: whoever waits reads it again each time. The file system's notices only make
// that sooner, and where they fail or do not exist the room is read every few seconds. Start at Watch.
package change

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Every is how often a room is looked at without any notice: presence changes with time alone, a store
// may not exist yet, and some file systems give no notices.
const Every = 2 * time.Second

// settle is how long a burst of notices may go on before it counts: one commit writes several files.
const settle = 20 * time.Millisecond

// Watch calls look at once, then whenever the directory of a store may have changed and at least every
// few seconds, until look says that it is done, fails, or ctx ends. It gives the error of look or of
// ctx.
func Watch(ctx context.Context, dir string, look func(context.Context) (done bool, err error)) error {
	// Watching comes before the first look: what happens in between is noticed.
	notices := watch(dir)
	if notices != nil {
		defer notices.Close()
	}
	tick := time.NewTimer(Every)
	defer tick.Stop()
	for {
		if notices == nil {
			notices = watch(dir) // the first durable change makes the directory
			if notices != nil {
				defer notices.Close()
			}
		}
		if done, err := look(ctx); done || err != nil {
			return err
		}
		tick.Reset(Every)
		if err := await(ctx, notices, tick.C); err != nil {
			return err
		}
	}
}

// watch gives the notices of a directory; nil: there are none.
func watch(dir string) *fsnotify.Watcher {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil
	}
	if err := w.Add(dir); err != nil {
		_ = w.Close()
		return nil
	}
	return w
}

// await returns nil when it is time to look again.
func await(ctx context.Context, w *fsnotify.Watcher, tick <-chan time.Time) error {
	var events chan fsnotify.Event
	var errors chan error
	if w != nil {
		events, errors = w.Events, w.Errors
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-tick:
		return nil
	case <-errors:
		return nil
	case <-events:
	}
	quiet := time.NewTimer(settle)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-quiet.C:
			return nil
		case _, open := <-events:
			if !open {
				return nil
			}
		}
	}
}

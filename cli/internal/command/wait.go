package command

import (
	"context"
	"errors"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

// MaxWait bounds how long a command may be told to wait.
const MaxWait = 24 * time.Hour

// lookEvery is the pause between two looks into the room. A look reads a handful of small files.
const lookEvery = 200 * time.Millisecond

// waitOption is --wait where it is a choice to wait at all.
func waitOption(usage string) argv.Option {
	return argv.Option{Name: "wait", Value: "DURATION", Usage: usage + ": seconds, or 90s, 10m"}
}

// waitSpan reads --wait; 0 means not given.
func waitSpan(given *flags.Context) (time.Duration, error) {
	d, err := span(given, "wait", time.Second, 0)
	if err == nil && d > MaxWait {
		return 0, invalid("--wait is at most %s", MaxWait)
	}
	return d, err
}

// poll looks until what it looks for is there or the span is over, at least once. Each look has the
// deadline of a command. It is no error when the span ends first.
func poll(ctx context.Context, span time.Duration, look func(context.Context) (bool, error)) (bool, error) {
	over := time.NewTimer(span)
	defer over.Stop()
	next := time.NewTicker(lookEvery)
	defer next.Stop()
	for {
		found, err := bounded(ctx, look)
		if found || err != nil && !busy(err) {
			return found, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-over.C:
			return false, err
		case <-next.C:
		}
	}
}

// bounded gives one step of a long command the deadline of a short one.
func bounded[T any](ctx context.Context, do func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, Deadline)
	defer cancel()
	return do(ctx)
}

// busy says whether an error may be gone at the next look.
func busy(err error) bool {
	var e *protocol.Error
	return errors.As(err, &e) && (e.Code == protocol.Timeout || e.Reason == protocol.ReasonLockBusy)
}

package command

import (
	"context"
	"errors"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/change"
	flags "github.com/urfave/cli/v2"
)

// MaxWait bounds how long a command may be told to wait.
const MaxWait = 24 * time.Hour

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

// errSpanOver ends a wait in vain.
var errSpanOver = errors.New("the span is over")

// poll is the function poll, of a command that can be interrupted meanwhile.
func (inv *Invocation) poll(ctx context.Context, dir string, span time.Duration, look func(context.Context) (bool, error)) (bool, error) {
	if span > 0 {
		inv.patient()
	}
	return poll(ctx, dir, span, look)
}

// poll looks until what it looks for is there or the span is over, at least once: again whenever the room
// in dir may have changed. Each look has the deadline of a command, also the one that the end of the span
// finds at work. It is no error when the span ends first.
func poll(ctx context.Context, dir string, span time.Duration, look func(context.Context) (bool, error)) (bool, error) {
	if span == 0 {
		return bounded(ctx, look)
	}
	waiting, cancel := context.WithTimeoutCause(ctx, span, errSpanOver)
	defer cancel()
	found, passing := false, error(nil)
	err := change.Watch(waiting, dir, func(context.Context) (_ bool, err error) {
		found, err = bounded(ctx, look)
		if passing = err; busy(err) {
			return false, nil
		}
		return found, err
	})
	if errors.Is(context.Cause(waiting), errSpanOver) && errors.Is(err, context.DeadlineExceeded) {
		return false, passing
	}
	return found, err
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

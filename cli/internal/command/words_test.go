package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

var now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// What status says of a session claims no more than is known of it.
func TestPresenceAndReachWords(t *testing.T) {
	for name, test := range map[string]struct {
		row      core.SessionStatus
		presence string
		reach    string
	}{
		"just heard": {core.SessionStatus{Presence: protocol.Online, HeartbeatAt: now.Add(-time.Minute), Lifecycle: protocol.Managed}, "online", "next turn"},
		"silent, but its process lives": {core.SessionStatus{Presence: protocol.Online, HeartbeatAt: now.Add(-12 * time.Minute), Lifecycle: protocol.Managed,
			LiveDelivery: true, LiveLeaseCurrent: true}, "idle 12 min", "wake on send"},
		"a lease ran out":     {core.SessionStatus{Presence: protocol.Online, HeartbeatAt: now.Add(-4 * time.Minute), LiveDelivery: true}, "idle 4 min", "wake on send, if it still answers"},
		"no process is known": {core.SessionStatus{Presence: protocol.Stale, HeartbeatAt: now.Add(-5 * time.Minute), Lifecycle: protocol.Manual}, "not answering 5 min", "inbox only"},
		"nothing is known":    {core.SessionStatus{Presence: protocol.PresenceUnknown, Lifecycle: protocol.Managed}, "unknown", "next turn"},
		"gone":                {core.SessionStatus{Presence: protocol.Offline, LiveDelivery: true}, "offline", "when it returns"},
		"gone, with a word":   {core.SessionStatus{Presence: protocol.Offline, EndReason: "clear\x1b"}, `offline (clear\x1b)`, "when it returns"},
	} {
		if got := presenceWords(test.row, now); got != test.presence {
			t.Errorf("%s: presence %q, want %q", name, got, test.presence)
		}
		if got := reach(test.row); got != test.reach {
			t.Errorf("%s: reach %q, want %q", name, got, test.reach)
		}
	}
}

func TestMailSaysWhereItStoppedCounting(t *testing.T) {
	for want, row := range map[string]core.SessionStatus{
		"":                                      {},
		"2 queued":                              {Queued: 2},
		"99+ queued, 3+ offered, not retrieved": {Queued: 99, Offered: 3, CountsCut: true},
	} {
		if got := mail(row); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// poll gives an error that another look may mend only when there is no other look.
func TestPoll(t *testing.T) {
	lock := protocol.TimeoutError(protocol.ReasonLockBusy, "busy")
	looks, dir := 0, t.TempDir()
	found, err := poll(t.Context(), dir, time.Minute, func(context.Context) (bool, error) {
		looks++
		if err := os.WriteFile(filepath.Join(dir, "head.json"), []byte{byte(looks)}, 0o600); err != nil {
			t.Fatal(err)
		}
		if looks < 3 {
			return false, lock
		}
		return true, nil
	})
	if !found || err != nil || looks != 3 {
		t.Errorf("found %v, error %v, %d looks", found, err, looks)
	}
	if _, err := poll(t.Context(), dir, 0, func(context.Context) (bool, error) { return false, lock }); !errors.Is(err, lock) {
		t.Errorf("a single look that failed gives %v", err)
	}
	broken := protocol.DataError(protocol.ReasonStoreCorrupt, "broken")
	if _, err := poll(t.Context(), dir, time.Minute, func(context.Context) (bool, error) { return false, broken }); !errors.Is(err, broken) {
		t.Errorf("a lasting error gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := poll(ctx, dir, time.Minute, func(context.Context) (bool, error) { return false, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted wait gives %v", err)
	}
	if found, err := poll(t.Context(), dir, time.Millisecond, func(context.Context) (bool, error) { return false, nil }); found || err != nil {
		t.Errorf("a wait in vain gives %v, %v", found, err)
	}
	if _, err := poll(t.Context(), dir, time.Millisecond, func(context.Context) (bool, error) { return false, lock }); !errors.Is(err, lock) {
		t.Errorf("a wait whose looks all failed gives %v", err)
	}
}

// TestRecorded: exit code 3 promises that nothing was recorded, so no wait after a send ends with it.
func TestRecorded(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		code protocol.Code
		text string
	}{
		"interrupted": {context.Canceled, protocol.Attention, "m is recorded, and the wait for it was interrupted"},
		"deadline":    {context.DeadlineExceeded, protocol.Attention, "m is recorded, but waiting for it failed: "},
		"lock":        {protocol.TimeoutError(protocol.ReasonLockBusy, "busy"), protocol.Attention, "m is recorded, but waiting for it failed: busy"},
		"damage":      {protocol.DataError(protocol.ReasonStoreCorrupt, "broken"), protocol.Data, "m is recorded, but waiting for it failed: broken"},
	} {
		got := classify(recorded(test.err, "m"))
		if got.Code != test.code || !strings.HasPrefix(got.Message, test.text) || got.Hint != "acc receipts m" {
			t.Errorf("%s: %d %q, hint %q", name, got.Code, got.Message, got.Hint)
		}
	}
}

// Every error becomes a protocol error with an exit code of its own.
func TestClassify(t *testing.T) {
	for name, test := range map[string]struct {
		err    error
		code   protocol.Code
		reason protocol.Reason
	}{
		"ours":        {protocol.ConflictError(protocol.ReasonClaimConflict, "x"), protocol.Conflict, protocol.ReasonClaimConflict},
		"deadline":    {context.DeadlineExceeded, protocol.Timeout, "deadline_passed"},
		"interrupted": {context.Canceled, protocol.Timeout, "interrupted"},
		"unknown":     {errors.New("x"), protocol.Data, "unexpected"},
	} {
		if got := classify(test.err); got.Code != test.code || got.Reason != test.reason {
			t.Errorf("%s: %d %s", name, got.Code, got.Reason)
		}
	}
}

// TestPatient: whoever waits says so before, and whoever looks once does not.
func TestPatient(t *testing.T) {
	patient := 0
	inv := &Invocation{Host: Host{Patient: func() { patient++ }}}
	for _, c := range []struct {
		span time.Duration
		want int
	}{{0, 0}, {time.Minute, 1}} {
		patient = 0
		_, err := inv.poll(t.Context(), t.TempDir(), c.span, func(context.Context) (bool, error) { return patient == c.want, nil })
		if err != nil || patient != c.want {
			t.Errorf("a wait of %s: %v, said %d times", c.span, err, patient)
		}
	}
}

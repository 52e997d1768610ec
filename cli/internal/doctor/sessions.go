package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/core"
	hookrunner "github.com/acc-control-plane/acc/hook-runner"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// skew is how far ahead of this clock a time on record may be.
const skew = 5 * time.Second

// checkSessions looks at who is in the room, what waits for them and how they can be reached.
func (e *examination) checkSessions(ctx context.Context, r *room.Room) {
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	status, err := r.Core.Status(ctx, core.StatusQuery{All: true})
	if err != nil {
		e.fail(subjectSessions, "cannot be listed: "+err.Error(), hint(err))
		return
	}
	e.ok(subjectSessions, fmt.Sprintf("%d online, %d not answering", status.Counts.Live, status.Counts.Stale))
	backlog := map[string]bool{}
	for _, s := range status.Sessions {
		if s.HeartbeatAt.After(e.newest[s.Harness]) {
			e.newest[s.Harness] = s.HeartbeatAt
		}
		if ahead := s.HeartbeatAt.Sub(e.Now); ahead > skew {
			e.warn(subjectSessions, fmt.Sprintf("%s gave a sign of life %s in the future: the clock was set back", s.ParticipantID, ahead.Round(time.Second)), "")
		}
		if waiting := s.Queued + s.Offered; waiting > 0 && !backlog[s.ParticipantID] {
			backlog[s.ParticipantID] = true
			more := ""
			if s.CountsCut {
				more = "at least "
			}
			e.ok(subjectSessions, fmt.Sprintf("%s: %s%d unread, %d of them never shown (%s)", s.ParticipantID, more, waiting, s.Queued, s.Presence))
		}
	}
	e.checkBindings(status)
	e.checkAttempts(r, status)
	e.checkUndecided(r)
}

// checkBindings tells of the published endpoints, and of those whose session is not open.
func (e *examination) checkBindings(status core.Status) {
	for _, b := range status.Bindings {
		at := slices.IndexFunc(status.Sessions, func(s core.SessionStatus) bool { return s.SessionID == b.SessionID })
		switch {
		case at < 0 || status.Sessions[at].Presence == protocol.Offline:
			e.warn(b.AdapterID, "an endpoint is published for "+cmp.Or(b.ParticipantID, b.SessionID)+", whose session is not open", "")
		case b.Reachable:
			e.ok(b.AdapterID, "an endpoint of "+b.ParticipantID+" is published and vouched for")
		default:
			e.add(Finding{Level: OK, Subject: b.AdapterID, At: b.LeaseUntil,
				Text: "an endpoint of " + b.ParticipantID + " is published; its lease ran out, and the next send verifies it again"})
		}
	}
}

// checkAttempts tells what came of the last attempt of each open session to publish an endpoint.
func (e *examination) checkAttempts(r *room.Room, status core.Status) {
	attempts, unreadable, err := livefiles.NewLedger(e.Home, r.Dir).Attempts()
	if err != nil {
		e.warn(subjectSessions, err.Error(), "")
		return
	}
	if unreadable > 0 {
		e.warn(subjectSessions, fmt.Sprintf("%d notes about attempts to publish an endpoint cannot be read", unreadable), "")
	}
	for _, a := range attempts {
		at := slices.IndexFunc(status.Sessions, func(s core.SessionStatus) bool { return s.SessionID == a.SessionID })
		if a.Reason == "" || at < 0 || status.Sessions[at].Presence == protocol.Offline {
			continue
		}
		s := status.Sessions[at]
		text := fmt.Sprintf("%s cannot be woken: %s, tried at %s", s.ParticipantID, a.Reason, a.Event)
		if a.LaunchOption != "" {
			text += "; it was started with " + a.LaunchOption
		}
		e.add(Finding{Level: Warn, Subject: s.Harness, Text: text, At: a.At})
	}
}

// checkUndecided tells of writes that went through because claims could not be checked.
func (e *examination) checkUndecided(r *room.Room) {
	fired, unreadable, err := hookrunner.ReadFirings(e.Home.Root, r.Dir)
	if err != nil {
		e.warn(subjectSessions, err.Error(), "")
		return
	}
	if unreadable > 0 {
		e.warn(subjectSessions, fmt.Sprintf("%d notes about hooks that fired cannot be read", unreadable), "")
	}
	sums := map[string]*Undecided{}
	for _, f := range fired {
		if f.Guard.Undecided == 0 {
			continue
		}
		if sums[f.AdapterID] == nil {
			sums[f.AdapterID] = &Undecided{AdapterID: f.AdapterID}
		}
		sum := sums[f.AdapterID]
		sum.Count += f.Guard.Undecided
		if f.Guard.UndecidedAt.After(sum.LastAt) {
			sum.LastAt = f.Guard.UndecidedAt
		}
	}
	for _, sum := range sums {
		e.Undecided = append(e.Undecided, *sum)
	}
	slices.SortFunc(e.Undecided, func(a, b Undecided) int { return strings.Compare(a.AdapterID, b.AdapterID) })
	for _, sum := range e.Undecided {
		e.add(Finding{Level: Warn, Subject: sum.AdapterID, At: sum.LastAt,
			Text: fmt.Sprintf("%d writes went through because claims could not be checked, the last", sum.Count)})
	}
}

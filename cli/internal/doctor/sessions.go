package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

const (
	// skew is how far a time on record may be ahead of this clock, or of a later one.
	skew = 5 * time.Second
	// longUnread is the age from which mail that nobody has read is worth a word.
	longUnread = 24 * time.Hour
)

// Backlog is the mail of a participant that it has not read.
type Backlog struct {
	ParticipantID string
	Presence      protocol.Presence
	Queued        int  // never shown to it
	Offered       int  // shown, and not read
	AtLeast       bool // counting stopped there
	OldestID      string
	OldestAt      time.Time
}

// checkSessions looks at who is in the room, what waits for them and how they can be reached.
func (e *examination) checkSessions(ctx context.Context, r *room.Room) {
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	status, err := r.Core.Status(ctx, core.StatusQuery{All: true})
	if err != nil {
		e.fail(subjectSessions, "cannot be listed: "+err.Error(), hint(err, "acc doctor --repair"))
		return
	}
	e.ok(subjectSessions, fmt.Sprintf("%d online, %d not answering", status.Counts.Live, status.Counts.Stale))
	for _, s := range status.Sessions {
		if s.HeartbeatAt.After(e.newest[s.Harness]) {
			e.newest[s.Harness] = s.HeartbeatAt
		}
	}
	e.checkBacklog(ctx, r, status)
	e.checkClock(ctx, r, status)
	e.checkEndpoints(ctx, r, status)
	e.checkAttempts(ctx, r, status)
	e.checkSavedRooms()
	e.checkOwners(ctx, r)
	e.checkHooksFired(r)
}

// checkBacklog tells for whom mail waits, and how long.
func (e *examination) checkBacklog(ctx context.Context, r *room.Room, status core.Status) {
	for _, s := range status.Sessions {
		known := slices.ContainsFunc(e.Backlog, func(b Backlog) bool { return b.ParticipantID == s.ParticipantID })
		if s.Queued+s.Offered > 0 && !known {
			e.Backlog = append(e.Backlog, Backlog{ParticipantID: s.ParticipantID, Presence: s.Presence, Queued: s.Queued, Offered: s.Offered, AtLeast: s.CountsCut})
		}
	}
	err := r.Store.View(ctx, func(reader core.Reader) (err error) {
		for n := range e.Backlog {
			if err = e.Backlog[n].date(reader); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		e.warn(subjectSessions, "how long mail waits is unknown: "+err.Error(), hint(err, "acc doctor --repair"))
	}
	for _, b := range e.Backlog {
		more := ""
		if b.AtLeast {
			more = "at least "
		}
		f := Finding{Level: OK, Subject: subjectSessions, At: b.OldestAt,
			Text: fmt.Sprintf("%s: %s%d unread, %d of them never shown (%s)", b.ParticipantID, more, b.Queued+b.Offered, b.Queued, b.Presence)}
		if !b.OldestAt.IsZero() {
			f.Text += ", the oldest from"
			if e.Now.Sub(b.OldestAt) > longUnread {
				f.Level, f.Remedy = Warn, "acc thread "+b.OldestID+", and tell whoever wrote it, or open a session of "+b.ParticipantID
			}
		}
		e.add(f)
	}
}

// date finds the oldest message that the participant has not read.
func (b *Backlog) date(reader core.Reader) error {
	query := core.Query{Index: core.PendingReceipts, Key: []string{b.ParticipantID}, Limit: 100}
	for {
		entries, err := reader.Find(query)
		if err != nil {
			return err
		}
		for n := range entries {
			stored, found, err := reader.Get(protocol.KindReceipt, entries[n].ID)
			if err != nil {
				return err
			}
			if !found || stored.Record.(*protocol.Receipt).State.AtLeast(protocol.Retrieved) {
				continue
			}
			id := stored.Record.(*protocol.Receipt).MessageID
			message, found, err := reader.Get(protocol.KindMessage, id)
			if found {
				b.OldestID, b.OldestAt = id, message.Record.(*protocol.Message).SentAt
			}
			return err
		}
		if len(entries) < query.Limit {
			return nil
		}
		query.After = &entries[len(entries)-1]
	}
}

// checkClock looks for times that the clock of this machine, or the order of events, contradicts.
func (e *examination) checkClock(ctx context.Context, r *room.Room, status core.Status) {
	const remedy = "set the clock right; the order of messages never depends on it, leases and ages do"
	before := len(e.Findings)
	for _, s := range status.Sessions {
		if ahead := s.HeartbeatAt.Sub(e.Now); ahead > skew {
			e.warn(subjectClock, fmt.Sprintf("%s gave a sign of life %s in the future: the clock was set back", s.ParticipantID, ahead.Round(time.Second)), remedy)
		}
	}
	events, err := lastEvents(ctx, r, status.Cursor)
	if err != nil {
		e.warn(subjectClock, "the times of the last events are unknown: "+err.Error(), hint(err, "acc doctor --repair"))
		return
	}
	for n := 1; n < len(events); n++ {
		if back := events[n-1].OccurredAt.Sub(events[n].OccurredAt); back > skew {
			e.warn(subjectClock, fmt.Sprintf("event %d is dated %s before the one that it follows: the clock jumped", events[n].Sequence, back.Round(time.Second)), remedy)
		}
	}
	if len(e.Findings) == before && len(events) > 0 {
		e.ok(subjectClock, fmt.Sprintf("the times of the last %d events rise, and none lies in the future", len(events)))
	}
}

// lastEvents gives the newest page of events, oldest first.
func lastEvents(ctx context.Context, r *room.Room, cursor string) ([]protocol.Event, error) {
	last, err := protocol.ParseSequence(cursor)
	if err != nil {
		return nil, err
	}
	from := protocol.FormatSequence(last - min(last, protocol.EventsPageMax))
	page, err := r.Core.Sync(ctx, core.SyncQuery{Cursor: from, Limit: protocol.EventsPageMax})
	slices.SortFunc(page.Events, func(a, b protocol.Event) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return page.Events, err
}

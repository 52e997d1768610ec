package core

import (
	"context"
	"fmt"

	"github.com/acc-control-plane/acc/protocol"
)

// SyncQuery asks what happened since a cursor.
type SyncQuery struct {
	Owner  *Owner // nil: the public view, without attention
	Cursor string // 16 digits: the last sequence that was seen; empty: from the beginning
	Limit  int    // events, 1 to protocol.EventsPageMax; 0: protocol.EventsPageDefault
	Full   bool   // also a Snapshot of how things stand
}

// SyncResult is what happened and how things stand.
type SyncResult struct {
	Cursor string // to ask with next; the last sequence that was given
	// Solo says that there is nobody to coordinate with and nothing to know: no peer that may be there,
	// no attention and no claim.
	Solo           bool
	Attention      []AttentionItem // empty in the public view
	Roster         []RosterRow     // sessions that may be there, the caller's too
	Events         []protocol.Event
	More           bool   // events after Cursor
	TrimmedThrough uint64 // the highest sequence that may no longer be readable; 0: none
	Snapshot       *Snapshot
}

// RosterRow is one session that may be there.
type RosterRow struct {
	SessionID       string
	ParticipantID   string
	ParentSessionID string
	Harness         string
	Branch          string
	Presence        protocol.Presence
}

// Snapshot is how things stand; credentials are blank. Messages are paged by History.
type Snapshot struct {
	Workspace    protocol.Workspace // CreatedAt is zero while nothing durable was recorded
	Participants []protocol.Participant
	Sessions     []protocol.Session // open
	Intents      []protocol.Intent  // not done
	Claims       []protocol.Claim   // on record, expired ones too
}

// Sync gives the events after a cursor, who is there, and what the caller must know.
func (c *Core) Sync(ctx context.Context, q SyncQuery) (SyncResult, error) {
	limit, err := pageLimit(q.Limit, protocol.EventsPageDefault, protocol.EventsPageMax)
	if err != nil {
		return SyncResult{}, err
	}
	after, err := parseCursor(q.Cursor)
	if err != nil {
		return SyncResult{}, err
	}
	var result SyncResult
	err = c.view(ctx, func(r *room) error {
		var err error
		result, err = r.sync(q, after, limit)
		return err
	})
	return result, err
}

func parseCursor(cursor string) (uint64, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := protocol.ParseSequence(cursor)
	if err != nil {
		return 0, protocol.UsageError(protocol.ReasonUnknownCursor, fmt.Sprintf("cursor %q is not %d digits", cursor, protocol.SequenceDigits)).WithHint("leave the cursor out to start at the beginning")
	}
	return n, nil
}

func (r *room) sync(q SyncQuery, after uint64, limit int) (SyncResult, error) {
	newest := r.Position().LastSequence
	if after > newest {
		return SyncResult{}, protocol.UsageError(protocol.ReasonUnknownCursor, fmt.Sprintf("cursor %s is beyond the newest event %s", protocol.FormatSequence(after), protocol.FormatSequence(newest)))
	}
	result := SyncResult{TrimmedThrough: r.TrimmedThrough()}
	var caller *protocol.Session
	var err error
	if q.Owner != nil {
		if caller, err = r.owned(*q.Owner); err != nil {
			return result, err
		}
		if result.Attention, err = r.attention(caller); err != nil {
			return result, err
		}
	}
	if result.Events, err = r.Events(after, limit); err != nil {
		return result, err
	}
	last := max(after, min(result.TrimmedThrough, newest))
	if n := len(result.Events); n > 0 {
		last = result.Events[n-1].Sequence
	}
	result.Cursor, result.More = protocol.FormatSequence(last), last < newest
	if result.Roster, err = r.rosterRows(); err != nil {
		return result, err
	}
	claims, err := r.claimStatus()
	if err != nil {
		return result, err
	}
	others := len(result.Roster)
	for _, row := range result.Roster {
		if caller != nil && row.SessionID == caller.SessionID {
			others--
		}
	}
	if caller == nil {
		others-- // whoever asks without a name may be the one who is there
	}
	result.Solo = others <= 0 && len(result.Attention) == 0 && len(claims) == 0
	if q.Full {
		result.Snapshot, err = r.snapshot()
	}
	return result, err
}

func (r *room) rosterRows() ([]RosterRow, error) {
	sessions, err := r.present("")
	if err != nil {
		return nil, err
	}
	rows := make([]RosterRow, 0, len(sessions))
	for _, s := range sessions {
		rows = append(rows, RosterRow{
			SessionID: s.SessionID, ParticipantID: s.ParticipantID, ParentSessionID: s.ParentSessionID,
			Harness: s.Harness, Branch: s.Branch, Presence: r.presence[s.SessionID],
		})
	}
	return rows, nil
}

// snapshot reads what is on record now. Its size follows what is open, not what was.
func (r *room) snapshot() (*Snapshot, error) {
	snap := &Snapshot{Workspace: r.core.workspace}
	w, _, found, err := get[*protocol.Workspace](r, protocol.KindWorkspace, r.core.workspace.WorkspaceID)
	if err != nil {
		return nil, err
	}
	if found {
		snap.Workspace = *w
	}
	if snap.Participants, err = values[*protocol.Participant](r, protocol.KindParticipant, Participants, nil); err != nil {
		return nil, err
	}
	if snap.Sessions, err = values(r, protocol.KindSession, OpenSessions, func(s *protocol.Session) { s.Generation = "" }); err != nil {
		return nil, err
	}
	if snap.Intents, err = values[*protocol.Intent](r, protocol.KindIntent, OpenIntents, nil); err != nil {
		return nil, err
	}
	snap.Claims, err = values(r, protocol.KindClaim, LiveClaims, func(c *protocol.Claim) { c.Generation = "" })
	return snap, err
}

// values copies the newest records of an index, at most protocol.MaxListItems, oldest first, and blanks
// what nobody may see.
func values[R interface {
	*T
	protocol.Record
}, T any](r *room, kind protocol.Kind, index Index, blank func(R)) ([]T, error) {
	records, err := list[R](r, kind, Query{Index: index, Reverse: true, Limit: protocol.MaxListItems})
	if err != nil {
		return nil, err
	}
	copies := make([]T, len(records))
	for i, record := range records {
		at := len(records) - 1 - i
		copies[at] = *record
		if blank != nil {
			blank(&copies[at])
		}
	}
	return copies, nil
}

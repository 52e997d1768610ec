package core

import (
	"context"
	"fmt"
	"time"

	"github.com/acc-control-plane/acc/core/decision"
	"github.com/acc-control-plane/acc/core/presence"
	"github.com/acc-control-plane/acc/protocol"
)

// room is one snapshot at one moment: what an operation reads. Presence is classified once per session,
// so that one answer never contradicts itself.
type room struct {
	Reader
	ctx      context.Context // of the operation; a room never outlives it
	core     *Core
	now      time.Time
	presence map[string]protocol.Presence

	decisions map[string]decision.Status // of groups that were walked
}

// change is a room that an operation may write.
type change struct {
	*room
	tx Tx
}

func (c *Core) room(ctx context.Context, r Reader) *room {
	return &room{Reader: r, ctx: ctx, core: c, now: c.now(), presence: map[string]protocol.Presence{}, decisions: map[string]decision.Status{}}
}

// get gives a record of a known type; the record is shared and must be copied before it is changed.
func get[R protocol.Record](r Reader, kind protocol.Kind, id string) (record R, stored Stored, found bool, err error) {
	stored, found, err = r.Get(kind, id)
	if err != nil || !found {
		return record, stored, false, err
	}
	record, ok := stored.Record.(R)
	if !ok {
		return record, stored, false, protocol.DataError(protocol.ReasonStoreCorrupt, fmt.Sprintf("the store holds another kind of record as %s %q", kind, id))
	}
	return record, stored, true, nil
}

func (r *room) session(id string) (*protocol.Session, bool, error) {
	s, _, found, err := get[*protocol.Session](r, protocol.KindSession, id)
	return s, found, err
}

func (r *room) message(id string) (*protocol.Message, bool, error) {
	m, _, found, err := get[*protocol.Message](r, protocol.KindMessage, id)
	return m, found, err
}

func (r *room) claim(id string) (*protocol.Claim, bool, error) {
	c, _, found, err := get[*protocol.Claim](r, protocol.KindClaim, id)
	return c, found, err
}

func (r *room) participant(id string) (*protocol.Participant, bool, error) {
	p, _, found, err := get[*protocol.Participant](r, protocol.KindParticipant, id)
	return p, found, err
}

func (r *room) receipt(messageID, participantID string) (*protocol.Receipt, bool, error) {
	receipt, _, found, err := get[*protocol.Receipt](r, protocol.KindReceipt, protocol.ReceiptID(messageID, participantID))
	return receipt, found, err
}

// list gives the records behind the entries of an index, in its order. An entry whose record is gone is
// left out.
func list[R protocol.Record](r Reader, kind protocol.Kind, q Query) ([]R, error) {
	entries, err := r.Find(q)
	if err != nil {
		return nil, err
	}
	records := make([]R, 0, len(entries))
	for _, entry := range entries {
		record, _, found, err := get[R](r, kind, entry.ID)
		if err != nil {
			return nil, err
		}
		if found {
			records = append(records, record)
		}
	}
	return records, nil
}

func (r *room) sessions(index Index, key ...string) ([]*protocol.Session, error) {
	return list[*protocol.Session](r, protocol.KindSession, Query{Index: index, Key: key})
}

func (r *room) claims(index Index, key ...string) ([]*protocol.Claim, error) {
	return list[*protocol.Claim](r, protocol.KindClaim, Query{Index: index, Key: key})
}

func (r *room) receipts(index Index, key ...string) ([]*protocol.Receipt, error) {
	return list[*protocol.Receipt](r, protocol.KindReceipt, Query{Index: index, Key: key})
}

// beatOf gives the newest sign of life of a session: the newer of its record and its beat. One that
// lies in the future beyond the tolerance is used only when there is no other.
func (r *room) beatOf(s *protocol.Session) (time.Time, error) {
	beat, found, err := r.core.store.Ephemeral().Beat(r.ctx, s.SessionID, protocol.GenerationRef(s.Generation))
	if err != nil {
		return time.Time{}, err
	}
	if !found {
		return s.HeartbeatAt, nil
	}
	older, newer := s.HeartbeatAt, beat.HeartbeatAt
	if newer.Before(older) {
		older, newer = newer, older
	}
	if fromFuture(r.now, newer) {
		return older, nil
	}
	return newer, nil
}

// fromFuture says whether a clock must have jumped between t and now.
func fromFuture(now, t time.Time) bool { return t.Sub(now) > protocol.ClockSkewTolerance }

// presenceOf classifies a session, once per room.
func (r *room) presenceOf(s *protocol.Session) (protocol.Presence, error) {
	if known, found := r.presence[s.SessionID]; found {
		return known, nil
	}
	facts := presence.Facts{Open: s.State == protocol.SessionOpen, Cadence: s.HeartbeatCadence}
	if facts.Open {
		beat, err := r.beatOf(s)
		if err != nil {
			return "", err
		}
		facts.HeartbeatAt, facts.Process = beat, r.core.processOf(s)
	}
	p := presence.Of(facts, r.now)
	r.presence[s.SessionID] = p
	return p, nil
}

// present gives the open sessions that may be there, in the order in which they opened; one of them is left
// out without a look at it, for who knows that it is there.
func (r *room) present(without string) ([]*protocol.Session, error) {
	sessions, err := r.sessions(OpenSessions)
	if err != nil {
		return nil, err
	}
	there := make([]*protocol.Session, 0, len(sessions))
	for _, s := range sessions {
		if s.SessionID == without {
			continue
		}
		p, err := r.presenceOf(s)
		if err != nil {
			return nil, err
		}
		if p != protocol.Offline {
			there = append(there, s)
		}
	}
	return there, nil
}

// processOf looks at the process that a session recorded with its last heartbeat of record.
func (c *Core) processOf(s *protocol.Session) presence.Process {
	if s.PID == 0 {
		return presence.None
	}
	switch c.processes.Probe(s.PID, s.HeartbeatAt) {
	case ProcessAlive:
		return presence.Alive
	case ProcessDead:
		return presence.Dead
	default:
		return presence.Unknown
	}
}

// append adds an event whose actor is a session that was validated in this transaction.
func (c *change) append(actor *protocol.Session, payload protocol.EventPayload) {
	c.tx.Append(Draft{
		EventID:        c.core.ids.NewID(protocol.EventIDPrefix),
		ActorSessionID: actor.SessionID,
		OccurredAt:     c.now,
		Payload:        payload,
	})
}

package core

import (
	"context"
	"fmt"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// OpenSession is what a client says of itself when it attaches.
type OpenSession struct {
	// SessionID and Generation are given together by a caller that persisted the pair before it
	// opened the session, or both left empty to be minted. Opening a pair that is already open
	// resumes it: same session, refreshed heartbeat and process, no event.
	SessionID  string
	Generation string

	ParticipantID   string
	DisplayName     string // of the participant; empty: the participant id
	ParticipantOf   protocol.ParticipantKind
	Harness         string
	ParentSessionID string
	CheckoutRoot    string
	Branch          string
	PID             int // 0: no process is known
	Enforcement     protocol.Enforcement
	Lifecycle       protocol.Lifecycle
	Cadence         time.Duration // 0: protocol.HookCadence
}

// OpenSession opens or resumes a session. A session id that is open with another generation is
// refused with ReasonSessionLive unless its process is confirmed dead; one that was closed can be
// opened again with a new generation, never with the one that ended (ReasonSessionClosed). A session that
// begins ends a few others that are gone for certain (EndGone).
func (c *Core) OpenSession(ctx context.Context, req OpenSession) (protocol.Session, error) {
	if (req.SessionID == "") != (req.Generation == "") {
		return protocol.Session{}, protocol.UsageError("", "session id and generation are given together or not at all")
	}
	if req.SessionID == "" {
		req.SessionID, req.Generation = c.ids.NewID(protocol.SessionIDPrefix), c.ids.NewGeneration()
	}
	var opened protocol.Session
	var gone []*protocol.Session
	err := c.update(ctx, func(ch *change) error {
		before, found, err := ch.session(req.SessionID)
		if err != nil {
			return err
		}
		if found && before.State == protocol.SessionOpen && sameGeneration(before.Generation, req.Generation) {
			opened, err = ch.resume(before, req)
			return err
		}
		if found {
			if err := ch.replaceable(before, req); err != nil {
				return err
			}
		}
		if opened, err = ch.open(before, req); err != nil || ch.alone() {
			return err
		}
		gone, err = ch.endGone(&opened)
		return err
	})
	if err == nil {
		for _, s := range gone {
			c.forgetPresence(ctx, Owner{SessionID: s.SessionID, Generation: s.Generation})
		}
	}
	return opened, err
}

// resume refreshes what a running session says of itself. A resume after a compaction is not a new
// agent, so no event tells of it.
func (c *change) resume(before *protocol.Session, req OpenSession) (protocol.Session, error) {
	s := *before
	s.HeartbeatAt = c.now
	if req.PID != 0 {
		s.PID = req.PID
	}
	if req.CheckoutRoot != "" {
		s.CheckoutRoot, s.Branch = req.CheckoutRoot, req.Branch
	}
	if err := c.tx.Put(&s); err != nil || !c.alone() {
		return s, err
	}
	return s, c.tx.KeepSolo()
}

// replaceable refuses to take a session id from whoever may still live behind it.
func (c *change) replaceable(before *protocol.Session, req OpenSession) error {
	if before.State == protocol.SessionClosed {
		if sameGeneration(before.Generation, req.Generation) {
			return protocol.ConflictError(protocol.ReasonSessionClosed, fmt.Sprintf("session %q has ended with this generation", before.SessionID)).
				WithHint("open it again with a new generation")
		}
		return nil
	}
	if before.PID != 0 && c.core.processes.Probe(before.PID, before.HeartbeatAt) == ProcessDead {
		return nil
	}
	return protocol.ConflictError(protocol.ReasonSessionLive, fmt.Sprintf("session %q is already live", before.SessionID)).
		With("sessionId", before.SessionID)
}

// open records a new generation of a session, and its participant if nobody recorded it yet.
func (c *change) open(before *protocol.Session, req OpenSession) (protocol.Session, error) {
	s := protocol.Session{
		SessionID: req.SessionID, Generation: req.Generation, ParticipantID: req.ParticipantID, WorkspaceID: c.core.workspace.WorkspaceID,
		Harness: req.Harness, State: protocol.SessionOpen, ParentSessionID: req.ParentSessionID,
		CheckoutRoot: req.CheckoutRoot, Branch: req.Branch, PID: req.PID,
		Enforcement: orDefault(req.Enforcement, protocol.Advisory), Lifecycle: orDefault(req.Lifecycle, protocol.Manual),
		HeartbeatCadence: orDefault(req.Cadence, protocol.HookCadence), StartedAt: c.now, HeartbeatAt: c.now,
	}
	if before != nil {
		s.Extensions = withoutFinish(before.Extensions)
	}
	if err := c.parentKnown(&s); err != nil {
		return protocol.Session{}, err
	}
	solo := false
	if c.alone() {
		var err error
		if solo, err = c.stayAlone(s.SessionID); err != nil {
			return protocol.Session{}, err
		}
	}
	if !solo {
		if err := c.materialise(&s); err != nil {
			return protocol.Session{}, err
		}
	} else if before != nil && before.ParticipantID != s.ParticipantID {
		if err := c.forget(before); err != nil {
			return protocol.Session{}, err
		}
	}
	if err := c.introduce(req); err != nil {
		return protocol.Session{}, err
	}
	if err := c.tx.Put(&s); err != nil {
		return protocol.Session{}, err
	}
	if solo {
		return s, c.tx.KeepSolo()
	}
	payload := protocol.SessionOpenedPayload{}
	if before != nil {
		payload.Replaced = protocol.GenerationRef(before.Generation)
	}
	c.append(&s, payload)
	return s, nil
}

// parentKnown refuses a parent that this room does not know, open or closed.
func (c *change) parentKnown(s *protocol.Session) error {
	if s.ParentSessionID == "" {
		return nil
	}
	_, found, err := c.session(s.ParentSessionID)
	if err == nil && (!found || s.ParentSessionID == s.SessionID) {
		err = protocol.DataError(protocol.ReasonNotFound, fmt.Sprintf("there is no session %q here that could be the parent", s.ParentSessionID)).
			WithHint("acc status --all lists the sessions")
	}
	return err
}

// introduce records the participant of a session that opens.
func (c *change) introduce(req OpenSession) error {
	_, found, err := c.participant(req.ParticipantID)
	if err != nil || found {
		return err
	}
	return c.tx.Put(&protocol.Participant{
		ParticipantID: req.ParticipantID, WorkspaceID: c.core.workspace.WorkspaceID,
		DisplayName: orDefault(req.DisplayName, req.ParticipantID), ParticipantOf: orDefault(req.ParticipantOf, protocol.Agent), CreatedAt: c.now,
	})
}

// Session gives the session of owner, open or closed, after checking the generation.
func (c *Core) Session(ctx context.Context, owner Owner) (protocol.Session, error) {
	var session protocol.Session
	err := c.view(ctx, func(r *room) error {
		s, err := r.known(owner)
		if err == nil {
			session = *s
		}
		return err
	})
	return session, err
}

// Heartbeat says that the session lives; it publishes a presence beat at most every HeartbeatEvery and
// never writes the journal. It gives the time of the newest beat.
func (c *Core) Heartbeat(ctx context.Context, owner Owner) (time.Time, error) {
	_, newest, err := c.Alive(ctx, owner)
	return newest, err
}

// BeatDue says whether Heartbeat would publish a beat, as far as the newest beat tells, without looking at the room. A
// session without a beat, and one that has ended since, is due.
func (c *Core) BeatDue(ctx context.Context, owner Owner) (bool, error) {
	b, found, err := c.store.Ephemeral().Beat(ctx, owner.SessionID, protocol.GenerationRef(owner.Generation))
	if err != nil || !found {
		return true, err
	}
	return beatDue(c.now(), b.HeartbeatAt), nil
}

// Alive is Heartbeat that also gives the session as it is recorded.
func (c *Core) Alive(ctx context.Context, owner Owner) (session protocol.Session, newest time.Time, err error) {
	var now time.Time
	var due bool
	err = c.view(ctx, func(r *room) error {
		s, err := r.owned(owner)
		if err != nil {
			return err
		}
		session = *s
		newest, err = r.beatOf(s)
		now, due = r.now, beatDue(r.now, newest)
		return err
	})
	if err != nil || !due {
		return session, newest, err
	}
	beat := protocol.PresenceBeat{SessionID: owner.SessionID, GenerationRef: protocol.GenerationRef(owner.Generation), HeartbeatAt: now}
	return session, now, c.store.Ephemeral().PutBeat(ctx, beat)
}

// beatDue says whether a session should publish a beat. One that lies in the future is replaced, so that
// a clock set back does not leave the session unknown.
func beatDue(now, newest time.Time) bool {
	return now.Sub(newest) >= protocol.HeartbeatEvery || fromFuture(now, newest)
}

// CloseSession ends the session, clears its intent and releases its claims in the same transaction.
// Closing a closed session of the same generation gives it unchanged; so does closing one that a room
// which never materialised has forgotten, of which nothing but the pair is known. reason is the client's
// word, or empty.
func (c *Core) CloseSession(ctx context.Context, owner Owner, reason string) (protocol.Session, error) {
	var closed protocol.Session
	err := c.update(ctx, func(ch *change) error {
		if _, found, err := ch.session(owner.SessionID); err == nil && !found && ch.alone() {
			closed = protocol.Session{SessionID: owner.SessionID, WorkspaceID: c.workspace.WorkspaceID, State: protocol.SessionClosed}
			return nil
		}
		s, err := ch.known(owner)
		if err != nil {
			return err
		}
		if s.State == protocol.SessionClosed {
			closed = *s
			return nil
		}
		if ch.alone() {
			closed = *s
			closed.State, closed.EndReason = protocol.SessionClosed, reason
			if err := ch.forget(s); err != nil {
				return err
			}
			return ch.tx.KeepSolo()
		}
		if _, err := ch.releaseAll(s); err != nil {
			return err
		}
		closed, err = ch.close(s, ending{reason: reason, extensions: s.Extensions})
		return err
	})
	if err != nil {
		return closed, err
	}
	c.forgetPresence(ctx, owner)
	return closed, nil
}

// forgetPresence removes what an ended session published. A failure is nobody's concern: the end is
// committed, and what a closed session left behind is never read.
func (c *Core) forgetPresence(ctx context.Context, owner Owner) {
	area, ref := c.store.Ephemeral(), protocol.GenerationRef(owner.Generation)
	bindings, _ := area.Bindings(ctx, owner.SessionID, ref)
	for _, b := range bindings {
		_ = area.RemoveBinding(ctx, owner.SessionID, ref, b.AdapterID)
	}
	_ = area.RemoveBeat(ctx, owner.SessionID, ref)
}

// ending is what is recorded of the end of a session.
type ending struct {
	reason     string
	extensions protocol.Extensions
	payload    protocol.SessionClosedPayload
}

// close records the end of a session, clears its intent and appends the event that tells of it.
func (c *change) close(s *protocol.Session, end ending) (protocol.Session, error) {
	if err := c.clearIntent(s); err != nil {
		return protocol.Session{}, err
	}
	closed := *s
	closed.State, closed.EndReason, closed.Extensions = protocol.SessionClosed, end.reason, end.extensions
	if err := c.tx.Put(&closed); err != nil {
		return protocol.Session{}, err
	}
	c.append(&closed, end.payload)
	return closed, nil
}

// releaseAll releases every claim of a session and gives the ids.
func (c *change) releaseAll(s *protocol.Session) ([]string, error) {
	claims, err := c.claims(ClaimsByOwner, s.SessionID)
	if err != nil {
		return nil, err
	}
	ids := []string{}
	for _, claim := range claims {
		if err := c.dropClaim(s, claim, ReleaseRequest{}); err != nil {
			return nil, err
		}
		ids = append(ids, claim.ClaimID)
	}
	return ids, nil
}

// orDefault gives value, or fallback where value is the zero value.
func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

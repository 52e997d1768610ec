package core

import "github.com/acc-control-plane/acc/protocol"

// A lone session leaves no trace: until something durable happens, its records are kept solo. The room
// materialises when a second live session opens or with the first claim, message or handoff, in the
// same transaction, so that no moment exists at which half of it is durable.

// alone says whether nothing durable was ever committed to the room.
func (r *room) alone() bool { return r.Position().Generation == 0 }

// soloSessions gives the sessions of a room that has not materialised, without that of keep.
func (r *room) soloSessions(keep string) ([]*protocol.Session, error) {
	sessions, err := r.sessions(OpenSessions)
	if err != nil {
		return nil, err
	}
	var others []*protocol.Session
	for _, s := range sessions {
		if s.SessionID != keep {
			others = append(others, s)
		}
	}
	return others, nil
}

// stayAlone says whether a session that opens in an unmaterialised room finds nobody there. What a
// session that is gone for certain left behind is forgotten.
func (c *change) stayAlone(sessionID string) (bool, error) {
	others, err := c.soloSessions(sessionID)
	if err != nil {
		return false, err
	}
	for _, other := range others {
		p, err := c.presenceOf(other)
		if err != nil || p != protocol.Offline {
			return false, err
		}
	}
	for _, other := range others {
		if err := c.forget(other); err != nil {
			return false, err
		}
	}
	return true, nil
}

// forget removes what a solo session kept, its participant too: nobody else can be it.
func (c *change) forget(s *protocol.Session) error {
	if err := c.tx.Remove(protocol.KindSession, s.SessionID); err != nil {
		return err
	}
	if _, found, err := c.intent(s.SessionID); err != nil {
		return err
	} else if found {
		if err := c.tx.Remove(protocol.KindIntent, s.SessionID); err != nil {
			return err
		}
	}
	if _, found, err := c.participant(s.ParticipantID); err != nil || !found {
		return err
	}
	return c.tx.Remove(protocol.KindParticipant, s.ParticipantID)
}

// materialise makes the room durable with its first durable change: the room itself, and the solo
// session, with its participant and intent. In a materialised room it does nothing.
func (c *change) materialise(actor *protocol.Session) error {
	if !c.alone() {
		return nil
	}
	_, found, err := c.Get(protocol.KindWorkspace, c.core.workspace.WorkspaceID)
	if err != nil || found {
		return err
	}
	w := c.core.workspace
	w.CreatedAt = c.now
	if err := c.tx.Put(&w); err != nil {
		return err
	}
	c.append(actor, protocol.WorkspaceMaterialisedPayload{})
	sessions, err := c.sessions(OpenSessions)
	if err != nil {
		return err
	}
	for _, s := range sessions { // the actor's own, or the one that may live beside the actor that opens
		if err := c.promote(s); err != nil {
			return err
		}
	}
	return nil
}

// promote writes a solo session again, as durable records.
func (c *change) promote(s *protocol.Session) error {
	participant, found, err := c.participant(s.ParticipantID)
	if err != nil {
		return err
	}
	if found {
		if err := c.tx.Put(participant); err != nil {
			return err
		}
	}
	if err := c.tx.Put(s); err != nil {
		return err
	}
	c.append(s, protocol.SessionOpenedPayload{})
	intent, found, err := c.intent(s.SessionID)
	if err != nil || !found {
		return err
	}
	if err := c.tx.Put(intent); err != nil {
		return err
	}
	c.append(s, protocol.IntentPublishedPayload{})
	return nil
}

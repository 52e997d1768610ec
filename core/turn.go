package core

import (
	"context"

	"github.com/acc-control-plane/acc/protocol"
)

// Turn is what a hook may tell a session before its next turn.
type Turn struct {
	Session   protocol.Session
	Peers     []Peer          // other sessions that are not offline
	Mail      []Mail          // queued, oldest first, at most the limit asked for
	More      int             // queued beyond Mail; counting stops at CountLimit
	Repeats   []Mail          // live offers to show once more, oldest first, at most the limit asked for; before a turn only
	Attention []AttentionItem // of this participant, sorted by priority, then source id
}

// Peer is another session of the room.
type Peer struct {
	SessionID     string
	ParticipantID string
	Harness       string
	Branch        string
	CheckoutRoot  string
	Presence      protocol.Presence
}

// Turn reads everything a next-turn projection needs in one snapshot and changes nothing.
func (c *Core) Turn(ctx context.Context, owner Owner, limit int) (Turn, error) {
	var turn Turn
	err := c.view(ctx, func(r *room) error {
		s, err := r.owned(owner)
		if err != nil {
			return err
		}
		turn = Turn{Session: *s}
		if turn.Peers, err = r.peers(s); err != nil {
			return err
		}
		if turn.Mail, turn.More, err = r.queued(s, limit); err != nil {
			return err
		}
		if turn.Repeats, err = r.repeats(s, limit); err != nil {
			return err
		}
		turn.Attention, err = r.attention(s)
		return err
	})
	return turn, err
}

// peers gives the other sessions that may be there.
func (r *room) peers(s *protocol.Session) ([]Peer, error) {
	sessions, err := r.sessions(OpenSessions)
	if err != nil {
		return nil, err
	}
	var peers []Peer
	for _, other := range sessions {
		if other.SessionID == s.SessionID {
			continue
		}
		p, err := r.presenceOf(other)
		if err != nil {
			return nil, err
		}
		if p != protocol.Offline {
			peers = append(peers, Peer{
				SessionID: other.SessionID, ParticipantID: other.ParticipantID, Harness: other.Harness,
				Branch: other.Branch, CheckoutRoot: other.CheckoutRoot, Presence: p,
			})
		}
	}
	return peers, nil
}

// queued gives what no turn has carried yet, oldest first, and how much more there is.
func (r *room) queued(s *protocol.Session, limit int) (mail []Mail, more int, err error) {
	q := Query{Index: QueuedReceipts, Key: []string{s.ParticipantID}, Limit: chunk}
	err = r.walkMail(q, func(m *protocol.Message, receipt *protocol.Receipt) (bool, error) {
		if len(mail) >= limit {
			more++
			return more < CountLimit, nil
		}
		whole, err := r.mail(m, receipt)
		mail = append(mail, whole)
		return true, err
	})
	return mail, more, err
}

// repeats gives the live offers whose one repeat is due.
func (r *room) repeats(s *protocol.Session, limit int) ([]Mail, error) {
	var mail []Mail
	q := Query{Index: LiveOffers, Key: []string{s.ParticipantID}, Limit: chunk}
	err := r.walkMail(q, func(m *protocol.Message, receipt *protocol.Receipt) (bool, error) {
		if len(mail) >= limit {
			return false, nil
		}
		if !r.repeatDue(receipt) {
			return true, nil
		}
		whole, err := r.mail(m, receipt)
		mail = append(mail, whole)
		return true, err
	})
	return mail, err
}

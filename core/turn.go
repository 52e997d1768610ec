package core

import (
	"context"
	"time"

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
	err := c.view(ctx, func(r *room) (err error) {
		turn, err = r.turn(owner, limit)
		return err
	})
	return turn, err
}

// TurnAlive is Turn and Alive from one snapshot: it reads what a turn needs, and publishes a sign of life
// if one is due.
func (c *Core) TurnAlive(ctx context.Context, owner Owner, limit int) (Turn, error) {
	var turn Turn
	var now time.Time
	var due bool
	err := c.view(ctx, func(r *room) (err error) {
		if turn, err = r.turn(owner, limit); err != nil {
			return err
		}
		newest, err := r.beatOf(&turn.Session)
		now, due = r.now, beatDue(r.now, newest)
		return err
	})
	if err != nil || !due {
		return turn, err
	}
	beat := protocol.PresenceBeat{SessionID: owner.SessionID, GenerationRef: protocol.GenerationRef(owner.Generation), HeartbeatAt: now}
	return turn, c.store.Ephemeral().PutBeat(ctx, beat)
}

func (r *room) turn(owner Owner, limit int) (turn Turn, err error) {
	s, err := r.owned(owner)
	if err != nil {
		return Turn{}, err
	}
	turn = Turn{Session: *s}
	if turn.Peers, err = r.peers(s); err != nil {
		return Turn{}, err
	}
	if turn.Mail, turn.More, err = r.queued(s, limit); err != nil {
		return Turn{}, err
	}
	if turn.Repeats, err = r.repeats(s, limit); err != nil {
		return Turn{}, err
	}
	turn.Attention, err = r.attention(s)
	return turn, err
}

// peers gives the other sessions that may be there.
func (r *room) peers(s *protocol.Session) ([]Peer, error) {
	sessions, err := r.present(s.SessionID)
	if err != nil {
		return nil, err
	}
	var peers []Peer
	for _, other := range sessions {
		peers = append(peers, Peer{
			SessionID: other.SessionID, ParticipantID: other.ParticipantID, Harness: other.Harness,
			Branch: other.Branch, CheckoutRoot: other.CheckoutRoot, Presence: r.presence[other.SessionID],
		})
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

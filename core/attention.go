package core

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/acc-control-plane/acc/core/resource"
	"github.com/acc-control-plane/acc/protocol"
)

// AttentionItem is something the session must know, in the closed vocabulary of attention kinds.
type AttentionItem struct {
	AttentionKind AttentionKind
	Priority      int
	SourceID      string
	Summary       string
}

// AttentionKind is one of the six rules.
type AttentionKind string

// The attention kinds in the order of their priority, 1 to 6.
const (
	ReplyRequired           AttentionKind = "reply_required"
	AcknowledgementRequired AttentionKind = "acknowledgement_required"
	RecipientUnavailable    AttentionKind = "recipient_unavailable"
	ClaimConflict           AttentionKind = "claim_conflict"
	ClaimContended          AttentionKind = "claim_contended"
	ClaimExpired            AttentionKind = "claim_expired"
)

// AttentionKinds lists the kinds in the order of their priority; the first has priority 1.
var AttentionKinds = [...]AttentionKind{
	ReplyRequired, AcknowledgementRequired, RecipientUnavailable, ClaimConflict, ClaimContended, ClaimExpired,
}

// attention applies every rule to one session and sorts what they find.
func (r *room) attention(s *protocol.Session) ([]AttentionItem, error) {
	var items []AttentionItem
	for _, rule := range []func(*protocol.Session) ([]AttentionItem, error){r.owedBySession, r.unavailable, r.conflicting, r.contended, r.expired} {
		found, err := rule(s)
		if err != nil {
			return nil, err
		}
		items = append(items, found...)
	}
	slices.SortFunc(items, func(a, b AttentionItem) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.SourceID, b.SourceID), cmp.Compare(a.Summary, b.Summary))
	})
	return items, nil
}

func item(kind AttentionKind, sourceID, summary string) AttentionItem {
	return AttentionItem{AttentionKind: kind, Priority: slices.Index(AttentionKinds[:], kind) + 1, SourceID: sourceID, Summary: summary}
}

// owedBySession: rules 1 and 2, what the participant still owes.
func (r *room) owedBySession(s *protocol.Session) ([]AttentionItem, error) {
	var items []AttentionItem
	err := r.walkMail(Query{Index: OwedReceipts, Key: []string{s.ParticipantID}}, func(m *protocol.Message, _ *protocol.Receipt) (bool, error) {
		kind := AcknowledgementRequired
		if m.Obligation == protocol.ObligationReply {
			kind = ReplyRequired
		}
		items = append(items, item(kind, m.MessageID, m.Subject))
		return true, nil
	})
	return items, err
}

// unavailable: rule 3, what the participant asked of somebody who is not there to answer.
func (r *room) unavailable(s *protocol.Session) ([]AttentionItem, error) {
	var items []AttentionItem
	err := r.walkMail(Query{Index: ObligationsByAuthor, Key: []string{s.ParticipantID}}, func(m *protocol.Message, receipt *protocol.Receipt) (bool, error) {
		there, err := r.reachable(receipt.RecipientParticipantID)
		if err == nil && !there {
			items = append(items, item(RecipientUnavailable, m.MessageID, fmt.Sprintf("%s - %s is unavailable", m.Subject, receipt.RecipientParticipantID)))
		}
		return true, err
	})
	return items, err
}

// reachable says whether a participant has a session that is online or can be woken.
func (r *room) reachable(participantID string) (bool, error) {
	sessions, err := r.sessions(OpenSessionsByParticipant, participantID)
	if err != nil {
		return false, err
	}
	for _, session := range sessions {
		p, err := r.presenceOf(session)
		if err != nil || p == protocol.Online {
			return p == protocol.Online, err
		}
		if p == protocol.Offline {
			continue
		}
		if wakeable, err := r.wakeable(session); err != nil || wakeable {
			return wakeable, err
		}
	}
	return false, nil
}

// conflicting: rule 4, what the session means to touch and somebody else holds.
func (r *room) conflicting(s *protocol.Session) ([]AttentionItem, error) {
	intent, err := r.activeIntent(s.SessionID)
	if err != nil || intent == nil {
		return nil, err
	}
	var items []AttentionItem
	told := map[string]bool{}
	for _, hint := range intent.ResourceHints {
		claims, err := r.overlapping(hint)
		if err != nil {
			return nil, err
		}
		for _, claim := range claims {
			if claim.OwnerSessionID == s.SessionID || !r.live(claim) || told[claim.ClaimID] {
				continue
			}
			told[claim.ClaimID] = true
			owner, err := r.participantOf(claim.OwnerSessionID)
			if err != nil {
				return nil, err
			}
			items = append(items, item(ClaimConflict, claim.ClaimID, fmt.Sprintf("your intent on %s meets %s of %s", hint, claim.Resource, owner)))
		}
	}
	return items, nil
}

// contended: rule 5, what the session holds and a peer means to touch; the peer that opened first is
// named.
func (r *room) contended(s *protocol.Session) ([]AttentionItem, error) {
	claims, err := r.claims(ClaimsByOwner, s.SessionID)
	if err != nil || len(claims) == 0 {
		return nil, err
	}
	peers, err := r.peers(s)
	if err != nil {
		return nil, err
	}
	var items []AttentionItem
	told := map[string]bool{}
	for _, peer := range peers {
		intent, err := r.activeIntent(peer.SessionID)
		if err != nil {
			return nil, err
		}
		if intent == nil {
			continue
		}
		for _, claim := range claims {
			i := slices.IndexFunc(intent.ResourceHints, func(hint string) bool { return resource.Overlap(hint, claim.Resource) })
			if i < 0 || !r.live(claim) || told[claim.ClaimID] {
				continue
			}
			told[claim.ClaimID] = true
			items = append(items, item(ClaimContended, claim.ClaimID, fmt.Sprintf("%s means to touch %s, which you hold as %s", peer.ParticipantID, intent.ResourceHints[i], claim.Resource)))
		}
	}
	return items, nil
}

// participantOf gives the participant of a session, or the session id where it is not known.
func (r *room) participantOf(sessionID string) (string, error) {
	s, found, err := r.session(sessionID)
	if err != nil || !found {
		return sessionID, err
	}
	return s.ParticipantID, nil
}

// expired: rule 6, a lease of the session that has run out.
func (r *room) expired(s *protocol.Session) ([]AttentionItem, error) {
	claims, err := r.claims(ClaimsByOwner, s.SessionID)
	if err != nil {
		return nil, err
	}
	var items []AttentionItem
	for _, claim := range claims {
		if !r.live(claim) {
			items = append(items, item(ClaimExpired, claim.ClaimID, "the lease on "+claim.Resource+" has run out"))
		}
	}
	return items, nil
}

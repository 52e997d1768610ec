package core

import (
	"cmp"
	"fmt"
	"slices"

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
	for _, rule := range []func(*protocol.Session) ([]AttentionItem, error){r.owedBySession, r.unavailable, r.expired} {
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

// reachable says whether a participant has a session that is online.
func (r *room) reachable(participantID string) (bool, error) {
	sessions, err := r.sessions(OpenSessionsByParticipant, participantID)
	if err != nil {
		return false, err
	}
	for _, session := range sessions {
		if p, err := r.presenceOf(session); err != nil || p == protocol.Online {
			return p == protocol.Online, err
		}
	}
	return false, nil
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

package core

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// StatusQuery asks for the state of the room.
type StatusQuery struct {
	Owner *Owner // nil: the public view, without attention
	All   bool   // also sessions that are offline
}

// SessionStatus is one row of the roster.
type SessionStatus struct {
	SessionID       string
	ParticipantID   string
	Harness         string
	ParentSessionID string
	CheckoutRoot    string
	Branch          string
	Enforcement     protocol.Enforcement
	Lifecycle       protocol.Lifecycle
	Presence        protocol.Presence
	HeartbeatAt     time.Time
	ProcessTracked  bool
	EndReason       string
	Queued          int // receipts of the participant
	Offered         int
}

// ClaimStatus is one live claim.
type ClaimStatus struct {
	ClaimID            string
	Resource           string
	Mode               protocol.ClaimMode
	Enforcement        protocol.Enforcement
	Reason             string
	OwnerSessionID     string
	OwnerParticipantID string
	ExpiresAt          time.Time
}

// Protection says how far claims protect the room.
type Protection string

// The protection levels.
const (
	ProtectionNone     Protection = "none"     // no claims
	ProtectionGuarded  Protection = "guarded"  // every live session and every claim is guarded
	ProtectionAdvisory Protection = "advisory" // anything else
)

// Waiting is an unsettled obligation of the caller's own messages.
type Waiting struct {
	MessageID   string
	MessageKind protocol.MessageKind
	Subject     string
	Recipient   string
	State       protocol.ReceiptState
	Since       time.Time
}

// Status is the room at one moment.
type Status struct {
	WorkspaceID  string
	DisplayName  string
	Source       protocol.WorkspaceSource
	Materialised bool // something durable was recorded
	Protection   Protection
	Sessions     []SessionStatus
	Claims       []ClaimStatus
	Attention    []AttentionItem // empty in the public view
	Waiting      []Waiting       // empty in the public view
	Cursor       string          // sequence of the newest event, 16 digits
	Now          time.Time
}

// Status gives the room. Presence is classified once per call.
func (c *Core) Status(ctx context.Context, q StatusQuery) (Status, error) {
	var status Status
	err := c.view(ctx, func(r *room) error {
		status = Status{
			WorkspaceID: c.workspace.WorkspaceID, DisplayName: c.workspace.DisplayName, Source: c.workspace.Source,
			Materialised: r.Position().Generation > 0, Cursor: protocol.FormatSequence(r.Position().LastSequence), Now: r.now,
		}
		var err error
		if status.Sessions, err = r.roster(q.All); err != nil {
			return err
		}
		if status.Claims, err = r.claimStatus(); err != nil {
			return err
		}
		status.Protection = protection(status.Sessions, status.Claims)
		if q.Owner == nil {
			return nil
		}
		s, err := r.owned(*q.Owner)
		if err != nil {
			return err
		}
		if status.Attention, err = r.attention(s); err != nil {
			return err
		}
		status.Waiting, err = r.waiting(s)
		return err
	})
	return status, err
}

// roster gives the sessions of the room in the order in which they opened.
func (r *room) roster(all bool) ([]SessionStatus, error) {
	sessions, err := r.sessions(OpenSessions)
	if err != nil {
		return nil, err
	}
	var rows []SessionStatus
	for _, s := range sessions {
		p, err := r.presenceOf(s)
		if err != nil {
			return nil, err
		}
		if p == protocol.Offline && !all {
			continue
		}
		row, err := r.row(s, p)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (r *room) row(s *protocol.Session, p protocol.Presence) (SessionStatus, error) {
	row := SessionStatus{
		SessionID: s.SessionID, ParticipantID: s.ParticipantID, Harness: s.Harness, ParentSessionID: s.ParentSessionID,
		CheckoutRoot: s.CheckoutRoot, Branch: s.Branch, Enforcement: s.Enforcement, Lifecycle: s.Lifecycle,
		Presence: p, ProcessTracked: s.PID != 0, EndReason: s.EndReason,
	}
	var err error
	if row.HeartbeatAt, err = r.beatOf(s); err != nil {
		return row, err
	}
	err = r.walkMail(Query{Index: PendingReceipts, Key: []string{s.ParticipantID}, Limit: chunk}, func(_ *protocol.Message, receipt *protocol.Receipt) (bool, error) {
		switch receipt.State {
		case protocol.Queued:
			row.Queued++
		case protocol.Offered:
			row.Offered++
		}
		return true, nil
	})
	return row, err
}

// claimStatus gives the claims whose lease runs.
func (r *room) claimStatus() ([]ClaimStatus, error) {
	claims, err := r.claims(LiveClaims)
	if err != nil {
		return nil, err
	}
	var rows []ClaimStatus
	for _, claim := range claims {
		if !r.live(claim) {
			continue
		}
		row := ClaimStatus{
			ClaimID: claim.ClaimID, Resource: claim.Resource, Mode: claim.Mode, Enforcement: claim.Enforcement, Reason: claim.Reason,
			OwnerSessionID: claim.OwnerSessionID, ExpiresAt: claim.ExpiresAt,
		}
		if owner, found, err := r.session(claim.OwnerSessionID); err != nil {
			return nil, err
		} else if found {
			row.OwnerParticipantID = owner.ParticipantID
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// protection judges the room by its live claims and the sessions that could edit.
func protection(sessions []SessionStatus, claims []ClaimStatus) Protection {
	if len(claims) == 0 {
		return ProtectionNone
	}
	for _, claim := range claims {
		if claim.Enforcement != protocol.Guarded {
			return ProtectionAdvisory
		}
	}
	for _, session := range sessions {
		if session.Presence != protocol.Offline && session.Enforcement != protocol.Guarded {
			return ProtectionAdvisory
		}
	}
	return ProtectionGuarded
}

// waiting gives what others still owe the participant.
func (r *room) waiting(s *protocol.Session) ([]Waiting, error) {
	var rows []Waiting
	err := r.walkMail(Query{Index: ObligationsByAuthor, Key: []string{s.ParticipantID}}, func(m *protocol.Message, receipt *protocol.Receipt) (bool, error) {
		rows = append(rows, Waiting{
			MessageID: m.MessageID, MessageKind: m.MessageKind, Subject: m.Subject, Recipient: receipt.RecipientParticipantID,
			State: receipt.State, Since: receipt.UpdatedAt,
		})
		return true, nil
	})
	return rows, err
}

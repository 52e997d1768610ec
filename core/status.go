package core

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// StatusQuery asks for the state of the room.
type StatusQuery struct {
	Owner *Owner // nil: the public view, without attention
	All   bool   // everybody: also sessions that are offline and the last session of who left
}

// SessionStatus is one row of the roster.
type SessionStatus struct {
	SessionID        string
	ParticipantID    string
	Harness          string
	ParentSessionID  string
	CheckoutRoot     string
	Branch           string
	Enforcement      protocol.Enforcement
	Lifecycle        protocol.Lifecycle
	Presence         protocol.Presence
	HeartbeatAt      time.Time
	ProcessTracked   bool
	EndReason        string // of a session that has ended
	Intent           string // what it says it is doing; empty: nothing, or done
	Queued           int    // messages to the participant that nobody was shown
	Offered          int    // offered and not retrieved
	Waiting          int    // messages that wait for a next turn of the participant
	CountsCut        bool   // the three stop at CountLimit: there are at least that many
	LiveDelivery     bool   // an endpoint that can make it look was published and not given up
	LiveLeaseCurrent bool   // and its owner vouches for it now
}

// CountLimit is where the counts of one row stop, so that a backlog costs nobody more than that.
const CountLimit = 99

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

// BindingStatus is one published endpoint, without the endpoint.
type BindingStatus struct {
	SessionID     string
	ParticipantID string
	AdapterID     string
	ClientVersion string
	Modes         []protocol.DeliveryMode
	LivePolicy    protocol.LivePolicy
	Reachable     bool // the lease runs; a lapsed one may be verified again by the adapter
	LeaseUntil    time.Time
}

// Counts sums the room up.
type Counts struct {
	Live     int // sessions that are online
	Stale    int // sessions that may be there and do not answer
	Claims   int // live
	Messages int // recorded so far
	Queued   int // over the rows shown, with their limit
	Offered  int
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
	Bindings     []BindingStatus
	Counts       Counts
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
			Materialised: !r.alone(), Cursor: protocol.FormatSequence(r.Position().LastSequence), Now: r.now,
		}
		if err := r.public(&status, q.All); err != nil {
			return err
		}
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

// public fills in what everybody may know.
func (r *room) public(status *Status, all bool) error {
	roster, err := r.roster(all)
	if err != nil {
		return err
	}
	for _, s := range roster {
		row, bindings, err := r.row(s)
		if err != nil {
			return err
		}
		status.Sessions = append(status.Sessions, row)
		status.Bindings = append(status.Bindings, bindings...)
	}
	if status.Claims, err = r.claimStatus(); err != nil {
		return err
	}
	status.Protection = protection(status.Sessions, status.Claims)
	status.Counts = counts(status.Sessions, status.Claims)
	status.Counts.Messages, err = r.messageCount()
	return err
}

func counts(sessions []SessionStatus, claims []ClaimStatus) Counts {
	c := Counts{Claims: len(claims)}
	for _, s := range sessions {
		switch s.Presence {
		case protocol.Online:
			c.Live++
		case protocol.Stale, protocol.PresenceUnknown:
			c.Stale++
		}
		c.Queued += s.Queued
		c.Offered += s.Offered
	}
	return c
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

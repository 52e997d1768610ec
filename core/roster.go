package core

import (
	"slices"

	"github.com/acc-control-plane/acc/protocol"
)

// Bounds of what status looks at to find participants that are away and have mail: the newest waiting
// messages, and the participants that it lists. Whoever is not among them is found with all.
const (
	awaitingScan = 64
	awayListed   = 16
)

// roster gives the sessions that status lists: who may be there, in the order in which they opened; with
// all, open sessions that are offline; then the last session of everybody else who is away and has mail,
// up to a bound, or, with all, of everybody else.
func (r *room) roster(all bool) ([]*protocol.Session, error) {
	open, err := r.sessions(OpenSessions)
	if err != nil {
		return nil, err
	}
	var rows, gone []*protocol.Session
	for _, s := range open {
		p, err := r.presenceOf(s)
		if err != nil {
			return nil, err
		}
		if p == protocol.Offline {
			gone = append(gone, s)
		} else {
			rows = append(rows, s)
		}
	}
	if all {
		rows = append(rows, gone...)
	}
	listed := map[string]bool{}
	for _, s := range rows {
		listed[s.ParticipantID] = true
	}
	away, err := r.away(all)
	if err != nil {
		return nil, err
	}
	full := len(rows) + awayListed
	for _, id := range away {
		if listed[id] || len(rows) == full && !all {
			continue
		}
		latest, err := r.latestSession(id)
		if err != nil {
			return nil, err
		}
		if latest != nil {
			rows = append(rows, latest)
		}
	}
	return rows, nil
}

// away gives participants whose absence status may tell of: with mail, or all of them.
func (r *room) away(all bool) ([]string, error) {
	if all {
		entries, err := r.Find(Query{Index: Participants})
		ids := make([]string, len(entries))
		for i, entry := range entries {
			ids[i] = entry.ID
		}
		return ids, err
	}
	var ids []string
	q := Query{Index: AwaitingReceipts, Reverse: true, Limit: awaitingScan}
	receipts, err := list[*protocol.Receipt](r, protocol.KindReceipt, q)
	if err != nil {
		return nil, err
	}
	for _, receipt := range receipts {
		if slices.Contains(ids, receipt.RecipientParticipantID) {
			continue
		}
		head, err := r.isHead(receipt.MessageID, protocol.Decision) // nothing follows a message of another kind
		if err != nil {
			return nil, err
		}
		if head {
			ids = append(ids, receipt.RecipientParticipantID)
		}
	}
	return ids, nil
}

// row tells one session and its published endpoints.
func (r *room) row(s *protocol.Session) (SessionStatus, []BindingStatus, error) {
	p, err := r.presenceOf(s)
	if err != nil {
		return SessionStatus{}, nil, err
	}
	row := SessionStatus{
		SessionID: s.SessionID, ParticipantID: s.ParticipantID, Harness: s.Harness, ParentSessionID: s.ParentSessionID,
		CheckoutRoot: s.CheckoutRoot, Branch: s.Branch, Enforcement: s.Enforcement, Lifecycle: s.Lifecycle,
		Presence: p, ProcessTracked: s.PID != 0, EndReason: s.EndReason,
	}
	if row.HeartbeatAt, err = r.beatOf(s); err != nil {
		return row, nil, err
	}
	if intent, err := r.activeIntent(s.SessionID); err != nil {
		return row, nil, err
	} else if intent != nil {
		row.Intent = intent.Summary
	}
	if err := r.unread(&row); err != nil {
		return row, nil, err
	}
	bindings, err := r.bindingsOf(s)
	if err != nil {
		return row, nil, err
	}
	var shown []BindingStatus
	for _, b := range bindings {
		shown = append(shown, BindingStatus{
			SessionID: s.SessionID, ParticipantID: s.ParticipantID, AdapterID: b.AdapterID, ClientVersion: b.ClientVersion,
			Modes: b.AvailableModes, LivePolicy: b.LivePolicy, Reachable: b.LeaseCurrent, LeaseUntil: b.LeaseUntil,
		})
		if b.wakes() {
			row.LiveDelivery = true
			row.LiveLeaseCurrent = row.LiveLeaseCurrent || b.LeaseCurrent
		}
	}
	return row, shown, nil
}

// unread counts what waits for the participant of a row.
func (r *room) unread(row *SessionStatus) error {
	var live, somehow int
	for _, c := range []struct {
		index Index
		only  protocol.ReceiptState
		into  *int
	}{
		{QueuedReceipts, protocol.Queued, &row.Queued},
		{PendingReceipts, protocol.Offered, &row.Offered},
		{LiveOffers, protocol.Offered, &live},
	} {
		seen := 0
		err := r.walkMail(Query{Index: c.index, Key: []string{row.ParticipantID}, Reverse: true, Limit: CountLimit + 1}, func(_ *protocol.Message, receipt *protocol.Receipt) (bool, error) {
			if seen++; seen > CountLimit {
				row.CountsCut = true
				return false, nil
			}
			if receipt.State == c.only {
				*c.into++
			}
			if c.index == PendingReceipts && offeredSomehow(receipt) {
				somehow++
			}
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	row.Waiting = row.Queued + live + somehow
	return nil
}

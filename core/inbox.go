package core

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/acc-control-plane/acc/core/decision"
	"github.com/acc-control-plane/acc/protocol"
)

// InboxQuery pages through the inbox, newest first.
type InboxQuery struct {
	Cursor string // message id of the last item of the page before
	Limit  int    // 1 to protocol.InboxPageMax; 0: protocol.InboxPageDefault
}

// Summary is a message without its body. Trust is always "untrusted peer content".
type Summary struct {
	MessageID         string
	ThreadID          string
	FromParticipantID string
	FromSessionID     string
	MessageKind       protocol.MessageKind
	Obligation        protocol.Obligation
	Subject           string // at most protocol.SubjectPreview bytes, then an ellipsis
	SentAt            time.Time
	InReplyTo         string
	BodyBytes         int
	ArtifactCount     int
	Decision          *decision.Status // of a decision; nil for other kinds
}

// InboxItem is one line of the inbox.
type InboxItem struct {
	Message Summary
	Receipt protocol.Receipt
}

// InboxPage is one page; NextCursor is empty on the last.
type InboxPage struct {
	Items      []InboxItem
	NextCursor string
}

// chunk is how many index entries a pager asks for at a time.
const chunk = 64

// Inbox lists what waits for the participant of owner and changes nothing. A page holds whole items
// whose JSON (InboxItemObject) is at most protocol.InboxPageBytes together. The cursor may name any
// message that was addressed to the participant, also one that no longer waits.
func (c *Core) Inbox(ctx context.Context, owner Owner, q InboxQuery) (InboxPage, error) {
	limit, err := pageLimit(q.Limit, protocol.InboxPageDefault, protocol.InboxPageMax)
	if err != nil {
		return InboxPage{}, err
	}
	var page InboxPage
	err = c.view(ctx, func(r *room) error {
		s, err := r.owned(owner)
		if err != nil {
			return err
		}
		after, err := r.inboxAnchor(s, q.Cursor)
		if err != nil {
			return err
		}
		page, err = r.inbox(s, after, limit)
		return err
	})
	return page, err
}

func pageLimit(asked, byDefault, most int) (int, error) {
	if asked < 0 || asked > most {
		return 0, protocol.UsageError("", fmt.Sprintf("a page holds 1 to %d items, not %d", most, asked))
	}
	return orDefault(asked, byDefault), nil
}

// inboxAnchor gives the place of the message that a cursor names.
func (r *room) inboxAnchor(s *protocol.Session, cursor string) (*Entry, error) {
	if cursor == "" {
		return nil, nil
	}
	id := protocol.ReceiptID(cursor, s.ParticipantID)
	_, stored, found, err := get[*protocol.Receipt](r, protocol.KindReceipt, id)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, protocol.UsageError(protocol.ReasonUnknownCursor, fmt.Sprintf("cursor %q is not a message of this inbox", cursor)).WithHint("acc inbox starts at the newest")
	}
	return &Entry{Position: stored.Created, ID: id}, nil
}

func (r *room) inbox(s *protocol.Session, after *Entry, limit int) (InboxPage, error) {
	q := Query{Index: PendingReceipts, Key: []string{s.ParticipantID}, After: after, Reverse: true, Limit: min(limit+1, chunk)}
	budget := newBudget()
	var page InboxPage
	err := r.walkMail(q, func(m *protocol.Message, receipt *protocol.Receipt) (bool, error) {
		summary, err := r.summarise(m)
		if err != nil {
			return false, err
		}
		item := InboxItem{Message: summary, Receipt: *receipt}
		encoded, err := inboxItemObject.Append(nil, &item)
		if err != nil {
			return false, protocol.Malformed("inbox item of "+m.MessageID, err)
		}
		if !budget.take(len(encoded)) || len(page.Items) == limit {
			page.NextCursor = page.Items[len(page.Items)-1].Message.MessageID
			return false, nil
		}
		page.Items = append(page.Items, item)
		return true, nil
	})
	return page, err
}

// walkMail gives each receipt of an index with its message, in the order asked, until visit says stop.
// What a newer decision replaced is left out. q.Limit is the size of a step.
func (r *room) walkMail(q Query, visit func(*protocol.Message, *protocol.Receipt) (bool, error)) error {
	return r.walk(q, func(entry Entry) (bool, error) {
		receipt, _, found, err := get[*protocol.Receipt](r, protocol.KindReceipt, entry.ID)
		if err != nil || !found {
			return true, err
		}
		m, found, err := r.message(receipt.MessageID)
		if err != nil || !found {
			return true, err
		}
		if head, err := r.isHead(m.MessageID, m.MessageKind); err != nil || !head {
			return true, err
		}
		return visit(m, receipt)
	})
}

// isHead says whether no newer decision replaced or withdrew the message.
func (r *room) isHead(messageID string, kind protocol.MessageKind) (bool, error) {
	if kind != protocol.Decision {
		return true, nil
	}
	successors, err := r.Find(Query{Index: DecisionSuccessors, Key: []string{messageID}, Limit: 1})
	return len(successors) == 0, err
}

// budget measures a page.
type budget struct{ left int }

// newBudget gives what a page may hold, its brackets and a cursor of full length paid for.
func newBudget() *budget {
	const frame = len(`{"items":[],"nextCursor":""}`) + protocol.MaxIDLength
	return &budget{left: protocol.InboxPageBytes - frame}
}

// take says whether an item of that size still fits. Every member of an item is bounded, so that the
// first one always does.
func (b *budget) take(size int) bool {
	size++ // the comma
	if size > b.left {
		return false
	}
	b.left -= size
	return true
}

// summarise leaves the body out and cuts the subject between characters.
func (r *room) summarise(m *protocol.Message) (Summary, error) {
	status, err := r.decisionStatus(m)
	return Summary{
		MessageID: m.MessageID, ThreadID: m.ThreadID, FromParticipantID: m.FromParticipantID, FromSessionID: m.FromSessionID,
		MessageKind: m.MessageKind, Obligation: m.Obligation, Subject: cut(m.Subject, protocol.SubjectPreview), SentAt: m.SentAt,
		InReplyTo: m.InReplyTo, BodyBytes: len(m.Body), ArtifactCount: len(m.Artifacts), Decision: status,
	}, err
}

// cut shortens s to at most limit bytes of whole characters and marks that it did.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

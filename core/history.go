package core

import (
	"context"
	"fmt"

	"github.com/acc-control-plane/acc/core/decision"
	"github.com/acc-control-plane/acc/protocol"
)

// HistoryQuery pages through every message of the room, newest first.
type HistoryQuery struct {
	Cursor      string // message id of the last item of the page before, of the same query
	Limit       int    // 1 to protocol.InboxPageMax; 0: protocol.InboxPageDefault
	MessageKind protocol.MessageKind
	ThreadID    string
	Current     bool // only decisions that nothing replaced or withdrew; needs MessageKind decision
}

// HistoryPage is one page; NextCursor is empty on the last.
type HistoryPage struct {
	Items      []Summary
	NextCursor string
}

// History lists messages, whoever they are for, and changes no receipt. A page holds whole summaries
// whose JSON (SummaryObject) is at most protocol.InboxPageBytes together.
func (c *Core) History(ctx context.Context, q HistoryQuery) (HistoryPage, error) {
	limit, err := pageLimit(q.Limit, protocol.InboxPageDefault, protocol.InboxPageMax)
	if err != nil {
		return HistoryPage{}, err
	}
	if q.Current && q.MessageKind != protocol.Decision {
		return HistoryPage{}, protocol.UsageError("", "only decisions can be current or not").WithHint("add --type decision")
	}
	var page HistoryPage
	err = c.view(ctx, func(r *room) error {
		find, err := r.historyQuery(q, limit)
		if err != nil {
			return err
		}
		page, err = r.history(q, find, limit)
		return err
	})
	return page, err
}

// historyQuery chooses the index that answers with the fewest entries and resolves the cursor.
func (r *room) historyQuery(q HistoryQuery, limit int) (Query, error) {
	find := Query{Index: MessagesInOrder, Reverse: true, Limit: min(limit+1, chunk)}
	switch {
	case q.ThreadID != "":
		find.Index, find.Key = ThreadMessages, []string{q.ThreadID}
	case q.MessageKind != "":
		find.Index, find.Key = MessagesByKind, []string{string(q.MessageKind)}
	}
	if q.Cursor == "" {
		return find, nil
	}
	m, stored, found, err := get[*protocol.Message](r, protocol.KindMessage, q.Cursor)
	if err != nil {
		return find, err
	}
	if !found || !q.lists(m) {
		return find, protocol.UsageError(protocol.ReasonUnknownCursor, fmt.Sprintf("cursor %q is not a message of this list", q.Cursor)).WithHint("leave the cursor out to start at the newest")
	}
	find.After = &Entry{Position: stored.Created, ID: q.Cursor}
	return find, nil
}

// lists says whether a message belongs to the list, current or not.
func (q HistoryQuery) lists(m *protocol.Message) bool {
	return (q.MessageKind == "" || q.MessageKind == m.MessageKind) && (q.ThreadID == "" || q.ThreadID == m.ThreadID)
}

func (r *room) history(q HistoryQuery, find Query, limit int) (HistoryPage, error) {
	budget := newBudget()
	var page HistoryPage
	err := r.walkMessages(find, func(m *protocol.Message) (bool, error) {
		if !q.lists(m) {
			return true, nil
		}
		if q.Current {
			if head, err := r.isHead(m.MessageID, m.MessageKind); err != nil || !head {
				return true, err
			}
		}
		summary, err := r.summarise(m)
		if err != nil {
			return false, err
		}
		encoded, err := summaryObject.Append(nil, &summary)
		if err != nil {
			return false, protocol.Malformed("summary of "+m.MessageID, err)
		}
		if !budget.take(len(encoded)) || len(page.Items) == limit {
			page.NextCursor = page.Items[len(page.Items)-1].MessageID
			return false, nil
		}
		page.Items = append(page.Items, summary)
		return true, nil
	})
	return page, err
}

// walkMessages gives each message of an index in the order asked until visit says stop. q.Limit is the
// size of a step.
func (r *room) walkMessages(q Query, visit func(*protocol.Message) (bool, error)) error {
	return r.walk(q, func(entry Entry) (bool, error) {
		m, found, err := r.message(entry.ID)
		if err != nil || !found {
			return true, err
		}
		return visit(m)
	})
}

// walk gives each entry of an index, q.Limit at a time, until visit says stop or the index ends.
func (r *room) walk(q Query, visit func(Entry) (bool, error)) error {
	for {
		entries, err := r.Find(q)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if more, err := visit(entry); err != nil || !more {
				return err
			}
		}
		if q.Limit == 0 || len(entries) < q.Limit {
			return nil
		}
		q.After = &entries[len(entries)-1]
	}
}

// HistoryMessage is one whole message with every receipt, sorted by recipient.
type HistoryMessage struct {
	Message  protocol.Message
	Receipts []protocol.Receipt
	Decision *decision.Status // of a decision; nil for other kinds
}

// Message gives one message of the room, whoever it is for, and changes no receipt.
func (c *Core) Message(ctx context.Context, messageID string) (HistoryMessage, error) {
	var whole HistoryMessage
	err := c.view(ctx, func(r *room) error {
		m, found, err := r.message(messageID)
		if err == nil && !found {
			err = protocol.DataError(protocol.ReasonNotFound, fmt.Sprintf("there is no message %q", messageID))
		}
		if err != nil {
			return err
		}
		whole = HistoryMessage{Message: *m}
		if whole.Receipts, err = r.receiptsOf(messageID); err != nil {
			return err
		}
		whole.Decision, err = r.decisionStatus(m)
		return err
	})
	return whole, err
}

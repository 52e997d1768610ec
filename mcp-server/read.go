package mcpserver

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/mcp-server/internal/answer"
	"github.com/acc-control-plane/acc/mcp-server/internal/caller"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// give makes a reply of a value and its text.
func give[T any](c call, o *strictjson.Object[T], t *T, text string) (reply, error) {
	object, err := answer.Object(c.write, o, t)
	return reply{object, text}, err
}

func runStatus(ctx context.Context, c call, q statusRequest) (reply, error) {
	who, err := c.caller(ctx)
	if err != nil {
		return reply{}, err
	}
	if c.options.Discover != nil {
		c.options.Discover(ctx, who.Room, c.env)
	}
	data := answer.StatusData{Participant: who.Participant}
	err = who.Do(ctx, func(owner core.Owner) (err error) {
		data.Status, err = who.Room.Core.Status(ctx, core.StatusQuery{Owner: &owner, All: q.all})
		return err
	})
	if err != nil {
		return reply{}, err
	}
	data.Now = answer.Millis(data.Now)
	return give(c, answer.Status, &data, c.sayStatus(data))
}

func runSync(ctx context.Context, c call, q syncRequest) (reply, error) {
	who, err := c.caller(ctx)
	if err != nil {
		return reply{}, err
	}
	if q.scope == scopeHistory {
		return history(ctx, c, who, q)
	}
	var result core.SyncResult
	err = who.Do(ctx, func(owner core.Owner) (err error) {
		result, err = who.Room.Core.Sync(ctx, core.SyncQuery{Owner: &owner, Cursor: q.cursor, Limit: q.limit, Full: q.scope == scopeFull})
		return err
	})
	if err != nil {
		return reply{}, err
	}
	return give(c, answer.Sync, &result, c.saySync(result))
}

// history reads the room's messages, which changes no receipt and needs no session.
func history(ctx context.Context, c call, who *caller.Caller, q syncRequest) (reply, error) {
	if q.messageID == "" {
		page, err := who.Room.Core.History(ctx, core.HistoryQuery{Cursor: q.cursor, Limit: q.limit, MessageKind: q.kind, Current: q.current})
		if err != nil {
			return reply{}, err
		}
		return give(c, answer.History, &page, c.sayHistory(page))
	}
	found, err := who.Room.Core.Message(ctx, q.messageID)
	if err != nil {
		return reply{}, err
	}
	data := answer.HistoryMessageData{Message: c.whole(found.Message), Receipts: found.Receipts, Decision: found.Decision}
	return give(c, answer.HistoryMessage, &data, data.Message.Framed)
}

// whole puts a message into its frame.
func (c call) whole(m protocol.Message) answer.Whole {
	return answer.Whole{Message: m, Framed: c.write.Frame(m, time.Now())}
}

func runInbox(ctx context.Context, c call, q inboxRequest) (reply, error) {
	who, err := c.caller(ctx)
	if err != nil {
		return reply{}, err
	}
	if q.messageID != "" {
		return readMail(ctx, c, who, q.messageID)
	}
	var page core.InboxPage
	err = who.Do(ctx, func(owner core.Owner) (err error) {
		page, err = who.Room.Core.Inbox(ctx, owner, q.InboxQuery)
		return err
	})
	if err != nil {
		return reply{}, err
	}
	return give(c, answer.Inbox, &page, c.sayInbox(page))
}

func readMail(ctx context.Context, c call, who *caller.Caller, messageID string) (reply, error) {
	var mail core.Mail
	err := who.Do(ctx, func(owner core.Owner) (err error) {
		mail, err = who.Room.Core.Read(ctx, owner, messageID)
		return err
	})
	if err != nil {
		return reply{}, err
	}
	data := answer.MailData{Message: c.whole(mail.Message), Receipt: mail.Receipt, Decision: mail.Decision}
	return give(c, answer.Mail, &data, data.Message.Framed+owed(mail))
}

// owed says what the reader of a message still owes, in a line of its own.
func owed(m core.Mail) string {
	if m.Receipt.State == protocol.Acknowledged {
		return ""
	}
	switch m.Message.Obligation {
	case protocol.ObligationReply:
		return "\na reply is owed: acc_reply with messageId " + m.Message.MessageID
	case protocol.ObligationAcknowledge:
		return "\nan acknowledgement is owed: acc_ack with messageId " + m.Message.MessageID
	}
	return ""
}

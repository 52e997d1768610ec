package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/mcp-server/internal/answer"
	"github.com/acc-control-plane/acc/mcp-server/internal/caller"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/change"
)

// progressEvery is how often a waiting call says that it lives, if the client asked to be told.
const progressEvery = 5 * time.Second

// errHungUp ends a wait whose client is gone.
var errHungUp = errors.New("the client is gone")

// runWait waits until a message for the caller is there that it has not read: any one, or with a cursor
// one that came after it.
func runWait(ctx context.Context, c call, q waitRequest) (reply, error) {
	who, err := c.caller(ctx)
	if err != nil {
		return reply{}, err
	}
	limit := cmp.Or(time.Duration(q.seconds)*time.Second, waitDefault)
	waiting, cancel := context.WithTimeoutCause(ctx, limit, errTimePassed)
	defer cancel()
	hungUp, hangUp := context.WithCancelCause(waiting)
	defer hangUp(nil)
	go func() {
		select {
		case <-c.hangup:
			hangUp(errHungUp)
		case <-hungUp.Done():
		}
	}()
	go c.progress(hungUp, limit)

	data := answer.WaitData{}
	err = change.Watch(hungUp, who.Room.Dir, func(ctx context.Context) (bool, error) {
		look, done := context.WithTimeout(ctx, deadline)
		defer done()
		err := who.Do(look, func(owner core.Owner) (err error) {
			data, err = arrived(look, who, owner, q.cursor)
			return err
		})
		if protocol.CodeOf(err) == protocol.Timeout && ctx.Err() == nil {
			return false, nil // somebody held the store; the next look may find it free
		}
		return data.Arrived, err
	})
	switch cause := context.Cause(hungUp); {
	case err == nil:
	case errors.Is(cause, errTimePassed): // nothing arrived, which is an answer
	case cause != nil:
		return reply{}, context.Canceled // whatever the look that was cut short says of it
	default:
		return reply{}, err
	}
	if data.Cursor == "" { // the time passed before the first look was over
		data.Cursor = cmp.Or(q.cursor, protocol.FormatSequence(0))
	}
	return give(c, answer.Wait, &data, c.sayWait(data, limit))
}

var errTimePassed = errors.New("the time passed")

// arrived looks once. What waits and was read before does not hide older messages that were not.
func arrived(ctx context.Context, who *caller.Caller, owner core.Owner, after string) (answer.WaitData, error) {
	room := who.Room.Core
	fresh, cursor, err := recordedAfter(ctx, room, owner, after)
	if err != nil {
		return answer.WaitData{}, err
	}
	data, q := answer.WaitData{Cursor: cursor}, core.InboxQuery{}
	for {
		page, err := room.Inbox(ctx, owner, q)
		if err != nil {
			return answer.WaitData{}, err
		}
		for _, item := range page.Items {
			unread := item.Receipt.State == protocol.Queued || item.Receipt.State == protocol.Offered
			if unread && (after == "" || fresh[item.Message.MessageID]) {
				data.Items = append(data.Items, item)
			}
		}
		if q.Cursor = page.NextCursor; len(data.Items) > 0 || q.Cursor == "" {
			data.Arrived = len(data.Items) > 0
			return data, nil
		}
	}
}

// recordedAfter gives the messages that were recorded after a cursor, and the cursor of the newest
// event. Without a cursor it lists none.
func recordedAfter(ctx context.Context, room *core.Core, owner core.Owner, after string) (map[string]bool, string, error) {
	if after == "" {
		status, err := room.Status(ctx, core.StatusQuery{Owner: &owner})
		return nil, status.Cursor, err
	}
	fresh := map[string]bool{}
	for {
		result, err := room.Sync(ctx, core.SyncQuery{Owner: &owner, Cursor: after, Limit: protocol.EventsPageMax})
		if err != nil {
			return nil, "", err
		}
		for _, e := range result.Events {
			if recorded, ok := payloadOf(e); ok {
				fresh[recorded.MessageID] = true
			}
		}
		if after = result.Cursor; !result.More {
			return fresh, after, nil
		}
	}
}

// payloadOf gives the facts of a recorded message.
func payloadOf(e protocol.Event) (protocol.MessageRecordedPayload, bool) {
	if e.Type != protocol.MessageRecorded {
		return protocol.MessageRecordedPayload{}, false
	}
	payload, err := protocol.DecodePayload(e)
	if err != nil {
		return protocol.MessageRecordedPayload{}, false
	}
	recorded, ok := payload.(protocol.MessageRecordedPayload)
	return recorded, ok
}

// progress tells a client that asked for it that the call lives, until ctx ends.
func (c call) progress(ctx context.Context, limit time.Duration) {
	token := c.request.Params.GetProgressToken()
	if token == nil {
		return
	}
	started := time.Now()
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		waited := time.Since(started)
		if err := c.request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: waited.Seconds(), Total: limit.Seconds(),
			Message: fmt.Sprintf("nothing yet after %d s", int(waited.Seconds())),
		}); err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

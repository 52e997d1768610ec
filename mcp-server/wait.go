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
	"github.com/acc-control-plane/acc/mcp-server/internal/change"
	"github.com/acc-control-plane/acc/protocol"
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
		err := who.Do(ctx, func(owner core.Owner) (err error) {
			data, err = arrived(ctx, who, owner, q.cursor)
			return err
		})
		return data.Arrived, err
	})
	if err != nil && errors.Is(context.Cause(hungUp), errTimePassed) {
		err = nil // nothing arrived, which is an answer
	}
	if err != nil {
		return reply{}, err
	}
	if data.Cursor == "" { // the time passed before the first look was over
		data.Cursor = cmp.Or(q.cursor, protocol.FormatSequence(0))
	}
	return give(c, answer.Wait, &data, c.sayWait(data, limit))
}

var errTimePassed = errors.New("the time passed")

// arrived looks once.
func arrived(ctx context.Context, who *caller.Caller, owner core.Owner, after string) (answer.WaitData, error) {
	room := who.Room.Core
	page, err := room.Inbox(ctx, owner, core.InboxQuery{})
	if err != nil {
		return answer.WaitData{}, err
	}
	fresh, cursor, err := recordedAfter(ctx, room, owner, after)
	if err != nil {
		return answer.WaitData{}, err
	}
	data := answer.WaitData{Cursor: cursor}
	for _, item := range page.Items {
		unread := item.Receipt.State == protocol.Queued || item.Receipt.State == protocol.Offered
		if unread && (after == "" || fresh[item.Message.MessageID]) {
			data.Items = append(data.Items, item)
		}
	}
	data.Arrived = len(data.Items) > 0
	return data, nil
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

package live

import (
	"context"
	"errors"

	"github.com/acc-control-plane/acc/adapter-sdk/localsocket"
)

// Thread is a thread that the background server of a home holds.
type Thread struct {
	ID   string
	Idle bool // nothing runs in it
}

// Threads asks the server of a home what it holds. pid is the process that must serve the socket. It is an error if the
// server does not say of each of its threads whether something runs in it.
func Threads(ctx context.Context, home string, pid int) ([]Thread, error) {
	path, err := controlSocket(home)
	if err != nil {
		return nil, err
	}
	srv, err := connectTo(ctx, path, localsocket.Peer{PID: pid})
	if err != nil {
		return nil, err
	}
	defer srv.close()
	ids, err := srv.loaded()
	if err != nil {
		return nil, err
	}
	var all []Thread
	for _, id := range ids {
		result, err := srv.call("thread/read", object("threadId", id))
		if errors.As(err, &refusal{}) {
			// One that takes up its very first message cannot be read for a moment.
			all = append(all, Thread{ID: id})
			continue
		}
		if err != nil {
			return nil, err
		}
		r, err := threadReads.Decode(result)
		if err != nil {
			return nil, err
		}
		all = append(all, Thread{ID: id, Idle: r.Thread.ID == id && r.Thread.Status.Type == "idle"})
	}
	return all, nil
}

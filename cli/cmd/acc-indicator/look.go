package main

import (
	"context"
	"errors"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/hook-runner"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/nativeworkspace"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// view is what was seen of the conversation's session.
type view struct {
	SessionID, ParticipantID string
	Presence                 protocol.Presence
	Reach                    reach
	Starting                 bool   // it may still become reachable
	Failed                   string // why it could not be made reachable; "": it was not tried, or could
	LeaseCurrent             bool
	Unread                   int
	AtLeast                  bool   // counting stopped there
	Problem                  string // why nothing is known; "": something is
}

// reach is how a message comes to the session.
type reach string

// The ways.
const (
	wake  reach = "wake"  // it can be asked to look
	turn  reach = "turn"  // with its next turn
	inbox reach = "inbox" // when it looks by itself
)

// startup is how long after its begin a session that is not reachable is called starting.
const startup = 5 * time.Second

var errNotHere = errors.New("no session of acc goes with this conversation")

// look finds the session of the conversation and what waits for it. It changes nothing.
func look(ctx context.Context, env datahome.Env, asked request) view {
	v, err := seen(ctx, env, asked)
	if err != nil {
		v.Problem = err.Error()
	}
	return v
}

func seen(ctx context.Context, env datahome.Env, asked request) (view, error) {
	if asked.native == "" {
		return view{}, errors.New("nobody says which conversation it is")
	}
	home, err := datahome.Locate(env)
	if err != nil {
		return view{}, err
	}
	saved, err := nativeworkspace.Lookup(ctx, home, env, protocol.RoomRef(asked.adapter, asked.native))
	if protocol.ReasonOf(err) == protocol.ReasonNotFound {
		return view{}, errNotHere
	}
	if err != nil {
		return view{}, err
	}
	r, err := room.At(ctx, home, saved.Workspace)
	if err != nil {
		return view{}, err
	}
	owner, found, err := hookrunner.OwnerOf(ctx, r, asked.adapter, asked.native)
	if err != nil {
		return view{}, err
	}
	if !found {
		return view{}, errNotHere
	}
	return session(ctx, r, owner)
}

func session(ctx context.Context, r *room.Room, owner core.Owner) (view, error) {
	s, err := r.Core.Session(ctx, owner)
	if err != nil {
		return view{}, err
	}
	status, err := r.Core.Status(ctx, core.StatusQuery{All: true})
	if err != nil {
		return view{}, err
	}
	for _, row := range status.Sessions {
		if row.SessionID != owner.SessionID {
			continue
		}
		v := view{
			SessionID: row.SessionID, ParticipantID: row.ParticipantID, Presence: row.Presence, Reach: inbox,
			LeaseCurrent: row.LiveLeaseCurrent, Unread: row.Queued + row.Offered, AtLeast: row.CountsCut,
		}
		switch {
		case row.LiveDelivery:
			v.Reach = wake
		case row.Lifecycle == protocol.Managed:
			v.Reach = turn
		}
		attempt, tried := livefiles.NewLedger(r.Home, r.Dir).LastAttempt(owner.SessionID, protocol.GenerationRef(owner.Generation))
		v.Failed = attempt.Reason
		v.Starting = v.Reach == turn && tried && attempt.Reason != "" && status.Now.Sub(s.StartedAt) < startup
		return v, nil
	}
	return view{}, errNotHere
}

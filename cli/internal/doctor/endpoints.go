package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// checkEndpoints tells of the published endpoints: what each can do, which messages may use it, how long its owner
// vouches for it, and whether its adapter finds it now. Where it is stays untold.
func (e *examination) checkEndpoints(ctx context.Context, r *room.Room, status core.Status) {
	for _, b := range status.Bindings {
		s, known := sessionOf(status, b.SessionID)
		if !known || s.Presence == protocol.Offline {
			e.add(Finding{Level: Warn, Subject: b.AdapterID, At: b.LeaseUntil, Remedy: "acc doctor --repair, once it has been silent for a day",
				Text: "stale: an endpoint is published for " + cmp.Or(b.ParticipantID, b.SessionID) + ", whose session is not open; vouched for until"})
			continue
		}
		about := fmt.Sprintf(" (%s; %s); %s", words(b.Modes), b.LivePolicy, leaseOf(b, e.Now))
		switch reason, asked := e.ask(ctx, r, b); {
		case !asked:
			e.ok(b.AdapterID, "an endpoint of "+b.ParticipantID+" is published"+about+"; nobody here can verify it")
		case reason != adapter.NativeOK:
			e.warn(b.AdapterID, fmt.Sprintf("the endpoint of %s cannot be reached: %s%s", b.ParticipantID, reason, about),
				"send anyway: a message waits for its next turn; docs/troubleshooting.md explains "+string(reason))
		default:
			e.ok(b.AdapterID, "the endpoint of "+b.ParticipantID+" is verified"+about)
		}
	}
}

// ask has the adapter verify an endpoint, as it does before a message whose lease has run out. Nothing is changed by it,
// and nothing reaches the session. asked is false where nobody here can ask.
func (e *examination) ask(ctx context.Context, r *room.Room, b core.BindingStatus) (reason adapter.NativeReason, asked bool) {
	transport := e.live(b.AdapterID)
	if transport == nil {
		return "", false
	}
	var owner core.Owner
	err := r.Store.View(ctx, func(reader core.Reader) error {
		s, found, err := record(reader, b.SessionID)
		if found {
			owner = core.Owner{SessionID: s.SessionID, Generation: s.Generation}
		}
		return err
	})
	if err != nil || owner.SessionID == "" {
		return "", false
	}
	published, err := r.Core.Published(ctx, owner)
	n := slices.IndexFunc(published, func(p core.Binding) bool { return p.AdapterID == b.AdapterID })
	if err != nil || n < 0 {
		return "", false
	}
	at := adapter.Endpoint{Ref: published[n].OpaqueEndpointRef, GenerationRef: protocol.GenerationRef(owner.Generation)}
	return transport.Refresh(ctx, livefiles.NewVault(e.Home), at).Reason, true
}

// live gives the transport of an adapter; nil: none in this build.
func (e *examination) live(id string) *adapter.Live {
	for _, l := range e.Lives {
		if l.ID() == id {
			return l
		}
	}
	return nil
}

// leaseOf says how long the owner of an endpoint still vouches for it.
func leaseOf(b core.BindingStatus, now time.Time) string {
	left := b.LeaseUntil.Sub(now).Round(time.Second)
	if !b.Reachable || left <= 0 {
		return "its lease ran out, and the next send renews it"
	}
	return "its lease runs for " + left.String()
}

func words(modes []protocol.DeliveryMode) string {
	all := make([]string, len(modes))
	for i, m := range modes {
		all[i] = string(m)
	}
	return strings.Join(all, ", ")
}

func sessionOf(status core.Status, id string) (core.SessionStatus, bool) {
	for _, s := range status.Sessions {
		if s.SessionID == id {
			return s, true
		}
	}
	return core.SessionStatus{}, false
}

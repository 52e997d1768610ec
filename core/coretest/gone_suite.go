package coretest

import (
	"fmt"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// state gives the recorded state and end reason of a session, whoever asks.
func (r *roomTest) state(a actor) (protocol.SessionState, string) {
	r.Helper()
	s, err := r.core.Session(r.ctx, a.Owner)
	if err != nil {
		r.Fatal(err)
	}
	return s.State, s.EndReason
}

// onRecord gives how many claims the store holds, expired ones too.
func (r *roomTest) onRecord() int {
	r.Helper()
	sync, err := r.core.Sync(r.ctx, core.SyncQuery{Full: true})
	if err != nil {
		r.Fatal(err)
	}
	return len(sync.Snapshot.Claims)
}

// killedClients: whoever opens ends sessions that are gone for certain, and no other.
func killedClients(t *testing.T, r *roomTest) {
	with := func(name string, pid int) actor {
		return r.openAs(core.OpenSession{ParticipantID: name, Harness: "tool", PID: pid})
	}
	r.processes.Set(11, core.ProcessAlive)
	dead, alive, unknown, silent, holder := with("dead", 10), with("alive", 11), with("unknown", 12), with("silent", 0), with("holder", 13)
	r.claim(dead, "file:a")
	r.claim(dead, "file:b")
	if _, err := r.core.PublishIntent(r.ctx, dead.Owner, core.IntentRequest{Summary: "s"}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.core.PublishBinding(r.ctx, dead.Owner, endpoint("tool", "x")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.core.Claim(r.ctx, holder.Owner, core.ClaimRequest{Resource: "file:c", Lease: protocol.MaxClaimLease}); err != nil {
		t.Fatal(err)
	}
	all := called(dead, alive, unknown, silent, holder)
	opens := func(name string, want ...string) {
		t.Helper()
		since := r.position().LastSequence
		a := with(name, 11)
		all[a.SessionID] = name
		r.tell(since, all, append([]string{"session.opened by " + name}, want...)...)
	}
	r.processes.Set(10, core.ProcessDead)
	r.processes.Set(13, core.ProcessDead)
	opens("early") // the client may be on its way back
	r.clock.Advance(protocol.OfflineAfter + time.Millisecond)
	opens("late", "claim.force_released by late", "claim.force_released by late", "intent.cleared by dead", "session.closed by dead")
	if bindings, err := r.store.Ephemeral().Bindings(r.ctx, dead.SessionID, protocol.GenerationRef(dead.Generation)); err != nil || len(bindings) != 0 {
		t.Errorf("what the dead session published is still there: %v, %v", bindings, err)
	}
	if got := r.onRecord(); got != 1 {
		t.Errorf("%d claims on record, want the one whose lease runs", got)
	}
	opens("later")
	r.clock.Advance(protocol.MaxClaimLease)
	opens("latest", "session.closed by silent", "claim.force_released by latest", "session.closed by holder")
	for _, a := range []actor{alive, unknown} {
		if state, _ := r.state(a); state != protocol.SessionOpen {
			t.Errorf("%s was ended", a.name)
		}
	}
}

// manyKilled: one opening does a bounded part, and openings together do everything.
func manyKilled(t *testing.T, r *roomTest) {
	watch := func() actor {
		return r.openAs(core.OpenSession{ParticipantID: "watch", Harness: "tool", PID: 1})
	}
	watch()
	const killed, claims = 20, 3
	for i := range killed {
		a := r.openAs(core.OpenSession{ParticipantID: fmt.Sprint("killed-", i), Harness: "tool", PID: 10 + i})
		for n := range claims {
			r.claim(a, fmt.Sprintf("file:%d/%d", i, n))
		}
		r.processes.Set(10+i, core.ProcessDead)
	}
	hoarder := r.openAs(core.OpenSession{ParticipantID: "hoarder", Harness: "tool", PID: 9})
	r.processes.Set(9, core.ProcessDead)
	const hoard = 150
	for n := range hoard {
		r.claim(hoarder, fmt.Sprintf("file:hoard/%d", n))
	}
	r.clock.Advance(protocol.OfflineAfter + time.Millisecond)
	left := r.onRecord()
	if left != killed*claims+hoard {
		t.Fatalf("%d claims on record", left)
	}
	for opened := 1; ; opened++ {
		watch()
		now := r.onRecord()
		if left-now > 70 {
			t.Errorf("one opening released %d claims", left-now)
		}
		if now == left {
			t.Fatalf("opening %d got nowhere: %d claims left", opened, left)
		}
		if left = now; left == 0 {
			break
		}
	}
	if state, reason := r.state(hoarder); state != protocol.SessionClosed || reason != core.EndGone {
		t.Errorf("the last one is %s, %q", state, reason)
	}
}

// goneIsCertain walks the conditions one by one.
func goneIsCertain(t *testing.T, r *roomTest) {
	r.openAs(core.OpenSession{ParticipantID: "watch", Harness: "tool", PID: 1})
	r.openAs(core.OpenSession{ParticipantID: "watch-2", Harness: "tool", PID: 1})
	n := 100
	for _, c := range []struct {
		name    string
		pid     bool
		process core.ProcessState
		silent  time.Duration
		beat    time.Duration // before the end of the silence; 0: none
		gone    bool
	}{
		{"dead and long silent", true, core.ProcessDead, protocol.OfflineAfter + time.Millisecond, 0, true},
		{"dead, silent up to the limit", true, core.ProcessDead, protocol.OfflineAfter, 0, false},
		{"dead, with a newer beat", true, core.ProcessDead, 2 * protocol.OfflineAfter, protocol.OfflineAfter, false},
		{"alive for years", true, core.ProcessAlive, 365 * 24 * time.Hour, 0, false},
		{"unknown for years", true, core.ProcessUnknown, 365 * 24 * time.Hour, 0, false},
		{"no process, a day", false, core.ProcessDead, protocol.PresenceHorizon, 0, false},
		{"no process, more than a day", false, core.ProcessDead, protocol.PresenceHorizon + time.Millisecond, 0, true},
		{"from the future", true, core.ProcessDead, -48 * time.Hour, 0, false},
	} {
		n++
		req := core.OpenSession{ParticipantID: fmt.Sprint("p", n), Harness: "tool"}
		if c.pid {
			req.PID = n
			r.processes.Set(n, core.ProcessAlive)
		}
		a := r.openAs(req)
		if c.beat > 0 {
			r.clock.Advance(c.silent - c.beat)
			if _, err := r.core.Heartbeat(r.ctx, a.Owner); err != nil {
				t.Fatal(err)
			}
			r.clock.Advance(c.beat)
		} else {
			r.clock.Advance(c.silent)
		}
		r.processes.Set(n, c.process)
		r.openAs(core.OpenSession{ParticipantID: "watch", Harness: "tool", PID: 1})
		want, why := protocol.SessionOpen, ""
		if c.gone {
			want, why = protocol.SessionClosed, core.EndGone
		}
		if got, reason := r.state(a); got != want || reason != why {
			t.Errorf("%s: %s, %q", c.name, got, reason)
		}
		if c.gone {
			_, err := r.core.Inbox(r.ctx, a.Owner, core.InboxQuery{})
			r.refused(c.name, err, protocol.Conflict, protocol.ReasonSessionClosed)
		} else {
			r.close(a)
		}
	}
}

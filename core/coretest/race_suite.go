package coretest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// atOnce runs something several times beside itself.
func atOnce(times int, run func(i int)) {
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() { run(i) })
	}
	all.Wait()
}

// racingOpeners: sessions that open together in an empty room materialise it once, and none is lost.
func racingOpeners(t *testing.T, r *roomTest) {
	const many = 8
	var opened [many]protocol.Session
	var failed [many]error
	atOnce(many, func(i int) {
		opened[i], failed[i] = r.core.OpenSession(r.ctx, core.OpenSession{ParticipantID: fmt.Sprint("p", i), Harness: "tool"})
		if failed[i] == nil {
			_, failed[i] = r.core.PublishIntent(r.ctx, core.Owner{SessionID: opened[i].SessionID, Generation: opened[i].Generation}, core.IntentRequest{Summary: "s"})
		}
	})
	made, begun := 0, map[string]int{}
	for _, e := range r.journal() {
		switch e.Type {
		case protocol.WorkspaceMaterialised:
			made++
		case protocol.SessionOpened:
			begun[e.ActorSessionID]++
		}
	}
	if made != 1 {
		t.Errorf("the room materialised %d times", made)
	}
	for i, s := range opened {
		if failed[i] != nil || begun[s.SessionID] != 1 {
			t.Errorf("session %d: %v, %d events", i, failed[i], begun[s.SessionID])
		}
	}
	status, err := r.core.Status(r.ctx, core.StatusQuery{})
	if err != nil || len(status.Sessions) != many {
		t.Fatalf("%d rows, %v", len(status.Sessions), err)
	}
	for _, row := range status.Sessions {
		if row.Intent != "s" {
			t.Errorf("the intent of %s is %q", row.ParticipantID, row.Intent)
		}
	}
}

// racingFirsts: the first claim of a lone session and the session that joins it materialise one room.
func racingFirsts(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	var failed [2]error
	atOnce(2, func(i int) {
		if i == 0 {
			_, failed[i] = r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "file:a"})
		} else {
			_, failed[i] = r.core.OpenSession(r.ctx, core.OpenSession{ParticipantID: "bob", Harness: "tool"})
		}
	})
	status, err := r.core.Status(r.ctx, core.StatusQuery{})
	if failed[0] != nil || failed[1] != nil || err != nil || len(status.Sessions) != 2 || len(status.Claims) != 1 {
		t.Errorf("%v, %v: %+v, %v", failed[0], failed[1], status, err)
	}
	if n := len(r.journal()); n != 4 {
		t.Errorf("%d events, want materialised, two opened, one acquired", n)
	}
}

// racingClaims: of several sessions that want one thing alone exactly one gets it.
func racingClaims(t *testing.T, r *roomTest) {
	const many = 8
	var actors [many]actor
	for i := range actors {
		actors[i] = r.open(fmt.Sprint("p", i))
	}
	var failed [many]error
	atOnce(many, func(i int) {
		_, failed[i] = r.core.Claim(r.ctx, actors[i].Owner, core.ClaimRequest{Resource: []string{"file:a/**", "file:a/b"}[i%2]})
	})
	held := 0
	for _, err := range failed {
		if err == nil {
			held++
		} else {
			r.refused("a claim that came later", err, protocol.Conflict, protocol.ReasonClaimConflict)
		}
	}
	if held != 1 {
		t.Errorf("%d sessions hold it", held)
	}
}

// racingKeys: a send and a finish that are tried several times at once are recorded once and answered
// alike.
func racingKeys(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	claim := r.claim(ada, "file:a").Claim.ClaimID
	const many = 6
	var ids [2 * many]string
	atOnce(2*many, func(i int) {
		if i < many {
			sent, err := r.core.Send(r.ctx, bob.Owner, core.SendRequest{To: []string{"ada"}, MessageKind: protocol.Note, Subject: "s", Body: "b", ClientMessageID: "key"})
			if err != nil {
				t.Errorf("send: %v", err)
			}
			ids[i] = sent.Message.MessageID
			return
		}
		done, err := r.core.Finish(r.ctx, ada.Owner, core.FinishRequest{Goal: "g", To: []string{"bob"}, ClientMessageID: "key"})
		if err != nil || len(done.ReleasedClaimIDs) != 1 || done.ReleasedClaimIDs[0] != claim {
			t.Errorf("finish: %v, released %v", err, done.ReleasedClaimIDs)
		}
		ids[i] = done.Message.MessageID
	})
	for i, id := range ids {
		if first := ids[i/many*many]; id != first {
			t.Errorf("try %d gave %s, another %s", i, id, first)
		}
	}
	count := map[protocol.EventType]int{}
	for _, e := range r.journal() {
		count[e.Type]++
	}
	if count[protocol.MessageRecorded] != 2 || count[protocol.SessionClosedEvent] != 1 {
		t.Errorf("events: %v", count)
	}
}

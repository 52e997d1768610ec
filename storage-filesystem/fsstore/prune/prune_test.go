package prune_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/prune"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
)

// life is a room in which things have come to their end, and others have not.
type life struct {
	*testing.T
	store     *fsstore.Store
	core      *core.Core
	clock     *coretest.Clock
	processes *coretest.Processes
	owners    map[string]core.Owner
}

func begin(t *testing.T) *life {
	l := &life{T: t, clock: coretest.NewClock(), processes: &coretest.Processes{}, owners: map[string]core.Owner{}}
	l.store = storetest.Open(t, storetest.Options(t, coretest.WorkspaceID))
	var err error
	l.core, err = core.New(core.Config{
		Store: l.store, Clock: l.clock, IDs: &coretest.IDs{}, Processes: l.processes,
		Workspace: protocol.Workspace{WorkspaceID: coretest.WorkspaceID, DisplayName: "room", Source: protocol.SourceDirectory, Roots: []string{"/room"}},
	})
	l.must(err)
	return l
}

func (l *life) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func (l *life) open(names ...string) {
	l.Helper()
	for _, name := range names {
		s, err := l.core.OpenSession(l.Context(), core.OpenSession{
			ParticipantID: name, ParticipantOf: protocol.Agent, Harness: "tool-" + name, Enforcement: protocol.Guarded, Lifecycle: protocol.Managed,
		})
		l.must(err)
		l.owners[name] = core.Owner{SessionID: s.SessionID, Generation: s.Generation}
	}
}

func (l *life) send(from, to, subject string) string {
	l.Helper()
	sent, err := l.core.Send(l.Context(), l.owners[from], core.SendRequest{To: []string{to}, MessageKind: protocol.Note, Subject: subject, Body: "body"})
	l.must(err)
	return sent.Message.MessageID
}

func (l *life) cursor() uint64 {
	l.Helper()
	var at core.Commit
	l.must(l.store.View(l.Context(), func(r core.Reader) error { at = r.Position(); return nil }))
	return at.LastSequence
}

func (l *life) exists(kind protocol.Kind, id string) bool {
	l.Helper()
	found := false
	l.must(l.store.View(l.Context(), func(r core.Reader) (err error) { _, found, err = r.Get(kind, id); return err }))
	return found
}

func (l *life) prune(opts prune.Options) prune.Report {
	l.Helper()
	opts.Clock, opts.Processes = l.clock, l.processes
	report, err := prune.Run(l.Context(), l.store, opts)
	l.must(err)
	return report
}

func TestPrune(t *testing.T) {
	l := begin(t)
	l.open("ada", "bob", "cyd", "dot")
	settled, unread := l.send("ada", "bob", "settled"), l.send("ada", "bob", "unread")
	toGone := l.send("ada", "cyd", "to somebody who is pruned first")
	_, err := l.core.Ack(l.Context(), l.owners["bob"], settled)
	l.must(err)
	_, err = l.core.PublishIntent(l.Context(), l.owners["dot"], core.IntentRequest{Summary: "leaving", Mode: protocol.ModeEdit})
	l.must(err)
	claimed, err := l.core.Claim(l.Context(), l.owners["cyd"], core.ClaimRequest{Resource: "file:a", Mode: protocol.Exclusive, Enforcement: protocol.Guarded, Reason: "edit", Lease: time.Minute})
	l.must(err)
	cursor := l.cursor()
	late := l.send("ada", "bob", "after the cursor")
	_, err = l.core.Ack(l.Context(), l.owners["bob"], late)
	l.must(err)
	_, err = l.core.CloseSession(l.Context(), l.owners["dot"], "")
	l.must(err)
	l.clock.Advance(25 * time.Hour) // everybody else has been silent, and the claim has expired
	_, err = l.core.Heartbeat(l.Context(), l.owners["ada"])
	l.must(err)

	everything := prune.Options{Classes: prune.Classes[:], Before: cursor}
	before := l.cursor()
	planned := l.prune(everything)
	want := prune.Report{Receipts: 1, Messages: 1, Intents: planned.Intents, Claims: 1, Sessions: 3, Participants: 1, JournalFrom: 1}
	if diff := cmp.Diff(want, planned); diff != "" {
		t.Errorf("plan:\n%s", diff)
	}
	if l.cursor() != before || !l.exists(protocol.KindMessage, settled) {
		t.Fatal("a plan changed the room")
	}

	everything.Apply = true
	done := l.prune(everything)
	want.Applied, want.TrimmedThrough = true, cursor
	if diff := cmp.Diff(want, done); diff != "" {
		t.Errorf("applied:\n%s", diff)
	}
	for _, c := range []struct {
		what string
		kind protocol.Kind
		id   string
		stay bool
	}{
		{"a settled message", protocol.KindMessage, settled, false},
		{"its receipt", protocol.KindReceipt, protocol.ReceiptID(settled, "bob"), false},
		{"an unread message", protocol.KindMessage, unread, true},
		{"a message to somebody silent", protocol.KindMessage, toGone, true},
		{"a settled message after the cursor", protocol.KindMessage, late, true},
		{"a live session", protocol.KindSession, l.owners["ada"].SessionID, true},
		{"a silent session", protocol.KindSession, l.owners["bob"].SessionID, false},
		{"a closed session", protocol.KindSession, l.owners["dot"].SessionID, false},
		{"its intent", protocol.KindIntent, l.owners["dot"].SessionID, false},
		{"an expired claim", protocol.KindClaim, claimed.Claim.ClaimID, false},
		{"a participant who is owed something", protocol.KindParticipant, "cyd", true},
		{"a participant whom nothing names", protocol.KindParticipant, "dot", false},
		{"the room", protocol.KindWorkspace, coretest.WorkspaceID, true},
	} {
		if l.exists(c.kind, c.id) != c.stay {
			t.Errorf("%s: stays %v, want %v", c.what, !c.stay, c.stay)
		}
	}
	l.must(l.store.View(t.Context(), func(r core.Reader) error {
		events, err := r.Events(0, 1)
		if len(events) != 1 || events[0].Sequence != cursor+1 {
			t.Errorf("the first event is %+v, want %d", events, cursor+1)
		}
		return err
	}))

	again := l.prune(everything)
	if n := again.Receipts + again.Messages + again.Intents + again.Claims + again.Sessions + again.Participants; n > 0 {
		t.Errorf("a second time: %+v", again)
	}
}

// TestPruneTakesTurns: what changes between the plan and its application stays.
func TestPruneTakesTurns(t *testing.T) {
	l := begin(t)
	l.open("ada", "dot")
	_, err := l.core.CloseSession(t.Context(), l.owners["dot"], "")
	l.must(err)
	opts := prune.Options{Classes: prune.Classes[:], Apply: true, Clock: l.clock, Processes: reopening{l}}
	session := l.owners["ada"].SessionID
	l.must(l.give(session, 4711)) // so that the plan looks at a process, and we can act in between
	report, err := prune.Run(t.Context(), l.store, opts)
	l.must(err)
	if !l.exists(protocol.KindParticipant, "dot") || report.Participants != 0 || report.Kept == 0 {
		t.Errorf("a participant who was written to after the plan went: %+v", report)
	}
}

// give records a process in a session.
func (l *life) give(session string, pid int) error {
	_, err := l.store.Update(context.Background(), func(tx core.Tx) error {
		stored, _, err := tx.Get(protocol.KindSession, session)
		if err != nil {
			return err
		}
		next := *stored.Record.(*protocol.Session)
		next.PID = pid
		return tx.Put(&next)
	})
	return err
}

// reopening is a process table that lets somebody commit when it is asked.
type reopening struct{ l *life }

func (r reopening) Probe(int, time.Time) core.ProcessState {
	r.l.send("ada", "dot", "are you there")
	return core.ProcessAlive
}

func TestUnknownClass(t *testing.T) {
	l := begin(t)
	_, err := prune.Run(t.Context(), l.store, prune.Options{Classes: []prune.Class{"messages"}, Clock: l.clock, Processes: l.processes})
	if protocol.CodeOf(err) != protocol.Usage {
		t.Errorf("got %v", err)
	}
}

package coretest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// NewStore opens an empty store of the room WorkspaceID that may be created by its first Update.
type NewStore func(t *testing.T) core.Store

// TestStore checks that stores made by newStore keep the contract of core.Store.
func TestStore(t *testing.T, newStore NewStore) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, *storeTest)
	}{
		{"empty store answers", emptyStore},
		{"a commit is whole", wholeCommit},
		{"an error commits nothing", errorCommitsNothing},
		{"nothing changed is no commit", nothingChanged},
		{"unseen records cannot change", unseenRecords},
		{"invalid records are refused", invalidRecords},
		{"a transaction sees its changes", seesOwnChanges},
		{"created stays, generation moves", createdAndGeneration},
		{"records are detached", detachedRecords},
		{"every index answers every query", everyIndex},
		{"events are ordered and paged", orderedEvents},
		{"a snapshot does not move", stableSnapshot},
		{"concurrent updates serialise", serialUpdates},
		{"deadlines end a wait", deadlines},
		{"presence is kept by generation", ephemeralBeats},
		{"bindings are kept by generation and adapter", ephemeralBindings},
		{"a solo room leaves no commit", soloRoom},
		{"a durable commit ends a solo room", soloEnds},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, &storeTest{TB: t, ctx: t.Context(), store: newStore(t)}) })
	}
}

// storeTest is one store and what fails the test when it errs.
type storeTest struct {
	testing.TB
	ctx   context.Context
	store core.Store
	ids   IDs
}

// update runs fn in a transaction that must commit.
func (s *storeTest) update(fn func(core.Tx)) core.Commit {
	s.Helper()
	commit, err := s.store.Update(s.ctx, func(tx core.Tx) error { fn(tx); return nil })
	if err != nil {
		s.Fatalf("update: %v", err)
	}
	return commit
}

// view runs fn on a snapshot.
func (s *storeTest) view(fn func(core.Reader)) {
	s.Helper()
	if err := s.store.View(s.ctx, func(r core.Reader) error { fn(r); return nil }); err != nil {
		s.Fatalf("view: %v", err)
	}
}

// put looks at a record and writes it.
func (s *storeTest) put(tx core.Tx, records ...protocol.Record) {
	s.Helper()
	for _, r := range records {
		s.get(tx, r.Kind(), r.Key())
		if err := tx.Put(r); err != nil {
			s.Fatalf("put %s %s: %v", r.Kind(), r.Key(), err)
		}
	}
}

func (s *storeTest) remove(tx core.Tx, r protocol.Record) {
	s.Helper()
	s.get(tx, r.Kind(), r.Key())
	if err := tx.Remove(r.Kind(), r.Key()); err != nil {
		s.Fatalf("remove %s %s: %v", r.Kind(), r.Key(), err)
	}
}

func (s *storeTest) get(r core.Reader, kind protocol.Kind, id string) (core.Stored, bool) {
	s.Helper()
	stored, found, err := r.Get(kind, id)
	if err != nil {
		s.Fatalf("get %s %s: %v", kind, id, err)
	}
	return stored, found
}

func (s *storeTest) find(r core.Reader, q core.Query) []core.Entry {
	s.Helper()
	entries, err := r.Find(q)
	if err != nil {
		s.Fatalf("find %+v: %v", q, err)
	}
	return entries
}

func (s *storeTest) events(r core.Reader, after uint64, limit int) []protocol.Event {
	s.Helper()
	events, err := r.Events(after, limit)
	if err != nil {
		s.Fatalf("events after %d: %v", after, err)
	}
	return events
}

func (s *storeTest) draft() core.Draft {
	return core.Draft{EventID: s.ids.NewID("event"), ActorSessionID: "session-ada", OccurredAt: Start, Payload: protocol.IntentPublishedPayload{}}
}

// expectError checks that err is a *protocol.Error with some code of those.
func (s *storeTest) expectError(what string, err error, codes ...protocol.Code) {
	s.Helper()
	var e *protocol.Error
	if !errors.As(err, &e) {
		s.Fatalf("%s: got %v, want a *protocol.Error", what, err)
	}
	for _, code := range codes {
		if e.Code == code {
			return
		}
	}
	s.Fatalf("%s: got code %d (%v), want one of %v", what, e.Code, err, codes)
}

func emptyStore(t *testing.T, s *storeTest) {
	s.view(func(r core.Reader) {
		for _, kind := range protocol.Kinds {
			if _, found := s.get(r, kind, "nobody"); found {
				t.Errorf("an empty store has a %s", kind)
			}
		}
		for _, index := range core.Indexes {
			for _, key := range [][]string{nil, {"a"}, {"a", "b"}} {
				if found := s.find(r, core.Query{Index: index, Key: key}); len(found) > 0 {
					t.Errorf("an empty store lists %v in %s", found, index)
				}
			}
		}
		if events := s.events(r, 0, 10); len(events) > 0 {
			t.Errorf("an empty store has events: %v", events)
		}
		if p := r.Position(); p != (core.Commit{}) {
			t.Errorf("an empty store is at %+v", p)
		}
		if n := r.TrimmedThrough(); n != 0 {
			t.Errorf("an empty store is trimmed through %d", n)
		}
	})
}

func wholeCommit(t *testing.T, s *storeTest) {
	commit := s.update(func(tx core.Tx) {
		if p := tx.Position(); p != (core.Commit{}) {
			t.Errorf("the first transaction starts at %+v", p)
		}
		s.put(tx, room(), participant("ada"), session("session-ada", "ada"))
		tx.Append(s.draft())
		tx.Append(s.draft())
	})
	if want := (core.Commit{Generation: 1, LastSequence: 2}); commit != want {
		t.Fatalf("first commit: %+v, want %+v", commit, want)
	}
	s.view(func(r core.Reader) {
		if p := r.Position(); p != commit {
			t.Errorf("the snapshot is at %+v, want %+v", p, commit)
		}
		stored, found := s.get(r, protocol.KindSession, "session-ada")
		if !found {
			t.Fatal("the session is not there")
		}
		if diff := cmp.Diff(protocol.Record(session("session-ada", "ada")), stored.Record); diff != "" {
			t.Errorf("the session changed on its way (-want +got):\n%s", diff)
		}
		if stored.Created != 1 || stored.Generation != 1 {
			t.Errorf("created %d, generation %d", stored.Created, stored.Generation)
		}
	})
	commit = s.update(func(tx core.Tx) { s.put(tx, participant("bob")) })
	if want := (core.Commit{Generation: 2, LastSequence: 2}); commit != want {
		t.Errorf("commit without an event: %+v, want %+v", commit, want)
	}
}

func errorCommitsNothing(t *testing.T, s *storeTest) {
	s.update(func(tx core.Tx) { s.put(tx, participant("ada")) })
	refused := protocol.ConflictError(protocol.ReasonClaimConflict, "somebody else holds it")
	_, err := s.store.Update(s.ctx, func(tx core.Tx) error {
		s.put(tx, participant("bob"))
		s.remove(tx, participant("ada"))
		tx.Append(s.draft())
		return refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("the error of the transaction came back as %v", err)
	}
	s.view(func(r core.Reader) {
		if _, found := s.get(r, protocol.KindParticipant, "bob"); found {
			t.Error("a put of a failed transaction is there")
		}
		if _, found := s.get(r, protocol.KindParticipant, "ada"); !found {
			t.Error("a remove of a failed transaction happened")
		}
		if got := s.find(r, core.Query{Index: core.Participants}); len(got) != 1 {
			t.Errorf("the index lists %v", got)
		}
		if r.Position() != (core.Commit{Generation: 1}) {
			t.Errorf("a failed transaction moved the store to %+v", r.Position())
		}
	})
}

func nothingChanged(t *testing.T, s *storeTest) {
	s.update(func(tx core.Tx) { s.put(tx, participant("ada")); tx.Append(s.draft()) })
	commit := s.update(func(tx core.Tx) { s.get(tx, protocol.KindParticipant, "ada") })
	if want := (core.Commit{LastSequence: 1}); commit != want {
		t.Errorf("a transaction that changed nothing: %+v, want %+v", commit, want)
	}
	s.view(func(r core.Reader) {
		if want := (core.Commit{Generation: 1, LastSequence: 1}); r.Position() != want {
			t.Errorf("the store is at %+v, want %+v", r.Position(), want)
		}
	})
}

func unseenRecords(t *testing.T, s *storeTest) {
	s.update(func(tx core.Tx) { s.put(tx, participant("ada")) })
	for name, change := range map[string]func(core.Tx) error{
		"put of a new record":       func(tx core.Tx) error { return tx.Put(participant("bob")) },
		"put of an existing record": func(tx core.Tx) error { return tx.Put(participant("ada")) },
		"remove":                    func(tx core.Tx) error { return tx.Remove(protocol.KindParticipant, "ada") },
		"remove of nothing": func(tx core.Tx) error {
			s.get(tx, protocol.KindParticipant, "nobody")
			return tx.Remove(protocol.KindParticipant, "nobody")
		},
	} {
		_, err := s.store.Update(s.ctx, change)
		s.expectError(name, err, protocol.Data, protocol.Conflict)
	}
}

func invalidRecords(t *testing.T, s *storeTest) {
	_, err := s.store.Update(s.ctx, func(tx core.Tx) error {
		bad := participant("ada")
		bad.DisplayName = "two\nlines"
		s.get(tx, protocol.KindParticipant, "ada")
		return tx.Put(bad)
	})
	s.expectError("a record with a broken line", err, protocol.Data)
	_, err = s.store.Update(s.ctx, func(tx core.Tx) error {
		d := s.draft()
		d.Payload = protocol.MessageRetrievedPayload{MessageID: "not an id"}
		tx.Append(d)
		return nil
	})
	s.expectError("an event with a broken payload", err, protocol.Data)
	s.view(func(r core.Reader) {
		if p := r.Position(); p != (core.Commit{}) {
			t.Errorf("refused changes moved the store to %+v", p)
		}
	})
}

func seesOwnChanges(t *testing.T, s *storeTest) {
	s.update(func(tx core.Tx) { s.put(tx, participant("ada"), participant("bob")) })
	s.update(func(tx core.Tx) {
		s.put(tx, participant("cyd"))
		s.remove(tx, participant("ada"))
		renamed := participant("bob")
		renamed.DisplayName = "Robert"
		s.put(tx, renamed)
		if _, found := s.get(tx, protocol.KindParticipant, "ada"); found {
			t.Error("a removed record is still there")
		}
		got, _ := s.get(tx, protocol.KindParticipant, "bob")
		if diff := cmp.Diff(protocol.Record(renamed), got.Record); diff != "" {
			t.Errorf("the transaction reads its own change differently:\n%s", diff)
		}
		want := []core.Entry{{Position: 1, ID: "bob"}, {Position: 2, ID: "cyd"}}
		if diff := cmp.Diff(want, s.find(tx, core.Query{Index: core.Participants})); diff != "" {
			t.Errorf("the index in the transaction (-want +got):\n%s", diff)
		}
	})
}

func createdAndGeneration(t *testing.T, s *storeTest) {
	s.update(func(tx core.Tx) { s.put(tx, participant("ada")) })
	s.update(func(tx core.Tx) { s.put(tx, participant("bob")) })
	s.update(func(tx core.Tx) {
		s.put(tx, participant("ada"))
		stored, _ := s.get(tx, protocol.KindParticipant, "ada")
		if stored.Created != 1 {
			t.Errorf("replacing a record moved its creation to %d", stored.Created)
		}
	})
	s.view(func(r core.Reader) {
		stored, _ := s.get(r, protocol.KindParticipant, "ada")
		if stored.Created != 1 || stored.Generation != 3 {
			t.Errorf("created %d, generation %d, want 1 and 3", stored.Created, stored.Generation)
		}
		want := []core.Entry{{Position: 1, ID: "ada"}, {Position: 2, ID: "bob"}}
		if diff := cmp.Diff(want, s.find(r, core.Query{Index: core.Participants})); diff != "" {
			t.Errorf("order by creation (-want +got):\n%s", diff)
		}
	})
	s.update(func(tx core.Tx) { s.remove(tx, participant("ada")) })
	s.update(func(tx core.Tx) { s.put(tx, participant("ada")) })
	s.view(func(r core.Reader) {
		if stored, _ := s.get(r, protocol.KindParticipant, "ada"); stored.Created != 5 {
			t.Errorf("a record that came back was created at %d, want 5", stored.Created)
		}
	})
}

func detachedRecords(t *testing.T, s *storeTest) {
	w := room()
	s.update(func(tx core.Tx) { s.put(tx, w) })
	w.Roots[0] = "/elsewhere"
	s.view(func(r core.Reader) {
		stored, _ := s.get(r, protocol.KindWorkspace, WorkspaceID)
		if diff := cmp.Diff(protocol.Record(room()), stored.Record); diff != "" {
			t.Errorf("the writer's later change reached the store:\n%s", diff)
		}
	})
}

func orderedEvents(t *testing.T, s *storeTest) {
	const commits, perCommit = 7, 3
	for range commits {
		s.update(func(tx core.Tx) {
			for range perCommit {
				tx.Append(s.draft())
			}
		})
	}
	s.view(func(r core.Reader) {
		var after uint64
		for page := 0; ; page++ {
			events := s.events(r, after, 4)
			if len(events) == 0 {
				break
			}
			if len(events) > 4 {
				t.Fatalf("a page of 4 holds %d events", len(events))
			}
			for _, e := range events {
				if after++; e.Sequence != after || e.WorkspaceID != WorkspaceID || e.Type != protocol.IntentPublished || e.ActorSessionID != "session-ada" || !e.OccurredAt.Equal(Start) {
					t.Fatalf("event %d came as %+v", after, e)
				}
				if _, err := protocol.DecodePayload(e); err != nil {
					t.Fatalf("payload of event %d: %v", after, err)
				}
			}
		}
		if after != commits*perCommit {
			t.Errorf("read %d events, want %d", after, commits*perCommit)
		}
		if got := s.events(r, 1000, 4); len(got) > 0 {
			t.Errorf("after the end: %v", got)
		}
	})
}

func stableSnapshot(t *testing.T, s *storeTest) {
	s.update(func(tx core.Tx) { s.put(tx, participant("ada"), intent("session-ada", "before")); tx.Append(s.draft()) })
	overtaken := false
	s.view(func(r core.Reader) {
		state := func() string {
			stored, _ := s.get(r, protocol.KindIntent, "session-ada")
			_, bob := s.get(r, protocol.KindParticipant, "bob")
			listed := s.find(r, core.Query{Index: core.Participants})
			return fmt.Sprint(stored.Record.(*protocol.Intent).Summary, bob, len(listed), len(s.events(r, 0, 10)), r.Position())
		}
		before := state()
		if !overtaken {
			overtaken = true // a store may start the view again; the room changes once
			s.update(func(tx core.Tx) {
				s.put(tx, participant("bob"), intent("session-ada", "after"))
				tx.Append(s.draft())
			})
		}
		if after := state(); after != before {
			t.Errorf("the snapshot moved from %q to %q", before, after)
		}
	})
	s.view(func(r core.Reader) {
		if stored, _ := s.get(r, protocol.KindIntent, "session-ada"); stored.Record.(*protocol.Intent).Summary != "after" {
			t.Error("the next snapshot does not show the commit")
		}
	})
}

func serialUpdates(t *testing.T, s *storeTest) {
	const writers, each = 4, 10
	s.update(func(tx core.Tx) { s.put(tx, intent("session-ada", "0")) })
	var group sync.WaitGroup
	failed := make(chan error, writers*each)
	for range writers {
		group.Go(func() {
			for range each {
				_, err := s.store.Update(s.ctx, func(tx core.Tx) error {
					stored, _, err := tx.Get(protocol.KindIntent, "session-ada")
					if err != nil {
						return err
					}
					next := *stored.Record.(*protocol.Intent)
					n, err := strconv.Atoi(next.Summary)
					next.Summary = strconv.Itoa(n + 1)
					return errors.Join(err, tx.Put(&next))
				})
				failed <- err
			}
		})
	}
	group.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			t.Error(err)
		}
	}
	s.view(func(r core.Reader) {
		stored, _ := s.get(r, protocol.KindIntent, "session-ada")
		if got, want := stored.Record.(*protocol.Intent).Summary, strconv.Itoa(writers*each); got != want {
			t.Errorf("%s increments arrived, want %s", got, want)
		}
		if got := r.Position().Generation; got != writers*each+1 {
			t.Errorf("the store is at generation %d, want %d", got, writers*each+1)
		}
	})
}

func deadlines(t *testing.T, s *storeTest) {
	s.update(func(tx core.Tx) { s.put(tx, participant("ada")) })
	ended, cancel := context.WithCancel(s.ctx)
	cancel()
	err := s.store.View(ended, func(core.Reader) error { return nil })
	s.expectError("a view after its deadline", err, protocol.Timeout)
	_, err = s.store.Update(ended, func(core.Tx) error { return nil })
	s.expectError("an update after its deadline", err, protocol.Timeout, protocol.Conflict)

	holding, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := s.store.Update(s.ctx, func(core.Tx) error { close(holding); <-release; return nil })
		done <- err
	}()
	<-holding
	short, cancel := context.WithTimeout(s.ctx, 30*time.Millisecond)
	defer cancel()
	ran := false
	_, err = s.store.Update(short, func(core.Tx) error { ran = true; return nil })
	s.expectError("an update behind a writer that does not end", err, protocol.Timeout, protocol.Conflict)
	if ran {
		t.Error("the transaction ran without the writer lock")
	}
	s.view(func(r core.Reader) { s.get(r, protocol.KindParticipant, "ada") }) // a reader waits for nobody
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	late, cancel := context.WithCancel(s.ctx)
	defer cancel()
	_, err = s.store.Update(late, func(tx core.Tx) error { s.put(tx, participant("bob")); cancel(); return nil })
	s.expectError("a deadline that passed before the decision point", err, protocol.Timeout, protocol.Conflict)
	s.view(func(r core.Reader) {
		if _, found := s.get(r, protocol.KindParticipant, "bob"); found {
			t.Error("a transaction whose deadline had passed committed")
		}
	})
}

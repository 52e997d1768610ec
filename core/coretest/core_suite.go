package coretest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// TestCore checks the rules of core on top of stores made by newStore.
func TestCore(t *testing.T, newStore NewStore) {
	for _, c := range coreCases {
		t.Run(c.name, func(t *testing.T) { c.run(t, newRoom(t, newStore(t))) })
	}
}

// coreCases are the rules one by one; README.md says which rule of the protocol each of them holds.
var coreCases = []struct {
	name string
	run  func(*testing.T, *roomTest)
}{
	{"opening records room, participant and session", openRecords},
	{"resuming is no event", resume},
	{"a live id is not replaced", replaceOnlyTheDead},
	{"a closed session opens with a new generation only", reopen},
	{"only the owner speaks for a session", ownersOnly},
	{"a heartbeat writes no journal and is rare", heartbeat},
	{"presence survives clocks that jump", jumpingClock},
	{"closing releases and is idempotent", closing},
	{"killed clients are ended by whoever opens", killedClients},
	{"only what is gone for certain is ended", goneIsCertain},
	{"one opening ends a few of many", manyKilled},
	{"exclusive and shared claims", claimModes},
	{"claims renew in place", claimRenewal},
	{"an owner renews by the id alone", renewals},
	{"own leases that ran out are told once", lapsedClaims},
	{"an expired claim holds nothing", claimExpiry},
	{"an expired claim of the gone is forgotten", claimsOfTheGone},
	{"a conflict says whom to ask", claimConflictDetails},
	{"release needs the owner or an authority", releases},
	{"what cannot be claimed", badClaims},
	{"the guard denies guarded claims of others", guarding},
	{"the guard follows the name of the file", guardNames},
	{"guards of whole directories", guardTrees},
	{"kinds and obligations", sendKinds},
	{"names become participants", recipients},
	{"the room is who is there", roomMessages},
	{"a key sends once", idempotentSend},
	{"notes that ask are told so", nudges},
	{"a reply answers and settles", replies},
	{"an acknowledgement is no answer", acks},
	{"reading advances once", reading},
	{"reading takes nothing back", readOvertaken},
	{"receipts belong to their participant", foreignReceipts},
	{"the inbox pages newest first", inboxPages},
	{"an inbox page is bounded in bytes", inboxBytes},
	{"a turn shows what waits", turns},
	{"offers commit what was queued", offers},
	{"attention follows its rules", attention},
	{"status of the room", status},
	{"nothing shows a generation", noGenerations},
	{"a lone session leaves nothing", soloLeavesNothing},
	{"a second session materialises the room", soloMaterialises},
	{"a first claim materialises the room", soloClaims},
	{"a first message materialises the room", soloSends},
	{"a first handoff materialises the room", soloFinishes},
	{"a lone session follows another", soloAfterSolo},
	{"a lone session replaces itself", soloReplaced},
	{"intents are published, cleared and done", intents},
	{"intents meet claims both ways", intentAttention},
	{"decisions replace and withdraw", decisions},
	{"a replaced decision is no mail", replacedMail},
	{"decisions that cannot be", decisionRefusals},
	{"decisions conflict until settled", decisionConflict},
	{"a finish hands over and can be retried", finishing},
	{"a long handoff is handed over whole", longHandoff},
	{"bindings are vouched for and given up", deliveryBindings},
	{"bindings of several processes", manyPublishers},
	{"routers see one live session", routing},
	{"who can be woken is available", wakeable},
	{"a live offer is repeated once", repeats},
	{"failed offers leave the receipt", offerFailures},
	{"sync pages through events", syncing},
	{"pages have their sizes", defaultPages},
	{"sync knows who is alone", soloSync},
	{"history reads and changes nothing", histories},
	{"status counts and tells who is away", fullStatus},
	{"an offer that nobody can judge waits", offeredSomehow},
	{"sessions open at once", racingOpeners},
	{"a first claim meets a second session", racingFirsts},
	{"several claim at once", racingClaims},
	{"one key is used at once", racingKeys},
}

// roomTest is a Core over one store, with everything around it under the test's control.
type roomTest struct {
	testing.TB
	ctx       context.Context
	core      *core.Core
	store     core.Store
	clock     *Clock
	ids       *IDs
	processes *Processes
}

func newRoom(t testing.TB, store core.Store) *roomTest {
	r := &roomTest{TB: t, ctx: t.Context(), store: store, clock: NewClock(), ids: &IDs{}, processes: &Processes{}}
	c, err := core.New(core.Config{
		Store: store, Clock: r.clock, IDs: r.ids, Processes: r.processes,
		Workspace: protocol.Workspace{WorkspaceID: WorkspaceID, DisplayName: "tests", Source: protocol.SourceDirectory, Roots: []string{"/tests"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.core = c
	return r
}

// actor is an open session and its participant.
type actor struct {
	core.Owner
	name string
}

// open opens a guarded session of a participant with a client of the same name.
func (r *roomTest) open(name string) actor {
	r.Helper()
	return r.openAs(core.OpenSession{ParticipantID: name, Harness: name, Enforcement: protocol.Guarded, Lifecycle: protocol.Managed})
}

func (r *roomTest) openAs(req core.OpenSession) actor {
	r.Helper()
	s, err := r.core.OpenSession(r.ctx, req)
	if err != nil {
		r.Fatalf("open %s: %v", req.ParticipantID, err)
	}
	return actor{core.Owner{SessionID: s.SessionID, Generation: s.Generation}, s.ParticipantID}
}

func (r *roomTest) close(a actor) {
	r.Helper()
	if _, err := r.core.CloseSession(r.ctx, a.Owner, ""); err != nil {
		r.Fatalf("close %s: %v", a.name, err)
	}
}

func (r *roomTest) send(a actor, kind protocol.MessageKind, subject string, to ...string) core.SendResult {
	r.Helper()
	sent, err := r.core.Send(r.ctx, a.Owner, core.SendRequest{To: to, MessageKind: kind, Subject: subject, Body: "body of " + subject})
	if err != nil {
		r.Fatalf("send %q: %v", subject, err)
	}
	return sent
}

func (r *roomTest) claim(a actor, resource string) core.ClaimResult {
	r.Helper()
	got, err := r.core.Claim(r.ctx, a.Owner, core.ClaimRequest{Resource: resource, Enforcement: protocol.Guarded, Reason: "tests"})
	if err != nil {
		r.Fatalf("claim %s: %v", resource, err)
	}
	return got
}

// refused checks that err is a *protocol.Error of that code and, unless empty, reason.
func (r *roomTest) refused(what string, err error, code protocol.Code, reason protocol.Reason) *protocol.Error {
	r.Helper()
	var e *protocol.Error
	if !errors.As(err, &e) {
		r.Fatalf("%s: got %v, want a refusal", what, err)
	}
	if e.Code != code || reason != "" && e.Reason != reason {
		r.Fatalf("%s: got code %d, reason %q (%v), want %d, %q", what, e.Code, e.Reason, e, code, reason)
	}
	return e
}

// journal gives every event of the room.
func (r *roomTest) journal() []protocol.Event {
	r.Helper()
	var events []protocol.Event
	err := r.store.View(r.ctx, func(reader core.Reader) (err error) {
		events, err = reader.Events(0, 10_000)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return events
}

// position gives the commit that the room is at.
func (r *roomTest) position() core.Commit {
	r.Helper()
	var position core.Commit
	if err := r.store.View(r.ctx, func(reader core.Reader) error { position = reader.Position(); return nil }); err != nil {
		r.Fatal(err)
	}
	return position
}

// unchanged runs fn and checks that it committed nothing.
func (r *roomTest) unchanged(what string, fn func()) {
	r.Helper()
	before := r.position()
	fn()
	if after := r.position(); after != before {
		r.Fatalf("%s moved the room from %+v to %+v", what, before, after)
	}
}

// tell checks the types and actors of the events since a sequence, as "type by name".
func (r *roomTest) tell(since uint64, names map[string]string, want ...string) {
	r.Helper()
	var got []string
	for _, e := range r.journal() {
		if e.Sequence > since {
			got = append(got, string(e.Type)+" by "+names[e.ActorSessionID])
		}
	}
	if !slices.Equal(got, want) {
		r.Fatalf("events:\n got %s\nwant %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

// called names sessions for tell.
func called(actors ...actor) map[string]string {
	names := map[string]string{}
	for _, a := range actors {
		names[a.SessionID] = a.name
	}
	return names
}

func (r *roomTest) presence(a actor) protocol.Presence {
	r.Helper()
	status, err := r.core.Status(r.ctx, core.StatusQuery{All: true})
	if err != nil {
		r.Fatal(err)
	}
	for _, row := range status.Sessions {
		if row.SessionID == a.SessionID {
			return row.Presence
		}
	}
	r.Fatalf("%s is not in the roster", a.name)
	return ""
}

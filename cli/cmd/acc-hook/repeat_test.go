package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// ago is a clock that is behind.
type ago time.Duration

func (a ago) Now() time.Time { return time.Now().Add(-time.Duration(a)) }

// nobody is a process table in which nothing is known.
type nobody struct{}

func (nobody) Probe(int, time.Time) core.ProcessState { return core.ProcessUnknown }

// offeredLive records that a live transport carried a message to a session some time ago.
func (m *machine) offeredLive(to core.Owner, messageID string, since time.Duration) {
	m.t.Helper()
	r := m.room()
	past, err := core.New(core.Config{
		Store: r.Store, Clock: ago(since), IDs: protocol.NewGenerator(), Processes: nobody{},
		Workspace: protocol.Workspace{WorkspaceID: r.Workspace.ID, DisplayName: "project", Source: protocol.SourceGit, Roots: []string{m.project}},
	})
	if err != nil {
		m.t.Fatal(err)
	}
	_, err = past.RecordOffers(context.Background(), core.OfferSuccess{
		MessageIDs: []string{messageID}, Target: to, Transport: "claude-inbox", AdapterID: "claude_code", ClientVersion: "1",
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

// TestLiveOfferIsRepeatedOnce: what a live transport carried and nobody read is shown once more before a turn,
// marked as that and after what is new; never in the middle or at the end of a turn, and never twice.
func TestLiveOfferIsRepeatedOnce(t *testing.T) {
	m := newMachine(t)
	ada, bob := m.conversation("ada"), m.conversation("bob")
	from, to := owner(t, ada.start("startup").context(t)), owner(t, bob.start("startup").context(t))
	bob.prompt()
	old := m.ask(from, "bob", "old", "the old body")
	young := m.ask(from, "bob", "young", "the young body")
	read := m.ask(from, "bob", "read", "the body that was read")
	m.offeredLive(to, old, protocol.RepeatLiveOffer+time.Second)
	m.offeredLive(to, young, protocol.RepeatLiveOffer-time.Minute)
	m.offeredLive(to, read, protocol.RepeatLiveOffer+time.Second)
	if _, err := m.room().Core.Read(context.Background(), to, read); err != nil {
		t.Fatal(err)
	}
	for _, r := range []result{bob.afterTool(), bob.hook("Stop", `"stop_hook_active":false`)} {
		if strings.Contains(r.stdout, "the old body") {
			t.Errorf("repeated within a turn: %q", r.stdout)
		}
	}
	fresh := m.ask(from, "bob", "fresh", "the fresh body")
	turn := bob.prompt().context(t)
	first, second := strings.Index(turn, "the fresh body"), strings.Index(turn, "the old body")
	mark := strings.Index(turn, "repeat: offered by claude-inbox at ")
	if first < 0 || second < first || mark < first || mark > second || strings.Count(turn, "repeat: ") != 1 || !strings.Contains(turn, ", no retrieval recorded\n") {
		t.Errorf("the turn: %q", turn)
	}
	for _, body := range []string{"the young body", "the body that was read"} {
		if strings.Contains(turn, body) {
			t.Errorf("%s is carried: %q", body, turn)
		}
	}
	if got := m.receipt(fresh, "bob"); got.State != protocol.Offered || got.Offer.Transport != protocol.TransportNextTurn {
		t.Errorf("the new one: %+v", got)
	}
	got := m.receipt(old, "bob")
	if got.State != protocol.Offered || got.Offer.Transport != "claude-inbox" || got.Offer.RepeatedAt.IsZero() || !got.UpdatedAt.Equal(got.Offer.At) {
		t.Errorf("the repeated one: %+v %+v", got, got.Offer)
	}
	if turn := bob.prompt(); strings.Contains(turn.stdout, "the old body") {
		t.Errorf("repeated twice: %q", turn.stdout)
	}
}

package caller

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// environment is a data home and a project as variables.
func environment(t *testing.T) map[string]string {
	t.Helper()
	project := filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"ACC_DATA_HOME": t.TempDir(), WorkspaceVariable: project}
}

func book(env map[string]string, conversation Conversation) *Book {
	return NewBook(func(name string) string { return env[name] }, conversation)
}

func callerOf(t *testing.T, b *Book, m Metadata) *Caller {
	t.Helper()
	c, err := b.Of(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// owner gives the pair that a caller speaks with now.
func owner(t *testing.T, c *Caller) core.Owner {
	t.Helper()
	var pair core.Owner
	if err := c.Do(context.Background(), func(o core.Owner) error { pair = o; return nil }); err != nil {
		t.Fatal(err)
	}
	return pair
}

// exited gives the number of a process that was and is no more.
func exited(t *testing.T) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// TestManyServersAtOnce: servers of one identity that start together never share a session; each has a
// slot of its own, and beyond the slots they still have sessions.
func TestManyServersAtOnce(t *testing.T) {
	env := environment(t)
	const servers = maxSlots + 4
	pairs := make([]core.Owner, servers)
	var group sync.WaitGroup
	for i := range servers {
		group.Go(func() {
			c, err := book(env, nil).Of(context.Background(), Metadata{})
			if err == nil {
				err = c.Do(context.Background(), func(o core.Owner) error { pairs[i] = o; return nil })
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	sessions, generations := map[string]bool{}, map[string]bool{}
	for _, p := range pairs {
		sessions[p.SessionID], generations[p.Generation] = true, true
	}
	if len(sessions) != servers || len(generations) != servers {
		t.Errorf("%d servers have %d sessions and %d generations", servers, len(sessions), len(generations))
	}
}

// TestTheSessionOfADeadServerIsTakenOver under a new generation, with what it holds.
func TestTheSessionOfADeadServerIsTakenOver(t *testing.T) {
	env, ctx := environment(t), context.Background()
	c := callerOf(t, book(env, nil), Metadata{})
	dead := c.Room.Core.NewOwner()
	kept := newSlots(c.Room.Home.Root, c.Room.Dir, c.Participant, c.Room.Workspace.ID)
	if id, err := kept.session(0, dead.SessionID); err != nil || id != dead.SessionID {
		t.Fatalf("%q, %v", id, err)
	}
	if _, err := c.Room.Core.OpenSession(ctx, core.OpenSession{
		SessionID: dead.SessionID, Generation: dead.Generation, ParticipantID: c.Participant, Harness: Harness, PID: exited(t),
	}); err != nil {
		t.Fatal(err)
	}
	held, err := c.Room.Core.Claim(ctx, dead, core.ClaimRequest{Resource: "file:a.go"})
	if err != nil {
		t.Fatal(err)
	}
	now := owner(t, c)
	if now.SessionID != dead.SessionID || now.Generation == dead.Generation {
		t.Errorf("the session goes on as %v, it was %v", now, dead)
	}
	if _, err := c.Room.Core.Release(ctx, now, core.ReleaseRequest{ClaimID: held.Claim.ClaimID}); err != nil {
		t.Errorf("its claim cannot be released: %v", err)
	}
	if _, err := c.Room.Core.Session(ctx, dead); protocol.ReasonOf(err) != protocol.ReasonCallerMismatch {
		t.Errorf("the dead server's pair still counts: %v", err)
	}
}

// TestASlotHoldsNoCredential, can be read by nobody else, and is never taken for empty when it is damaged.
func TestASlotHoldsNoCredential(t *testing.T) {
	env := environment(t)
	c := callerOf(t, book(env, nil), Metadata{})
	pair := owner(t, c)
	path := newSlots(c.Room.Home.Root, c.Room.Dir, c.Participant, c.Room.Workspace.ID).path(0)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), pair.SessionID) || strings.Contains(string(data), pair.Generation) {
		t.Errorf("the slot holds %s", data)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the slot can be read by others: %v, %v", info.Mode(), err)
	}
	for name, text := range map[string]string{
		"cut off": string(data[:len(data)/2]), "another's": strings.Replace(string(data), "mcp:mcp:", "mcp:other:", 1), "empty": "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		again := callerOf(t, book(env, nil), Metadata{})
		err := again.Do(context.Background(), func(core.Owner) error { return nil })
		if protocol.CodeOf(err) != protocol.Data || !strings.Contains(err.Error(), path) {
			t.Errorf("a slot that is %s: %v", name, err)
		}
	}
}

// TestOnlyTheClientsOwnWordNamesAConversation, and only of a client that is known to say it.
func TestOnlyTheClientsOwnWordNamesAConversation(t *testing.T) {
	for _, c := range []struct {
		client string
		values map[string]any
		want   key
	}{
		{"codex-mcp-client", map[string]any{"threadId": "t"}, key{"codex", "t"}},
		{"codex-mcp-client", map[string]any{"threadId": 7}, key{}},
		{"codex-mcp-client", map[string]any{"threadId": ""}, key{}},
		{"codex-mcp-client", map[string]any{"threadId": strings.Repeat("x", 5000)}, key{}},
		{"codex-mcp-client", nil, key{}},
		{"claude-code", map[string]any{"threadId": "t"}, key{}},
		{"", map[string]any{"threadId": "t"}, key{}},
	} {
		if got := conversationOf(Metadata{c.client, c.values}); got != c.want {
			t.Errorf("%s %v: %v", c.client, c.values, got)
		}
	}
}

// TestBeat: a server whose client asks for nothing gives signs of life for its own session, and for no other; and
// it notices that its session has ended.
func TestBeat(t *testing.T) {
	env, ctx := environment(t), context.Background()
	b := book(env, nil)
	c := callerOf(t, b, Metadata{})
	clock := coretest.NewClock()
	clock.Advance(time.Since(coretest.Start).Truncate(time.Second)) // this process was not there before
	var err error
	if c.Room.Core, err = core.New(core.Config{
		Store: c.Room.Store, Clock: clock, IDs: protocol.NewGenerator(), Processes: process.Table{},
		Workspace: protocol.Workspace{WorkspaceID: c.Room.Workspace.ID, DisplayName: c.Room.Workspace.DisplayName, Source: c.Room.Workspace.Source, Roots: c.Room.Workspace.Roots},
	}); err != nil {
		t.Fatal(err)
	}
	mine, other := owner(t, c), c.Room.Core.NewOwner()
	if _, err := c.Room.Core.OpenSession(ctx, core.OpenSession{
		SessionID: other.SessionID, Generation: other.Generation, ParticipantID: "other", Harness: "x", PID: os.Getpid(), Cadence: protocol.AttachCadence,
	}); err != nil {
		t.Fatal(err)
	}
	seen := func(o core.Owner) time.Time {
		t.Helper()
		status, err := c.Room.Core.Status(ctx, core.StatusQuery{All: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range status.Sessions {
			if s.SessionID == o.SessionID {
				return s.HeartbeatAt
			}
		}
		t.Fatalf("no session %s", o.SessionID)
		return time.Time{}
	}
	began := seen(mine)
	beating, stop := context.WithCancel(ctx)
	ticks, stopped := make(chan time.Time), make(chan struct{})
	go func() { b.Beat(beating, ticks); close(stopped) }()
	tick := func() { // the second is taken when the first was acted on
		ticks <- clock.Now()
		ticks <- clock.Now()
	}
	tick()
	if got := seen(mine); !got.Equal(began) {
		t.Errorf("before one is due: %s, began %s", got, began)
	}
	clock.Advance(protocol.HeartbeatEvery)
	tick()
	if got := seen(mine); !got.Equal(clock.Now()) {
		t.Errorf("when one is due: %s, it is %s", got, clock.Now())
	}
	if got := seen(other); !got.Equal(began) {
		t.Errorf("another's session: %s", got)
	}
	if _, err := c.Room.Core.CloseSession(ctx, mine, ""); err != nil {
		t.Fatal(err)
	}
	tick()
	stop()
	<-stopped
	if c.mu.Lock(); c.owner != (core.Owner{}) {
		t.Error("it goes on with a session that has ended")
	}
	c.mu.Unlock()
}

// TestHooksThatComeLaterTakeOver: a thread that spoke for itself speaks as the session of its hooks once
// there is one, and leaves no second session behind.
func TestHooksThatComeLaterTakeOver(t *testing.T) {
	env, ctx := environment(t), context.Background()
	var hooked core.Owner
	b := book(env, func(_ context.Context, _ *room.Room, adapterID, nativeID string) (core.Owner, bool, error) {
		if adapterID != "codex" || nativeID != "thread" {
			t.Errorf("asked for %s %s", adapterID, nativeID)
		}
		return hooked, hooked != core.Owner{}, nil
	})
	c := callerOf(t, b, Metadata{"codex-mcp-client", map[string]any{"threadId": "thread"}})
	alone := owner(t, c)
	hooked = c.Room.Core.NewOwner()
	if got := owner(t, c); got != alone {
		t.Errorf("a pair on file whose session was never opened is %v", got)
	}
	if _, err := c.Room.Core.OpenSession(ctx, core.OpenSession{
		SessionID: hooked.SessionID, Generation: hooked.Generation, ParticipantID: c.Participant, Harness: "codex", PID: os.Getpid(),
	}); err != nil {
		t.Fatal(err)
	}
	if got := owner(t, c); got != hooked {
		t.Errorf("it speaks as %v, its hooks as %v", got, hooked)
	}
	if s, err := c.Room.Core.Session(ctx, alone); err == nil && s.State == protocol.SessionOpen {
		t.Error("its own session is still open")
	}
	if _, err := c.Room.Core.CloseSession(ctx, hooked, ""); err != nil {
		t.Fatal(err)
	}
	failing := true
	err := c.Do(ctx, func(o core.Owner) error {
		if failing {
			failing = false
			return protocol.ConflictError(protocol.ReasonSessionClosed, "it ended")
		}
		if o == hooked {
			return errors.New("it still speaks as the ended session")
		}
		return nil
	})
	if err != nil || failing {
		t.Errorf("after its hooks' session ended: %v", err)
	}
}

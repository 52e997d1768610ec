package fsstore_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// counter counts operations on the file system by name.
type counter map[string]int

func (c counter) wrap(fs vfs.FS) vfs.FS {
	return vfstest.Wrap(fs, func(op vfstest.Op) vfstest.Effect {
		c[op.Name]++
		return vfstest.Effect{}
	})
}

// room gives the rules of the room over a store.
func (h inhabited) room(t *testing.T, s core.Store) *core.Core {
	t.Helper()
	c, err := core.New(core.Config{
		Store: s, Clock: h.clock, IDs: &coretest.IDs{}, Processes: h.processes,
		Workspace: protocol.Workspace{WorkspaceID: coretest.WorkspaceID, DisplayName: "room", Source: protocol.SourceDirectory, Roots: []string{"/room"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// roomOn gives the rules of a room over a store, at the start of time.
func roomOn(t *testing.T, s core.Store) *core.Core {
	t.Helper()
	return inhabited{clock: coretest.NewClock(), processes: &coretest.Processes{}}.room(t, s)
}

// inhabited is a room with two open sessions, a guarded claim, and a history of messages that came to
// their end, of closed sessions, and of clients that were killed with claims in their hands.
type inhabited struct {
	disk      *vfstest.Disk
	clock     *coretest.Clock
	processes *coretest.Processes
	ada, bob  core.Owner
	open      string // a message to bob that is not settled and wants a reply
	note      string // ... and one that wants none
}

func inhabit(t *testing.T, messages int) inhabited {
	t.Helper()
	h := inhabited{disk: vfstest.NewDisk(), clock: coretest.NewClock(), processes: &coretest.Processes{}}
	s := lazy(h.disk.Process())
	c := h.room(t, s)
	ctx := context.Background()
	for name, owner := range map[string]*core.Owner{"ada": &h.ada, "bob": &h.bob} {
		opened, err := c.OpenSession(ctx, core.OpenSession{
			ParticipantID: name, ParticipantOf: protocol.Agent, Harness: "tool", Enforcement: protocol.Guarded, Lifecycle: protocol.Managed,
		})
		if err != nil {
			t.Fatal(err)
		}
		*owner = core.Owner{SessionID: opened.SessionID, Generation: opened.Generation}
	}
	const batch = 250
	for n := 0; n < messages; n += min(batch, messages) {
		_, err := s.Update(ctx, func(tx core.Tx) error {
			for i := range min(batch, messages) {
				m := message(fmt.Sprintf("message_%08d", n+i), []string{"ada", "bob"}[i%2], protocol.Request)
				r := receiptOf(m, []string{"bob", "ada"}[i%2])
				r.State = protocol.Acknowledged
				if err := put(tx, m, r); err != nil {
					return err
				}
				tx.Append(core.Draft{EventID: "event_" + m.MessageID, ActorSessionID: h.ada.SessionID, OccurredAt: coretest.Start, Payload: protocol.MessageRecordedPayload{
					MessageID: m.MessageID, ThreadID: m.ThreadID, RecipientParticipantIDs: []string{r.RecipientParticipantID},
				}})
			}
			for i := range min(batch, messages) / 10 {
				if err := put(tx, session(fmt.Sprintf("session-%08d", n+i), "ada", protocol.SessionClosed)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		h.kill(t, c, n)
	}
	if _, err := c.Claim(ctx, h.ada, core.ClaimRequest{Resource: "file:src/main.go", Mode: protocol.Exclusive, Enforcement: protocol.Guarded, Reason: "edit"}); err != nil {
		t.Fatal(err)
	}
	sent, err := c.Send(ctx, h.ada, core.SendRequest{To: []string{"bob"}, MessageKind: protocol.Request, Subject: "please", Body: "do", ClientMessageID: "client-open"})
	if err != nil {
		t.Fatal(err)
	}
	h.open = sent.Message.MessageID
	sent, err = c.Send(ctx, h.ada, core.SendRequest{To: []string{"bob"}, MessageKind: protocol.Note, Subject: "by the way", Body: "so", ClientMessageID: "client-note"})
	if err != nil {
		t.Fatal(err)
	}
	h.note = sent.Message.MessageID
	if err := s.RebuildIndexes(ctx); err != nil {
		t.Fatal(err)
	}
	h.spread(t)
	return h
}

// kill lets a client begin, claim and be killed, and time pass until its claims have expired. Whoever comes
// next ends its session, so that nobody pays for the many that were killed before.
func (h inhabited) kill(t *testing.T, c *core.Core, n int) {
	t.Helper()
	ctx, pid := context.Background(), n+1
	killed, err := c.OpenSession(ctx, core.OpenSession{ParticipantID: "ada", Harness: "tool", PID: pid})
	for i := 0; i < 5 && err == nil; i++ {
		_, err = c.Claim(ctx, core.Owner{SessionID: killed.SessionID, Generation: killed.Generation}, core.ClaimRequest{Resource: fmt.Sprintf("file:old/%d/%d", n, i)})
	}
	h.processes.Set(pid, core.ProcessDead)
	h.clock.Advance(protocol.DefaultLease + time.Minute)
	for _, owner := range []core.Owner{h.ada, h.bob} {
		if err == nil {
			_, err = c.Heartbeat(ctx, owner)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// spread makes the 256 directories of each kind, which a young room makes one by one as it needs them.
func (h inhabited) spread(t *testing.T) {
	t.Helper()
	dir, err := h.disk.Process().Open("/home", diskDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range protocol.Kinds {
		_ = dir.Mkdir("state/" + string(kind))
		for i := range 256 {
			_ = dir.Mkdir(fmt.Sprintf("state/%s/%02x", kind, i))
		}
	}
}

// operations are what hooks and commands do all day.
func (h inhabited) operations() map[string]func(ctx context.Context, c *core.Core) error {
	return map[string]func(ctx context.Context, c *core.Core) error{
		"guard": func(ctx context.Context, c *core.Core) error {
			d, err := c.Guard(ctx, h.bob, []string{"file:src/main.go"})
			if err == nil && !d.Denied {
				err = fmt.Errorf("the guard let an edit pass")
			}
			return err
		},
		"guard, free": func(ctx context.Context, c *core.Core) error {
			_, err := c.Guard(ctx, h.bob, []string{"file:src/other.go"})
			return err
		},
		"turn, nothing": func(ctx context.Context, c *core.Core) error { _, err := c.Turn(ctx, h.ada, 20); return err },
		"turn, mail": func(ctx context.Context, c *core.Core) error {
			turn, err := c.Turn(ctx, h.bob, 20)
			if err == nil && len(turn.Mail) != 2 {
				err = fmt.Errorf("%d messages", len(turn.Mail))
			}
			return err
		},
		"inbox": func(ctx context.Context, c *core.Core) error {
			_, err := c.Inbox(ctx, h.bob, core.InboxQuery{})
			return err
		},
		"status": func(ctx context.Context, c *core.Core) error {
			_, err := c.Status(ctx, core.StatusQuery{Owner: &h.bob})
			return err
		},
		"send": func(ctx context.Context, c *core.Core) error {
			_, err := c.Send(ctx, h.bob, core.SendRequest{To: []string{"ada"}, MessageKind: protocol.Note, Subject: "so", Body: "it is"})
			return err
		},
		"read": func(ctx context.Context, c *core.Core) error { _, err := c.Read(ctx, h.bob, h.open); return err },
		"ack":  func(ctx context.Context, c *core.Core) error { _, err := c.Ack(ctx, h.bob, h.note); return err },
		"reply": func(ctx context.Context, c *core.Core) error {
			_, err := c.Reply(ctx, h.bob, core.ReplyRequest{MessageID: h.open, Body: "done"})
			return err
		},
		"close": func(ctx context.Context, c *core.Core) error { _, err := c.CloseSession(ctx, h.ada, ""); return err },
		"sync": func(ctx context.Context, c *core.Core) error {
			_, err := c.Sync(ctx, core.SyncQuery{Owner: &h.bob})
			return err
		},
	}
}

// costs runs each operation in a process of its own and counts what it asked of the file system.
func (h inhabited) costs(t *testing.T, prepare func(d *vfstest.Disk), wantError bool) map[string]counter {
	t.Helper()
	all := map[string]counter{}
	base := h.disk.Clone()
	prepare(base)
	for name, run := range h.operations() {
		c, d := counter{}, base
		if name == "send" || name == "read" || name == "ack" || name == "reply" || name == "close" {
			d = base.Clone()
		}
		err := run(context.Background(), h.room(t, lazy(c.wrap(d.Process()))))
		if err != nil && !wantError {
			t.Fatalf("%s: %v", name, err)
		}
		for op := range c {
			if op == "List" && name != "status" && name != "close" {
				t.Errorf("%s lists a directory", name)
			}
		}
		all[name] = c
	}
	return all
}

// TestCallCounts demands that every operation asks the file system exactly the same in a young room and
// in one with a hundred thousand messages: with fresh indexes, with indexes that have fallen behind, and
// with none or damaged ones, where some operations end with an error instead.
func TestCallCounts(t *testing.T) {
	simulated(t)
	little, much := 100, 100_000
	if testing.Short() {
		much = 4_000
	}
	young, old := inhabit(t, little), inhabit(t, much)
	behind := func(commits int) func(d *vfstest.Disk) {
		return func(d *vfstest.Disk) {
			s := lazy(failingPages(d))
			for i := range commits {
				if _, err := s.Update(context.Background(), func(tx core.Tx) error {
					return put(tx, participant(fmt.Sprint("p", i), "x"))
				}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, c := range []struct {
		name       string
		prepare    func(d *vfstest.Disk)
		failing    bool // some operations say that the indexes are unavailable
		catchingUp bool
	}{
		{"fresh", behind(0), false, false},
		{"a few behind", behind(7), false, false},
		{"50 behind", behind(50), false, true},
		{"missing", func(d *vfstest.Disk) { behind(fsstore.MaxLag)(d); d.RemoveAll(diskDir + "/indexes") }, true, false},
		{"without pages", func(d *vfstest.Disk) {
			behind(fsstore.MaxLag)(d)
			d.RemoveAll(diskDir + "/indexes/v1/pages")
		}, true, false},
		{"with damaged pages", func(d *vfstest.Disk) {
			behind(fsstore.MaxLag)(d)
			for _, name := range d.Names(diskDir + "/indexes/v1/pages") {
				d.WriteFile(diskDir+"/indexes/v1/pages/"+name, []byte("no page"))
			}
		}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := young.costs(t, c.prepare, c.failing), old.costs(t, c.prepare, c.failing)
			// Sync from the beginning looks for the oldest segment, of which there is one in the young room.
			if extra := b["sync"]["Open"] - a["sync"]["Open"]; extra > 12 {
				t.Errorf("sync opens %d files more", extra)
			}
			delete(a, "sync")
			delete(b, "sync")
			// A commit that brings up to date what is far behind writes more pages where one is split.
			for name := range a {
				if extra := b[name]["OpenCreate"] - a[name]["OpenCreate"]; c.catchingUp && extra >= -8 && extra <= 8 && a[name]["Datasync"] == 1 {
					delete(a, name)
					delete(b, name)
				}
			}
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("operations on the file system (-%d messages +%d messages):\n%s", little, much, diff)
			}
			if c.name == "fresh" {
				for name, ops := range a {
					total := 0
					for n := range maps.Values(ops) {
						total += n
					}
					t.Logf("%-14s %3d operations, %d flushes", name, total, ops["Datasync"]+ops["Sync"]+ops["SyncDir"])
				}
				if got := a["send"]["Datasync"] + a["send"]["Sync"] + a["send"]["SyncDir"]; got != 1 {
					t.Errorf("a send flushes %d times, want once", got)
				}
			}
		})
	}
}

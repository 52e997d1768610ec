package fsstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// BenchmarkRawAppend is what the disk itself takes to append and flush the bytes of a send: the measure of
// BenchmarkSend, which may cost half as much again and a millisecond.
func BenchmarkRawAppend(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "raw"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	data := make([]byte, 3000)
	for b.Loop() {
		if _, err := f.Write(data); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

// benchRoom is a room on the real file system with two open sessions and a guarded claim.
func benchRoom(b *testing.B) (open func() *core.Core, ada, bob core.Owner) {
	opts := fsstore.Options{
		Dir: filepath.Join(b.TempDir(), "acc", "workspaces", coretest.WorkspaceID), WorkspaceID: coretest.WorkspaceID, Create: true,
	}
	ids := &coretest.IDs{}
	open = func() *core.Core {
		s, err := fsstore.Open(context.Background(), opts)
		if err != nil {
			b.Fatal(err)
		}
		c, err := core.New(core.Config{
			Store: s, Clock: coretest.NewClock(), IDs: ids, Processes: &coretest.Processes{},
			Workspace: protocol.Workspace{WorkspaceID: coretest.WorkspaceID, DisplayName: "room", Source: protocol.SourceDirectory, Roots: []string{"/room"}},
		})
		if err != nil {
			b.Fatal(err)
		}
		return c
	}
	c := open()
	for name, owner := range map[string]*core.Owner{"ada": &ada, "bob": &bob} {
		s, err := c.OpenSession(context.Background(), core.OpenSession{
			ParticipantID: name, ParticipantOf: protocol.Agent, Harness: "tool", Enforcement: protocol.Guarded, Lifecycle: protocol.Managed,
		})
		if err != nil {
			b.Fatal(err)
		}
		*owner = core.Owner{SessionID: s.SessionID, Generation: s.Generation}
	}
	_, err := c.Claim(context.Background(), ada, core.ClaimRequest{Resource: "file:src/main.go", Mode: protocol.Exclusive, Enforcement: protocol.Guarded, Reason: "edit"})
	if err != nil {
		b.Fatal(err)
	}
	return open, ada, bob
}

func BenchmarkSend(b *testing.B) {
	open, ada, bob := benchRoom(b)
	n := 0
	for b.Loop() {
		c := open()
		n++
		sent, err := c.Send(context.Background(), ada, core.SendRequest{To: []string{"bob"}, MessageKind: protocol.Note, Subject: "so", Body: fmt.Sprint("it is ", n)})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if n%10 == 0 { // keep what waits bounded
			if _, err := c.Ack(context.Background(), bob, sent.Message.MessageID); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
	}
}

func BenchmarkGuard(b *testing.B) {
	open, _, bob := benchRoom(b)
	for b.Loop() {
		d, err := open().Guard(context.Background(), bob, []string{"file:src/main.go"})
		if err != nil || !d.Denied {
			b.Fatal(d, err)
		}
	}
}

func BenchmarkTurnWithNothingToSay(b *testing.B) {
	open, ada, _ := benchRoom(b)
	for b.Loop() {
		if _, err := open().Turn(context.Background(), ada, 20); err != nil {
			b.Fatal(err)
		}
	}
}

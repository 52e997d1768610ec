package fsstore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// size gives the bytes of all files below a directory.
func size(d *vfstest.Disk, dir string) (total int) {
	for _, name := range d.Names(dir) {
		if content, err := d.ReadFile(dir + "/" + name); err == nil && len(content) > 0 {
			total += len(content)
			continue
		}
		total += size(d, dir+"/"+name)
	}
	return total
}

// TestDiskPerMessage: a message that was sent, offered, read and acknowledged takes at most twice its body and
// 6 KiB, journal and indexes included, and 3 KiB once it was trimmed.
func TestDiskPerMessage(t *testing.T) {
	simulated(t)
	const messages, body = 400, 1000
	d := vfstest.NewDisk()
	clock := coretest.NewClock()
	open := func() *fsstore.Store {
		s, err := fsstore.Open(t.Context(), fsstore.Options{
			Dir: diskDir, Base: "/home", WorkspaceID: coretest.WorkspaceID, Create: true, FS: d.Process(), Clock: clock,
		}.RotateAt(64<<10))
		must(t, err)
		return s
	}
	c := roomOn(t, open())
	owners := map[string]core.Owner{}
	for _, name := range []string{"ada", "bob"} {
		s, err := c.OpenSession(t.Context(), core.OpenSession{
			ParticipantID: name, ParticipantOf: protocol.Agent, Harness: "tool-" + name, Enforcement: protocol.Guarded, Lifecycle: protocol.Managed,
		})
		must(t, err)
		owners[name] = core.Owner{SessionID: s.SessionID, Generation: s.Generation}
	}
	empty := size(d, diskDir)
	for i := range messages {
		sent, err := c.Send(t.Context(), owners["ada"], core.SendRequest{
			To: []string{"bob"}, MessageKind: protocol.Note, Subject: fmt.Sprint("about ", i), Body: strings.Repeat("b", body),
		})
		must(t, err)
		id := sent.Message.MessageID
		_, err = c.RecordOffers(t.Context(), core.OfferSuccess{
			MessageIDs: []string{id}, Target: owners["bob"], Transport: protocol.TransportNextTurn, AdapterID: "adapter", ClientVersion: "1.2.3",
		})
		must(t, err)
		_, err = c.Read(t.Context(), owners["bob"], id)
		must(t, err)
		_, err = c.Ack(t.Context(), owners["bob"], id)
		must(t, err)
	}
	clock.Advance(48 * time.Hour)
	d.Advance(48 * time.Hour)
	_, err := open().Sweep(t.Context(), 0)
	must(t, err)
	per := func(what string, limit int) {
		t.Helper()
		got := (size(d, diskDir) - empty) / messages
		t.Logf("%s: %d bytes a message: %d of the body, state %d, journal %d, indexes %d", what, got, body,
			size(d, diskDir+"/state")/messages, size(d, diskDir+"/journal")/messages, size(d, diskDir+"/indexes")/messages)
		if most := 2*body + limit; got > most {
			t.Errorf("%s: %d bytes a message, at most %d", what, got, most)
		}
	}
	per("acknowledged", 6<<10)
	must(t, open().Checkpoint(t.Context()))
	_, err = open().Trim(t.Context(), uint64(4*messages))
	must(t, err)
	per("trimmed", 3<<10)
}

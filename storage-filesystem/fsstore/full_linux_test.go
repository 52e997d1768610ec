package fsstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
)

// TestRealFullDisk fills a real file system of a few megabytes, first with messages, then with somebody
// else's file to the last byte, and frees it again.
func TestRealFullDisk(t *testing.T) {
	home := t.TempDir()
	if err := syscall.Mount("tmpfs", home, "tmpfs", 0, "size=3m"); err != nil {
		t.Skip("a small file system needs root: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(home, syscall.MNT_DETACH) })
	opts := fsstore.Options{
		Dir: filepath.Join(home, "acc", "workspaces", coretest.WorkspaceID), WorkspaceID: coretest.WorkspaceID, Create: true, Rebuild: true,
	}
	s, err := fsstore.Open(t.Context(), opts)
	must(t, err)
	_, err = s.Update(t.Context(), func(tx core.Tx) error {
		m := message("message-first", "ada", protocol.Request)
		return put(tx, m, receiptOf(m, "bob"))
	})
	must(t, err)
	ballast := filepath.Join(home, "ballast")
	must(t, os.WriteFile(ballast, make([]byte, 512<<10), 0o600))

	sent := 0
	for ; sent < 100_000; sent++ {
		_, err = s.Update(t.Context(), func(tx core.Tx) error {
			m := message(fmt.Sprintf("message-%06d", sent), "ada", protocol.Note)
			m.Body = strings.Repeat("body ", 400)
			return put(tx, m)
		})
		if err != nil {
			break
		}
	}
	if r := reason(err); r != protocol.ReasonNotCommitted && r != protocol.ReasonCommittedNotVisible {
		t.Fatalf("the disk was full after %d messages: %v", sent, err)
	}
	t.Logf("%d messages, then: %v", sent, err)
	filler, err := os.Create(filepath.Join(home, "filler"))
	must(t, err)
	for chunk := make([]byte, 4096); ; {
		if _, err := filler.Write(chunk); err != nil {
			break
		}
	}
	must(t, filler.Close())

	// What ends things still works, out of the reserve.
	_, err = s.Update(t.Context(), func(tx core.Tx) error {
		r := receiptOf(message("message-first", "ada", protocol.Request), "bob")
		r.State = protocol.Acknowledged
		return put(tx, r)
	})
	if err != nil {
		t.Errorf("an acknowledgement on a full disk: %v", err)
	}
	must(t, os.Remove(filler.Name()))
	must(t, os.Remove(ballast))
	_, err = s.Update(t.Context(), func(tx core.Tx) error { return put(tx, message("message-last", "ada", protocol.Note)) })
	must(t, err)
	must(t, s.View(t.Context(), func(r core.Reader) error {
		found, err := r.Find(core.Query{Index: core.MessagesInOrder})
		if n := len(found); err == nil && (n < sent+2 || n > sent+3) {
			t.Errorf("%d messages are there, %d were sent", n, sent+2)
		}
		return err
	}))
	storetest.Check(t, s)
}

// TestReadOnly: a store on a file system that became read-only can be read, and says why it cannot be written.
func TestReadOnly(t *testing.T) {
	home := t.TempDir()
	if err := syscall.Mount("tmpfs", home, "tmpfs", 0, "size=3m"); err != nil {
		t.Skip("a small file system needs root: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(home, syscall.MNT_DETACH) })
	opts := fsstore.Options{Dir: filepath.Join(home, "acc", "workspaces", coretest.WorkspaceID), WorkspaceID: coretest.WorkspaceID, Create: true}
	s, err := fsstore.Open(t.Context(), opts)
	must(t, err)
	mustSet(t, s, 1)
	must(t, syscall.Mount("tmpfs", home, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=3m"))
	s, err = fsstore.Open(t.Context(), opts)
	must(t, err)
	mustRead(t, s, 1)
	_, err = s.Update(t.Context(), setPair(2))
	if err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a write: %v", err)
	}
}

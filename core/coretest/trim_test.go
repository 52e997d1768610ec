package coretest

import (
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// TestSyncAfterTrim: a reader whose cursor lies in what was trimmed is told so, and goes on behind it.
func TestSyncAfterTrim(t *testing.T) {
	store := NewMemory(WorkspaceID)
	r := newRoom(t, store)
	ada := r.open("ada")
	r.open("bob")
	r.send(ada, protocol.Note, "one", "bob")
	sync := func(cursor string) core.SyncResult {
		t.Helper()
		got, err := r.core.Sync(r.ctx, core.SyncQuery{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	store.Trim(2)
	got := sync("0000000000000001")
	if got.TrimmedThrough != 2 || len(got.Events) != 2 || got.Events[0].Sequence != 3 || got.Cursor != "0000000000000004" {
		t.Errorf("behind the trim: %+v", got)
	}
	store.Trim(100) // no further than the newest
	if got := sync(""); got.TrimmedThrough != 4 || len(got.Events) != 0 || got.Cursor != "0000000000000004" || got.More {
		t.Errorf("everything trimmed: %+v", got)
	}
}

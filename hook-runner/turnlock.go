package hookrunner

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// Clients run the hooks of parallel tools side by side. Whoever tells the model something holds the
// conversation's lock from reading what is new until that it was told is recorded, so that no two tell
// the same. The kernel frees the lock with its holder.
const (
	turnPatience = 250 * time.Millisecond // more would only cost the client time
	turnPoll     = 5 * time.Millisecond
	lockEnding   = ".lock"
)

// alone takes the conversation's lock. ok is false if somebody else kept it: that one is telling, or is
// stopped, and then saying something twice is better than never.
func (f ownerFiles) alone(ctx context.Context) (release func(), ok bool) {
	none := func() {}
	dir, err := f.fs.Open(f.base, f.dir)
	if err != nil {
		return none, false
	}
	defer func() { _ = dir.Close() }()
	file, err := dir.Open(f.name(lockEnding), vfs.OpenOrCreate) // the owner pair beside it was written before
	if err != nil {
		return none, false
	}
	release = func() { _ = file.Close() }
	patience := time.NewTimer(turnPatience)
	defer patience.Stop()
	for {
		if held, err := file.TryLock(); held || err != nil {
			return release, held
		}
		select {
		case <-ctx.Done():
			release()
			return none, false
		case <-patience.C:
			release()
			return none, false
		case <-time.After(turnPoll):
		}
	}
}

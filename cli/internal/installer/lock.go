package installer

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// lockName is the file, below <data home>/acc, whose lock an installation holds. Nobody removes it.
const lockName = "install.lock"

const lockPoll = 20 * time.Millisecond

// Lock keeps other installations of a data home out until release is called or the process ends. It
// waits as long as ctx allows.
func Lock(ctx context.Context, home datahome.Home) (release func(), err error) {
	dir, err := vfs.OS{}.Create(home.Root, home.Acc())
	if err != nil {
		return nil, protocol.DataError("", "cannot use the data home "+home.Root+": "+err.Error()).Because(err)
	}
	defer dir.Close()
	file, err := dir.Open(lockName, vfs.OpenOrCreate)
	if err != nil {
		return nil, protocol.DataError("", "cannot open "+lockName+" in "+home.Acc()+": "+err.Error()).Because(err)
	}
	for {
		held, err := file.TryLock()
		if held && err == nil {
			return func() { _ = file.Close() }, nil
		}
		if err != nil {
			_ = file.Close()
			return nil, protocol.DataError("", "cannot lock "+lockName+" in "+home.Acc()+": "+err.Error()).Because(err)
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, protocol.ConflictError(protocol.ReasonLockBusy, "another installation is at work in "+home.Acc()).
				WithHint("wait for it to end, then run the command again").Because(ctx.Err())
		case <-time.After(lockPoll):
		}
	}
}

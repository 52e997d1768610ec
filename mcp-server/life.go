package mcpserver

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// watchEvery is how often the client's process is looked at. With grace it stays well below the five
// seconds in which a server must follow its client.
const watchEvery = time.Second

// shells only start the server for somebody else, and outlive them when they wait for it.
var shells = []string{"sh", "bash", "dash", "zsh", "fish", "busybox", "env", "cmd", "powershell", "pwsh"}

// maxShells bounds how many of them may stand between the client and the server.
const maxShells = 4

// parentGone gives a channel that is closed when the process that started this one is no more, or one
// that a shell between them stood in for. The end of the input does not always tell: another child of
// the client may hold the pipe open.
func parentGone(ctx context.Context) <-chan struct{} {
	gone := make(chan struct{})
	parent := os.Getppid()
	ids := identify(parent)
	go func() {
		ticker := time.NewTicker(watchEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if os.Getppid() != parent || slices.ContainsFunc(ids, dead) {
				close(gone)
				return
			}
		}
	}()
	return gone
}

// identify pins down the parent and, while that is a shell, the process above it.
func identify(parent int) []process.Identity {
	table := process.NewTable()
	var ids []process.Identity
	for info := range table.Walk(parent, maxShells) {
		id, ok := table.Identify(info.PID)
		if !ok {
			break
		}
		ids = append(ids, id)
		if !slices.Contains(shells, info.Name) {
			break
		}
	}
	return ids
}

// dead is certain: of a process that cannot be looked at nothing is known.
func dead(id process.Identity) bool { return process.Table{}.Check(id) == core.ProcessDead }

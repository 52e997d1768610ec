package relay

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/localsocket"
)

const (
	dirPrefix  = "acc-relay-"
	socketName = "relay.sock"
	// youngest is how old a leftover is at least: a relay that is just starting has a socket on which nobody listens yet.
	youngest = time.Minute
	// clearTime bounds what a start spends on others' leftovers.
	clearTime = time.Second
)

// clearLeftovers removes what relays that were killed left in temp: a private socket of this user on which nobody
// listens, and its directory, if it holds nothing else. Whatever is not certainly that stays.
func clearLeftovers(temp string, now time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), clearTime)
	defer cancel()
	temp, err := filepath.EvalSymlinks(temp)
	if err != nil {
		return
	}
	dirs, err := filepath.Glob(filepath.Join(temp, dirPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 || now.Sub(info.ModTime()) < youngest {
			continue
		}
		path := filepath.Join(dir, socketName)
		if localsocket.Verify(path) != nil {
			continue
		}
		conn, err := localsocket.Dial(ctx, path, localsocket.Peer{})
		if err == nil {
			_ = conn.Close()
		}
		if errors.Is(err, localsocket.ErrRefused) && os.Remove(path) == nil {
			_ = os.Remove(dir) // not if anything else is in it
		}
	}
}

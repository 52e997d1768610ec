package localsocket

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Errors of this package, for errors.Is. fs.ErrPermission and fs.ErrNotExist come as they are.
var (
	ErrUnsupported = errors.New("no local sockets on this platform")
	ErrUnsafe      = errors.New("not a private socket of this user")
	ErrRefused     = errors.New("nobody listens")
	ErrForeign     = errors.New("another process listens")
)

// Peer is who must listen. A zero PID is not checked; nor is it where the system does not tell.
type Peer struct{ PID int }

// Verify says whether path is a socket that belongs to this user, that nobody else may open, and that is
// reached through no link: its directory's real path is the directory itself. It follows nothing.
func Verify(path string) error {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return ErrUnsafe
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket || info.Mode().Perm()&0o077 != 0 || !ours(info) {
		return ErrUnsafe
	}
	dir := filepath.Dir(path)
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	parent, err := os.Lstat(real)
	if err != nil {
		return err
	}
	if real != canonicalDir(dir) || parent.Mode().Perm()&0o022 != 0 && parent.Mode()&fs.ModeSticky == 0 || !ours(parent) && !root(parent) {
		return ErrUnsafe
	}
	return nil
}

// Dial connects to a socket that was verified. The deadline of ctx bounds every later read and write
// too; without one, it fails at once.
func Dial(ctx context.Context, path string, peer Peer) (*os.File, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return nil, os.ErrDeadlineExceeded
	}
	for {
		f, err := connect(path, peer)
		if !errors.Is(err, errFull) {
			if err == nil {
				err = f.SetDeadline(deadline)
			}
			return f, err
		}
		select { // the listener's queue is full
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(retry):
		}
	}
}

// errFull says that the listener takes no more just now.
var errFull = errors.New("the queue of the socket is full")

const retry = 5 * time.Millisecond

// Send verifies, connects, writes everything and closes.
func Send(ctx context.Context, path string, peer Peer, data []byte) error {
	if err := Verify(path); err != nil {
		return err
	}
	f, err := Dial(ctx, path, peer)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

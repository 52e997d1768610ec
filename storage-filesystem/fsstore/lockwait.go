package fsstore

import (
	"context"
	"slices"
	"sync"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// lockWaits are the waits of one process for the writer lock. The system serves who waits in turn, which asking again and
// again does not: one in a hundred of many writers then waits for many times what they wait on average. But such a wait
// cannot be ended. One whose caller has given up goes on, the next caller takes it over, and what nobody has taken
// over gives the lock back when it gets it. So there are never more of them than there were callers at once.
type lockWaits struct {
	mu   sync.Mutex
	left []*lockWait // of callers that gave up
}

// lockWait is one wait; f is locked, or err says why not, once done is closed.
type lockWait struct {
	f    vfs.File
	err  error
	done chan struct{}
}

// wait waits for the lock of f, or takes over a wait for it that somebody has left. It gives the locked file, which may be
// another than f, and closes what it does not give.
func (l *lockWaits) wait(ctx context.Context, f vfs.File) (vfs.File, error) {
	w := l.takeOver()
	if w == nil {
		w = &lockWait{f: f, done: make(chan struct{})}
		go l.run(w)
	} else {
		f.Close()
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		if l.leave(w) {
			return nil, ctx.Err()
		}
	}
	if w.err != nil {
		w.f.Close()
		return nil, w.err
	}
	return w.f, nil
}

func (l *lockWaits) takeOver() *lockWait {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.left) == 0 {
		return nil
	}
	w := l.left[0]
	l.left = l.left[1:]
	return w
}

// leave gives a wait up, unless it is over.
func (l *lockWaits) leave(w *lockWait) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-w.done:
		return false
	default:
		l.left = append(l.left, w)
		return true
	}
}

func (l *lockWaits) run(w *lockWait) {
	w.err = w.f.Lock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.left, w); i >= 0 {
		l.left = slices.Delete(l.left, i, i+1)
		w.f.Close() // and with it the lock
		return
	}
	close(w.done)
}

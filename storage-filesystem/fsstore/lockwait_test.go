package fsstore_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
)

// TestLockWait: a caller with a bound of its own gives up while its context still has time.
func TestLockWait(t *testing.T) {
	opts := storetest.Options(t, coretest.WorkspaceID)
	owner := storetest.Open(t, opts)
	opts.LockWait = 10 * time.Millisecond
	waiter := storetest.Open(t, opts)

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	free := hold(t, owner)
	_, err := waiter.Update(ctx, setPair(1))
	if reason := protocol.ReasonOf(err); reason != protocol.ReasonLockBusy || ctx.Err() != nil {
		t.Errorf("the waiter got %v (%q), its context %v; want %q and time left", err, reason, ctx.Err(), protocol.ReasonLockBusy)
	}
	if owner, held, err := waiter.Holder(); !held || err != nil || !strings.HasPrefix(owner, fmt.Sprintf("pid %d (", os.Getpid())) {
		t.Errorf("held by %q (%v), %v", owner, held, err)
	}
	free()
	if _, err := waiter.Update(ctx, setPair(1)); err != nil {
		t.Errorf("with the lock free: %v", err)
	}
}

// TestLockIsNotKeptByWhoGaveUp: a wait whose caller gave up is taken over by the next one of its process, and nobody keeps a
// lock that he does not wait for any more.
func TestLockIsNotKeptByWhoGaveUp(t *testing.T) {
	opts := storetest.Options(t, coretest.WorkspaceID)
	owner := storetest.Open(t, opts)
	opts.LockWait = 10 * time.Millisecond
	waiter := storetest.Open(t, opts)
	free := hold(t, owner)
	before := runtime.NumGoroutine()
	for range 20 {
		if _, err := waiter.Update(t.Context(), setPair(1)); protocol.ReasonOf(err) != protocol.ReasonLockBusy {
			t.Fatalf("got %v", err)
		}
	}
	if left := runtime.NumGoroutine() - before; left > 2 {
		t.Errorf("20 callers gave up one after the other and left %d waits", left)
	}
	free()
	for { // the wait that was left gets the lock, and gives it back
		if _, held, err := owner.Holder(); !held && err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	mustSet(t, owner, 2)
	mustSet(t, waiter, 3)
}

// TestLockGoesToWhoIsLeft: a caller takes over the wait that another one of its process has left, and gets the lock by it.
func TestLockGoesToWhoIsLeft(t *testing.T) {
	opts := storetest.Options(t, coretest.WorkspaceID)
	owner, waiter := storetest.Open(t, opts), storetest.Open(t, opts)
	free := hold(t, owner)
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := waiter.Update(soon, setPair(1)); protocol.ReasonOf(err) != protocol.ReasonLockBusy {
		t.Fatalf("got %v", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := waiter.Update(t.Context(), setPair(2))
		done <- err
	}()
	time.Sleep(20 * time.Millisecond) // most of the time the second caller waits by now; it must not matter
	free()
	if err := <-done; err != nil {
		t.Error(err)
	}
	mustRead(t, owner, 2)
}

// hold keeps the lock of a store until free is called.
func hold(t *testing.T, s *fsstore.Store) (free func()) {
	t.Helper()
	held, let, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := s.Update(context.Background(), func(core.Tx) error {
			close(held)
			<-let
			return nil
		})
		done <- err
	}()
	<-held
	return func() {
		close(let)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

package fsstore_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
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
	held, free, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := owner.Update(ctx, func(core.Tx) error {
			close(held)
			<-free
			return nil
		})
		done <- err
	}()
	<-held
	_, err := waiter.Update(ctx, setPair(1))
	if reason := protocol.ReasonOf(err); reason != protocol.ReasonLockBusy || ctx.Err() != nil {
		t.Errorf("the waiter got %v (%q), its context %v; want %q and time left", err, reason, ctx.Err(), protocol.ReasonLockBusy)
	}
	if owner, held, err := waiter.Holder(); !held || err != nil || !strings.HasPrefix(owner, fmt.Sprintf("pid %d (", os.Getpid())) {
		t.Errorf("held by %q (%v), %v", owner, held, err)
	}
	close(free)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if owner, held, err := waiter.Holder(); held || err != nil {
		t.Errorf("given up, and yet held by %q (%v), %v", owner, held, err)
	}
	if _, err := waiter.Update(ctx, setPair(1)); err != nil {
		t.Errorf("with the lock free: %v", err)
	}
}

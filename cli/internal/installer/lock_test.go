package installer

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

func TestLock(t *testing.T) {
	home := datahome.Home{Root: filepath.Join(t.TempDir(), "data")}
	release, err := Lock(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Lock(short, home); protocol.ReasonOf(err) != protocol.ReasonLockBusy {
		t.Errorf("two installations at once: %v", err)
	}
	next := make(chan error)
	go func() {
		release, err := Lock(t.Context(), home)
		if err == nil {
			release()
		}
		next <- err
	}()
	release()
	if err := <-next; err != nil {
		t.Errorf("after the first has ended: %v", err)
	}
}

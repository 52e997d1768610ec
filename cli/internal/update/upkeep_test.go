package update

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/update/schedule"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// started waits until a program has left its trace, as often as wanted.
func (w *world) started(t testing.TB, program string, times int) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		trace, _ := os.ReadFile(w.trace)
		if strings.Count(string(trace), program) == times {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("started %q, want %d times %s", trace, times, program)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// backdate makes a file old.
func backdate(t testing.TB, path string) {
	t.Helper()
	then := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func TestAWorkerIsStartedWhereThereIsWork(t *testing.T) {
	w := newWorld(t)
	t.Setenv("ACC_TEST_BINARY", "/bin/true") // the worker only leaves its trace
	env := func(name string) string { return os.Getenv(name) }
	t.Setenv(schedule.NoCheck, "1")
	if schedule.Start(w.home, env) {
		t.Error("started though it is forbidden")
	}
	t.Setenv(schedule.NoCheck, "")
	t.Setenv("ACC_SESSION", "session_x")
	if !schedule.Start(w.home, env) {
		t.Fatal("not started though a release was never looked for")
	}
	w.started(t, "worker-1.0.0", 1)
	if schedule.Start(w.home, env) {
		t.Error("started again at once")
	}
	backdate(t, filepath.Join(w.home.Runtime(), "worker.json"))
	if !schedule.Start(w.home, env) {
		t.Error("not started though there is still work")
	}
	w.started(t, "worker-1.0.0", 2)
	if schedule.Start(datahome.Home{Root: t.TempDir()}, env) {
		t.Error("started where nothing is managed")
	}
}

// TestManyStartOneWorker: commands that run at the same time start one worker between them.
func TestManyStartOneWorker(t *testing.T) {
	w := newWorld(t)
	t.Setenv("ACC_TEST_BINARY", "/bin/true") // the worker only leaves its trace
	t.Setenv(schedule.NoCheck, "")
	for round := range 3 {
		untilFree(t, w)
		var started atomic.Int32
		var group sync.WaitGroup
		begin := make(chan struct{})
		for range 20 {
			group.Go(func() {
				<-begin
				if schedule.Start(w.home, os.Getenv) {
					started.Add(1)
				}
			})
		}
		close(begin)
		group.Wait()
		if n := started.Load(); n != 1 {
			t.Errorf("round %d: %d workers", round, n)
		}
		backdate(t, filepath.Join(w.home.Runtime(), "worker.json"))
	}
}

// untilFree waits until nobody holds the worker's lock. Commands share no descriptors, but the goroutines of this test do:
// a worker that one of them starts holds the lock of another until its exec has closed it, which may come after Start.
func untilFree(t *testing.T, w *world) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		lock, err := w.Manager.TakeLock(w.Manager.Layout().Worker())
		if err == nil {
			lock.Release()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func TestNothingIsDue(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	if err := w.Manager.SetCheckedAt(ctx, time.Now()); err != nil {
		t.Fatal(err)
	}
	due, err := schedule.Due(w.home, true)
	if err != nil || !due.Stores || len(due.Runtime) == 0 {
		t.Errorf("%+v, %v", due, err)
	}
	if err := Upkeep(ctx, w.Manager, w.home, due); err != nil {
		t.Fatal(err)
	}
	if due, err := schedule.Due(w.home, true); err != nil || due.Any() {
		t.Errorf("after all was done: %+v, %v", due, err)
	}
	if schedule.Start(w.home, os.Getenv) {
		t.Error("a worker was started for nothing")
	}
	backdate(t, filepath.Join(w.home.Runtime(), "upkeep.json"))
	if due, err := schedule.Due(w.home, true); err != nil || !due.Stores {
		t.Errorf("a day later: %+v, %v", due, err)
	}
}

// TestUpkeepGoesOn keeps one store in order although another is damaged.
func TestUpkeepGoesOn(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	env := func(name string) string {
		return map[string]string{datahome.Variable: w.home.Root, "HOME": t.TempDir()}[name]
	}
	for range 2 {
		r, err := room.Enter(ctx, room.Request{Dir: t.TempDir(), Env: env})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Core.OpenSession(ctx, core.OpenSession{
			ParticipantID: "ana", ParticipantOf: protocol.Agent, Harness: "cli", Enforcement: protocol.Advisory, Lifecycle: protocol.Manual,
		}); err != nil {
			t.Fatal(err)
		}
	}
	stores, err := room.Stores(w.home)
	if err != nil || len(stores) != 2 {
		t.Fatalf("%q, %v", stores, err)
	}
	if err := os.WriteFile(filepath.Join(w.home.Workspace(stores[0]), "protocol.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = Upkeep(ctx, w.Manager, w.home, schedule.Work{Runtime: []runtime.Why{runtime.WhyReclaim}, Stores: true})
	if err == nil || !strings.Contains(err.Error(), stores[0]) || strings.Contains(err.Error(), stores[1]) {
		t.Errorf("%v", err)
	}
	if s, err := w.Manager.Status(ctx); err != nil || s.Reclaim == nil {
		t.Errorf("%+v, %v", s, err)
	}
}

//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// holdWriterLock is the whole life of a helper process: it begins a transaction and stops where it is
// told, with the lock of the store in its hands.
func holdWriterLock(step string) {
	s, err := fsstore.Open(context.Background(), fsstore.Options{
		Dir: os.Getenv("ACC_TEST_STORE"), WorkspaceID: os.Getenv("ACC_TEST_WORKSPACE"),
		Trace: func(at string) {
			if at == step {
				fmt.Println("held")
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
				time.Sleep(time.Hour) // this thread may run on for a moment
			}
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, err = s.Update(context.Background(), func(core.Tx) error { return nil })
	fmt.Println("done", err)
	os.Exit(0)
}

// TestStoppedLockOwner: a writer that is stopped for good with the lock in its hands costs a hook its
// work but never the client its time, and reading and guarding go on without the lock.
func TestStoppedLockOwner(t *testing.T) {
	m := newMachine(t)
	ada, bob := m.conversation("ada"), m.conversation("bob")
	adaOwner := owner(t, ada.start("startup").context(t))
	bob.start("startup")
	m.claim(adaOwner, "file:src/lock.go", "porting")
	id := m.ask(adaOwner, "bob", "s", "b")
	r := m.room()

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	holder := exec.Command(self)
	holder.Env = append(os.Environ(), "ACC_TEST_STOP_AT="+fsstore.StepLockTaken, "ACC_TEST_STORE="+r.Dir, "ACC_TEST_WORKSPACE="+r.Workspace.ID)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = holder.Process.Kill()
		_ = holder.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatalf("the helper said %q, %v", line, err)
	}

	if got := bob.edit(filepath.Join(m.project, "src", "lock.go")); got.member(t, "permissionDecision") != "deny" {
		t.Errorf("the guard waited for a writer: %+v", got)
	}
	shown := run(t, bob.command(bob.payload("UserPromptSubmit", `"prompt":"x"`)))
	if shown.code != 0 || !strings.Contains(shown.context(t), id) ||
		shown.stderr != "acc-hook: the room's store was busy and this event was not recorded\n" {
		t.Errorf("the turn: %+v", shown)
	}
	if got := m.receipt(id, "bob").State; got != protocol.Queued {
		t.Errorf("receipt %s although the offer could not be recorded", got)
	}
	ended := run(t, bob.command(bob.payload("SessionEnd", `"reason":"other"`)))
	if ended.code != 0 || ended.stdout != "" || ended.stderr == "" {
		t.Errorf("the end: %+v", ended)
	}
	fresh := m.conversation("eve")
	first := run(t, fresh.command(fresh.payload("SessionStart", `"source":"startup"`)))
	if first.code != 0 || first.stdout != "" || first.stderr == "" {
		t.Errorf("a start: %+v", first)
	}

	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	bob.prompt()
	if got := m.receipt(id, "bob").State; got != protocol.Offered {
		t.Errorf("receipt %s after the lock was free", got)
	}
}

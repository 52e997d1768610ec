//go:build unix

package fsstore_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// Tests that need real processes run this test binary again with a role.
const roleVariable = "ACC_FSSTORE_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := play(role, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play is what another process does: args are the directory of the store and what the role needs.
func play(role string, args []string) error {
	opts := fsstore.Options{Dir: args[0], WorkspaceID: coretest.WorkspaceID, Create: true}.LagFrames(1)
	switch role {
	case "signal": // set the pair to args[1]; send itself signal args[3] at step number args[2]
		at, _ := strconv.Atoi(args[2])
		number, _ := strconv.Atoi(args[3])
		n := 0
		opts.Trace = func(step string) {
			if n++; n == at+1 {
				goesOn := make(chan os.Signal, 1) // a process that stops itself may get a little further first
				signal.Notify(goesOn, syscall.SIGCONT)
				fmt.Println(step)
				_ = syscall.Kill(os.Getpid(), syscall.Signal(number))
				<-goesOn
			}
		}
		value, _ := strconv.Atoi(args[1])
		return update(opts, setPair(value))
	case "count": // add 1 to the pair args[1] times, reporting each
		times, _ := strconv.Atoi(args[1])
		for range times {
			if err := update(opts, increment); err != nil {
				return err
			}
			fmt.Println("done")
		}
		return nil
	case "read": // read the pair until stdin ends
		ended := make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			close(ended)
		}()
		return readUntil(opts, ended)
	case "hold": // start a child while holding the lock, say so, and wait
		return update(opts, func(core.Tx) error {
			child := exec.Command("sleep", "60")
			if err := child.Start(); err != nil {
				return err
			}
			fmt.Println(child.Process.Pid)
			select {}
		})
	}
	return fmt.Errorf("no role %q", role)
}

func update(opts fsstore.Options, fn func(core.Tx) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	s, err := fsstore.Open(ctx, opts)
	if err != nil {
		return err
	}
	_, err = s.Update(ctx, fn)
	return err
}

// increment adds one to the pair.
func increment(tx core.Tx) error {
	n, _, err := tx.Get(protocol.KindParticipant, left)
	if err != nil {
		return err
	}
	value := 0
	if n.Record != nil {
		value, _ = strconv.Atoi(n.Record.(*protocol.Participant).DisplayName)
	}
	return setPair(value + 1)(tx)
}

// readUntil reads the pair again and again, as one store and as many, and demands one state each time and
// never an older one.
func readUntil(opts fsstore.Options, ended <-chan struct{}) error {
	before, reads := 0, 0
	for {
		select {
		case <-ended:
			fmt.Println(reads)
			return nil
		default:
		}
		s, err := fsstore.Open(context.Background(), opts)
		if err != nil {
			return err
		}
		for range 10 {
			n, err := readPairSteps(s)
			if err != nil {
				return err
			}
			if n < before {
				return fmt.Errorf("read %d after %d", n, before)
			}
			before = n
			reads++
		}
	}
}

// readPairSteps reads the two records only, which is all that stays cheap when there are many events.
func readPairSteps(s *fsstore.Store) (n int, err error) {
	err = s.View(context.Background(), func(r core.Reader) error {
		var values [2]string
		for i, id := range []string{left, right} {
			stored, found, err := r.Get(protocol.KindParticipant, id)
			if err != nil {
				return err
			}
			if found {
				values[i] = stored.Record.(*protocol.Participant).DisplayName
			}
		}
		if values[0] != values[1] {
			return fmt.Errorf("half a transaction: %q", values)
		}
		n, _ = strconv.Atoi(values[0])
		return nil
	})
	return n, err
}

// helper starts this test binary in a role.
func helper(t testing.TB, role string, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(out)
}

// TestKilledAtEveryStep kills a writer, by SIGKILL, before each step that it announces: it leaves nothing
// or a whole transaction.
func TestKilledAtEveryStep(t *testing.T) {
	opts := options(t)
	s := open(t, opts)
	steps := map[string]bool{}
	value := 0
	for at := 0; ; at++ {
		cmd, out := helper(t, "signal", opts.Dir, strconv.Itoa(value+1), strconv.Itoa(at), strconv.Itoa(int(syscall.SIGKILL)))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, _ := out.ReadString('\n')
		err := cmd.Wait()
		if err == nil {
			break
		}
		step := strings.TrimSpace(line)
		steps[step] = true
		before, err := readPair(s)
		if err != nil || before != value && before != value+1 {
			t.Fatalf("killed before %s: a reader sees %d, %v; it was %d", step, before, err, value)
		}
		mustSet(t, s, before+1)
		value = before + 1
		mustRead(t, s, value)
	}
	for _, step := range []string{fsstore.StepAppend, fsstore.StepAppended, fsstore.StepHead, fsstore.StepPublish, fsstore.StepApplied} {
		if !steps[step] {
			t.Errorf("nobody was killed before %s", step)
		}
	}
}

// TestKilledInTheFirstCommit kills the process that makes the store before each of its steps, each time in a room of its
// own: whoever comes next finds all of it or nothing, and goes on.
func TestKilledInTheFirstCommit(t *testing.T) {
	steps := map[string]bool{}
	for at := 0; ; at++ {
		opts := options(t)
		s := open(t, opts)
		cmd, out := helper(t, "signal", opts.Dir, "1", strconv.Itoa(at), strconv.Itoa(int(syscall.SIGKILL)))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, _ := out.ReadString('\n')
		if err := cmd.Wait(); err == nil {
			break
		}
		step := strings.TrimSpace(line)
		steps[step] = true
		if before, err := readPair(s); err != nil || before > 1 {
			t.Fatalf("killed before %s: a reader sees %d, %v", step, before, err)
		}
		mustSet(t, s, 2)
		mustRead(t, s, 2)
	}
	for _, step := range []string{fsstore.StepIdentity, fsstore.StepRotate, fsstore.StepRecoverHead, fsstore.StepAppended, fsstore.StepPublish} {
		if !steps[step] {
			t.Errorf("nobody was killed before %s", step)
		}
	}
}

// TestStoppedAtEveryStep stops a writer, by SIGSTOP, before each step: readers go on and see one state,
// other writers are told who holds the lock when their own patience ends, and once it goes on it ends well.
func TestStoppedAtEveryStep(t *testing.T) {
	opts := options(t)
	s := open(t, opts)
	mustSet(t, s, 1)
	value := 1
	for at := 0; ; at++ {
		cmd, out := helper(t, "signal", opts.Dir, strconv.Itoa(value+1), strconv.Itoa(at), strconv.Itoa(int(syscall.SIGSTOP)))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, _ := out.ReadString('\n')
		if line == "" { // it ended before that many steps
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			break
		}
		awaitStopped(t, cmd.Process.Pid)
		step := strings.TrimSpace(line)
		seen, err := readPair(s)
		if err != nil || seen != value && seen != value+1 {
			t.Errorf("stopped before %s: a reader sees %d, %v; it was %d", step, seen, err, value)
		}
		if step != fsstore.StepLockWait {
			owned(t, s, step, cmd.Process.Pid)
		}
		if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("stopped before %s and continued: %v", step, err)
		}
		value++
		mustRead(t, s, value)
	}
}

// owned expects that the lock is held by pid and that a waiter is told so.
func owned(t *testing.T, s *fsstore.Store, step string, pid int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := s.Update(ctx, func(core.Tx) error { return fmt.Errorf("two writers at once") })
	if reason(err) != protocol.ReasonLockBusy || protocol.CodeOf(err) != protocol.Conflict {
		t.Errorf("stopped before %s: another writer got %v", step, err)
		return
	}
	if step != fsstore.StepLockTaken && !strings.Contains(err.Error(), fmt.Sprintf("pid %d ", pid)) {
		t.Errorf("stopped before %s: %q does not name pid %d", step, err, pid)
	}
}

func awaitStopped(t *testing.T, pid int) {
	t.Helper()
	var status syscall.WaitStatus
	for !status.Stopped() {
		if _, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestManyProcesses lets processes commit and read side by side: no increment is lost, no read is torn.
func TestManyProcesses(t *testing.T) {
	const writers, each, readers = 6, 15, 2
	opts := options(t)
	s := open(t, opts)
	stopReaders := startReaders(t, opts, readers)
	var running []*exec.Cmd
	for range writers {
		cmd, out := helper(t, "count", opts.Dir, strconv.Itoa(each))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, out) }()
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("writer: %v", err)
		}
	}
	stopReaders()
	mustRead(t, s, writers*each)
}

func startReaders(t *testing.T, opts fsstore.Options, n int) (stop func()) {
	t.Helper()
	var ends []func()
	for range n {
		cmd, out := helper(t, "read", opts.Dir)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, func() {
			stdin.Close()
			line, _ := out.ReadString('\n')
			if err := cmd.Wait(); err != nil {
				t.Errorf("reader: %v", err)
			}
			if reads, _ := strconv.Atoi(strings.TrimSpace(line)); reads == 0 {
				t.Errorf("a reader read nothing")
			}
		})
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

// TestKillStorm kills writers at random moments until many have died: what one of them reported as done
// is there, and readers never see anything but whole states in order.
func TestKillStorm(t *testing.T) {
	kills, writers := 500, 16
	if testing.Short() {
		kills, writers = 40, 6
	}
	opts := options(t)
	s := open(t, opts)
	stopReaders := startReaders(t, opts, 2)
	var mu sync.Mutex
	reported, started := 0, 0
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for {
				mu.Lock()
				started++
				last := started > kills
				mu.Unlock()
				if last {
					return
				}
				done := killOne(t, opts)
				mu.Lock()
				reported += done
				mu.Unlock()
			}
		})
	}
	group.Wait()
	stopReaders()
	mustSetAfterStorm(t, s, reported, kills)
}

// killOne starts a writer, kills it after a while, and gives how many commits it reported.
func killOne(t *testing.T, opts fsstore.Options) (done int) {
	cmd, out := helper(t, "count", opts.Dir, "1000")
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return 0
	}
	timer := time.AfterFunc(time.Duration(rand.IntN(200)+30)*time.Millisecond, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	for {
		line, err := out.ReadString('\n')
		if err != nil {
			break
		}
		if line == "done\n" {
			done++
		}
	}
	_ = cmd.Wait()
	return done
}

func mustSetAfterStorm(t *testing.T, s *fsstore.Store, reported, kills int) {
	t.Helper()
	n, err := readPairSteps(s)
	if err != nil || n < reported || n > reported+kills {
		t.Fatalf("the pair is %d, %v; %d commits were reported by processes of which %d were killed", n, err, reported, kills)
	}
	mustSet(t, s, n+1)
	t.Logf("%d kills, %d commits reported, %d found", kills, reported, n)
}

// TestDeletedWhileRunning deletes what can be made again while processes commit and read: nothing is lost,
// and no reader sees anything but whole states in order.
func TestDeletedWhileRunning(t *testing.T) {
	const writers, each, readers = 3, 60, 3
	opts := options(t)
	opts.Diagnose = nil
	s := open(t, opts)
	mustSet(t, s, 1)
	stopReaders := startReaders(t, opts, readers)
	running := make(chan error, writers)
	for range writers {
		cmd, out := helper(t, "count", opts.Dir, strconv.Itoa(each))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = io.Copy(io.Discard, out)
			running <- cmd.Wait()
		}()
	}
	tries, deleted := 0, 0
	for ended := 0; ended < writers; {
		select {
		case err := <-running:
			if err != nil {
				t.Errorf("writer: %v", err)
			}
			ended++
		case <-time.After(3 * time.Millisecond):
			// As a whole, under another name first: half a directory cannot be told from a whole one.
			name := []string{"state", "indexes", "applied.json", "state", "tmp", "ephemeral"}[tries%6]
			tries++
			aside := filepath.Join(t.TempDir(), "aside")
			if err := os.Rename(filepath.Join(opts.Dir, name), aside); err == nil {
				deleted++
				_ = os.RemoveAll(aside)
			}
		}
	}
	stopReaders()
	t.Logf("%d deletions", deleted)
	n, err := readPairSteps(s)
	if err != nil || n != 1+writers*each {
		t.Errorf("the pair is %d, %v, want %d", n, err, 1+writers*each)
	}
	must(t, s.RebuildIndexes(t.Context()))
}

// TestLockIsNotInherited kills a writer that has started a child: the child must not hold the lock.
func TestLockIsNotInherited(t *testing.T) {
	opts := options(t)
	s := open(t, opts)
	mustSet(t, s, 1)
	cmd, out := helper(t, "hold", opts.Dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := out.ReadString('\n')
	child, convErr := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || convErr != nil {
		t.Fatal(err, convErr)
	}
	defer func() { _ = syscall.Kill(child, syscall.SIGKILL) }()
	owned(t, s, "in the callback", cmd.Process.Pid)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	mustSet(t, s, 2)
}

// TestUnlinkedLock removes the lock file, against the rules, while somebody waits for it.
func TestUnlinkedLock(t *testing.T) {
	opts := options(t)
	s := open(t, opts)
	mustSet(t, s, 1)
	if err := os.Remove(filepath.Join(opts.Dir, "locks", "writer.lock")); err != nil {
		t.Fatal(err)
	}
	mustSet(t, s, 2)
	mustRead(t, s, 2)
}

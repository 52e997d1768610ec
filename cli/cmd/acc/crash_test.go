package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/command"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// killAt names the variable by which a test makes this process die, as by SIGKILL, when the store
// announces its n-th step. It exists in the test binary only.
const killAt = "ACC_TEST_KILL_AT"

// dying is main with a store that dies at a step.
func dying() {
	n, err := strconv.Atoi(os.Getenv(killAt))
	if err != nil {
		panic(err)
	}
	enter := func(ctx context.Context, req room.Request) (*room.Room, error) {
		req.Trace = func(string) {
			if n--; n < 0 {
				die()
			}
		}
		return room.Enter(ctx, req)
	}
	host := command.Host{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Getenv, Enter: enter}
	os.Exit(int(command.Main(context.Background(), host, os.Args[1:])))
}

func die() {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		panic(err)
	}
	_ = self.Kill()
	select {} // the signal may take a moment
}

// stand is a room on disk with the processes that act in it.
type stand struct {
	t   *testing.T
	dir string
}

func newStand(t *testing.T) *stand {
	s := &stand{t: t, dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(s.dir, "project"), 0o700); err != nil {
		t.Fatal(err)
	}
	return s
}

// acc runs the real main in a process of its own.
func (s *stand) acc(who core.Owner, env []string, args ...string) (code int, out []byte) {
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(s.t.Context(), exe)
	cmd.Args = append([]string{"acc"}, args...)
	cmd.Dir = filepath.Join(s.dir, "project")
	cmd.Env = append(os.Environ(), "ACC_DATA_HOME="+filepath.Join(s.dir, "data"), "ACC_SESSION="+who.SessionID, "ACC_GENERATION="+who.Generation)
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Error(err)
	}
	if stderr.Len() > 0 {
		s.t.Logf("%v: %s", args, stderr.String())
	}
	return cmd.ProcessState.ExitCode(), stdout.Bytes()
}

// answer runs a command with --json and wants it to succeed.
func ask[T any](s *stand, who core.Owner, schema *view.Schema[T], args ...string) T {
	s.t.Helper()
	code, out := s.acc(who, nil, append(args, "--json")...)
	data, err := schema.Decode(out)
	if code != 0 || err != nil {
		s.t.Fatalf("%v: exit %d, %v: %s", args, code, err, out)
	}
	return data
}

func (s *stand) attach(name string) core.Owner {
	s.t.Helper()
	session := ask(s, core.Owner{}, view.Attached, "attach", "--participant", name)
	return core.Owner{SessionID: session.SessionID, Generation: session.Generation}
}

// inbox reads every page.
func (s *stand) inbox(who core.Owner) []core.InboxItem {
	var all []core.InboxItem
	args := []string{"inbox", "--limit", "100"}
	for {
		page := ask(s, who, view.Inbox, args...)
		all = append(all, page.Items...)
		if page.NextCursor == "" {
			return all
		}
		args = []string{"inbox", "--limit", "100", "--cursor", page.NextCursor}
	}
}

// TestKilledSendIsNothingOrWhole kills acc message at every step that the store takes, in a fresh room
// each time. Afterwards the message is there with both receipts or it is not there at all, the command
// that is repeated with the same key records it once, and the room works.
func TestKilledSendIsNothingOrWhole(t *testing.T) {
	outcomes := map[int]int{}
	survived := false
	for step := 0; !survived; step++ {
		if step > 500 {
			t.Fatal("the sweep does not end")
		}
		t.Run(strconv.Itoa(step), func(t *testing.T) {
			s := newStand(t)
			ada, bob, eve := s.attach("ada"), s.attach("bob"), s.attach("eve")
			send := []string{"message", "--to", "bob", "--to", "eve", "--subject", "whole", "--body", "or nothing", "--client-message-id", "key"}
			code, _ := s.acc(ada, []string{killAt + "=" + strconv.Itoa(step)}, send...)
			survived = code == 0
			found := s.whole(bob, eve)
			outcomes[found]++
			if survived && found != 1 {
				t.Errorf("the command succeeded and %d messages are there", found)
			}
			sent := ask(s, ada, view.Sent, send...)
			// Nothing seen and a duplicate: killed between writing and showing. Readers did not see
			// it yet, and the next writer found it whole and took it over.
			if found == 1 && !sent.Duplicate {
				t.Error("the message was there and the repeated command recorded another")
			}
			if again := s.whole(bob, eve); again != 1 {
				t.Errorf("%d messages are there after the repeated command", again)
			}
			if len(ask(s, core.Owner{}, view.Receipts, "receipts", sent.Message.MessageID).Receipts) != 2 {
				t.Error("receipts are missing")
			}
		})
	}
	t.Logf("nothing %d times, whole %d times", outcomes[0], outcomes[1])
	if outcomes[0] == 0 || outcomes[1] < 2 {
		t.Error("the sweep did not cross the decision point")
	}
}

// whole counts the messages to both recipients and fails unless each has the same ones, readable.
func (s *stand) whole(bob, eve core.Owner) int {
	s.t.Helper()
	one, other := s.inbox(bob), s.inbox(eve)
	if len(one) != len(other) {
		s.t.Fatalf("bob has %d messages and eve %d", len(one), len(other))
	}
	for i := range one {
		if one[i].Message.MessageID != other[i].Message.MessageID || one[i].Message.BodyBytes != len("or nothing") {
			s.t.Fatalf("half a message: %+v and %+v", one[i], other[i])
		}
		if receipts := ask(s, core.Owner{}, view.Receipts, "receipts", one[i].Message.MessageID).Receipts; len(receipts) != 2 {
			s.t.Fatalf("%d receipts of %s", len(receipts), one[i].Message.MessageID)
		}
	}
	return len(one)
}

// TestEightProcessesLoseNothing lets eight processes send at the same time, again and again, while a
// ninth reads. Every send that reported success is there, once, with its receipt.
func TestEightProcessesLoseNothing(t *testing.T) {
	const senders, each = 8, 6
	s := newStand(t)
	bob := s.attach("bob")
	owners := make([]core.Owner, senders)
	for i := range owners {
		owners[i] = s.attach("sender" + strconv.Itoa(i))
	}
	var mu sync.Mutex
	sent := map[string]bool{}
	var wg sync.WaitGroup
	for i, who := range owners {
		wg.Go(func() {
			for n := range each {
				code, out := s.acc(who, nil, "message", "--to", "bob", "--subject", fmt.Sprintf("%d/%d", i, n), "--body", "x", "--json")
				data, err := view.Sent.Decode(out)
				if code != 0 || err != nil {
					t.Errorf("sender %d: exit %d, %v: %s", i, code, err, out)
					return
				}
				mu.Lock()
				sent[data.Message.MessageID] = true
				mu.Unlock()
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	before := 0
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		now := len(s.inbox(bob))
		if now < before {
			t.Errorf("the reader saw %d messages after it had seen %d", now, before)
		}
		before = now
	}
	items := s.inbox(bob)
	if len(sent) != senders*each || len(items) != len(sent) {
		t.Errorf("%d were sent, %d reported, %d are there", senders*each, len(sent), len(items))
	}
	for _, item := range items {
		if !sent[item.Message.MessageID] || item.Receipt.State != protocol.Queued {
			t.Errorf("unexpected %+v", item)
		}
		delete(sent, item.Message.MessageID)
	}
	if len(sent) > 0 {
		t.Errorf("lost: %s", strings.Join(keys(sent), ", "))
	}
}

func keys(set map[string]bool) []string {
	var list []string
	for k := range set {
		list = append(list, k)
	}
	return list
}

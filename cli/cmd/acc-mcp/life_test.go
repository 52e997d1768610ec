//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// The ways in which a client starts its servers.
const (
	plain    = "plain"    // the server is a child, and the client has its pipe
	held     = "held"     // another child of the client holds the pipe open, and outlives it
	shelled  = "shelled"  // a shell stands between, waits for the server, and the pipe is held
	howMany  = 20         // servers of one client
	sleeping = "sleeping" // the child that holds a pipe
)

// client is the body of a test process that starts servers as its environment says, has each of them
// wait for a message, prints "PID n" for each and for whoever holds a pipe, and then does nothing.
func client() {
	how := os.Getenv(asClient)
	if how == sleeping {
		time.Sleep(5 * time.Minute)
		os.Exit(0)
	}
	_ = os.Unsetenv(asClient)
	for i := range howMany {
		if err := startServer(how, i); err != nil {
			fmt.Println("FAILED", err)
			os.Exit(1)
		}
	}
	fmt.Println("READY")
	time.Sleep(5 * time.Minute)
	os.Exit(1)
}

func startServer(how string, i int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := exec.Command(self)
	if how == shelled {
		cmd = exec.Command("sh", "-c", `exec 3<&0; "$1" <&3 & echo "PID $!" >&2; wait; true`, "sh", self)
		cmd.Stderr = os.Stdout
	}
	cmd.Env = append(os.Environ(), asServer+"=1", "ACC_MCP_PARTICIPANT=agent"+strconv.Itoa(i))
	cmd.Stdin = read
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	fmt.Println("PID", cmd.Process.Pid)
	if how != plain {
		holder := exec.Command(self)
		holder.Env = append(os.Environ(), asClient+"="+sleeping)
		holder.ExtraFiles = []*os.File{write}
		if err := holder.Start(); err != nil {
			return err
		}
		fmt.Println("HOLDER", holder.Process.Pid)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"acc_status","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"acc_wait","arguments":{"timeoutSeconds":600}}}`,
	} {
		if _, err := write.WriteString(line + "\n"); err != nil {
			return err
		}
	}
	answers := bufio.NewReader(out)
	for range 2 { // it is at work now
		if _, err := answers.ReadString('\n'); err != nil {
			return err
		}
	}
	return nil
}

// TestServersFollowTheirClient kills a client of twenty servers that all wait, and finds every one of
// them gone, whoever still holds their pipes.
func TestServersFollowTheirClient(t *testing.T) {
	for _, how := range []string{plain, held, shelled} {
		t.Run(how, func(t *testing.T) {
			where := newPlace(t)
			cmd := where.command(t, asClient+"="+how)
			cmd.Env = cmd.Env[1:] // a client, not a server
			servers := start(t, cmd)
			if len(servers) < howMany {
				t.Fatalf("%d servers of %d", len(servers), howMany)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			killed := time.Now()
			gone(t, servers)
			t.Logf("%d processes gone %v after their client was killed", len(servers), time.Since(killed).Round(10*time.Millisecond))
		})
	}
}

// start gives the processes that a client started, those that hold pipes aside.
func start(t *testing.T, cmd *exec.Cmd) []process.Identity {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	var servers []process.Identity
	for s := bufio.NewScanner(out); s.Scan(); {
		what, number, _ := strings.Cut(s.Text(), " ")
		switch pid, err := strconv.Atoi(number); {
		case what == "READY":
			return servers
		case err != nil:
			t.Fatalf("the client says %q", s.Text())
		case what == "HOLDER":
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
		default:
			id, ok := process.NewTable().Identify(pid)
			if !ok {
				t.Fatalf("the server %d is not there", pid)
			}
			servers = append(servers, id)
			t.Cleanup(func() {
				if (process.Table{}).Check(id) == core.ProcessAlive {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			})
		}
	}
	t.Fatal("the client ended early")
	return nil
}

// gone returns when every process has ended.
func gone(t *testing.T, ids []process.Identity) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, id := range ids {
		for (process.Table{}).Check(id) != core.ProcessDead {
			select {
			case <-ctx.Done():
				t.Fatalf("process %d has outlived its client", id.PID)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

// TestEndsBySignal ends a server that waits by the signal that a supervisor sends.
func TestEndsBySignal(t *testing.T) {
	s := newPlace(t).start(t)
	s.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	s.receive()
	s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"acc_wait","arguments":{"timeoutSeconds":600}}}`)
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for range s.lines { // to the end of its output
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

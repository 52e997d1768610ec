//go:build unix

package realclient

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/acc-control-plane/acc/protocol"
)

// These tests need no client: stand-ins misbehave on the wire as no real client can be told to, and what acc's
// own processes then say and record is checked. What a stand-in's outcome claims must be what it was told.

// standIn is a session of a client that this process plays.
type standIn struct {
	*stage
	adapter string
	name    string // as which it is addressed
	native  string // the client's own id of the conversation
	env     []string

	mu   sync.Mutex
	told []string // what crossed: lines of an inbox, or messages of a queue
}

func (c *standIn) tell(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, what)
}

func (c *standIn) heard() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.told...)
}

// hook runs a hook of the session and gives what it adds to the model's context.
func (c *standIn) hook(event string, members map[string]any) string {
	c.Helper()
	payload := map[string]any{"session_id": c.native, "cwd": c.project, "transcript_path": "/x", "hook_event_name": event, "permission_mode": "default"}
	for name, value := range members {
		payload[name] = value
	}
	data, err := json.Marshal(payload)
	c.must(err)
	cmd := exec.CommandContext(c.ctx, filepath.Join(c.bin, "acc-hook"), c.adapter)
	cmd.Env = append([]string{"PATH=/usr/bin:/bin", "HOME=" + c.root, "ACC_DATA_HOME=" + c.home.Root, "ACC_PARTICIPANT=reader"}, c.env...)
	cmd.Stdin = bytes.NewReader(data)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		c.Fatalf("%s: %v, %s", event, err, errs.String())
	}
	return out.String()
}

// begin lets a person have a first turn, which binds the session.
func (c *standIn) begin() {
	c.Helper()
	c.hook("SessionStart", map[string]any{"source": "startup"})
	c.hook("UserPromptSubmit", map[string]any{"prompt": "hello"})
	c.hook("Stop", nil)
}

// nothingLeaks looks for the session's endpoint in all that acc shows. Some of it finds fault with this machine.
func (c *standIn) nothingLeaks(socket string) {
	c.Helper()
	for _, args := range [][]string{
		{"status"}, {"status", "--json", "--all"}, {"sync", "--json", "--scope", "full"}, {"log", "--json"}, {"doctor"}, {"doctor", "--json"},
		{"export"}, {"delivery", "--json"}, {"whoami", "--json", c.owner[0], c.owner[1], c.owner[2], c.owner[3]},
	} {
		cmd := exec.CommandContext(c.ctx, filepath.Join(c.bin, "acc"), args...)
		cmd.Dir = c.project
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + c.root, "ACC_DATA_HOME=" + c.home.Root}
		out, _ := cmd.CombinedOutput()
		if len(out) == 0 {
			c.Errorf("acc %v says nothing", args)
		}
		for _, secret := range []string{socket, "_endpoint_", "claude_inbox_"} {
			if strings.Contains(string(out), secret) {
				c.Errorf("acc %v shows %s:\n%s", args, secret, out)
			}
		}
	}
}

// inbox plays Claude Code: its registry, and a listener that serve handles. No serve: nobody accepts.
func inbox(t *testing.T, settings string, serve func(*standIn, net.Conn)) (c *standIn, socket string) {
	t.Helper()
	s := newStage(t, "claude_code", protocol.LiveActionable, silent)
	c = &standIn{stage: s, adapter: "claude_code", name: "reader", native: "00000000-0000-4000-8000-000000000001"}
	config, run, pid := filepath.Join(s.root, "config"), filepath.Join(s.root, "run"), os.Getpid()
	s.must(os.MkdirAll(filepath.Join(config, "sessions"), 0o700))
	s.must(os.MkdirAll(run, 0o700))
	s.must(os.WriteFile(filepath.Join(config, "settings.json"), []byte(settings), 0o600))
	socket = filepath.Join(run, strconv.Itoa(pid)+".sock")
	c.env = []string{"CLAUDE_CONFIG_DIR=" + config, "CLAUDE_CODE_MESSAGING_SOCKET=" + socket, "CLAUDE_PID=" + strconv.Itoa(pid), "AI_AGENT=claude-code_2-1-332_harness"}
	entry, err := json.Marshal(map[string]any{
		"pid": pid, "sessionId": c.native, "cwd": s.project, "version": "2.1.332", "peerProtocol": 1, "messagingSocketPath": socket,
	})
	s.must(err)
	s.must(os.WriteFile(filepath.Join(config, "sessions", strconv.Itoa(pid)+".json"), entry, 0o600))
	if serve == nil {
		listenOnly(s, socket)
	} else {
		c.listen(socket, func(conn net.Conn) { serve(c, conn) })
	}
	c.begin()
	return c, socket
}

// listen serves a private socket.
func (c *standIn) listen(socket string, serve func(net.Conn)) {
	c.Helper()
	l, err := net.Listen("unix", socket)
	c.must(err)
	c.Cleanup(func() { _ = l.Close() })
	c.must(os.Chmod(socket, 0o600))
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer func() { _ = conn.Close() }(); serve(conn) }()
		}
	}()
}

// listenOnly makes a socket whose queue takes one connection and from which nobody accepts.
func listenOnly(s *stage, socket string) {
	s.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	s.must(err)
	s.Cleanup(func() { _ = syscall.Close(fd) })
	s.must(syscall.Bind(fd, &syscall.SockaddrUnix{Name: socket}))
	s.must(syscall.Listen(fd, 0))
	s.must(os.Chmod(socket, 0o600))
}

// lines reads what an inbox is told.
func lines(c *standIn, conn net.Conn) {
	for in := bufio.NewScanner(conn); in.Scan(); {
		c.tell(in.Text())
	}
}

// TestInboxStandIns: an inbox never answers, so whatever it does with a wake, the outcome says no more than
// that the session was asked, and the receipt stays queued until a hook has carried the body.
func TestInboxStandIns(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	unsure := []delivery{woken, gone("transport_error")} // whether a write was taken before the end is not known
	for _, tt := range []struct {
		name     string
		settings string
		serve    func(*standIn, net.Conn)
		want     []delivery
	}{
		{"takes it", "{}", lines, []delivery{woken}},
		{"drops it silently", "{}", func(c *standIn, conn net.Conn) { lines(&standIn{}, conn) }, []delivery{woken}},
		{"holds it", `{"crossSessionInbound":"hold"}`, lines, []delivery{{Outcome: "woken", Transport: "claude-inbox", PendingApproval: true}}},
		{"refuses it", `{"crossSessionInbound":"refuse"}`, lines, []delivery{gone("delivery_disabled")}},
		{"closes at once", "{}", func(*standIn, net.Conn) {}, unsure},
		{"closes within the line", "{}", func(_ *standIn, conn net.Conn) { _, _ = conn.Read(make([]byte, 3)) }, unsure},
		{"accepts without reading", "{}", func(*standIn, net.Conn) { <-hold }, []delivery{woken}},
		{"never accepts", "{}", nil, []delivery{woken}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, socket := inbox(t, tt.settings, tt.serve)
			id, got := c.ask("Does it work?")
			got.Recipient = ""
			if !contains(tt.want, got) {
				t.Errorf("outcome %+v, want one of %+v", got, tt.want)
			}
			if r := c.receipt(id); r.State != "queued" || r.Offer != nil {
				t.Errorf("nobody has shown it, and the receipt says %+v", r)
			}
			if got.Outcome == "woken" {
				if _, second := c.ask("And this?"); second.Code != "wake_in_flight" {
					t.Errorf("a second wake: %+v", second)
				}
			}
			if told := c.hook("UserPromptSubmit", map[string]any{"prompt": "[acc wake] Message " + id}); !strings.Contains(told, "Does it work?") {
				t.Errorf("the next turn shows %s", told)
			}
			if r := c.receipt(id); r.State != "offered" || r.Offer == nil || r.Offer.Transport != "next-turn" {
				t.Errorf("its hook has shown it, and the receipt says %+v", r)
			}
			c.nothingLeaks(socket)
		})
	}
}

func contains(all []delivery, one delivery) bool {
	for _, d := range all {
		if d == one {
			return true
		}
	}
	return false
}

// TestInboxFullQueue: a client that stopped accepting fails the wake at its deadline and nothing else.
func TestInboxFullQueue(t *testing.T) {
	c, socket := inbox(t, "{}", nil)
	for range 10 { // each takes a place in the queue, and says nothing
		if conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"}); err == nil {
			defer func() { _ = conn.Close() }()
		} else {
			break
		}
	}
	id, got := c.ask("Does it work?")
	got.Recipient = ""
	if got != gone("transport_error") && got != woken || c.receipt(id).State != "queued" {
		t.Errorf("%+v, %+v", got, c.receipt(id))
	}
}

// TestInboxBusy: a hundred questions to a session that takes them and never looks cross as one wake, and each
// look that leaves some of them makes one more; all arrive, none twice.
func TestInboxBusy(t *testing.T) {
	c, _ := inbox(t, "{}", lines)
	var ids []string
	for i := range 100 {
		id, _ := c.ask(fmt.Sprintf("question %d", i))
		ids = append(ids, id)
	}
	if n := len(c.heard()); n != 1 {
		t.Fatalf("%d wakes", n)
	}
	shown, turns := "", 0
	for ; turns < 50 && c.queued(ids) > 0; turns++ {
		shown += c.hook("UserPromptSubmit", map[string]any{"prompt": "[acc wake] Message x"})
		c.hook("Stop", nil)
	}
	if c.queued(ids) > 0 {
		t.Fatalf("%d were never shown", c.queued(ids))
	}
	wakes := c.heard()
	t.Logf("%d wakes and %d turns for %d questions", len(wakes), turns, len(ids))
	if len(wakes) > turns+1 || len(wakes) > 30 {
		t.Errorf("%d wakes in %d turns", len(wakes), turns)
	}
	for i, id := range ids {
		if n := strings.Count(shown, id+" | from asker"); n != 1 {
			t.Errorf("question %d was shown %d times", i, n)
		}
		woke := 0
		for _, line := range wakes {
			woke += strings.Count(line, `"msg_id":"acc-wake-`+id+`"`)
		}
		if woke > 1 {
			t.Errorf("question %d woke %d times", i, woke)
		}
	}
}

// queued counts the messages that nobody has shown.
func (c *standIn) queued(ids []string) (n int) {
	c.Helper()
	for _, id := range ids {
		if c.receipt(id).State == "queued" {
			n++
		}
	}
	return n
}

// killed asks a question with a process that dies when the wire says so, and gives the message's id.
func (c *standIn) killed(wire <-chan struct{}) string {
	c.Helper()
	cmd := exec.CommandContext(c.ctx, filepath.Join(c.bin, "acc"), append([]string{
		"message", "--to", c.name, "--type", "question", "--subject", "a question", "--body", "Does it work?"}, c.owner...)...)
	cmd.Dir = c.project
	cmd.Env = append(os.Environ(), "ACC_DATA_HOME="+c.home.Root)
	c.must(cmd.Start())
	select {
	case <-wire:
	case <-c.ctx.Done():
		c.Fatal("nothing crossed")
	}
	c.must(cmd.Process.Kill())
	_ = cmd.Wait()
	var history struct {
		Data struct {
			Items []struct {
				ID string `json:"messageId"`
			} `json:"items"`
		} `json:"data"`
	}
	out := c.acc("sync", "--json", "--scope", "history")
	c.must(json.Unmarshal([]byte(out), &history))
	if len(history.Data.Items) != 1 {
		c.Fatalf("the room holds %s", out)
	}
	return history.Data.Items[0].ID
}

// TestInboxSenderKilled: a sender that dies after its wake crossed leaves a question that is shown once and wakes
// nobody twice.
func TestInboxSenderKilled(t *testing.T) {
	crossed := make(chan struct{}, 1)
	c, _ := inbox(t, "{}", func(c *standIn, conn net.Conn) {
		in := bufio.NewReader(conn)
		line, _ := in.ReadString('\n')
		c.tell(line)
		crossed <- struct{}{}
		_, _ = in.ReadString('\n')
	})
	id := c.killed(crossed)
	if r := c.receipt(id); r.State != "queued" {
		t.Errorf("%+v", r)
	}
	c.hook("Stop", nil) // tries again what waits
	if n := len(c.heard()); n != 1 {
		t.Errorf("%d wakes", n)
	}
	if told := c.hook("UserPromptSubmit", map[string]any{"prompt": "[acc wake] Message " + id}); strings.Count(told, "Does it work?") != 1 {
		t.Errorf("shown as %s", told)
	}
	if r := c.receipt(id); r.State != "offered" {
		t.Errorf("%+v", r)
	}
}

//go:build unix

package realclient

import (
	"bufio"
	"cmp"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/protocol"
)

// appServer plays the background server of Codex, which holds one thread loaded.
type appServer struct {
	*standIn
	queue  []string
	unload bool // after the next message
	trust  string
	cwd    string // of the thread; "": the project
	odd    add    // handles the next message in its own way, once; nil: as the client does
}

// add handles a message for the queue: the parameters and the id of the request.
type add func(a *appServer, params string, id int, conn net.Conn)

func startAppServer(t *testing.T, odd add) *appServer {
	t.Helper()
	s := newStage(t, "codex", protocol.LiveActionable, silent)
	a := &appServer{standIn: &standIn{stage: s, adapter: "codex", name: "codex", native: "01a22d58-3718-7580-9e25-79ff1a379cc7"}, odd: odd}
	home, socket := filepath.Join(s.root, "codex"), filepath.Join(s.root, "sock")
	s.must(os.MkdirAll(filepath.Join(home, "app-server-control"), 0o700))
	a.listen(socket, a.serve)
	s.must(os.Symlink(socket, filepath.Join(home, "app-server-control", "app-server-control.sock")))
	a.env = []string{"CODEX_HOME=" + home}
	return a
}

// serve speaks the server's side of the wire.
func (a *appServer) serve(conn net.Conn) {
	in := bufio.NewReader(conn)
	r, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
	for {
		text, err := clientFrame(in)
		if err != nil {
			return
		}
		var m struct {
			ID     *int            `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if json.Unmarshal(text, &m) != nil || m.ID == nil {
			continue
		}
		a.mu.Lock()
		odd := a.odd
		if m.Method == "thread/queue/add" && odd != nil {
			a.odd = nil
			a.mu.Unlock()
			odd(a, string(m.Params), *m.ID, conn)
			continue
		}
		answer := a.answer(m.Method, string(m.Params))
		a.mu.Unlock()
		serverFrame(conn, fmt.Sprintf(`{"id":%d,%s}`, *m.ID, answer))
	}
}

// answer does what is asked; the caller holds the lock.
func (a *appServer) answer(method, params string) string {
	switch method {
	case "initialize":
		return `"result":{"userAgent":"codex-tui/0.171.0 (Debian)"}`
	case "thread/loaded/list":
		return fmt.Sprintf(`"result":{"data":[%q],"nextCursor":null}`, a.native)
	case "hooks/list":
		hook := func(event string) string {
			return fmt.Sprintf(`{"eventName":%q,"command":"'/x/acc-hook' codex","enabled":true,"trustStatus":%q}`, event, a.trust)
		}
		return `"result":{"data":[{"hooks":[` + hook("sessionStart") + "," + hook("userPromptSubmit") + `]}]}`
	case "thread/read":
		status := "idle"
		if a.unload && len(a.queue) > 0 {
			status = "notLoaded"
		}
		return fmt.Sprintf(`"result":{"thread":{"id":%q,"cwd":%q,"ephemeral":false,"preview":"","threadSource":"user","parentThreadId":null,"status":{"type":%q}}}`, a.native, cmp.Or(a.cwd, a.project), status)
	case "thread/queue/list":
		return `"result":{"data":[` + strings.Join(a.queue, ",") + `]}`
	case "thread/turns/list":
		return `"result":{"data":[]}`
	case "thread/queue/add":
		a.queue = append(a.queue, params)
		a.told = append(a.told, params)
		return `"result":{"queuedSubmission":{"id":"submission-1"}}`
	case "thread/queue/delete":
		a.queue = nil
		return `"result":{"deleted":true}`
	}
	return `"error":{"code":-32601,"message":"no such method"}`
}

func clientFrame(in io.Reader) ([]byte, error) {
	var head [2]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	size := int(head[1] & 0x7f)
	if size == 126 {
		var long [2]byte
		if _, err := io.ReadFull(in, long[:]); err != nil {
			return nil, err
		}
		size = int(binary.BigEndian.Uint16(long[:]))
	}
	if head[1]&0x80 == 0 || size == 127 {
		return nil, errors.New("not a frame of this client")
	}
	data := make([]byte, 4+size)
	if _, err := io.ReadFull(in, data); err != nil {
		return nil, err
	}
	for i := range size {
		data[4+i] ^= data[i%4]
	}
	if head[0] != 0x81 { // it says good-bye
		return nil, io.EOF
	}
	return data[4:], nil
}

func serverFrame(conn io.Writer, text string) {
	frame := []byte{0x81, byte(len(text))}
	if len(text) > 125 {
		frame = binary.BigEndian.AppendUint16([]byte{0x81, 126}, uint16(len(text)))
	}
	_, _ = conn.Write(append(frame, text...))
}

func outcome(state, transport, code string) delivery {
	return delivery{Outcome: state, Transport: transport, Code: code}
}

// taking queues the message and then does something else than to say so.
func taking(then func(conn net.Conn)) add {
	return func(a *appServer, params string, _ int, conn net.Conn) {
		a.mu.Lock()
		a.answer("thread/queue/add", params)
		a.mu.Unlock()
		then(conn)
	}
}

// TestAppServerStandIns: the receipt is offered exactly when the server said that it accepted the message, and what
// failed on the way is offered once more without being queued twice.
func TestAppServerStandIns(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	const transport = "codex-app-server"
	unknown := outcome("queued", transport, "transport_error")
	for _, tt := range []struct {
		name    string
		odd     add
		unload  bool
		want    delivery
		again   string // the receipt after it was tried again
		crossed int    // messages that the server was given, in all
	}{
		{"takes it", nil, false, outcome("offered", transport, ""), "offered", 1},
		{"accepts and keeps nothing", func(a *appServer, params string, id int, conn net.Conn) {
			a.tell(params)
			serverFrame(conn, fmt.Sprintf(`{"id":%d,"result":{"queuedSubmission":{"id":"submission-1"}}}`, id))
		}, false, outcome("offered", transport, ""), "offered", 1},
		{"is rate-limited", func(_ *appServer, _ string, id int, conn net.Conn) {
			serverFrame(conn, fmt.Sprintf(`{"id":%d,"error":{"code":-32000,"message":"slow down /home/secret"}}`, id))
		}, false, outcome("queued", transport, "transport_rejected"), "offered", 1},
		{"closes after it took it", taking(func(conn net.Conn) { _ = conn.Close() }), false, unknown, "offered", 1},
		{"closes within the frame", taking(func(conn net.Conn) { _, _ = conn.Write([]byte{0x81, 60, '{'}); _ = conn.Close() }), false, unknown, "offered", 1},
		{"answers nonsense", taking(func(conn net.Conn) { serverFrame(conn, "[]") }), false, unknown, "offered", 1},
		{"never answers", taking(func(net.Conn) { <-hold }), false, unknown, "offered", 1},
		{"drops it silently", func(a *appServer, _ string, _ int, conn net.Conn) { _ = conn.Close() }, false, unknown, "offered", 1},
		{"unloads the thread", nil, true, outcome("queued", transport, "recipient_unavailable"), "queued", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := startAppServer(t, tt.odd)
			a.begin()
			a.mu.Lock()
			a.unload = tt.unload
			a.mu.Unlock()
			id, got := a.askOf(a.name, "Does it work?")
			got.Recipient = ""
			if got != tt.want {
				t.Errorf("outcome %+v, want %+v", got, tt.want)
			}
			if r := a.receipt(id); r.State != tt.want.Outcome || (r.Offer != nil) != (r.State == "offered") {
				t.Errorf("outcome %s, and the receipt says %+v", tt.want.Outcome, r)
			}
			a.hook("Stop", nil) // tries again what waits
			if r := a.receipt(id); r.State != tt.again {
				t.Errorf("tried again, and the receipt says %+v", r)
			}
			if n := len(a.heard()); n != tt.crossed {
				t.Errorf("%d messages crossed, want %d", n, tt.crossed)
			}
			if a.mu.Lock(); tt.unload && len(a.queue) > 0 {
				t.Error("a thread that was unloaded would replay it")
			}
			a.mu.Unlock()
			a.nothingLeaks("app-server-control")
		})
	}
}

// turn is a turn of the thread that takes up the last message in the queue, as the client puts it to the hook.
func (a *appServer) turn() string {
	a.Helper()
	told := a.heard()
	var queued struct {
		Input []struct {
			Text string `json:"text"`
		} `json:"input"`
	}
	a.must(json.Unmarshal([]byte(told[len(told)-1]), &queued))
	return a.hook("UserPromptSubmit", map[string]any{"prompt": queued.Input[0].Text})
}

// TestAppServerSenderKilled: a sender that dies when its message is in the queue and nothing is on record: the next
// offer finds it there, and it is there once.
func TestAppServerSenderKilled(t *testing.T) {
	crossed, hold := make(chan struct{}, 1), make(chan struct{})
	t.Cleanup(func() { close(hold) })
	a := startAppServer(t, taking(func(net.Conn) { crossed <- struct{}{}; <-hold }))
	a.begin()
	id := a.killed(crossed)
	if r := a.receipt(id); r.State != "queued" {
		t.Errorf("nothing was committed, and the receipt says %+v", r)
	}
	if told := a.turn(); strings.Contains(told, "Does it work?") {
		t.Errorf("the hook repeats the prompt: %s", told)
	}
	a.hook("Stop", nil)
	if r := a.receipt(id); r.State != "offered" || r.Offer == nil || r.Offer.Transport != "codex-app-server" {
		t.Errorf("found in the queue, and the receipt says %+v", r)
	}
	if n := len(a.heard()); n != 1 {
		t.Errorf("queued %d times", n)
	}
}

// TestAppServerFaster: a turn that begins before the sender has recorded what was accepted does not hear it twice.
func TestAppServerFaster(t *testing.T) {
	told := make(chan string, 1)
	a := startAppServer(t, func(a *appServer, params string, id int, conn net.Conn) {
		a.mu.Lock()
		answer := a.answer("thread/queue/add", params)
		a.mu.Unlock()
		told <- a.turn()
		serverFrame(conn, fmt.Sprintf(`{"id":%d,%s}`, id, answer))
	})
	a.begin()
	id, got := a.askOf(a.name, "Does it work?")
	got.Recipient = ""
	if got != outcome("offered", "codex-app-server", "") || a.receipt(id).State != "offered" {
		t.Errorf("%+v, %+v", got, a.receipt(id))
	}
	if twice := <-told; strings.Contains(twice, "Does it work?") {
		t.Errorf("the hook repeats the prompt: %s", twice)
	}
}

// TestAppServerBusy: a hundred questions to a thread that works cross one at a time, one for each turn; the hooks tell
// the others, and none is shown twice.
func TestAppServerBusy(t *testing.T) {
	a := startAppServer(t, nil)
	a.begin()
	var ids []string
	outcomes := map[string]int{}
	for i := range 100 {
		id, got := a.askOf(a.name, fmt.Sprintf("question %d", i))
		ids = append(ids, id)
		outcomes[got.Outcome+" "+got.Code]++
	}
	if outcomes["offered "] != 1 || outcomes["queued wake_in_flight"] != 99 {
		t.Errorf("%v", outcomes)
	}
	shown, turns := "", 0
	for ; turns < 50 && a.queued(ids) > 0; turns++ {
		shown += a.turn()
		a.hook("Stop", nil)
	}
	crossed := a.heard()
	t.Logf("%d messages crossed in %d turns for %d questions", len(crossed), turns, len(ids))
	if a.queued(ids) > 0 || len(crossed) > turns+1 || turns > 30 {
		t.Errorf("%d were never shown, %d crossed in %d turns", a.queued(ids), len(crossed), turns)
	}
	shown += strings.Join(crossed, "\n")
	for i, id := range ids {
		if n := strings.Count(shown, id+" | from asker"); n != 1 {
			t.Errorf("question %d was shown %d times", i, n)
		}
	}
}

// TestAppServerEmptyChat: a chat in which nobody has said anything is found by who looks, if the person trusts acc's
// hooks; a message then begins its first turn, and its first hook speaks for the session that was opened.
func TestAppServerEmptyChat(t *testing.T) {
	a := startAppServer(t, nil)
	look := func() string { return a.accIn(a.env, "status") }
	for _, trust := range []string{"untrusted", "modified", ""} {
		a.trust = trust
		if got := look(); strings.Contains(got, "codex") {
			t.Errorf("hooks that are %q do not run, and acc shows\n%s", trust, got)
		}
	}
	a.mu.Lock()
	a.trust, a.cwd = "trusted", t.TempDir()
	a.mu.Unlock()
	if got := look(); strings.Contains(got, "codex") {
		t.Errorf("a chat of another project is in this room:\n%s", got)
	}
	a.mu.Lock()
	a.cwd = ""
	a.mu.Unlock()
	for range 2 {
		if got := look(); strings.Count(got, "codex-") != 1 {
			t.Fatalf("acc shows\n%s", got)
		}
	}
	id, got := a.askOf("codex", "Anybody there?")
	if got.Outcome != "offered" || got.Transport != "codex-app-server" || a.receipt(id).State != "offered" {
		t.Errorf("%+v", got)
	}
	told := a.hook("UserPromptSubmit", map[string]any{"prompt": "[acc wake] From another session"})
	header := ownerPair.FindStringSubmatch(told)
	if header == nil {
		t.Fatalf("the first hook tells %s", told)
	}
	a.acc("reply", "--message", id, "--body", "Yes.", "--session", header[1], "--generation", header[2])
	if a.receipt(id).State != "acknowledged" || strings.Count(look(), "codex-") != 1 {
		t.Errorf("%+v\n%s", a.receipt(id), look())
	}
	a.hook("SessionEnd", map[string]any{"reason": "other"})
	if got := look(); strings.Count(got, "online") > 1 {
		t.Errorf("what has ended comes back:\n%s", got)
	}
}

var ownerPair = regexp.MustCompile(`--session (\S+) --generation (\S+)`)

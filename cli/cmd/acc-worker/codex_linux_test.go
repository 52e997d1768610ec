package main

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// This binary under the name codex stands in for Codex and its background server: the same commands, record, socket
// and answers, as far as acc asks. It writes down what happens to it, and stops where a test wants it to.

const serverRecord = "app-server-daemon/daemon.pid"

const thread = "01a22d58-3718-7580-9e25-79ff1a379cc7"

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "codex" {
		os.Exit(tests(m))
	}
	c := codex{os.Getenv("CODEX_HOME")}
	var err error
	switch strings.Join(os.Args[1:], " ") {
	case "--version":
		fmt.Println("codex-cli 0.171.0")
	case "app-server daemon stop":
		err = c.stop()
	case "app-server daemon start":
		err = c.start()
	case "app-server --listen unix://":
		err = c.serve()
	default:
		err = fmt.Errorf("no command %q", os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var scratch string // what the tests build

func tests(m *testing.M) int {
	var err error
	if scratch, err = os.MkdirTemp("", "acc-worker-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	return m.Run()
}

type codex struct{ home string }

func (c codex) path(name string) string { return filepath.Join(c.home, name) }
func (c codex) record() string          { return c.path(serverRecord) }
func (c codex) log() string             { return c.path("stand-in.log") }

func (c codex) note(what string) error {
	f, err := os.OpenFile(c.log(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(what + "\n")
	_ = f.Close()
	return err
}

// hold stops here while a file says so.
func (c codex) hold(name string) {
	if _, err := os.Lstat(c.path("hold-" + name)); err != nil {
		return
	}
	_ = os.WriteFile(c.path("at-"+name), nil, 0o600)
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Lstat(c.path("hold-" + name)); err != nil {
			return
		}
	}
}

type recordFile struct {
	PID      int `json:"pid"`
	Identity struct {
		Boot  string `json:"bootId"`
		Ticks uint64 `json:"startTicks"`
	} `json:"processIdentity"`
}

// serving gives the process on record if it runs.
func (c codex) serving() (p process.Identity, ok bool) { return c.named(serverRecord) }

// named gives the process that a record names, if it runs.
func (c codex) named(record string) (p process.Identity, ok bool) {
	data, err := os.ReadFile(c.path(record))
	var r recordFile
	if err != nil || json.Unmarshal(data, &r) != nil {
		return p, false
	}
	p, ok = process.Table{}.Identify(r.PID)
	return p, ok && p.StartTime == r.Identity.Ticks
}

func (c codex) stop() error {
	p, ok := c.serving()
	if !ok {
		return nil
	}
	c.hold("stop")
	if err := c.note("stop"); err != nil {
		return err
	}
	if err := syscall.Kill(p.PID, syscall.SIGTERM); err != nil {
		return err
	}
	for now, ok := c.serving(); ok && now == p; now, ok = c.serving() {
		time.Sleep(5 * time.Millisecond)
	}
	c.hold("stopped")
	return nil
}

func (c codex) start() error {
	if _, ok := c.serving(); ok {
		return nil
	}
	if err := c.note("start"); err != nil {
		return err
	}
	c.hold("start")
	cmd := exec.Command(os.Args[0], "app-server", "--listen", "unix://")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	for _, ok := c.serving(); !ok; _, ok = c.serving() {
		time.Sleep(5 * time.Millisecond)
	}
	c.hold("started")
	return nil
}

// serve is the background server.
func (c codex) serve() error {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	for _, dir := range []string{"run", "app-server-control", "app-server-daemon"} {
		if err := os.MkdirAll(c.path(dir), 0o700); err != nil {
			return err
		}
	}
	socket := c.path(fmt.Sprintf("run/%d", os.Getpid()))
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		return err
	}
	_ = os.Remove(c.path("app-server-control/app-server-control.sock"))
	if err := os.Symlink(socket, c.path("app-server-control/app-server-control.sock")); err != nil {
		return err
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go c.talk(conn)
		}
	}()
	self, _ := process.Table{}.Identify(os.Getpid())
	r := recordFile{PID: self.PID}
	r.Identity.Boot, r.Identity.Ticks = self.BootID, self.StartTime
	data, err := json.Marshal(r)
	if err == nil {
		err = os.WriteFile(c.record()+".new", data, 0o600)
	}
	if err == nil {
		err = c.note("served")
	}
	if err == nil {
		err = os.Rename(c.record()+".new", c.record())
	}
	if err != nil {
		return err
	}
	<-told
	_ = os.Remove(c.record())
	return c.note("ended")
}

// talk answers on the control socket.
func (c codex) talk(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	r, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nsec-websocket-accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
	for {
		var m struct {
			ID     *int
			Method string
		}
		message, err := frame(in)
		if err != nil || json.Unmarshal(message, &m) != nil {
			return
		}
		if m.ID == nil {
			continue
		}
		text := fmt.Sprintf(`{"id":%d,"result":%s}`, *m.ID, c.answer(m.Method))
		head := binary.BigEndian.AppendUint16([]byte{0x81, 126}, uint16(len(text)))
		_, _ = conn.Write(append(head, text...))
	}
}

func (c codex) answer(method string) string {
	switch method {
	case "initialize":
		return `{"userAgent":"codex-tui/0.171.0 (Debian 12.0.0; x86_64)"}`
	case "thread/loaded/list":
		if job, _ := os.ReadFile(c.path("../data/acc/runtime/maintenance.json")); strings.Contains(string(job), `"fencing"`) {
			c.hold("fenced")
		}
		return `{"data":["` + thread + `"]}`
	case "thread/read":
		status := "idle"
		if _, err := os.Lstat(c.path("busy")); err == nil {
			status = "active"
		}
		return fmt.Sprintf(`{"thread":{"id":%q,"cwd":%q,"status":{"type":%q}}}`, thread, c.path("../project"), status)
	}
	return `{}`
}

// frame reads a frame: a client's is masked. None that matters here is longer than 64 KiB.
func frame(in io.Reader) ([]byte, error) {
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
	if head[1]&0x80 == 0 { // of a server
		data := make([]byte, size)
		_, err := io.ReadFull(in, data)
		return data, err
	}
	data := make([]byte, 4+size)
	if _, err := io.ReadFull(in, data); err != nil {
		return nil, err
	}
	for i := range size {
		data[4+i] ^= data[i%4]
	}
	return data[4:], nil
}

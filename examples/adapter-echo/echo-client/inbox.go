package main

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// protocol is the name of what is spoken at the inbox: one line asks, one line answers.
const protocol = "echo-inbox-1"

// maxLine is how long a line may be, in bytes.
const maxLine = 1 << 20

// request is a line that others send. Ask is hello or message.
type request struct {
	Ask     string `json:"ask"`
	Session string `json:"session"` // of a message: the conversation that is meant
	ID      string `json:"id"`
	Text    string `json:"text"`
}

// reply answers a request. Taken says that the session will read the message with its next turn.
type reply struct {
	Protocol string `json:"protocol"`
	Version  string `json:"version"`
	Session  string `json:"session"`
	Taken    bool   `json:"taken"`
}

// inbox is a socket that only this user can reach. path is empty where there is none.
type inbox struct {
	path     string
	session  string
	listener net.Listener
	messages chan request
}

// openInbox listens at a socket in a directory of its own.
func openInbox(home, session string) (*inbox, error) {
	b := &inbox{session: session, messages: make(chan request, 16)}
	if runtime.GOOS == "windows" {
		return b, nil
	}
	dir := filepath.Join(home, "inbox")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	b.path = filepath.Join(dir, session+".sock")
	_ = os.Remove(b.path) // a former process of the same conversation may have left it
	l, err := net.Listen("unix", b.path)
	if err != nil {
		return nil, err
	}
	b.listener = l
	if err := os.Chmod(b.path, 0o600); err != nil {
		b.close()
		return nil, err
	}
	go b.serve()
	return b, nil
}

func (b *inbox) close() {
	if b.listener != nil {
		_ = b.listener.Close()
	}
}

func (b *inbox) serve() {
	for {
		c, err := b.listener.Accept()
		if err != nil {
			return
		}
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		b.talk(c)
		_ = c.Close()
	}
}

// talk answers the lines of one connection. A line that cannot be read ends it.
func (b *inbox) talk(c net.Conn) {
	lines := bufio.NewScanner(c)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var r request
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			return
		}
		answer := reply{Protocol: protocol, Version: version, Session: b.session}
		if r.Ask == "message" && r.Session == b.session {
			select {
			case b.messages <- r:
				answer.Taken = true
			default: // full
			}
		}
		data, err := json.Marshal(answer)
		if err != nil {
			return
		}
		if _, err := c.Write(append(data, '\n')); err != nil {
			return
		}
	}
}

//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The client that this file stands in for could not be run: it speaks what was published of version 1.2.7.
// A conversation runs acc's hooks, gives its agent a shell, and takes what `agy agentapi send-message` hands
// it from whoever knows its token.

// behaviourVariable names a file that says how the client's command misbehaves.
const behaviourVariable = "AGY_BEHAVIOUR"

const (
	conversationID = "0b1c2d3e-conversation"
	csrfToken      = "csrf-8f2a-secret"
)

// order is what a test tells the conversation to do.
type order struct {
	Hook    string // event; "" is no hook
	Payload string
	Shell   string // command of the agent
	Woken   bool   // whether to give what the conversation was told since the last time
}

// done is what came of it.
type done struct {
	Code        int
	Out, Errors string
	Woken       []string
}

// agy is the client's executable.
func agy(args []string) int {
	switch {
	case len(args) == 0:
		return converse()
	case len(args) == 1 && args[0] == "--version":
		fmt.Println("1.2.7")
		return 0
	case len(args) == 4 && args[0] == "agentapi" && args[1] == "send-message":
		return sendMessage(args[2], args[3])
	}
	return 64
}

// letter is what the client's command hands to the running client.
type letter struct{ Token, Conversation, Text string }

func sendMessage(conversation, text string) int {
	behaviour, _ := os.ReadFile(os.Getenv(behaviourVariable))
	switch string(behaviour) {
	case "drops": // says that all is well
		return 0
	case "refuses":
		fmt.Fprintln(os.Stderr, "rate limited: /home/user/secret")
		return 2
	case "hangs":
		time.Sleep(time.Minute)
	}
	conn, err := net.Dial("tcp", os.Getenv("ANTIGRAVITY_LS_ADDRESS"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "Unavailable:", err)
		return 1
	}
	defer func() { _ = conn.Close() }()
	_ = json.NewEncoder(conn).Encode(letter{os.Getenv("ANTIGRAVITY_CSRF_TOKEN"), conversation, text})
	answer, _ := io.ReadAll(conn)
	fmt.Print(string(answer))
	if string(answer) != "sent\n" {
		return 1
	}
	return 0
}

// converse is the running client. It obeys orders until its input ends.
func converse() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 1
	}
	letters := make(chan string, 1000)
	go receive(l, letters)
	orders := bufio.NewScanner(os.Stdin)
	orders.Buffer(nil, 1<<20)
	for orders.Scan() {
		var o order
		if err := json.Unmarshal(orders.Bytes(), &o); err != nil {
			return 1
		}
		answer, err := json.Marshal(o.obey(l.Addr().String(), letters))
		if err != nil {
			return 1
		}
		fmt.Println(string(answer))
	}
	return 0
}

func receive(l net.Listener, letters chan<- string) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		var got letter
		switch err := json.NewDecoder(conn).Decode(&got); {
		case err != nil || got.Token != csrfToken:
			_, _ = io.WriteString(conn, "PermissionDenied\n")
		case got.Conversation != conversationID:
			_, _ = io.WriteString(conn, "Unavailable\n")
		default:
			letters <- got.Text
			_, _ = io.WriteString(conn, "sent\n")
		}
		_ = conn.Close()
	}
}

func (o order) obey(address string, letters <-chan string) (d done) {
	var cmd *exec.Cmd
	switch {
	case o.Hook != "":
		self, err := os.Executable()
		if err != nil {
			return done{Code: -1, Errors: err.Error()}
		}
		// The shell of a hook has neither the address nor the token.
		cmd = exec.Command(filepath.Join(filepath.Dir(self), "acc-hook"), "antigravity", o.Hook)
		cmd.Env = append(os.Environ(), "ANTIGRAVITY_CONVERSATION_ID="+conversationID)
		cmd.Stdin = strings.NewReader(o.Payload)
	case o.Shell != "":
		cmd = exec.Command("/bin/sh", "-c", o.Shell)
		cmd.Env = append(os.Environ(), "ANTIGRAVITY_LS_ADDRESS="+address, "ANTIGRAVITY_CSRF_TOKEN="+csrfToken)
	}
	if cmd != nil {
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return done{Code: -1, Errors: err.Error()}
		}
		d.Code, d.Out, d.Errors = cmd.ProcessState.ExitCode(), out.String(), errs.String()
	}
	for o.Woken && len(letters) > 0 {
		d.Woken = append(d.Woken, <-letters)
	}
	return d
}

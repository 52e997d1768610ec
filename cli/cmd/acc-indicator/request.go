package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

const usage = "usage: acc-indicator --adapter ID [--native-session ID] [--details | --json]\n"

const help = usage + `
Prints one line for the status line of a client: whether its conversation takes part in a room of acc, how messages
reach it, and how many it has not read. It only reads, and ends within 1.5 seconds.

  --adapter ID         the client: claude_code, antigravity, …
  --native-session ID  the conversation, by the client's own id; without it the client's JSON on standard input says it
  --details            say more, in several lines
  --json               say it to a program
  --version            print the version

acc install --indicator on writes it into clients whose status line can run a command.
`

// request is what the arguments ask for.
type request struct {
	adapter, native string
	details, json   bool
}

// parse reads the arguments: a command of four options needs no library, and none may slow a status line down.
func parse(args []string) (request, error) {
	var r request
	for len(args) > 0 {
		name, value, given := strings.Cut(args[0], "=")
		args = args[1:]
		switch name {
		case "--details", "--json":
			if given {
				return r, fmt.Errorf("%s takes no value", name)
			}
			r.details, r.json = r.details || name == "--details", r.json || name == "--json"
			continue
		case "--adapter", "--native-session":
		default:
			return r, fmt.Errorf("unknown argument %q", name)
		}
		if !given {
			if len(args) == 0 {
				return r, fmt.Errorf("%s needs a value", name)
			}
			value, args = args[0], args[1:]
		}
		if name == "--adapter" {
			r.adapter = value
		} else {
			r.native = value
		}
	}
	switch {
	case r.details && r.json:
		return r, errors.New("--details and --json exclude each other")
	case protocol.PortableIDProblem(r.adapter) != "":
		return r, errors.New("--adapter names a client: claude_code, antigravity, …")
	}
	return r, nil
}

// said is as much of a client's JSON as names its conversation.
type said struct{ session, conversation string }

var saidFormat = &strictjson.Object[said]{
	Name: "status line input", Doc: "What a client says of itself.", Open: true, MaxBytes: maxInput,
	Members: func() []strictjson.Member[said] {
		return []strictjson.Member[said]{
			strictjson.Optional("session_id", "of Claude Code and others", func(s *said) *string { return &s.session }, strictjson.Text(protocol.MaxLine+12)),
			strictjson.Optional("conversation_id", "of Antigravity", func(s *said) *string { return &s.conversation }, strictjson.Text(protocol.MaxLine+12)),
		}
	},
}

func named(data []byte) string {
	s, err := saidFormat.Decode(data)
	if err != nil {
		return ""
	}
	if s.session != "" {
		return s.session
	}
	return s.conversation
}

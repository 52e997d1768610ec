// Command acc-indicator prints one line for the status line of a client: whether the conversation takes part in
// its room, how messages reach it, and how many it has not read.
//
//	acc-indicator --adapter ID [--native-session ID] [--details | --json]
//	acc-indicator --help | --version
//
// Without --native-session the client's JSON on standard input names the conversation (session_id or
// conversation_id). It only reads: no sign of life, no lock of the store, no socket. It ends within 1.5 seconds,
// and with exit code 0 whatever it finds, because a status line is no place for failures; wrong arguments are
// exit code 2. Start at look.go.
package main

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/self"
	"github.com/acc-control-plane/acc/cli/launch"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// limit bounds everything, also a file system that does not answer.
const limit = 1500 * time.Millisecond

// maxInput bounds what a client may say on standard input, in bytes.
const maxInput = 64 << 10

func main() {
	if text := self.About(os.Args[1:], "acc-indicator", help); text != "" {
		_, _ = os.Stdout.WriteString(text)
		return
	}
	asked, err := parse(os.Args[1:])
	if err != nil {
		_, _ = os.Stderr.WriteString("acc-indicator: " + err.Error() + "\n" + usage)
		os.Exit(int(protocol.Usage))
	}
	var said atomic.Bool
	late := time.AfterFunc(limit, func() {
		if said.CompareAndSwap(false, true) {
			say(asked, view{Problem: "the store did not answer in time"})
			os.Exit(0)
		}
	})
	defer late.Stop()
	launch.Enter("acc-indicator", launch.Indicator)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if asked.native == "" {
		asked.native = conversation(os.Stdin)
	}
	seen := look(ctx, datahome.Installed(os.Getenv), asked)
	if said.CompareAndSwap(false, true) {
		say(asked, seen)
	}
}

func say(asked request, v view) { _, _ = os.Stdout.WriteString(asked.render(v)) }

// conversation reads what a client says of itself; "": nothing that names one. A terminal says nothing.
func conversation(stdin *os.File) string {
	if info, err := stdin.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return ""
	}
	data, err := io.ReadAll(io.LimitReader(stdin, maxInput))
	if err != nil {
		return ""
	}
	return named(data)
}

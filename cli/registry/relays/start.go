package relays

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapters/antigravity/hook"
	"github.com/acc-control-plane/acc/adapters/antigravity/live/relay"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// startTime bounds everything until the second half listens.
const startTime = 10 * time.Second

const usage = `Usage: acc-antigravity-relay --session ID --generation KEY --cwd DIR --workspace ROOM

Lets other sessions wake this Antigravity conversation while it is idle. Experimental. Start it once, from
the shell tool of the agent, with the four options of your acc header. It goes on in the background and ends
with Antigravity, with the session, or after a day.
`

// Antigravity is the whole main function of acc-antigravity-relay; it gives the exit status.
func Antigravity(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	env := datahome.Installed(os.Getenv)
	err := func() error {
		if len(args) == 1 && args[0] == serveWord {
			return serve(stdin, stdout, env)
		}
		ctx, cancel := context.WithTimeout(context.Background(), startTime)
		defer cancel()
		said, err := start(ctx, args, env)
		if err == nil {
			_, err = fmt.Fprintln(stdout, said)
		}
		return err
	}()
	if errors.Is(err, flag.ErrHelp) {
		_, _ = io.WriteString(stdout, usage)
		return 0
	}
	if err != nil {
		return tell(stderr, err)
	}
	return 0
}

// tell writes an error as every command of acc does.
func tell(w io.Writer, err error) int {
	_, _ = fmt.Fprintln(w, "acc-antigravity-relay: "+err.Error())
	if known := (*protocol.Error)(nil); errors.As(err, &known) && known.Hint != "" {
		_, _ = fmt.Fprintln(w, "hint: "+known.Hint)
	}
	return int(protocol.CodeOf(err))
}

// request is what the agent says.
type request struct {
	owner          core.Owner
	cwd, workspace string
}

func parse(args []string) (request, error) {
	var r request
	f := flag.NewFlagSet("acc-antigravity-relay", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&r.owner.SessionID, "session", "", "")
	f.StringVar(&r.owner.Generation, "generation", "", "")
	f.StringVar(&r.cwd, "cwd", "", "")
	f.StringVar(&r.workspace, "workspace", "", "")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return request{}, err
		}
		return request{}, protocol.UsageError("", err.Error()).WithHint("acc-antigravity-relay --help")
	}
	if f.NArg() > 0 || r.owner.SessionID == "" || r.owner.Generation == "" {
		return request{}, protocol.UsageError(protocol.ReasonCallerUnresolved, "no session was named").
			WithHint("append the four options of your acc header")
	}
	if r.cwd != "" && !filepath.IsAbs(r.cwd) {
		return request{}, protocol.UsageError("", "--cwd is no absolute directory")
	}
	return r, nil
}

func (r request) room(ctx context.Context, env datahome.Env) (*room.Room, error) {
	return room.Enter(ctx, room.Request{Env: env, Dir: r.cwd, Selector: r.workspace})
}

// start is the first half. It gives the sentence that the agent reads.
func start(ctx context.Context, args []string, env datahome.Env) (string, error) {
	asked, err := parse(args)
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "windows" {
		return "", protocol.UsageError("", "a relay needs local sockets, which acc does not use on Windows").
			WithHint("nothing is lost: messages arrive with the next turn")
	}
	in, err := asked.room(ctx, env)
	if err != nil {
		return "", err
	}
	session, _, err := in.Core.Alive(ctx, asked.owner)
	if err != nil {
		return "", err
	}
	if session.Harness != hook.ID {
		return "", protocol.UsageError("", "that session is one of "+session.Harness+", not of Antigravity")
	}
	switch policy, err := livefiles.NewPolicies(in.Home).LivePolicy(hook.ID); {
	case err != nil:
		return "", err
	case policy == protocol.LiveOff:
		return "not started: messages may not wake Antigravity on this machine; they arrive with the next turn." +
			" Only the person may change that: acc delivery --adapter antigravity --policy actionable", nil
	}
	ref := protocol.GenerationRef(asked.owner.Generation)
	if relay.Running(ctx, livefiles.NewVault(in.Home), ref) {
		return "already started: this conversation can be woken while it is idle", nil
	}
	if _, err := findClient(env); err != nil {
		return "", err
	}
	vendor, err := relay.Find(ctx, env)
	if err != nil {
		return "", err
	}
	if err := spawn(ctx, handoff{request: asked, vendor: vendor}); err != nil {
		return "", err
	}
	return "started: this conversation can be woken while it is idle, from the end of this turn on", nil
}

// maxAncestors is how far up the process tree the client is looked for.
const maxAncestors = 16

// findClient finds the client that this shell belongs to: with it the relay ends.
func findClient(env datahome.Env) (process.Identity, error) {
	a, err := hook.New()
	if err != nil {
		return process.Identity{}, err
	}
	var above adapter.Ancestors
	for p := range (process.Table{}).Walk(os.Getppid(), maxAncestors) {
		above = append(above, adapter.Process{PID: p.PID, Name: p.Name, Args: p.Args})
	}
	if identity, ok := (process.Table{}).Identify(a.ClientPID(env, above)); ok {
		return identity, nil
	}
	return process.Identity{}, protocol.UsageError("", "this shell was not started by Antigravity, as far as the process table tells").
		WithHint("start the relay from the shell tool of an Antigravity agent, so that it can end with it")
}

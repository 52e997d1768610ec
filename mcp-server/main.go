package mcpserver

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/mcp-server/internal/caller"
	"github.com/acc-control-plane/acc/mcp-server/internal/lines"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// Options are what the binary that links this module knows and the module does not.
type Options struct {
	// Version is what the server says of itself.
	Version string
	// Tags are the tags in which clients wrap their own words; peer text must not imitate them.
	Tags []string
	// Conversation finds the session that a client's hooks own; nil: there are no hooks.
	Conversation caller.Conversation
	// Discover brings sessions that no hook has told of yet into a room before somebody looks who is there; nil:
	// nobody is found.
	Discover func(ctx context.Context, in *room.Room, env func(string) string)
	// Lives are the transports by which running sessions can be asked to look at a message that was just
	// recorded; none: every message waits.
	Lives []*adapter.Live
}

// Process is what the server is given by the operating system.
type Process struct {
	Stdin  io.Reader
	Stdout io.Writer
	Env    func(name string) string
	// Gone is closed when the client that started the server is no more, however it ended; nil: only the
	// end of Stdin tells.
	Gone <-chan struct{}
}

// Main serves the current process until its client is gone, and exits. It is the whole main function of
// acc-mcp.
func Main(o Options) {
	// A client may close its end of the pipe at any time; that is an error for Write to see.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	Serve(ctx, o, Process{Stdin: os.Stdin, Stdout: os.Stdout, Env: datahome.Installed(os.Getenv), Gone: parentGone(ctx)})
	os.Exit(0)
}

// grace is how long calls that are under way may take to end once the client is gone. What a commit has
// begun it finishes well within it; nothing else is worth waiting for.
const grace = 2 * time.Second

// Serve serves one client and returns when it is gone or ctx ends. Then it returns in little more than
// grace, whatever still blocks; the caller should then exit the process.
func Serve(ctx context.Context, o Options, p Process) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	transport := lines.New(p.Stdin, p.Stdout)
	hungUp, hangUp := context.WithCancel(ctx)
	defer hangUp()
	s := newServer(o, p.Env, hungUp.Done())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.mcp.Run(ctx, transport) // why a client went is nobody's concern
	}()
	beats := time.NewTicker(caller.BeatEvery)
	defer beats.Stop()
	go s.book.Beat(ctx, beats.C)
	select {
	case <-done:
	case <-p.Gone:
	case <-ctx.Done():
	case <-transport.Ended():
		hangUp() // calls that wait have nobody to wait for; the others are still answered
		select {
		case <-done:
		case <-p.Gone:
		case <-ctx.Done():
		case <-time.After(lines.Drain):
		}
	}
	cancel()
	select {
	case <-done:
	case <-time.After(grace):
	}
}

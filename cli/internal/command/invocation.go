package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
)

// Deadline bounds everything a command waits for on the way to its decision: locks above all.
const Deadline = 5 * time.Second

// Host is what a command is given by the process it runs in.
type Host struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            func(name string) string
	// Admit lets the process into the installation that it runs from, and may put another executable in its
	// place; nil: there is none.
	Admit func(s Standing) error
	// Patient is called before a command begins to wait for something; nil: nobody cares.
	Patient func()
	// Enter opens a room; room.Enter outside tests.
	Enter func(ctx context.Context, req room.Request) (*room.Room, error)
	// Hooks are the adapters of this build; nil: nothing is said about what their clients were seen to do.
	Hooks func() ([]*adapter.Adapter, error)
	// Lives are the live transports of this build; nil or an error: messages wait for the next turn.
	Lives func() ([]*adapter.Live, error)
	// Installers write acc into the clients of this build and take it out again.
	Installers func() ([]adapter.Installer, error)
}

// Invocation is one run of one command.
type Invocation struct {
	Host
	UI        *ui.UI
	JSON      bool
	cwd       string     // --cwd, or empty
	workspace string     // --workspace, or empty
	worked    *room.Room // entered to work in; nil: none, or only to look at it as it is
}

// patient says that the command waits from now on, so that it is told when it is to end.
func (inv *Invocation) patient() {
	if inv.Patient != nil {
		inv.Patient()
	}
}

// Cwd is the absolute directory that relative paths of the caller start from.
func (inv *Invocation) Cwd() (string, error) {
	dir := inv.cwd
	if dir == "" {
		dir = "."
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", protocol.DataError("", "the current directory is unknown").WithHint("cd to a directory that exists, or give --cwd an absolute path").Because(err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", protocol.UsageError(argv.ReasonInvalidArguments, fmt.Sprintf("%s is not a directory", dir)).Because(err)
	}
	return dir, nil
}

// Room enters the room that the caller selected. Whoever uses it needs the indexes and makes lost ones again.
func (inv *Invocation) Room(ctx context.Context) (*room.Room, error) {
	r, err := inv.enter(ctx, room.Request{Env: inv.Env, Rebuild: true})
	inv.worked = r
	return r, err
}

// roomOf is the room as the owner of another environment sees it, to be examined as it is.
func (inv *Invocation) roomOf(ctx context.Context, env func(string) string) (*room.Room, error) {
	return inv.enter(ctx, room.Request{Env: env})
}

// locate finds the room that the caller selected, whatever state its store is in.
func (inv *Invocation) locate(ctx context.Context, env func(string) string) (datahome.Home, workspace.Descriptor, error) {
	req, err := inv.selected(room.Request{Env: env})
	if err != nil {
		return datahome.Home{}, workspace.Descriptor{}, err
	}
	return room.Locate(ctx, req)
}

// selected completes a request by what the caller selected.
func (inv *Invocation) selected(req room.Request) (room.Request, error) {
	req.Selector = inv.workspace
	cwd, err := inv.Cwd()
	if err != nil {
		return req, err
	}
	if inv.cwd != "" {
		req.Dir = cwd
	}
	if req.Selector != "" && !strings.HasPrefix(req.Selector, protocol.RoomScheme) && !filepath.IsAbs(req.Selector) {
		req.Selector = filepath.Join(cwd, req.Selector)
	}
	if info, err := os.Stat(req.Selector); err == nil && info.IsDir() {
		return req, invalid("--workspace names the configuration file of a room, or acc://…, and %s is a directory", req.Selector).
			WithHint("--cwd selects the room of a directory")
	}
	return req, nil
}

// enter enters the room that the caller selected, as req says for the rest.
func (inv *Invocation) enter(ctx context.Context, req room.Request) (*room.Room, error) {
	req, err := inv.selected(req)
	if err != nil {
		return nil, err
	}
	return bounded(ctx, func(ctx context.Context) (*room.Room, error) { return inv.Enter(ctx, req) })
}

// Package doctor finds out how acc stands on this machine and says nothing that it did not observe.
//
// Examine runs the checks in an order in which each rests on those before it: the data home (home.go) and who may look into it (permissions.go),
// the room and its store, which is diagnosed before anything is read out of it (store.go), sessions, their
// mail and their clocks (sessions.go), who can be reached (endpoints.go) and who speaks for whom (bindings.go), the hooks that
// ran (hooks.go), every client (clients.go, evidence.go), MCP registrations (servers.go) and the installed
// generations or executables (managed.go, runtime.go). A check gives Findings, each with one remedy unless all is well; the facts behind
// them are in the Report. Nothing is changed but by Repair.
package doctor

import (
	"context"
	"errors"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// Level is how much a finding matters.
type Level string

// The levels.
const (
	OK   Level = "ok"
	Warn Level = "warn" // acc works, and something is not as it could be
	Fail Level = "fail" // something does not work
)

// Finding is one fact that was observed.
type Finding struct {
	Level   Level
	Subject string    // what it is about: a word or an adapter id
	Text    string    // one line, without a full stop
	At      time.Time // when it happened; zero: now
	Remedy  string    // the one command or step that mends it; empty: none, or none is needed
}

// Subjects of findings that are about no client.
const (
	subjectHome     = "data home"
	subjectModes    = "permissions"
	subjectRoom     = "room"
	subjectStore    = "store"
	subjectSessions = "sessions"
	subjectRuntime  = "runtime"
	subjectClients  = "clients"
	subjectLock     = "lock"
	subjectClock    = "clock"
	subjectServers  = "mcp"
)

// Request says what to examine.
type Request struct {
	Home       datahome.Home
	Machine    adapter.Machine
	Installers []adapter.Installer
	// MCP are the installers of the MCP server; a registration that nobody made is not missed.
	MCP []adapter.Installer
	// Adapters know what their clients were seen to do.
	Adapters []*adapter.Adapter
	// Lives are the transports by which running sessions can be asked to look.
	Lives []*adapter.Live
	// Enter opens the room in question. It reads nothing but the identity of the store.
	Enter func(ctx context.Context) (*room.Room, error)
	// Repair lets derived data be made again.
	Repair bool
	Now    time.Time
	// FS holds the data home; nil: the real file system.
	FS vfs.FS
}

// Report is what was found.
type Report struct {
	Findings    []Finding
	WorkspaceID string          // of the room; empty: none
	Store       *fsstore.Report // nil: there was no store to look at
	Repaired    bool
	LockOwner   string // who holds the writer lock of the store; empty: nobody
	Backlog     []Backlog
	Attempts    []Attempt
	Owners      []OwnerFile
	Hooks       []Hook
	Guards      []Guard
	Clients     []Client
	Servers     []Client
	Runtime     RuntimeState
}

// examination is a run of Examine.
type examination struct {
	Request
	Report
	newest map[string]time.Time // newest sign of life of a session of each adapter, in this room
}

// Examine makes every check. What a check cannot find out becomes a finding that says so.
func Examine(ctx context.Context, q Request) Report {
	if q.FS == nil {
		q.FS = vfs.OS{}
	}
	e := &examination{Request: q, newest: map[string]time.Time{}}
	if !e.checkHome() {
		return e.Report
	}
	e.checkRoom(ctx)
	e.checkClients(ctx)
	e.checkServers(ctx)
	e.checkRuntime(ctx)
	return e.Report
}

func (e *examination) ok(subject, text string) {
	e.add(Finding{Level: OK, Subject: subject, Text: text})
}

func (e *examination) warn(subject, text, remedy string) {
	e.add(Finding{Level: Warn, Subject: subject, Text: text, Remedy: remedy})
}

func (e *examination) fail(subject, text, remedy string) {
	e.add(Finding{Level: Fail, Subject: subject, Text: text, Remedy: remedy})
}

func (e *examination) add(f Finding) { e.Findings = append(e.Findings, f) }

// Count gives how many findings have a level.
func (r Report) Count(l Level) int {
	n := 0
	for _, f := range r.Findings {
		if f.Level == l {
			n++
		}
	}
	return n
}

// hint is what an error says to do next, or else what the caller knows.
func hint(err error, otherwise string) string {
	var e *protocol.Error
	if errors.As(err, &e) && e.Hint != "" {
		return e.Hint
	}
	return otherwise
}
